"""What is to be done, checked before anything is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from eatlas.errors import EatlasError, SourceError
from eatlas.measures import AssociationMeasure, get_measure
from eatlas.sources import CaseRule, VectorSource, all_keys, open_vectors
from eatlas.stimuli import AssociationTest, load_tests

DEFAULT_TESTS = "caliskan"
DEFAULT_VECTORS = "glove-sample"
DEFAULT_MEASURE = "ml-eat"


@dataclass(frozen=True)
class Job:
    """One test on one source by one measure."""

    test: AssociationTest
    source: VectorSource
    measure: AssociationMeasure


@dataclass(frozen=True)
class Plan:
    """The jobs of a run, and what they share."""

    jobs: tuple[Job, ...]
    case: CaseRule
    seed: int


def make_plan(
    tests: Any = None,
    vectors: Any = None,
    measures: Any = None,
    *,
    case: CaseRule = "auto",
    seed: int = 0,
) -> Plan:
    """Resolve tests, sources and measures; every source looks up its words here, once.

    Parameters are those of :func:`eatlas.engine.run`.

    Raises
    ------
    EatlasError
        If any test, source or measure is not usable; nothing has been computed then.
    """
    if case not in get_args(CaseRule):
        allowed = " or ".join(get_args(CaseRule))
        raise EatlasError("unknown case rule", got=repr(case), allowed=allowed)
    chosen = {m.signature: m for m in map(get_measure, _several(measures, DEFAULT_MEASURE))}
    chosen_tests = load_tests(_several(tests, DEFAULT_TESTS))
    sources = _open_all(_several(vectors, DEFAULT_VECTORS))
    keys = all_keys(chosen_tests, case)
    for source in sources:
        source.lookup(keys)
    jobs = tuple(
        Job(test, source, measure)
        for source in sources
        for measure in chosen.values()
        for test in chosen_tests
    )
    return Plan(jobs, case, seed)


def _several(given: Any, default: str) -> list[Any]:
    if given is None:
        return [default]
    return list(given) if isinstance(given, list) else [given]


def _open_all(specs: list[Any]) -> list[VectorSource]:
    """Open each source once; the names that results will carry must tell them apart."""
    texts = {str(spec): spec for spec in specs if isinstance(spec, str | Path)}
    objects = [spec for spec in specs if not isinstance(spec, str | Path)]
    sources = [open_vectors(spec) for spec in (*texts.values(), *objects)]
    same = [name for name, n in Counter(source.name for source in sources).items() if n > 1]
    if same:
        raise SourceError(
            f"two sources have the name {same[0]!r}, so their results could not be told apart",
            remedy="name them: eatlas.ArraySource(words, array, name=...)",
        )
    return sources
