"""Trends of the tests of a run over the series among its sources."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.base import stimuli_covered
from eatlas.measures.inference import CONFIDENCE
from eatlas.measures.seeding import generator_of
from eatlas.notes import Note
from eatlas.results import AssociationResult, Failure
from eatlas.results.base import Head
from eatlas.results.effects import Effect, parameters
from eatlas.results.finding import PLACES
from eatlas.results.parts import finite_ends
from eatlas.results.trend import (
    Level2Trends,
    LevelTrend,
    MissingPeriod,
    Slope,
    TrendProvenance,
    TrendResult,
    Years,
    series_source,
)
from eatlas.results.unit_tables import StimulusTable, groups_of
from eatlas.stats.correlation import FEWEST
from eatlas.stats.trend import (
    WordTable,
    resample_words,
    slope_interval,
    theil_sen,
    trend,
    variance_over_noise,
    variance_over_words,
)
from eatlas.stimuli.kinds import ROLES
from eatlas.version import __version__

Array = NDArray[np.float64]

SIGNIFICANT = 0.05
"""If p of a trend is at most this, a note names the assumptions of the test."""
FIRST_YEAR = 1000
"""Smaller numbers are not years."""
DECADE, LEAST_DECADES = 10, 2
"""Years; and how many decades a series must cover for a slope per decade."""
WIDTH = 3.92
"""Of a 95% interval, in standard errors of a normal distribution."""
DECIMALS = 6


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
    first, series = periods[0], _Series(periods, seed)
    level1, level2 = series.level("level1"), None
    if "level2.X" in first.places:
        level2 = Level2Trends(X=series.level("level2.X"), Y=series.level("level2.Y"))
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
        warnings=tuple(dict.fromkeys(series.notes)),
        provenance=TrendProvenance(
            version=__version__,
            seed=seed,
            seeded_by="stimuli",
            stimuli_sha256=first.provenance.stimuli_sha256,
            series_fingerprint=f"sha256:{digest.hexdigest()}",
        ),
    )


class _Series:
    """The results of one test in one series, and what is to be said of their trends."""

    def __init__(self, periods: Sequence[AssociationResult], seed: int) -> None:
        stimuli = stimuli_covered(periods[0].coverage)
        self.periods, self.notes = periods, list[Note]()
        self.times = np.array([Years.of(result).middle for result in periods])
        self.words = _WordsOfSeries.of(periods)
        self._of_trend, self._of_slope = (
            generator_of(seed, stimuli, purpose) for purpose in ("trend", "slope")
        )

    def level(self, place: str) -> LevelTrend | None:
        """Trend of one effect size; None, with a note, where too few periods have one."""
        effects = [result.effect(place) for result in self.periods]
        sizes = np.array([math.nan if e.d is None else e.d for e in effects])
        known = np.isfinite(sizes)
        n = int(known.sum())
        if n < FEWEST or len(set(sizes[known].tolist())) < 2:
            values: dict[str, Any] = {"periods": n, "least": FEWEST}
            self.notes.append(Note("trend.few-periods", place, values))
            return None
        found = trend(self.times[known], sizes[known], rng=self._of_trend)
        level = LevelTrend.model_validate(found | {"slope": self._slope(place, effects, sizes)})
        if level.p.min_p > SIGNIFICANT:  # why p cannot be small
            values = {"periods": n, "block": level.block_length, "least": level.p.min_p}
            self.notes.append(Note("trend.design", values=values))
        elif level.p.p <= SIGNIFICANT:  # what a small one assumes
            self.notes.append(Note("trend.correlated", values={"periods": n}))
        return level

    def _slope(self, place: str, effects: Sequence[Effect], sizes: Array) -> Slope:
        """How much an effect size changes, with an interval over what is known to vary."""
        known = np.isfinite(sizes)
        times, per, scale = self.times[known], "step", 1
        if times[0] >= FIRST_YEAR:
            long = np.ptp(times) >= LEAST_DECADES * DECADE
            per, scale = ("decade", DECADE) if long else ("year", 1)
        slope, over = float(theil_sen(times, sizes[known])), list[str]()
        over_noise = over_words = 0.0
        df = 0
        name, errors = _errors_of([e for e in effects if e.d is not None])
        if name:
            over_noise = variance_over_noise(times, sizes[known], errors, self._of_slope)
            over.append(name)
        if self.words is not None:
            smallest, df = self.words.freedom(place)
            samples = self.words.resample(place, self._of_slope)[:, known]
            of_samples = variance_over_words(times, samples, smallest)
            if not math.isnan(of_samples):
                over_words = of_samples
                over.append("words")
        ends = slope_interval(slope, over_words, over_noise, df, CONFIDENCE)
        return Slope(
            value=round(scale * slope, DECIMALS),
            per=per,
            interval=finite_ends((scale * end for end in ends), DECIMALS) if over else None,
            over=tuple(over),
        )


class _WordsOfSeries(NamedTuple):
    """The associations of single words in all periods of a series."""

    tables: tuple[WordTable, ...]
    sizes: dict[str, int]
    """Words of each group that some period has."""
    ddof: int

    @classmethod
    def of(cls, periods: Sequence[AssociationResult]) -> _WordsOfSeries | None:
        """The tables of some results; None if one of them has no table."""
        tables = [StimulusTable.of(result) for result in periods]
        known = [table for table in tables if table is not None and table.of_attributes]
        if len(known) < len(tables):
            return None
        every = {
            role: list(dict.fromkeys(name for table in known for name in table.names[role]))
            for role in ROLES
        }
        numbered = tuple(
            WordTable(
                table.values,
                {role: np.array(list(map(every[role].index, table.names[role]))) for role in ROLES},
            )
            for table in known
        )
        ddof = int(parameters(periods[0].signature).get("ddof", 1))
        return cls(numbered, {role: len(names) for role, names in every.items()}, ddof)

    def resample(self, place: str, rng: np.random.Generator) -> Array:
        """Effect sizes in bootstrap samples of words, a column for each period."""
        level = PLACES.index(place)
        return resample_words(self.tables, self.sizes, level, ddof=self.ddof, rng=rng)

    def freedom(self, place: str) -> tuple[int, int]:
        """Words of the smallest group that is resampled, and degrees of freedom."""
        sides = [[self.sizes[role] for role in roles] for roles in groups_of(place)]
        return min(map(min, sides)), min(sum(side) - len(side) for side in sides)


def _errors_of(effects: Sequence[Effect]) -> tuple[str, Array]:
    """What else than words effect sizes vary with, such as documents, and their standard errors.

    A period whose interval is not known counts as the least certain of the others. Without any
    interval the name is empty.
    """
    name = next((name for effect in effects for name in effect.other_intervals), "")
    every = [effect.other_intervals.get(name) for effect in effects]
    widths = np.array([math.nan if ends is None else ends[1] - ends[0] for ends in every])
    if name:
        widths[np.isnan(widths)] = np.nanmax(widths)
    return name, widths / WIDTH
