"""The axis of every drawing: from effect sizes or cosines to pixels, with round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from eatlas.present.drawings.svg import MUTED, muted, tag
from eatlas.present.numbers import effect

GRID = "#d9d9dd"
WANTED_TICKS, MOST_TICKS = 5, 10
"""Ticks of a figure; whole numbers on either side of 0 that are marked one by one."""
LEAST = 2.0
"""For groups of equal size |d| stays below 2; unequal ones may exceed it."""


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` on pixels from `start` to `end`, a tick at each `step`."""

    low: float
    high: float
    step: float
    start: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> Self:
        """Enclose the values and zero, from one round number to another."""
        known = [0.0, *values]
        low, high = min(known), max(known)
        step = _round_step((high - low) / WANTED_TICKS)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(first * step, max(last, first + 1) * step, step, start, end)

    @classmethod
    def of_effects(
        cls, values: Iterable[float | None], start: float = 0.0, end: float = 1.0
    ) -> Self:
        """Enclose effect sizes with half a unit's grid, -2 to 2 at least and zero in the middle."""
        largest = max((abs(v) for v in values if v is not None), default=0.0)
        limit = max(LEAST, math.ceil(largest * 2) / 2)
        whole = math.floor(limit)
        step = 1 if whole <= MOST_TICKS else 10 ** (len(str(whole)) - 1)
        return cls(-limit, limit, step, start, end)

    def on(self, start: float, end: float) -> Self:
        """The same axis on other pixels."""
        return replace(self, start=start, end=end)

    def at(self, value: float) -> float:
        """Return the pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return the multiples of the step that the axis holds."""
        first, last = math.ceil(self.low / self.step - 1e-9), self.high / self.step + 1e-9
        return [number * self.step for number in range(first, math.floor(last) + 1)]

    def grid(self, first: float, last: float, *, upright: bool = False) -> str:
        """Draw a line for each tick, that of zero stronger, and its number.

        Parameters
        ----------
        first, last : float
            Where the lines begin and end.
        upright : bool
            Whether the axis goes from below to above, its numbers on the left.
        """
        decimals = max(0, math.ceil(-math.log10(self.step) - 1e-9))
        drawn = []
        for value in self.ticks():
            zero, place = abs(value) < self.step / 2, self.at(value)
            x1, x2, y1, y2 = (first, last, place, place) if upright else (place, place, first, last)
            colour, kind = (MUTED, "fig-zero") if zero else (GRID, "fig-grid")
            drawn.append(tag("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke=colour, class_=kind))
            number = effect(value, decimals)
            drawn.append(
                muted(number, first - 6, place + 4, anchor="end")
                if upright
                else muted(number, place, last + 16)
            )
        return "".join(drawn)


def _round_step(rough: float) -> float:
    """Take the next of 1, 2, 5 times a power of ten; 0.1 for no spread at all."""
    if rough <= 0:
        return 0.1
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next((m * power for m in (1.0, 2.0, 5.0) if m * power >= rough), 10.0 * power)
