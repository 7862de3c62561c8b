"""Trends of the tests of a run over the series among its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import groupby

import numpy as np

from eatlas.measures.base import generator_of, stimuli_covered
from eatlas.notes import Note
from eatlas.results import AssociationResult, Failure
from eatlas.results.parts import defined
from eatlas.results.trend import (
    Level2Trends,
    LevelTrend,
    MissingPeriod,
    NullTest,
    TrendProvenance,
    TrendResult,
)
from eatlas.stats import paired as statistics
from eatlas.stimuli import ContextsOrigin
from eatlas.version import __version__

Key = tuple[str, str, str, ContextsOrigin | None]
"""Test, series, signature, and the contexts with their window."""
SIGNIFICANT = 0.05
"""p of a trend from which it has a remark on what the p supposes."""


def trends(
    results: Iterable[AssociationResult], failures: Iterable[Failure], seed: int
) -> tuple[TrendResult, ...]:
    """Say of each test on each series how its effect sizes correlate with the year."""
    series: dict[Key, list[AssociationResult]] = {}
    for result in results:
        if result.period is not None and "level1" in result.places:
            key = result.test, result.source, result.signature, result.contexts
            series.setdefault(key, []).append(result)
    missing: dict[Key, list[MissingPeriod]] = {}
    for failure in failures:
        if failure.period is not None:
            key = failure.test, failure.source, failure.signature, failure.contexts
            missing.setdefault(key, []).append(
                MissingPeriod(period=failure.period, reason=failure.error.what)
            )
    return tuple(
        _trend(sorted(found, key=_year), tuple(missing.get(key, ())), seed)
        for key, found in series.items()
        if len(found) + len(missing.get(key, ())) > 1
    )


def _year(result: AssociationResult) -> int:
    return result.period or 0


def _trend(
    found: list[AssociationResult], missing: tuple[MissingPeriod, ...], seed: int
) -> TrendResult:
    """Trends of levels 1 and 2 over the periods of one test in one series."""
    first, effects = found[0], [(_year(result), result.effects()) for result in found]
    notes: list[Note] = []
    rng = generator_of(seed, stimuli_covered(first.coverage), "trend")

    def level(place: str) -> LevelTrend | None:
        known = [
            (year, one.d)
            for year, of_year in effects
            for one in of_year
            if one.place == place and one.d is not None
        ]
        return _level(place, [year for year, _ in known], [d for _, d in known], rng, notes)

    first_level = level("level1")
    second = None
    if "level2.X" in first.places:
        second = Level2Trends(
            X=level("level2.X"),
            Y=level("level2.Y"),
        )
    return TrendResult(
        measure=first.measure,
        signature=first.signature,
        test=first.test,
        title=first.title,
        source=first.source,
        source_from=first.source_from,
        concepts=first.concepts,
        periods=tuple(_year(result) for result in found),
        missing=missing,
        level1=first_level,
        level2=second,
        warnings=tuple(notes),
        provenance=TrendProvenance(
            version=__version__,
            seed=seed,
            draws="stimuli",
            stimuli_sha256=first.provenance.stimuli_sha256,
            series_fingerprint=_fingerprint(found),
        ),
    )


def _level(
    place: str, years: list[int], effects: list[float], rng: np.random.Generator, notes: list[Note]
) -> LevelTrend | None:
    """Trend of one effect size; None, with a note, where too few periods have one."""
    if len(years) < statistics.FEWEST or len(set(effects)) < 2:
        values = {"periods": len(years), "least": statistics.FEWEST}
        notes.append(Note("trend.few-periods", place, values))
        return None
    found = statistics.trend(years, effects, rng=rng)
    _remark(place, found, notes)
    return LevelTrend(
        rho=max(-1.0, min(1.0, found.rho)),
        n=found.n,
        p=_null(found.blocks),
        block_length=found.block_length,
        shifts=_null(found.shifts),
        autocorrelation=defined(found.autocorrelation),
    )


def _remark(place: str, found: statistics.Trend, notes: list[Note]) -> None:
    """Note why the p-value of a trend cannot be small, or what a small one assumes."""
    if found.blocks.least > 0.05:
        values = {"periods": found.n, "block": found.block_length, "least": found.blocks.least}
        notes.append(Note("trend.design", place, values))
    elif found.blocks.p <= SIGNIFICANT:
        notes.append(Note("trend.correlated", place, {"periods": found.n}))


def _null(found: statistics.NullTest) -> NullTest:
    return NullTest(
        p=found.p, count=found.count, total=found.total, exact=found.exact, min_p=found.least
    )


def _fingerprint(found: list[AssociationResult]) -> str:
    digest = hashlib.sha256()
    for period, same in groupby(found, key=_year):
        for result in same:
            digest.update(f"{period} {result.provenance.source_fingerprint}\n".encode())
    return f"sha256:{digest.hexdigest()}"
