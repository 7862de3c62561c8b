"""The first number of each row of a table: as printed, a ring, and as computed, a mark."""

from __future__ import annotations

from collections.abc import Iterator

from eatlas.present.drawings.svg import (
    LEFT,
    WIDTH,
    Axis,
    aside,
    label,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.drawings.svg import figure as framed
from eatlas_workbench.replication.cells import Cell
from eatlas_workbench.replication.tables import Grid, text_in_print, value_text

NAMES, LINE, RESULTS = 226.0, 20.0, 84.0
"""Of the drawing: room for names, height of a row, room for counts."""
PRINTED = 1.7
"""Size of the ring of a printed number, next to the mark of a computed one."""


def strip(grid: Grid) -> str:
    """Draw the first column with computed numbers of the paper's models; empty without one."""
    column = next((name for name in grid.columns_with_values if _numbers(grid, name)), None)
    if column is None:
        return ""
    rows = [
        (name, row[column].cell, [cell for entry in row.values() for cell in entry.cells])
        for name, row in grid.rows.items()
        if column in row
    ]
    drawn_cells = [
        (name, cell, cells)
        for name, cell, cells in rows
        if cell is not None and (cell.source or cell.number is not None)
    ]
    values = [value for _, cell, _ in drawn_cells for value in (cell.number, cell.value)]
    numbers = (value for value in values if isinstance(value, int | float))
    axis = Axis.with_zero(numbers, LEFT + NAMES, WIDTH - RESULTS)
    several = any(sum(c.agrees is not None for c in cells) > 1 for _, _, cells in drawn_cells)
    bottom = LINE * (len(drawn_cells) + 1)
    drawn, texts = [axis.grid(LINE, bottom)], []
    for i, (name, cell, cells) in enumerate(drawn_cells):
        y = LINE * (i + 1.5)
        agree = [other.agrees for other in cells if other.agrees is not None]
        of_row = f"{sum(agree)} of {len(agree)}" if several and agree else value_text(cell)
        texts.append(f"{name}: printed {text_in_print(cell)}, computed {value_text(cell)}")
        parts = [tag("title", words(texts[-1])), label(short(name, NAMES - 10), LEFT, y + 4)]
        parts.append(aside(of_row, WIDTH - LEFT, y + 4, anchor="end"))
        parts += _marks(cell, axis, y)
        drawn.append(tag("g", *parts))
    head = label(f"{column}: printed ○, computed ●", LEFT, 13, font_weight=650)
    head += aside("same" if several else "computed", WIDTH - LEFT, 13, anchor="end")
    title = f"{grid.table.title}: {column}"
    return framed(bottom + 22, head, *drawn, title=title, alt=f"{title}. {'; '.join(texts)}")


def _numbers(grid: Grid, column: str) -> bool:
    """Whether a column has computed numbers of the paper's models and no labels."""
    cells = [cell for cell in grid.column(column) if cell.source and not cell.own]
    return any(isinstance(cell.value, float) for cell in cells)


def _marks(cell: Cell, axis: Axis, y: float) -> Iterator[str]:
    """Both numbers of a cell, joined by a line; the mark is filled where they are the same."""
    ends = [round(axis.at(v), 1) for v in (cell.number, cell.value) if isinstance(v, int | float)]
    if len(ends) == 2 and cell.agrees is False:
        yield path(f"M{ends[0]:g} {y:g}H{ends[1]:g}", "i y")
    if cell.number is not None:
        yield path(outline("circle", ends[0], y, PRINTED), "ring")
    if isinstance(cell.value, int | float):
        colour = "x" if cell.agrees else "y" if cell.agrees is False else "n"
        yield path(outline("circle", ends[-1], y, 0.8), f"m on {colour}")
