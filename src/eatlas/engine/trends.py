"""Trends of the tests of a run over the series among its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import numpy as np

from eatlas.measures.base import stimuli_covered
from eatlas.measures.seeding import generator_of
from eatlas.notes import Note
from eatlas.results import AssociationResult, Failure
from eatlas.results.base import Head
from eatlas.results.trend import (
    Level2Trends,
    LevelTrend,
    MissingPeriod,
    TrendProvenance,
    TrendResult,
    series_source,
)
from eatlas.stats.correlation import FEWEST
from eatlas.stats.trend import trend
from eatlas.version import __version__

SIGNIFICANT = 0.05
"""p of a trend from which it has a remark on what the p supposes."""


def trends(
    results: Iterable[AssociationResult], failures: Iterable[Failure], seed: int
) -> tuple[TrendResult, ...]:
    """Say of each test on each series how its effect sizes correlate with the year."""

    def key(record: AssociationResult | Failure) -> tuple[Any, ...]:
        return record.test, series_source(record), record.signature, record.contexts

    series: dict[Any, list[AssociationResult]] = {}
    for result in results:
        if result.period is not None and "level1" in result.places:
            series.setdefault(key(result), []).append(result)
    missing: dict[Any, list[MissingPeriod]] = {name: [] for name in series}
    for failure in failures:
        if failure.period is not None and key(failure) in missing:
            gap = MissingPeriod(period=failure.period, reason=failure.error.what)
            missing[key(failure)].append(gap)
    return tuple(
        _trend(sorted(periods, key=attrgetter("period")), tuple(missing[name]), seed)
        for name, periods in series.items()
        if len(periods) + len(missing[name]) > 1
    )


def _trend(
    periods: list[AssociationResult], missing: tuple[MissingPeriod, ...], seed: int
) -> TrendResult:
    """Trends of levels 1 and 2 over the periods of one test in one series."""
    first, notes = periods[0], list[Note]()
    rng = generator_of(seed, stimuli_covered(first.coverage), "trend")

    def level(place: str) -> LevelTrend | None:
        effects = [
            (result.period, effect.d)
            for result in periods
            for effect in result.effects()
            if effect.place == place and effect.d is not None
        ]
        return _level(place, effects, rng, notes)

    level1, level2 = level("level1"), None
    if "level2.X" in first.places:
        level2 = Level2Trends(X=level("level2.X"), Y=level("level2.Y"))
    digest = hashlib.sha256()
    for result in periods:
        digest.update(f"{result.period} {result.provenance.source_fingerprint}\n".encode())
    head = {name: getattr(first, name) for name in Head.model_fields if name != "schema_version"}
    head["source"] = series_source(first)
    return TrendResult(
        **head,
        periods=tuple(result.period or 0 for result in periods),
        missing=missing,
        level1=level1,
        level2=level2,
        warnings=tuple(notes),
        provenance=TrendProvenance(
            version=__version__,
            seed=seed,
            seeded_by="stimuli",
            stimuli_sha256=first.provenance.stimuli_sha256,
            series_fingerprint=f"sha256:{digest.hexdigest()}",
        ),
    )


def _level(
    place: str, effects: list[Any], rng: np.random.Generator, notes: list[Note]
) -> LevelTrend | None:
    """Trend of one effect size; None, with a note, where too few periods have one."""
    if len(effects) < FEWEST or len({d for _, d in effects}) < 2:
        values: dict[str, Any] = {"periods": len(effects), "least": FEWEST}
        notes.append(Note("trend.few-periods", place, values))
        return None
    years, sizes = zip(*effects, strict=True)
    level = LevelTrend.model_validate(trend(years, sizes, rng=rng))
    if level.p.min_p > SIGNIFICANT:  # why p cannot be small
        values = {"periods": level.n, "block": level.block_length, "least": level.p.min_p}
        notes.append(Note("trend.design", place, values))
    elif level.p.p <= SIGNIFICANT:  # what a small one assumes
        notes.append(Note("trend.correlated", place, {"periods": level.n}))
    return level
