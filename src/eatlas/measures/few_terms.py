"""What is said where a group has too few usable terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from eatlas.errors import CoverageError, listed
from eatlas.measures.known import KNOWN
from eatlas.results.parts import GroupCoverage
from eatlas.stimuli import ROLES, AssociationTest


def too_few(
    test: AssociationTest,
    role: str,
    group: GroupCoverage,
    source: str,
    asked: tuple[str, str, int],
) -> CoverageError:
    """Say why a group is too small for a measure: by itself, or for what a source lacks.

    `asked` is the name of the measure, what it needs of a term, and of how many terms.
    """
    name, needed, least = asked
    concept, used = test.concept(role), len(group.used)
    alone = len(concept.terms) < least
    if concept.sentences and not alone:
        return _needs_sentences(test, role, group, least, source)
    where = f"test {test.id}, group {role} ({concept.name})"
    why = "its labels are permuted" if least > 1 else "its mean is taken"
    allowed = f"at least {least} usable terms for {name} ({why})"
    if alone:
        return CoverageError(
            f"{where}: a group of one term",
            got=repr(concept.terms[0]),
            allowed=allowed,
            remedy=f"add terms{_or_another_measure(test, needed)}",
        )
    reasons = [f"{term} ({reason})" for term, reason in group.reasons.items()]
    return CoverageError(
        f"{where}: {f'only {used} term has' if used else 'no term has'} a usable {needed} in "
        f"{source}",
        got=f"missing: {listed(reasons)}",
        allowed=allowed,
        remedy=_larger_source(group.missing, needed),
    )


def _needs_sentences(
    test: AssociationTest, role: str, group: GroupCoverage, least: int, source: str
) -> CoverageError:
    """Say that vectors of words do not serve where sentences are asked for; or what else it is."""
    concept, used = test.concept(role), len(group.used)
    others = Counter(why for why in group.reasons.values() if not why.startswith("not in "))
    if others:
        return CoverageError(
            f"test {test.id}, group {role} ({concept.name}): too few of its sentences have a "
            f"usable vector in {source}",
            got=f"{used} of {len(concept.terms)}; "
            + "; ".join(f"{why} ({count:,})" for why, count in sorted(others.items())),
            allowed=f"at least {least}",
            remedy="use other sentences, or a source that takes these",
        )
    return CoverageError(
        f"test {test.id}, group {role} ({concept.name}): these are sentences, "
        f"and {source} has no vectors for them",
        got=f"{used} of {len(concept.terms)}; {concept.terms[0]!r} is one of them",
        allowed="a source that encodes sentences",
        remedy="use a sentence encoder or a cbow: source, which takes the mean of the words' "
        "vectors, or the test of the words that these sentences are made of",
    )


def _larger_source(missing: Iterable[str], needed: str) -> str:
    """Say where missing terms may be found; phrases have no vectors where words are looked up."""
    remedy = "use terms that the source has, or a source with a larger vocabulary"
    if needed == "vector" and any(" " in term for term in missing):
        remedy += "; for phrases, a cbow: source takes the mean of their words' vectors"
    return remedy


def _or_another_measure(test: AssociationTest, needed: str) -> str:
    """Name the measures that take a test whose groups are this small, and the same sources."""
    sizes: dict[str, int] = {role: len(test.concept(role).terms) for role in ROLES}
    fitting = [
        kind.name
        for kind in KNOWN.values()
        if kind.kind == test.kind
        and kind.needed == needed
        and all(sizes[role] >= least for role, least in kind.minimum.items())
    ]
    return f", or measure the test by {' or '.join(fitting)}" if fitting else ""
