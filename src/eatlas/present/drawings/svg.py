"""The little of SVG that the figures need, written as text, and their axes with round numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from html import escape
from typing import Protocol, Self

from eatlas.present.numbers import effect
from eatlas.present.text import clean, isolated, pixels, wrap

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Helvetica, Arial, sans-serif"
INK = "#1d1d21"
MUTED = "#5a5a63"
# blue and vermilion of Okabe and Ito (2008); eatlas.present.charts.theme says why these
BLUE, VERMILION, VIOLET = "#0072b2", "#c95800", "#6c2bd9"
WIDTH = 460.0
"""Of a figure: narrow enough for a telephone to show it whole, letters and all."""
LEFT, RIGHT = 10.0, 14.0
NAME = 12.5
LARGEST = 14.0
"""Letters of a figure on a telephone, where the page's style makes them larger: names must fit."""


class Drawn(Protocol):
    """Something that is drawn at a place, such as the thumbnail of an image."""

    def drawn(self, x: float, y: float, side: float) -> str:
        """Draw it in a square."""


def tag(name: str, *children: str, **attributes: object) -> str:
    """One element; `children` are markup already, attribute values are escaped here.

    A trailing underscore is dropped from attribute names, and others become hyphens.
    """
    written = "".join(
        f' {_name(key)}="{_show(value)}"' for key, value in attributes.items() if value is not None
    )
    inside = "".join(children)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def words(text: str) -> str:
    """Text content, escaped."""
    return escape(clean(text), quote=False)


def label(text: str, x: float, y: float, *, size: float = 13, **attributes: object) -> str:
    """A line of text at a point."""
    return tag("text", words(text), x=x, y=y, font_size=size, **attributes)


def muted(text: str, x: float, y: float, *, size: float = 11, anchor: str = "middle") -> str:
    """A line of text that keeps in the background, such as the number of a tick."""
    return label(text, x, y, size=size, text_anchor=anchor, fill=MUTED, class_="eat-muted")


def drawing(
    width: float, height: float, *children: str, title: str, alt: str = "", **attributes: object
) -> str:
    """A whole drawing with its title and, where given, a description for those who cannot see it.

    It holds no ids, so that any number of drawings may be on one page.
    """
    return tag(
        "svg",
        tag("title", words(title)),
        tag("desc", words(alt)) if alt else "",
        *children,
        xmlns=NAMESPACE,
        viewBox=f"0 0 {_show(width)} {_show(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=clean(alt or title),
        **attributes,
    )


def dot(x: float, y: float, radius: float) -> str:
    """The path of a circle around a point."""
    arc = f"a{radius:.1f} {radius:.1f} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{arc} {2 * radius:.1f} 0{arc}-{2 * radius:.1f} 0"


def apart(
    wanted: Sequence[float], heights: Sequence[float], start: float, end: float
) -> list[float]:
    """Move the middles of labels, which rise, so that none lies on another, nor past the ends."""
    middles: list[float] = []
    edge = start
    for middle, height in zip(wanted, heights, strict=True):
        middles.append(max(middle, edge + height / 2))
        edge = middles[-1] + height / 2
    edge = end
    for i in reversed(range(len(middles))):  # what went past the end moves back
        middles[i] = min(middles[i], edge - heights[i] / 2)
        edge = middles[i] - heights[i] / 2
    return middles


def figure(
    height: float, *children: str, title: str, alt: str, width: float = WIDTH, kind: str = ""
) -> str:
    """A figure with the letters that all figures of a page share; most have one width."""
    look = {"class_": f"figure {kind}".strip(), "font_family": FONT, "fill": INK}
    return drawing(width, height, *children, title=title, alt=alt, **look)


@lru_cache(4096)
def short(name: str, width: float) -> str:
    """A name on one line of a width; what does not fit ends in an ellipsis."""
    return isolated(broken(name, width, 1)[0])


@lru_cache(4096)
def broken(name: str, width: float, most: int, size: float = LARGEST) -> list[str]:
    """A name on so many lines of a width at most; what does not fit ends in an ellipsis."""
    return wrap(name, width, lambda text: pixels(text, size), most)


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _show(value: object) -> str:
    """A value as it is in an attribute; numbers need no escape, and there are many."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, int) else escape(clean(str(value)))


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

    def grid(
        self, first: float, last: float, *, upright: bool = False, strong: float | None = 0.0
    ) -> str:
        """Draw a line for each tick, one of them stronger, and its number."""
        decimals = max(0, math.ceil(-math.log10(self.step) - 1e-9))
        numbers, lines = [], {False: "", True: ""}
        for value in self.ticks():
            place = self.at(value)
            line = (
                f"M{first:g} {place:.1f}H{last:g}"
                if upright
                else f"M{place:.1f} {first:g}V{last:g}"
            )
            lines[strong is not None and abs(value - strong) < self.step / 2] += line
            number = effect(value, decimals)
            numbers.append(
                muted(number, first - 6, place + 4, anchor="end")
                if upright
                else muted(number, place, last + 16)
            )
        looks = {False: (GRID, "fig-grid"), True: (MUTED, "fig-zero")}
        drawn = (
            tag("path", d=lines[zero], stroke=colour, class_=kind)
            for zero, (colour, kind) in looks.items()
            if lines[zero]
        )
        return "".join([*drawn, *numbers])


def _round_step(rough: float) -> float:
    """Take the next of 1, 2, 5 times a power of ten; 0.1 for no spread at all."""
    if rough <= 0:
        return 0.1
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next((m * power for m in (1.0, 2.0, 5.0) if m * power >= rough), 10.0 * power)


_SAID = re.compile(
    r'(?<=<svg)((?: [\w-]+="[^"]*")*?) xmlns="[^"]*"|<desc>.*?</desc>| font-family="[^"]*"'
    r'| width="[\d.]+" height="[\d.]+"(?= role="img")'
    # colours of classes that the style knows, and of their groups
    r'| (?:fill|stroke)="#[0-9a-f]{6}"(?=[^<>]* class="(?:eat-|fig-|figure|on))'
    r'| stroke="#[0-9a-f]{6}"(?= class="diagonal")'
    r"|(?<=\.\d)\d(?=[\" a-zA-Z-])|(?<!=\"0)\.0\d?(?=[\" a-zA-Z-])",
    re.DOTALL,
)
_SMALL = re.compile(
    r' font-size="11" text-anchor="(middle|end|start)"(?: fill="#[0-9a-f]{6}")? class="eat-muted"'
)
_ANCHORS = {"middle": ' class="t"', "end": ' class="t e"', "start": ' class="t s"'}
_WORDS = re.compile(r'(<title>.*?</title>|aria-label="[^"]*"|(?<=>)[^<>]+(?=</text>))', re.DOTALL)
"""What readers read, which stays as it is."""


def inlined(svg: str) -> str:
    """Leave out of a drawing what its page has: letters, colours of the style, its text once more.

    A drawing as a file of its own needs all of it. Coordinates keep a tenth of a pixel.
    """
    parts = _WORDS.split(svg)
    return "".join(part if i % 2 else _shorter(part) for i, part in enumerate(parts))


def _shorter(part: str) -> str:
    small = _SMALL.sub(lambda found: _ANCHORS[found[1]], part)
    return _SAID.sub(r"\1", small)
