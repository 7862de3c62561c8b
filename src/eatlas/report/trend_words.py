"""Trends in whole sentences, for tables and pages."""

from __future__ import annotations

from eatlas.report.numerals import count, effect, p_equals
from eatlas.results.trend import LevelTrend, TrendResult


def heading(trend: TrendResult) -> str:
    """What a trend is about: its test, its measure, its years."""
    years = (*trend.periods, *(missing.period for missing in trend.missing))
    return (
        f"Trend of {trend.test} on {trend.source}, {min(years)} to {max(years)}, "
        f"{len(trend.periods)} of {len(years)} periods"
    )


def sentences(trend: TrendResult) -> list[str]:
    """Say how each effect size moves, then what is missing and what is doubtful."""
    found = [("level 1", trend.level1)]
    if trend.level2 is not None:
        found.append((f"level 2 of {trend.concepts.X}", trend.level2.X))
        found.append((f"level 2 of {trend.concepts.Y}", trend.level2.Y))
    said = [_sentence(name, level) for name, level in found if level is not None]
    return [*said, *(f"{m.period} is missing: {m.reason}." for m in trend.missing), *trend.warnings]


def _sentence(name: str, level: LevelTrend) -> str:
    blocks = f"{count(level.p.count)} of {count(level.p.total)} arrangements of blocks"
    return (
        f"{name}: rank correlation with the year {effect(level.rho)}, "
        f"{p_equals(level.p.p)} two-sided ({blocks} of {level.block_length} periods); "
        f"{p_equals(level.shifts.p)} if the series is turned like a ring "
        f"(no p below {level.shifts.min_p:.2g} can come out of {level.n} periods)."
    )
