"""Trends of the tests of a run over the series among its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import groupby

import numpy as np

from eatlas.measures.seeding import generator_of, stimuli_covered
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
    notes: list[str] = []
    rng = generator_of(seed, stimuli_covered(first.coverage), "trend")

    def level(what: str, place: str) -> LevelTrend | None:
        known = [
            (year, one.d)
            for year, of_year in effects
            for one in of_year
            if one.place == place and one.d is not None
        ]
        return _level(what, [year for year, _ in known], [d for _, d in known], rng, notes)

    first_level = level("level 1", "level1")
    second = None
    if "level2.X" in first.places:
        second = Level2Trends(
            X=level(f"level 2 of {first.concepts.X}", "level2.X"),
            Y=level(f"level 2 of {first.concepts.Y}", "level2.Y"),
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
    what: str, years: list[int], effects: list[float], rng: np.random.Generator, notes: list[str]
) -> LevelTrend | None:
    """Trend of one effect size; None, with a note, where too few periods have one."""
    if len(years) < statistics.FEWEST or len(set(effects)) < 2:
        notes.append(
            f"Trend of {what}: {len(years)} periods have an effect size; a trend needs at least "
            f"{statistics.FEWEST} different ones."
        )
        return None
    found = statistics.trend(years, effects, rng=rng)
    _remark(what, found, notes)
    return LevelTrend(
        rho=max(-1.0, min(1.0, found.rho)),
        n=found.n,
        p=_null(found.blocks),
        block_length=found.block_length,
        shifts=_null(found.shifts),
        autocorrelation=defined(found.autocorrelation),
    )


def _remark(what: str, found: statistics.Trend, notes: list[str]) -> None:
    """Note why the p-value of a trend cannot be small, or what a small one assumes."""
    if found.blocks.least > 0.05:
        notes.append(
            f"Trend of {what}: {found.n} periods in blocks of {found.block_length} cannot give a p "
            f"below {found.blocks.least:.2g}, so the trend cannot be significant at .05."
        )
    elif found.blocks.p <= SIGNIFICANT:
        notes.append(
            f"Trend of {what}: the p-value assumes that neighbouring periods correlate little "
            "beyond the trend. If they correlate by .6, one in nine series without a trend has "
            "p < .05; if by .9, one in four (benchmarks/trend_null.py). "
            f"{found.n} periods are too few to show how much they correlate."
        )


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
