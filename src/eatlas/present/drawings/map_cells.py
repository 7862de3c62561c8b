"""The cells of an EAT-Map, large and small: red, gray or hatched."""

from __future__ import annotations

from eatlas.present.drawings.svg import tag

PAPER = "#ffffff"
ON, ON_TEXT = "#b3261e", "#ffffff"  # luminance ratio to OFF 4.9, of the text 6.5
OFF, EDGE = "#dfdfe4", "#74747e"


def cell(x: float, y: float, width: float, height: float, *, on: bool, hatched: bool) -> str:
    """Draw the rectangle of a cell, hatched where the association is undefined."""
    inset = 0.0 if on else 0.5
    rect = tag(
        "rect", x=x + inset, y=y + inset, width=width - 2 * inset, height=height - 2 * inset, rx=3,
        fill=ON if on else OFF, stroke=None if on else EDGE, class_="eat-on" if on else "eat-off",
    )  # fmt: skip
    return rect + _hatch(x, y, width, height) if hatched else rect


def _hatch(x: float, y: float, width: float, height: float, step: float = 8.0) -> str:
    """Draw diagonals within a rectangle, clipped by arithmetic: a pattern would need an id."""
    strokes = []
    offset = step
    while offset < width + height:
        x1, y1 = min(offset, width), max(0.0, offset - width)
        x2, y2 = max(0.0, offset - height), min(offset, height)
        strokes.append(f"M{x + x1:g} {y + y1:g}L{x + x2:g} {y + y2:g}")
        offset += step
    return tag("path", d="".join(strokes), stroke=EDGE, fill="none", class_="eat-hatch")
