"""Tables for wide terminals: each result in one line, with intervals and other words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.columns import HEADS, Column, by_id, called, level3_columns, map_of
from eatlas.cli.console import FIRST_COLUMN, add_columns, least_width, new_table
from eatlas.present.effects import bracketed, chance_cell, matched_of, own_share
from eatlas.present.numbers import UNDEFINED, effect, p_value, percent
from eatlas.results import AssociationResult, Effect

LINES = 160
"""Columns of a terminal from which each result has one line."""
WIDE_HEADS = {
    "level1": "Level 1",
    "level2.X": "Level 2 X",
    "level2.Y": "Level 2 Y",
    "over_attributes": "LPBS",
}
"""Heads of effect sizes there."""


def wide_tables(members: Sequence[AssociationResult], console: Console) -> list[Table]:
    """Tables with a line for each result, and intervals; none where the terminal is too narrow."""
    every = [one for member in members for one in member.effects()]
    places = list(dict.fromkeys(one.place for one in every))
    if console.width < LINES or len(places) < 2 or any(one.term is not None for one in every):
        return []
    if members[0].by_target is not None or members[0].values is not None:
        return []
    found = [{one.place: one for one in row.effects()} for row in members]
    columns = [
        column
        for place in sorted(places, key=list(HEADS).index if set(places) <= set(HEADS) else None)
        for column in _wide_effect(place, [effects.get(place) for effects in found])
    ]
    if members[0].pattern is not None:
        columns += [
            Column("Map\n  XY", [map_of(row, console, " ") for row in members], left=True),
            Column("EAT pattern", [Text(row.primary.label, "bold") for row in members], left=True),
            Column("Other\nwords", [Text(_percent(own_share(row)), "dim") for row in members]),
        ]
    if any(matched_of(row) is not None for row in members):
        columns.append(Column("Chance", [Text(chance_cell(row)[0], "dim") for row in members]))
    level3 = level3_columns(members, " ")
    tables = [_in_lines(members, [*columns, *level3])]
    if level3 and _room(tables[0], console) < FIRST_COLUMN[1]:
        tables = [_in_lines(members, columns), by_id(members, level3)]
    room = _room(tables[0], console)
    if room < FIRST_COLUMN[1]:
        return []
    first = tables[0].columns[0]
    first.max_width, first.no_wrap = room, False
    return tables


def two_sided(members: Sequence[AssociationResult]) -> str:
    """Patterns that the two-sided rule gives otherwise."""
    read = [(one.test, one.primary) for one in members if one.pattern is not None]
    others = [f"{test} {of.two_sided_label}" for test, of in read if of.two_sided_label != of.label]
    return f"By the two-sided rule: {', '.join(others)}." if others else ""


def _room(table: Table, console: Console) -> int:
    """Width that the other columns leave to the first one."""
    first = table.columns[0]
    return console.width - least_width(table, console) + (first.min_width or 0)


def _in_lines(rows: Sequence[AssociationResult], columns: Sequence[Column]) -> Table:
    """A table whose first column has the test and its groups in one line."""
    table = new_table(rows[0].heading, [called(row) for row in rows])
    add_columns(table, *((column.head, column.left) for column in columns))
    for row, *cells in zip(rows, *(column.cells for column in columns), strict=True):
        names = ", ".join(map(" / ".join, row.sides))
        table.add_row(Text.assemble((called(row), "bold"), " ", (names, "dim")), *cells)
    return table


def _wide_effect(place: str, found: Sequence[Effect | None]) -> list[Column]:
    """An effect size with its interval and p, each in a column of its own."""
    head = WIDE_HEADS.get(place) or next(one.title for one in found if one)
    known = [one for one in found if one is not None]
    confidence = next((one.confidence for one in known if one.confidence), None)
    columns = [Column(f"{head}\nd", [_star(one) for one in found])]
    if confidence is not None:
        ends = [Text(bracketed(one) if one else UNDEFINED, "dim") for one in found]
        columns.append(Column(f"{100 * confidence:g}%\ninterval", ends))
    return [*columns, Column("\np", [Text(_read_p(one), "dim") for one in found])]


def _star(found: Effect | None) -> Text:
    star = found.star if found else ""
    return Text(f"{effect(found.d) if found else UNDEFINED}{star or ' '}", "bold" if star else "")


def _read_p(found: Effect | None) -> str:
    if found is None or found.p_value is None:
        return ""
    return p_value(found.p_value, found.rule.alpha, found.p_low)


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else percent(share)
