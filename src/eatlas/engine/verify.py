"""Computing results again from their provenance, and saying what differs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from eatlas.engine.comparing import differences
from eatlas.engine.perform import Conditions, perform
from eatlas.engine.plan import Job
from eatlas.errors import EatlasError, SourceError, StimulusError
from eatlas.measures import AssociationMeasure, get_measure
from eatlas.results import AssociationResult, Failure
from eatlas.results.parts import GroupCoverage
from eatlas.sources import VectorSource, ask, open_sources, period_of
from eatlas.stimuli import ROLES, AssociationTest, Concept, Sentence
from eatlas.version import __version__

Status = Literal["same", "differs", "not repeated"]
SHOWN = 10
"""Differences that are named one by one."""


@dataclass(frozen=True)
class Verdict:
    """What came of computing one result again."""

    result: AssociationResult
    status: Status
    details: tuple[str, ...] = ()
    """Each difference, or why the result could not be computed again; then, where another version
    of eatlas wrote the result, which one."""


def verify(results: Iterable[AssociationResult]) -> tuple[Verdict, ...]:
    """Compute results again from what they say of themselves.

    The test is rebuilt from the result's terms, the measure from its signature, the vectors are
    opened by the source's name. Counts, labels, words and hashes must be equal; numbers may differ
    by what another machine's arithmetic explains: 1e-9 of their size, and 1e-3 under
    ``uncertainty``, which rests on resampling. Where another version of eatlas wrote the result,
    only what that version wrote is compared.

    Parameters
    ----------
    results : iterable of AssociationResult

    Returns
    -------
    tuple of Verdict
        In the order of the results.

    Examples
    --------
    >>> import eatlas
    >>> [verdict.status for verdict in verify(eatlas.run(tests=["weat-6", "weat-7"]))]
    ['same', 'same']
    """
    results = tuple(results)
    asked = [_asked(result) for result in results]
    sources: dict[str, Opened] = {}
    for name in {result.source: None for result in results}:
        questions = [a for r, a in zip(results, asked, strict=True) if r.source == name]
        sources[name] = _opened(name, [q for q in questions if not isinstance(q, EatlasError)])
    return tuple(
        _verify(result, question, _of_period(sources[result.source], result.period))
        for result, question in zip(results, asked, strict=True)
    )


Question = tuple[AssociationTest, AssociationMeasure]
Opened = dict[int | None, VectorSource] | EatlasError
"""The periods of a series, or one source without a period."""


def _asked(result: AssociationResult) -> Question | EatlasError:
    """Rebuild what a result answers."""
    try:
        return rebuilt_test(result), get_measure(result.signature)
    except EatlasError as error:
        return error


def _opened(name: str, questions: list[Question]) -> Opened:
    """Open a source and ask it for all words at once; a large file is read once then."""
    try:
        sources = open_sources(name)
        tests = [test for test, _ in questions]
        words = {word for _, measure in questions for word in measure.words}
        return {period_of(source): ask(source, tests, words) for source in sources}
    except EatlasError as error:
        return error


def _of_period(opened: Opened, period: int | None) -> VectorSource | EatlasError:
    if isinstance(opened, EatlasError):
        return opened
    if period in opened:
        return opened[period]
    return SourceError(f"the series has no period {period}")


def _verify(
    result: AssociationResult, question: Question | EatlasError, source: VectorSource | EatlasError
) -> Verdict:
    if isinstance(source, EatlasError):
        return Verdict(result, "not repeated", (source.what, *_versions(result)))
    if isinstance(question, EatlasError):
        return Verdict(result, "not repeated", (question.what, *_versions(result)))
    test, measure = question
    given = result.provenance
    again = perform(Job(test, source, measure), Conditions(given.case, given.seed))
    if isinstance(again, Failure):
        return Verdict(result, "not repeated", (again.error.what, *_versions(result)))
    # what the numbers rest on comes first: other vectors or stimuli explain all the rest
    found = sorted(differences(_written(result), again.to_dict()), key=_of_the_numbers)
    more = (f"and {len(found) - SHOWN} more",) if len(found) > SHOWN else ()
    details = (*found[:SHOWN], *more, *_versions(result))
    return Verdict(result, "differs" if found else "same", details)


def _written(result: AssociationResult) -> dict[str, object]:
    """All that a result holds; of one by another version, only what stands in its file."""
    if result.provenance.version == __version__:
        return result.to_dict()
    return result.model_dump(mode="json", exclude_unset=True)


def _versions(result: AssociationResult) -> tuple[str, ...]:
    if result.provenance.version == __version__:
        return ()
    return (f"written by eatlas {result.provenance.version}, computed again by {__version__}",)


def rebuilt_test(result: AssociationResult) -> AssociationTest:
    """Rebuild the test that a result belongs to, from the terms that it lists.

    Raises
    ------
    StimulusError
        If they make no test.
    """
    try:
        concepts = {
            role: _rebuilt(result.concepts.name(role), result.coverage.group(role))
            for role in ROLES
        }
        return AssociationTest(
            id=result.test, title=result.title, citation=result.provenance.citation, **concepts
        )
    except StimulusError as error:
        said = "; ".join(error.what.splitlines())
        raise StimulusError(f"the terms of the result make no test: {said}") from error


def _rebuilt(name: str, group: GroupCoverage) -> Concept:
    """A concept of words, or of sentences with the stimuli that they are made of."""
    terms = group.used + group.missing
    if not group.stimulus:
        return Concept(name=name, terms=terms)
    sentences = tuple(
        Sentence(text=term, stimulus=group.stimulus[term], span=group.span.get(term))
        for term in terms
    )
    return Concept(name=name, terms=terms, sentences=sentences)


def _of_the_numbers(difference: str) -> bool:
    """Whether a difference is one of numbers, not of what they were computed from."""
    return not difference.startswith("provenance.")
