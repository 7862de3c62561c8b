"""Names beside points of a drawing, where they lie on nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from eatlas.present.drawings.plane import AROUND, Box, Spot, meets
from eatlas.present.text import pixels

AFAR = (8.0, 20.0, 34.0, 50.0, 70.0)
"""Pixels between a dot and its name; the farther ones with a line."""


def square_at(spot: Spot, half: float) -> Box:
    """The square around a point."""
    x, y = spot
    return x - half, y - half, x + half, y + half


def text_box(text: str, spot: Spot, anchor: str, size: float) -> Box:
    """The box of a line of text."""
    wide, (x, y) = pixels(text, size), spot
    left = x - (wide if anchor == "end" else wide / 2 if anchor == "middle" else 0)
    return left, y - size, left + wide, y + 3


def free_place(
    text: str, dot_at: Spot, taken: Sequence[Box], width: float
) -> tuple[Spot, str, bool] | None:
    """Where a name near a dot lies on nothing: the place, its anchor, and whether it is far."""
    x, y = dot_at
    for gap, (dx, dy) in product(AFAR, AROUND):
        spot = x + gap * dx, y + 4 + gap * dy
        anchor = "start" if dx > 0 else "end" if dx < 0 else "middle"
        box = text_box(text, spot, anchor, 11)
        if box[0] >= 0 and box[2] <= width and not meets(box, taken):
            return spot, anchor, gap > AFAR[0]
    return None
