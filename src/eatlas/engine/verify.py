"""Computing results again from their provenance, and saying what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from eatlas.engine.perform import Conditions, perform
from eatlas.engine.plan import Job
from eatlas.errors import EatlasError
from eatlas.measures import get_measure
from eatlas.results import AssociationResult, Failure
from eatlas.sources import VectorSource, all_keys, open_vectors
from eatlas.stimuli import ROLES, AssociationTest, Concept

Status = Literal["same", "differs", "not repeated"]
SHOWN = 10
"""Differences that are named one by one."""


@dataclass(frozen=True)
class Verdict:
    """What came of computing one result again."""

    result: AssociationResult
    status: Status
    details: tuple[str, ...] = ()
    """Each difference, or why the result could not be computed again."""


def verify(results: Iterable[AssociationResult]) -> tuple[Verdict, ...]:
    """Compute results again from what they say of themselves.

    The test is rebuilt from the result's terms, the measure from its signature, the vectors are
    opened by the source's name. The version of eatlas may differ; everything else must be equal.

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
    sources = _open_sources(results)
    return tuple(_verify(result, sources[result.source]) for result in results)


def _open_sources(
    results: tuple[AssociationResult, ...],
) -> dict[str, VectorSource | EatlasError]:
    """Open each source once and ask it for all words at once."""
    sources: dict[str, VectorSource | EatlasError] = {}
    for name in {result.source: None for result in results}:
        tests = [rebuilt_test(result) for result in results if result.source == name]
        try:
            source = open_vectors(name)
            source.lookup(all_keys(tests, "auto"))
            sources[name] = source
        except EatlasError as error:
            sources[name] = error
    return sources


def _verify(result: AssociationResult, source: VectorSource | EatlasError) -> Verdict:
    if isinstance(source, EatlasError):
        return Verdict(result, "not repeated", (source.what,))
    try:
        job = Job(rebuilt_test(result), source, get_measure(result.signature))
    except EatlasError as error:
        return Verdict(result, "not repeated", (error.what,))
    given = result.provenance
    again = perform(job, Conditions(given.case, given.seed))
    if isinstance(again, Failure):
        return Verdict(result, "not repeated", (again.error.what,))
    differences = list(_differences("", result.to_dict(), again.to_dict()))
    if not differences:
        return Verdict(result, "same")
    more = len(differences) - SHOWN
    tail = (f"and {more} more",) if more > 0 else ()
    return Verdict(result, "differs", (*differences[:SHOWN], *tail))


def rebuilt_test(result: AssociationResult) -> AssociationTest:
    """Rebuild the test that a result belongs to, from the terms that it lists."""
    concepts = {
        role: Concept(
            name=result.concepts.name(role),
            terms=result.coverage.group(role).used + result.coverage.group(role).missing,
        )
        for role in ROLES
    }
    return AssociationTest(
        id=result.test, title=result.title, citation=result.provenance.citation, **concepts
    )


def _differences(path: str, old: Any, new: Any) -> Iterator[str]:
    if path == "provenance.version" or old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            inner = f"{path}.{key}" if path else str(key)
            yield from _differences(inner, old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{path}[{i}]", one, other)
    else:
        yield f"{path}: {_short(old)} in the file, {_short(new)} now"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
