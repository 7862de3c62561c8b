"""Contexts that are counted where a result cannot list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import ContextsOrigin


def counted(group: GroupCoverage, absent: Mapping[str, str]) -> GroupCoverage:
    """Account for the stimuli of a group, with numbers of contexts in place of their texts.

    Parameters
    ----------
    group : GroupCoverage
        Of sentences, each with its stimulus.
    absent : mapping of str to str
        Stimuli without a sentence, and why.

    Examples
    --------
    >>> group = GroupCoverage(used=("a 1", "b 1", "a 2"), missing=("c 1",), reasons={"c 1": "no"},
    ...     stimulus={"a 1": "a", "b 1": "b", "a 2": "a", "c 1": "c"})
    >>> found = counted(group, {})
    >>> found.contexts, found.reasons
    ({'a': 2, 'b': 1}, {'c': 'none of its 1 contexts has a vector: no'})
    """
    used = dict(Counter(group.stimulus[term] for term in group.used))
    without: dict[str, dict[str, int]] = {}
    for term in group.missing:
        some, why = without.setdefault(group.stimulus[term], {}), group.reasons[term]
        some[why] = some.get(why, 0) + 1
    reasons = {one: _why(some) for one, some in without.items() if one not in used} | dict(absent)
    return GroupCoverage(
        used=tuple(used), missing=tuple(reasons), reasons=reasons, contexts=used, without=without
    )


def _why(reasons: Mapping[str, int]) -> str:
    said = (why if len(reasons) == 1 else f"{why} ({count:,})" for why, count in reasons.items())
    return f"none of its {sum(reasons.values()):,} contexts has a vector: {'; '.join(said)}"


def lost(coverage: Coverage, origin: ContextsOrigin) -> Iterator[str]:
    """Say how many contexts have no vector, and why."""
    groups = coverage.values()
    reasons: Counter[str] = Counter()
    for group in groups:
        for some in group.without.values():
            reasons.update(some)
    if reasons:
        every = reasons.total() + sum(sum(group.contexts.values()) for group in groups)
        said = "; ".join(f"{why} ({count:,})" for why, count in sorted(reasons.items()))
        yield (
            f"{reasons.total():,} of {every:,} contexts of {origin.name or 'a corpus'} have no "
            f"vector: {said}."
        )
