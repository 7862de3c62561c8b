"""What a terminal says of series: how effect sizes move over the periods, then a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from eatlas.cli.console import rich_table, say, show
from eatlas.numbers import UNDEFINED, brief_p, effect, interval
from eatlas.present.columns import Cell, Column, Table
from eatlas.present.effects import interval_in_words, levels_of
from eatlas.present.findings import NAMES
from eatlas.present.sentences import heading, sentences
from eatlas.results import AssociationResult, Results, TrendResult
from eatlas.results.finding import Finding
from eatlas.results.settings import Settings
from eatlas.results.trend import Years, series_source

LONG = 8
"""Periods of a series of which each has its findings; of more, each has a row."""


def long_series(results: Results) -> list[tuple[TrendResult, list[AssociationResult]]]:
    """The trends over many periods, each with the results of its periods in their order."""
    series = []
    for trend in results.trends:
        members = [result for result in results if _is_of(trend, result)]
        if len(members) > LONG:
            series.append((trend, sorted(members, key=lambda result: result.period or 0)))
    return series


def _is_of(trend: TrendResult, result: AssociationResult) -> bool:
    """Whether a result is of a period of a trend; contexts of other windows have other stimuli."""
    return (
        result.period in trend.periods
        and (result.test, series_source(result)) == (trend.test, trend.source)
        and result.signature == trend.signature
        and result.provenance.stimuli_sha256 == trend.provenance.stimuli_sha256
    )


def print_trend(console: Console, trend: TrendResult, settings: Settings) -> None:
    """Print how each effect size moves, and which periods have no result."""
    say(console, "")
    say(console, heading(trend, settings), "bold", hang=2)
    for sentence in sentences(trend):
        say(console, settings.without_paths(sentence), hang=2)


def print_periods(
    console: Console, periods: Sequence[AssociationResult], findings: Mapping[int, Finding]
) -> None:
    """Print a row for each period: d at level 1, its intervals, p and verdict."""
    levels = [levels_of(result, findings[id(result)])[0] for result in periods]
    others = list(dict.fromkeys(name for level in levels for name in level.other_intervals))
    rows = []
    for result, level in zip(periods, levels, strict=True):
        question = findings[id(result)].questions.get("level1")
        p = level.p_of("two_sided") if question is None else question.p.these
        texts = [
            str(Years.of(result)),
            effect(level.d),
            interval(level.interval),
            *(interval(level.other_intervals.get(name)) for name in others),
            UNDEFINED if p is None else brief_p(p, result.rule.alpha),
            NAMES[level.verdict],
        ]
        rows.append(tuple(Cell((text,)) for text in texts))
    names = ["d", "over words", *(f"over {name}" for name in others), "p"]
    columns = (Column("Period"), *(Column(n, number=True) for n in names), Column("Finding"))
    show(console, rich_table(Table("periods", columns, tuple(rows)), between=" "))


def print_legend(console: Console, results: Sequence[AssociationResult]) -> None:
    """Say what the columns of periods are, and where the rest is."""
    tests = len({result.test for result in results})
    say(
        console,
        f"d: effect size at level 1. Over words: 95% interval {interval_in_words(results)}. p: "
        "two-sided, for these words. "
        + "Finding: p adjusted over the tests by Holm's method. " * (tests > 1)
        + "Level 2, level 3 and EAT patterns of each period are in the report; --full prints them.",
        "dim",
    )
