"""The terms that a measure needs, and messages where a source has too few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from eatlas.errors import CoverageError, listed
from eatlas.measures import Measure, measure_types
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import Test


def require_terms(measure: Measure, test: Test, coverage: Coverage, source: str) -> None:
    """Refuse groups that have fewer usable terms than a measure needs.

    Raises
    ------
    CoverageError
        Saying whether a group is small by itself or for what `source` lacks.
    """
    for role, least in measure.minimum_of(test).items():
        group = coverage.group(role)
        if len(group.used) < least:
            pairs = getattr(measure, "pairs", None)
            if pairs is not None:
                raise _without_pairs(measure, test, role, group, pairs.name or "the corpus")
            raise _too_few(measure, test, role, group, source)


def require_stimuli(measure: Measure, test: Test, coverage: Coverage, source: str) -> None:
    """Refuse groups whose sentences are made of fewer stimuli than a measure relabels.

    Raises
    ------
    CoverageError
        Naming the one stimulus of a group.
    """
    for role, least in measure.minimum_of(test).items():
        names = coverage.group(role).stimuli
        if len(names) < least:
            raise CoverageError(
                f"test {test.id}, group {role} ({test.concept(role).name}): all contexts with "
                f"a vector in {source} are those of one stimulus",
                got=repr(names[0]),
                allowed=f"{least} stimuli or more: their labels are permuted",
                remedy="add stimuli, or contexts of those that have none",
            )


def _without_pairs(
    measure: Measure,
    test: Test,
    role: str,
    group: GroupCoverage,
    corpus: str,
) -> CoverageError:
    """Say which terms have no sentence with each term of the other side."""
    missing = listed(f"{term} ({why})" for term, why in group.reasons.items())
    return CoverageError(
        f"test {test.id}, group {role} ({test.concept(role).name}): too few terms have "
        f"sentences with all others in {corpus}",
        got=f"usable: {listed(group.used) or 'none'}; missing: {missing or 'none'}",
        allowed=f"at least {measure.minimum_of(test)[role]} for {measure.name}",
        remedy="use a larger corpus, more words between the two (--distance), or a "
        "test of fewer and more frequent words",
    )


def _too_few(
    measure: Measure,
    test: Test,
    role: str,
    group: GroupCoverage,
    source: str,
) -> CoverageError:
    """Say why a group is too small: by itself, or for what a source lacks."""
    needed, least = measure.needed, measure.minimum_of(test)[role]
    concept, used = test.concept(role), len(group.used)
    alone = len(concept.terms) < least
    if concept.sentences and not alone:
        return _needs_sentences(test, role, group, least, source)
    where = f"test {test.id}, group {role} ({concept.name})"
    why = "its labels are permuted" if least > 1 else "its mean is taken"
    allowed = f"at least {least} usable terms for {measure.name} ({why})"
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
    test: Test, role: str, group: GroupCoverage, least: int, source: str
) -> CoverageError:
    """Say that vectors of words do not serve where sentences are requested; or what else it is."""
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


def _or_another_measure(test: Test, needed: str) -> str:
    """Name the measures that take a test whose groups are this small, and the same sources."""
    sizes = {group: len(concept.terms) for group, concept in test.concepts.items()}
    fitting = [
        kind.name
        for kind in measure_types().values()
        if kind.kind == test.kind
        and kind.needed == needed
        and all(sizes[group] >= least for group, least in kind.minimum_of(test).items())
    ]
    return f", or measure the test by {' or '.join(fitting)}" if fitting else ""
