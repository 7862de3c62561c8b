"""A horizontal axis with round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from eatlas.present.numerals import effect
from eatlas.present.svg import MUTED, label, tag

GRID = "#d9d9dd"
WANTED_TICKS = 5


@dataclass(frozen=True)
class Axis:
    """Data from `low` to `high` on pixels from `left` to `right`, a tick at each `step`."""

    low: float
    high: float
    step: float
    left: float
    right: float

    @classmethod
    def around(cls, values: Iterable[float], left: float, right: float) -> Axis:
        """Enclose the values and zero, from one round number to another."""
        known = [0.0, *values]
        low, high = min(known), max(known)
        step = _round_step((high - low) / WANTED_TICKS)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(first * step, max(last, first + 1) * step, step, left, right)

    def at(self, value: float) -> float:
        """Return the pixel of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def ticks(self) -> list[float]:
        """Return the values of the ticks."""
        n = round((self.high - self.low) / self.step)
        return [self.low + i * self.step for i in range(n + 1)]

    def draw(self, top: float, bottom: float) -> str:
        """Grid lines with numbers below; the line of zero is stronger."""
        decimals = max(0, math.ceil(-math.log10(self.step) - 1e-9))
        lines = []
        for value in self.ticks():
            zero = abs(value) < self.step / 2
            x = self.at(value)
            lines.append(
                tag(
                    "line", x1=x, x2=x, y1=top, y2=bottom,
                    stroke=MUTED if zero else GRID, class_="fig-zero" if zero else "fig-grid",
                )
            )  # fmt: skip
            text = effect(value, decimals)
            lines.append(
                label(
                    text, x, bottom + 16, size=11, text_anchor="middle", fill=MUTED,
                    class_="eat-muted",
                )
            )  # fmt: skip
        return "".join(lines)


def _round_step(rough: float) -> float:
    """Take the next of 1, 2, 5 times a power of ten; 0.1 for no spread at all."""
    if rough <= 0:
        return 0.1
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next((m * power for m in (1.0, 2.0, 5.0) if m * power >= rough), 10.0 * power)
