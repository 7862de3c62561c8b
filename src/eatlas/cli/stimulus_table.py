"""Findings over single sentences as a table for a terminal, below that of the stimuli."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from eatlas.present.effects import StimulusRow, stimulus_rows
from eatlas.present.numbers import effect, p_value
from eatlas.results import AssociationResult, ThreeLevelResult, WEATResult

HEADS = ("Level 1\nd", "Level 2\nd of X", "\nd of Y")


def over_sentences(members: Sequence[AssociationResult]) -> Table | None:
    """Effect sizes and p-values over sentences, without stars; None for tests of words."""
    shown = [(result, rows) for result in members if (rows := stimulus_rows(result))]
    if not shown:
        return None
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), pad_edge=False)
    table.add_column("Over single sentences,\nfor comparison", no_wrap=True)
    table.add_column("Sentences\nX, Y; A, B", no_wrap=True)
    levels = max(len(rows) for _, rows in shown)
    for head in HEADS[:levels]:
        table.add_column(head, justify="right", no_wrap=True)
    if levels > 1:
        table.add_column("EAT pattern", no_wrap=True)
    for result, rows in shown:
        name = result.test if result.period is None else f"{result.test}, {result.period}"
        pattern = [result.pattern.label] if isinstance(result, ThreeLevelResult) else []
        table.add_row(name, _counts(result), *map(_cell, rows), *pattern)
    return table


def _counts(result: AssociationResult) -> str:
    if not isinstance(result, ThreeLevelResult | WEATResult):
        return ""
    given = result.primary.sentences
    x, y, a, b = (0 if given is None else sum(given.group(role).values()) for role in "XYAB")
    return f"{x:,}, {y:,}; {a:,}, {b:,}"


def _cell(row: StimulusRow) -> Text:
    p = p_value(row.rule.p(row.sentences), row.rule.alpha, row.rule.p_low(row.sentences))
    return Text.assemble(effect(row.sentences.effect_size), (f"\n{p}", "dim"))
