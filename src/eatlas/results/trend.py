"""How a test's effect sizes move over a series of periods: a record of its own."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field

from eatlas.notes import Noted
from eatlas.results.base import Head
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


class LevelTrend(Record):
    """Rank correlation of one effect size with time."""

    rho: Rho
    """Spearman's correlation with the year."""
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


class TrendProvenance(Record):
    """What the trend was computed from."""

    version: str
    seed: int
    seeded_by: Literal["stimuli"]
    """What decides random draws beside the seed."""
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
        return f"{years}, level 1 rho = {level.rho:.2f}, p = {level.p.p:.2g}"
