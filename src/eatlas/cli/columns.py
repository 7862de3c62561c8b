"""Columns of tables of results that several tables of the terminal share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import add_columns, new_table
from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.numbers import effect
from eatlas.results import AssociationResult
from eatlas.results.levels import CELLS, Cell

HEADS = {
    "level1": "Level 1\nd",
    "level2.X": "Level 2\nd of X",
    "level2.Y": "\nd of Y",
    "over_attributes": "LPBS d over\nattributes",
}
"""Heads of the columns of effect sizes by their places."""


class Column(NamedTuple):
    """A column of a table: a cell for each result."""

    head: str
    cells: Sequence[str | Text]
    left: bool = False


def called(result: AssociationResult) -> str:
    """The test, and of a series also the year."""
    return result.test if result.period is None else f"{result.test}, {result.period}"


def level3_columns(rows: Sequence[AssociationResult], between: str = "\n") -> list[Column]:
    """Mean and standard deviation of each of the four blocks."""
    known = [row.level3 for row in rows if row.level3 is not None]
    if len(known) < len(rows):
        return []
    return [
        Column(
            ("Level 3" if name == CELLS[0] else "") + f"\n{name[0]},{name[1]}",
            [mean_sd(level3.cell(name), between) for level3 in known],
        )
        for name in CELLS
    ]


def mean_sd(cell: Cell, between: str) -> Text:
    """A mean, and its standard deviation in brackets."""
    return Text.assemble(effect(cell.mean), between, (f"({effect(cell.sd)})", "dim"))


def map_of(row: AssociationResult, console: Console, between: str = "\n") -> Text:
    """The EAT-Map of a result: row A, then row B."""
    text = Text()
    lines = EATMap.of(row).glyphs(console.encoding)
    for attribute, glyphs in zip("AB", lines, strict=True):
        text.append(f"{attribute} ", "dim")
        for target, glyph in zip("XY", glyphs, strict=True):
            on = row.primary.attribute(target) == attribute
            text.append(glyph, "bold red" if on else "dim")
        text.append(between if attribute == "A" else "")
    return text


def by_id(rows: Sequence[AssociationResult], columns: Sequence[Column]) -> Table:
    """A second table, whose rows have the ids of the tests alone: names are in the first."""
    table = new_table("Test", list(map(called, rows)))
    table.columns[0].min_width = max(map(cell_len, map(called, rows)))
    add_columns(table, *((column.head, column.left) for column in columns))
    for row, *cells in zip(rows, *(column.cells for column in columns), strict=True):
        table.add_row(Text(called(row), "bold"), *cells)
    return table
