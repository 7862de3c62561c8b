"""Trends in whole sentences, for tables and pages."""

from __future__ import annotations

from collections.abc import Iterator

from eatlas.present.numerals import count, effect, level_of, p_equals, p_value
from eatlas.present.plain import Statement
from eatlas.results.trend import LevelTrend, TrendResult


def heading(trend: TrendResult) -> str:
    """What a trend is about: its test, its measure, its years."""
    years = (*trend.periods, *(missing.period for missing in trend.missing))
    return (
        f"Trend of {trend.test} on {trend.source}, {min(years)} to {max(years)}, "
        f"{len(trend.periods)} of {len(years)} periods"
    )


def finding(trend: TrendResult, alpha: float = 0.05) -> str:
    """Where the effect size of level 1 goes with the years, in one sentence.

    Parameters
    ----------
    trend : TrendResult
    alpha : float
        The level below which a p-value counts as a trend.
    """
    found = trend.level1
    if found is None:
        return "The effect size d at level 1 has too few different values to tell a trend."
    rho = f"rank correlation {effect(found.rho)}, {p_equals(found.p.p, alpha)}"
    if found.p.p < alpha:
        way = "rises" if found.rho > 0 else "falls"
        return f"The effect size d at level 1 {way} with the year: {rho}."
    if found.p.min_p >= alpha:
        return (
            f"Of {found.n} periods, no trend of the effect size d at level 1 could be significant "
            f"at {level_of(alpha)}: {rho}."
        )
    return f"The effect size d at level 1 shows no trend that drift would not show too: {rho}."


def sentences(trend: TrendResult) -> list[str]:
    """Say how each effect size moves, then what is missing and what is doubtful."""
    said = [f"{name}: {_sentence(level)}" for name, level in levels_of_trend(trend)]
    return [*said, *(f"{m.period} is missing: {m.reason}." for m in trend.missing), *trend.warnings]


def level_statements(trend: TrendResult) -> list[Statement]:
    """How each effect size moves, one statement each."""
    return [
        Statement(f"{name[0].upper()}{name[1:]}:", _sentence(level))
        for name, level in levels_of_trend(trend)
    ]


def levels_of_trend(trend: TrendResult) -> Iterator[tuple[str, LevelTrend]]:
    """The effect sizes that have a trend, each with what it is called."""
    found = [("level 1", trend.level1)]
    if trend.level2 is not None:
        found.append((f"level 2 of {trend.concepts.X}", trend.level2.X))
        found.append((f"level 2 of {trend.concepts.Y}", trend.level2.Y))
    yield from ((name, level) for name, level in found if level is not None)


def _sentence(level: LevelTrend) -> str:
    blocks = f"{count(level.p.count)} of {count(level.p.total)} arrangements of blocks"
    return (
        f"rank correlation with the year {effect(level.rho)}, "
        f"{p_equals(level.p.p)} two-sided ({blocks} of {level.block_length} periods); "
        f"{p_equals(level.shifts.p)} if the series is turned like a ring "
        f"(no p below {p_value(level.shifts.min_p)} can come out of {level.n} periods)."
    )
