"""The little of SVG that the drawings need, written as text, and their axes with round numbers.

Drawings name classes, not colours: `drawings.css` has these, in pages and in files alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any, Self

from eatlas.present.numbers import effect
from eatlas.present.text import clean, isolated, pixels, wrap

NAMESPACE = "http://www.w3.org/2000/svg"
WIDTH = 460.0
"""Of a figure: narrow enough for a telephone to show it whole, letters and all."""
LEFT, RIGHT = 10.0, 14.0
NAME = 12.5
LARGEST = 14.0
"""Letters of a figure on a telephone, where the page's style makes them larger: names must fit."""
_SIZE = re.compile(r'^<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"')


def tag(name: str, *children: str, **attributes: object) -> str:
    """One element; `children` are markup already, attribute values are escaped here.

    A trailing underscore is dropped from attribute names, and others become hyphens.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_show(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def path(d: str, kind: str, *children: str, **attributes: object) -> str:
    """A path of a class."""
    return tag("path", *children, d=d, class_=kind, **attributes)


def words(text: str) -> str:
    """Text content, escaped."""
    return escape(clean(text), quote=False)


def label(
    text: str, x: float, y: float, *, size: float = 12, anchor: str = "", **attributes: object
) -> str:
    """A line of text at a point, which begins there or has another `anchor`."""
    look = {"font_size": size, "text_anchor": anchor or None}
    return tag("text", words(text), x=x, y=y, **look, **attributes)


def muted(text: str, x: float, y: float, *, size: float = 11, anchor: str = "middle") -> str:
    """A line of text that keeps in the background, such as the number of a tick."""
    if size == 11:  # most are, so the style has it
        return tag("text", words(text), x=x, y=y, class_=f"t {anchor[0]}".removesuffix(" m"))
    return label(text, x, y, size=size, anchor=anchor, class_="eat-muted")


def figure(
    height: float, *children: str, title: str, alt: str, width: float = WIDTH, kind: str = "figure"
) -> str:
    """A whole drawing with its title, described for those who cannot see it.

    It holds no ids, so that any number of drawings may be on one page.
    """
    box = f"0 0 {_show(float(width))} {_show(float(height))}"
    return tag(
        "svg", tag("title", words(title)), *children,
        viewBox=box, role="img", aria_label=alt or title, class_=kind,
    )  # fmt: skip


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a drawing."""
    size = _SIZE.search(svg)
    return (float(size[1]), float(size[2])) if size else (0.0, 0.0)


def placed(svg: str, x: float, y: float) -> str:
    """A drawing at a place within another one, at its own size."""
    width, height = size_of(svg)
    at = f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
    return svg.replace("<svg ", at, 1)


def dot(x: float, y: float, radius: float) -> str:
    """The path of a circle around a point."""
    arc = f"a{radius:.1f} {radius:.1f} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{arc} {2 * radius:.1f} 0{arc}-{2 * radius:.1f} 0"


def cross(x: float, y: float, half: float) -> str:
    """The path of an upright cross around a point."""
    return f"M{x - half:g} {y:g}h{2 * half:g}M{x:g} {y - half:g}v{2 * half:g}"


@lru_cache(4096)
def short(name: str, width: float, size: float = LARGEST) -> str:
    """A name on one line of a width; what does not fit ends in an ellipsis."""
    return isolated(broken(name, width, 1, size)[0])


@lru_cache(4096)
def broken(name: str, width: float, most: int, size: float = LARGEST) -> list[str]:
    """A name on so many lines of a width at most; what does not fit ends in an ellipsis."""
    return wrap(name, width, lambda text: pixels(text, size), most)


def text_lines(
    lines: Sequence[str], x: float, y: float, *, whole: str = "", step: float = 15.0, **look: object
) -> str:
    """Lines below each other from a first one; where they cut a name, the whole is a tooltip."""
    size: object = look.pop("size", NAME)
    written = (label(isolated(line), x, y + step * i, size=size) for i, line in enumerate(lines))  # type: ignore[arg-type]
    cut = whole and [whole] != list(lines)
    return tag("g", tag("title", words(whole)) if cut else "", *written, **look)


class Sheet:
    """Parts below each other on a width: headings, rows and notes."""

    def __init__(self, width: float) -> None:
        self.width, self.y = width, 4.0
        self.parts: list[str] = []

    def add(self, *parts: str) -> None:
        """Draw parts at places of their own."""
        self.parts += parts

    def write(self, text: str, *, size: float = 12, most: int = 3, **look: Any) -> None:
        """Write a text on as many lines as it takes, up to so many."""
        for line in broken(text, self.width - LEFT - RIGHT, most, size) if text else ():
            self.y += size + 4
            self.parts.append(label(isolated(line), LEFT, self.y, size=size, **look))

    def heading(self, text: str) -> None:
        """Write the heading of rows."""
        self.write(text, font_weight=700)
        self.y += 6

    def notes(self, texts: Iterable[str]) -> None:
        """Write what marks and lines mean."""
        for text in texts:
            self.write(text, size=11, most=6, class_="eat-muted")

    def close(self, title: str, alt: str, kind: str = "figure") -> str:
        """Make the drawing."""
        return figure(self.y + 10, *self.parts, title=title, alt=alt, width=self.width, kind=kind)


def _show(value: object) -> str:
    """A value as it is in an attribute; numbers need no escape, and there are many."""
    if isinstance(value, float):
        return f"{value:.{1 if abs(value) >= 1 else 2}f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, int) else escape(clean(str(value)))


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
        enclosed = [0.0, *values]
        low, high = min(enclosed), max(enclosed)
        rough = (high - low) / WANTED_TICKS
        power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 0.1
        step = next((m * power for m in (1.0, 2.0, 5.0) if m * power >= rough), 10.0 * power)
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

    @property
    def decimals(self) -> int:
        """Decimals that the numbers of its ticks need."""
        step = self.step
        return next((n for n in range(6) if abs(round(step, n) - step) < step * 1e-6), 6)

    def grid(
        self, first: float, last: float, *, upright: bool = False, strong: float | None = 0.0
    ) -> str:
        """Draw a line for each tick, one of them stronger, and its number."""
        numbers, lines = "", {"fig-grid": "", "fig-zero": ""}
        for value in self.ticks():
            at, number = self.at(value), effect(value, self.decimals)
            zero = strong is not None and abs(value - strong) < self.step / 2
            lines["fig-zero" if zero else "fig-grid"] += (
                f"M{first:g} {at:.1f}H{last:g}" if upright else f"M{at:.1f} {first:g}V{last:g}"
            )
            numbers += (
                muted(number, first - 6, at + 4, anchor="end")
                if upright
                else muted(number, at, last + 16)
            )
        return "".join(path(d, kind) for kind, d in lines.items() if d) + numbers
