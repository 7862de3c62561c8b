"""Names beside points: as many as fit, none on another name or on a mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import hypot
from typing import NamedTuple

from eatlas.present.text import pixels

SIDE = 360.0
"""Pixels of the square."""
LETTERS = 11.0
"""Pixels of the letters of names."""
MARK, GAP = 4.5, 3.0
"""Half the size of a mark, with a little room; pixels between a mark and its name."""
FAR, FEW = (12.0, 24.0, 36.0, 48.0), 40
"""Pixels between a mark and a name that a line leads to, on maps of so few points."""

Spot = tuple[float, float]
"""Pixels from the left and the upper edge."""
Box = tuple[float, float, float, float]
"""Left, upper, right and lower edge in pixels."""


class Place(NamedTuple):
    """Where the name of a point is."""

    point: int
    """Number of the point."""
    x: float
    """Pixels from the left edge of the square to the end of the name that is at the mark."""
    y: float
    """Pixels from the upper edge to the middle of the letters."""
    anchor: str
    """``start``, ``middle`` or ``end``: which part of the name is at x."""
    leader: Spot | None = None
    """Where a line from the point ends, of a name that is not beside it."""


def placed(
    spots: Sequence[Spot],
    texts: Sequence[str],
    order: Sequence[int],
    taken: Sequence[Box],
) -> Iterator[Place]:
    """Place as many names as fit beside their marks, or of few farther away; none on another."""
    names: list[Box] = []
    lines: list[Box] = []
    far = FAR if len(spots) <= FEW else ()
    for i in order:
        for place, box in _candidates(i, *spots[i], texts[i], far):
            line = boxes(spots[i], place.leader) if place.leader else []
            free = _within(box) and not _meets(box, taken, own=i) and not _meets(box, names + lines)
            if free and not any(_meets(one, names) for one in line):
                names.append(box)
                lines += line
                yield place
                break


def _candidates(
    i: int, x: float, y: float, text: str, far: Sequence[float]
) -> Iterator[tuple[Place, Box]]:
    """Places around a mark for its name, the best first: right, left, above, below, corners."""
    wide, half = pixels(text, LETTERS) * 0.94, LETTERS * 0.55
    around = ((1, 0), (-1, 0), (0, -1), (0, 1), *product((1, -1), (-1, 1)))
    for more, (dx, dy) in product((0.0, *far), around):
        share = 0.6 if dx and dy else 1.0
        at = x + dx * ((MARK + GAP) * share + more)
        left = at - (wide if dx < 0 else 0 if dx else wide / 2)
        middle = y + dy * (half + MARK * share + more)
        anchor = {1: "start", -1: "end", 0: "middle"}[dx]
        leader = (at, middle - dy * half) if more else None
        box = (left, middle - half, left + wide, middle + half)
        yield Place(i, at, middle, anchor, leader), box


def _within(box: Box) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= SIDE and box[3] <= SIDE


def _meets(box: Box, taken: Sequence[Box], own: int = -1) -> bool:
    """Whether a name would lie on another one, or on a mark that is not its own."""
    left, upper, right, lower = box
    for j, other in enumerate(taken):  # thousands of times a page: quicker than any()
        beside = other[2] <= left or right <= other[0]
        if not (beside or other[3] <= upper or lower <= other[1] or j == own):
            return True
    return False


def boxes(start: Spot, end: Spot) -> list[Box]:
    """Small squares along a line, from its start to its end."""
    (x, y), right, down = start, end[0] - start[0], end[1] - start[1]
    steps = max(1, int(hypot(right, down) / 6))
    places = [(x + right * i / steps, y + down * i / steps) for i in range(steps)]
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in places]
