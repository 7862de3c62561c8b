"""The four cells of an EAT-Map, of any size, for charts that show many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from eatlas.present.charts.canvas import Canvas, Style
from eatlas.present.charts.theme import EDGE, MUTED, OFF, ON, PAPER

State = Literal["associated", "not associated", "undefined"]
Cells = Mapping[str, State]
"""States of the cells XA, XB, YA, YB."""

WORDS = 78.0
"""Width from which a cell has room for its word."""


def draw_cells(
    canvas: Canvas, cells: Cells, left: float, top: float, size: tuple[float, float],
    told: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:  # fmt: skip
    """Draw the cells of one map: columns X and Y, rows A and B.

    Parameters
    ----------
    canvas : Canvas
    cells : mapping of cell to state
    left, top : float
    size : (float, float)
        Width and height of one cell.
    told : mapping of cell to columns, optional
        What a tooltip tells of each cell.
    """
    width, height = size
    gap = 3.0 if width > 30 else 1.5
    for column, target in enumerate("XY"):
        for row, attribute in enumerate("AB"):
            cell = target + attribute
            x, y = left + column * (width + gap), top + row * (height + gap)
            canvas.box(x, y, width, height, **_LOOKS[cells[cell]], **(told or {}).get(cell, {}))
            _say(canvas, cells[cell], x + width / 2, y + height / 2, width)


def span(size: float) -> float:
    """How far two cells of a size reach."""
    return 2 * size + (3.0 if size > 30 else 1.5)


_LOOKS: dict[State, dict[str, Any]] = {
    "associated": {"fill": ON, "stroke": ON},
    "not associated": {"fill": OFF, "stroke": EDGE},
    "undefined": {"fill": PAPER, "stroke": EDGE},
}
_ON = Style(size=11, weight="bold", align="center", colour=PAPER)
_UNKNOWN = Style(size=11.5, align="center", colour=MUTED)


def _say(canvas: Canvas, state: State, x: float, y: float, width: float) -> None:
    """Mark what the colour says, so that it reads without colours."""
    if state == "undefined":
        canvas.write(["undefined" if width >= WORDS else "?"], x, y, _UNKNOWN)
    elif state == "associated" and width >= WORDS:
        canvas.mark(x - 33, y, shape="circle", colour=PAPER, fill=PAPER, size=44)
        canvas.write(["associated"], x + 6, y, _ON)
    elif state == "associated":
        size = max(8.0, min(50.0, width * width / 8))
        canvas.mark(x, y, shape="circle", colour=PAPER, fill=PAPER, size=size)
