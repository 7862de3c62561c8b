"""One scale for all effect sizes of a page, so that any interval compares with any other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

LEAST = 2.0
"""For groups of equal size |d| stays below 2; unequal ones may exceed it."""

MOST_TICKS = 10
"""Whole numbers on either side of 0 that are marked one by one."""


@dataclass(frozen=True)
class Scale:
    """Effect sizes from -limit to limit on so many pixels."""

    limit: float
    width: float

    @classmethod
    def around(cls, values: Iterable[float | None], width: float) -> Scale:
        """Enclose the values, and -2 to 2 at least, with half a unit's grid."""
        largest = max((abs(v) for v in values if v is not None), default=0.0)
        return cls(max(LEAST, math.ceil(largest * 2) / 2), width)

    def at(self, value: float) -> float:
        """Return the pixel of a value."""
        return (value / self.limit + 1) / 2 * self.width

    def ticks(self) -> list[int]:
        """Return the whole numbers on the scale, or round ones where there are too many."""
        most = math.floor(self.limit)
        step = 1 if most <= MOST_TICKS else 10 ** (len(str(most)) - 1)
        return list(range(-(most // step) * step, most + 1, step))
