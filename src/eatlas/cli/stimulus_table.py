"""Findings over stimuli as a table for a terminal, below that of the sentences."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from eatlas.report.numerals import UNDEFINED, effect, p_value
from eatlas.report.stimulus_level import StimulusRow, stimulus_level, stimulus_rows
from eatlas.results import AssociationResult
from eatlas.results.ml_eat import StimulusMLEAT

HEADS = ("Level 1\nd", "Level 2\nd of X", "\nd of Y")


def over_stimuli(members: Sequence[AssociationResult]) -> Table | None:
    """Effect sizes and p-values over stimuli, in parentheses p over sentences; None for words."""
    shown = [(result, rows) for result in members if (rows := stimulus_rows(result))]
    if not shown:
        return None
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), pad_edge=False)
    table.add_column("Over stimuli", no_wrap=True)
    table.add_column("Stimuli\nX, Y; A, B", no_wrap=True)
    levels = max(len(rows) for _, rows in shown)
    for head in HEADS[:levels]:
        table.add_column(head, justify="right", no_wrap=True)
    if levels > 1:
        table.add_column("EAT pattern", no_wrap=True)
    for result, rows in shown:
        name = result.test if result.period is None else f"{result.test}, {result.period}"
        cells = [Text(name, "bold"), Text(_counts(result)), *map(_cell, rows)]
        table.add_row(*cells, *([Text(_pattern(result), "bold")] if levels > 1 else []))
    return table


def _counts(result: AssociationResult) -> str:
    found = stimulus_level(result)
    if found is None:
        return ""
    x, y, a, b = (len(found.sentences.group(role)) for role in "XYAB")
    return f"{x}, {y}; {a}, {b}"


def _cell(row: StimulusRow) -> Text:
    before = f"({p_value(row.over_sentences, row.rule.alpha)})"
    if row.stimuli is None or row.stimuli.effect_size is None:
        return Text.assemble(f"{UNDEFINED} ", (f"\n\n{before} ", "dim"))
    star = row.rule.star(row.stimuli) or " "
    d = (effect(row.stimuli.effect_size) + star, "bold" if star == "*" else "")
    p = p_value(row.rule.p(row.stimuli), row.rule.alpha)
    return Text.assemble(d, f"\n{p} ", (f"\n{before} ", "dim"))


def _pattern(result: AssociationResult) -> str:
    found = stimulus_level(result)
    if isinstance(found, StimulusMLEAT) and found.pattern:
        return found.pattern.label
    return UNDEFINED
