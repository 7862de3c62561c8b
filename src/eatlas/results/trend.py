"""How a test's effect sizes move over a series of periods: a record of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from eatlas.notes import Noted
from eatlas.numbers import effect, p_equals
from eatlas.results.base import Head
from eatlas.results.levels import Interval
from eatlas.results.parts import BySide, Probability, Record

Rho = Annotated[float, Field(ge=-1.0, le=1.0)]


class NullTest(Record):
    """A two-sided p-value of a rank correlation under one null."""

    p: Probability
    count: int
    """Arrangements of the series whose correlation is as far from 0."""
    total: int
    """Arrangements looked at."""
    exact: bool
    """Whether these are all; otherwise p is (count + 1) / (total + 1)."""
    min_p: Probability
    """No smaller p-value can come out."""


class Slope(Record):
    """How much an effect size changes with time, by Theil and Sen."""

    value: float
    """Median of the slopes of all pairs of periods."""
    per: Literal["decade", "year", "step"]
    """Of time: ten years; one where the series has fewer than twenty; or one of numbers that are
    no years."""
    interval: Interval | None
    """95% interval for other documents and words in the same periods; None where neither the
    associations of single words are known nor intervals for other documents."""
    over: tuple[str, ...] = ()
    """What the interval is over: ``documents``, ``words``, or both."""


class LevelTrend(Record):
    """How one effect size moves with time."""

    rho: Rho
    """Spearman's correlation with the year."""
    slope: Slope
    n: int
    """Periods with an effect size."""
    p: NullTest
    """Blocks of neighbouring periods change places."""
    block_length: int
    shifts: NullTest
    """The series is turned like a ring."""
    autocorrelation: float | None
    """Of neighbouring periods, after a straight line is taken out; None where nothing is left."""


Level2Trends = BySide[LevelTrend | None]
"""Trends of both level 2 effect sizes."""


class MissingPeriod(Record):
    """A period without a result, and why."""

    period: int
    reason: str


def series_source(record: Any) -> str:
    """What names the series of a record: its source, without the part of a corpus that it is."""
    whole: str = record.source
    return whole if getattr(record, "period", None) is None else whole.partition("#")[0]


LEAST_SLOPE = 0.005
"""A slope below it would be 0.00."""
_RANGE = re.compile(r"(-?\d+)-(-?\d+)")


class Years(NamedTuple):
    """The years of a period, first and last; or the number that names it."""

    first: int
    last: int

    @classmethod
    def of(cls, record: Any) -> Years:
        """The years of a result or a failure with a period, which its part of a corpus may name."""
        part = _RANGE.fullmatch(record.source.partition("#")[2])
        is_range = part is not None and int(part[1]) == record.period <= int(part[2])
        return cls(record.period, int(part[2]) if part and is_range else record.period)

    @property
    def middle(self) -> float:
        """Where the period is in time."""
        return (self.first + self.last) / 2

    def __str__(self) -> str:
        return f"{self.first}-{self.last}" if self.last > self.first else str(self.first)


class Timeline(dict[int, Years]):
    """Periods of a series by their first years; one that no record has is as long as all others."""

    def __init__(self, records: Iterable[Any]) -> None:
        super().__init__(
            (record.period, Years.of(record)) for record in records if record.period is not None
        )

    def __missing__(self, first: int) -> Years:
        lengths = {years.last - years.first for years in self.values()}
        return Years(first, first + (lengths.pop() if len(lengths) == 1 else 0))


class TrendProvenance(Record):
    """What the trend was computed from."""

    version: str
    seed: int
    seeded_by: Literal["stimuli"]
    """What decides random samples in addition to the seed."""
    stimuli_sha256: str
    """Hash of the test's terms by role, the same in all periods."""
    series_fingerprint: str
    """Hash of the fingerprints of the periods, in their order."""


class TrendResult(Head):
    """Trend of one test over one series, by one measure."""

    schema_version: Literal["eatlas/trend/1"] = Field(default="eatlas/trend/1", alias="schema")
    periods: tuple[int, ...]
    """Periods with a result, rising."""
    missing: tuple[MissingPeriod, ...] = ()
    level1: LevelTrend | None
    level2: Level2Trends | None = None
    """None for measures without a level 2."""
    warnings: tuple[Noted, ...] = ()
    provenance: TrendProvenance

    @property
    def statistic(self) -> float:
        """Spearman's rho of level 1 with the year; NaN if no trend can be computed."""
        return math.nan if self.level1 is None else self.level1.rho

    @property
    def pvalue(self) -> float:
        """Two-sided p-value of `statistic`, of permutations of blocks of neighbouring periods."""
        return math.nan if self.level1 is None else self.level1.p.p

    def __repr__(self) -> str:
        return f"<trend of {self.signature} of {self.test} on {self.source}: {self.summary()}>"

    def summary(self) -> str:
        """The finding in a few words."""
        years = f"{len(self.periods)} periods"
        if self.level1 is None:
            return f"{years}, no trend can be computed"
        level = self.level1
        decimals = 2 if abs(level.slope.value) >= LEAST_SLOPE else 3
        slope = f"{effect(level.slope.value, decimals)} per {level.slope.per}"
        return f"{years}, level 1 slope {slope}, {p_equals(level.p.p)}"
