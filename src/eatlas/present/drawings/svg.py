"""The little of SVG that the drawings need, written as text: letters, axes, marks, small drawings.

Drawings name classes, not colours: `drawings.css` has these, in pages and in files alike. The
numbers of a small drawing in a table are beside it as text, so screen readers skip it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any, Self, cast

from markupsafe import Markup

from eatlas.numbers import effect, in_powers
from eatlas.present.effects import chance_range, levels_of
from eatlas.present.text import clean, isolate, pixels, wrap
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.finding import Verdict
from eatlas.results.levels import MatchedLevel

NAMESPACE = "http://www.w3.org/2000/svg"
ENDINGS = (".svg", ".pdf", ".png")
"""Of files of drawings."""
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
    written = ""
    for key, value in attributes.items():
        if value is not None:
            written += f' {key.rstrip("_").replace("_", "-")}="{_show(value)}"'
    inside = "".join(children)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def path(d: str, kind: str, *children: str, **attributes: object) -> str:
    """A path of a class."""
    return tag("path", *children, d=d, class_=kind, **attributes)


def words(text: str) -> str:
    """Text content, escaped."""
    return escape(clean(text), quote=False)


_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")


def line_of(text: str) -> str:
    """The content of a line of text; exponents are raised digits, as few fonts have their own."""
    return _RAISED.sub(
        lambda m: f'<tspan dy="-0.35em" font-size="75%">{m[0].translate(_LOWERED)}</tspan>',
        words(text),
    )


def label(
    text: str, x: float, y: float, *, size: float = 12, anchor: str = "", **attributes: object
) -> str:
    """A line of text at a point, which begins there or has another `anchor`."""
    look = {"font_size": size, "text_anchor": anchor or None}
    return tag("text", line_of(text), x=x, y=y, **look, **attributes)


def aside(text: str, x: float, y: float, *, size: float = 11, anchor: str = "middle") -> str:
    """A line of text that keeps in the background, such as the number of a tick."""
    if size == 11:  # most are, so the style has it
        return tag("text", line_of(text), x=x, y=y, class_=f"t {anchor[0]}".removesuffix(" m"))
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
        viewBox=box, role="img", aria_label=in_powers(alt or title), class_=kind,
    )  # fmt: skip


def paper(x: float, y: float, width: float, height: float) -> str:
    """A rectangle in the colour of the paper, over lines that would cross a text."""
    return tag("rect", x=x, y=y, width=width, height=height, class_="eat-paper")


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a drawing."""
    size = _SIZE.search(svg)
    return (float(size[1]), float(size[2])) if size else (0.0, 0.0)


def inset(svg: str, x: float, y: float) -> str:
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
    return isolate(broken(name, width, 1, size)[0])


@lru_cache(4096)
def broken(name: str, width: float, most: int, size: float = LARGEST) -> list[str]:
    """A name on so many lines of a width at most; what does not fit ends in an ellipsis."""
    return wrap(name, width, lambda text: pixels(text, size), most)


def text_lines(
    lines: Sequence[str], x: float, y: float, *, whole: str = "", step: float = 15.0, **look: object
) -> str:
    """Lines below each other from a first one; where they cut a name, the whole is a tooltip."""
    size: Any = look.pop("size", NAME)
    parts = [tag("title", words(whole))] if whole and [whole] != list(lines) else []
    for i, line in enumerate(lines):
        parts.append(label(isolate(line), x, y + step * i, size=size))
    return tag("g", *parts, **look)


def _show(value: object) -> str:
    """A value as it is in an attribute; numbers need no escape, and there are many."""
    if isinstance(value, float):
        return f"{value:.{1 if abs(value) >= 1 else 2}f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, int) else escape(clean(str(value)))


WANTED_TICKS, MOST_TICKS = 5, 10
"""Ticks of a figure; whole numbers on either side of 0 that are marked one by one."""
LEAST = 2.0
"""For groups of equal size |d| stays below 2; unequal ones may exceed it."""
FAR = 3 * LEAST
"""Where an interval ends that goes further: one of few words would leave no room for the others."""


def ends_within(shown: Effect) -> tuple[float, ...]:
    """The ends of the interval of an effect size, as far as an axis follows them."""
    ends = shown.interval or ()
    return tuple(max(-FAR, min(FAR, end)) for end in ends) if shown.symbol == "d" else ends


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` on pixels from `start` to `end`, a tick at each `step`."""

    low: float
    high: float
    step: float
    start: float
    end: float

    @classmethod
    def with_zero(cls, values: Iterable[float], start: float, end: float) -> Self:
        """Enclose the values and zero, from one round number to another."""
        enclosed = [0.0, *values]
        step = round_step(max(enclosed) - min(enclosed))
        first = math.floor(min(enclosed) / step + 1e-9)
        last = math.ceil(max(enclosed) / step - 1e-9)
        return cls(first * step, max(last, first + 1) * step, step, start, end)

    @classmethod
    def with_margin(cls, values: Iterable[float], start: float, end: float) -> Self:
        """Enclose the values with some room, but not zero if it is far."""
        low, high = min(values := list(values)), max(values)
        least = 1e-9 * max(abs(low), abs(high))  # less is lost in rounding
        room = max(0.06 * (high - low) or 0.05, least)
        step = round_step(high - low if room > least else room)
        return cls(low - room, high + room, step, start, end)

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

    def ticks(self) -> list[tuple[float, str]]:
        """Return the pixels and numbers of the multiples of the step that the axis holds."""
        first = math.ceil(self.low / self.step - 1e-9)
        last = math.floor(self.high / self.step + 1e-9)
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        values = (number * self.step for number in range(first, last + 1))
        return [(self.at(value), effect(value, decimals)) for value in values]

    def sparse(self, room: float = 26.0) -> Self:
        """The same axis with as many ticks as have room for their numbers."""
        step = self.step
        while step < self.high - self.low and abs(self.at(step) - self.at(0)) < room:
            step *= 2 if str(step)[0] != "2" else 2.5
        return replace(self, step=step)

    def ends(self) -> tuple[str, str]:
        """The numbers at its ends."""
        low, high = (effect(end, 0 if end.is_integer() else 1) for end in (self.low, self.high))
        return low, high

    def grid(
        self, first: float, last: float, *, upright: bool = False, strong: float | None = 0.0
    ) -> str:
        """Draw a line for each tick, a stronger one at a value, and the number of each."""
        numbers, lines = "", {"fig-grid": "", "fig-zero": ""}
        zero = math.inf if strong is None else self.at(strong)
        for at, number in self.ticks():
            kind = "fig-zero" if abs(at - zero) < 0.1 else "fig-grid"
            if upright:
                lines[kind] += f"M{first:g} {at:.1f}H{last:g}"
                numbers += aside(number, first - 6, at + 4, anchor="end")
            else:
                lines[kind] += f"M{at:.1f} {first:g}V{last:g}"
                numbers += aside(number, at, last + 16)
        return "".join(path(d, kind) for kind, d in lines.items() if d) + numbers


def round_step(span: float) -> float:
    """A round number of which about five fit into a span."""
    rough = span / WANTED_TICKS
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 0.1
    return next((m * power for m in (1.0, 2.0, 5.0) if m * power >= rough), 10.0 * power)


MARKS = {
    "level1": ("diamond", ""), "level2.X": ("circle", "x"), "level2.Y": ("square", "y"),
    "over_attributes": ("triangle", "a"),
}  # fmt: skip
"""Shape of an effect size, and the class of its colour, which is one everywhere."""
MARGIN, ROW = 8.0, 12.0
"""Pixels at both ends of an axis, for a mark that is on the edge; of a row of marks."""
SHARE, COLUMN, LINE = 150, 176.0, 196.0
"""Pixels of a bar; of the scale of effect sizes in a column, and in the line of a finding."""


def mark_of(place: str) -> tuple[str, str]:
    """Shape and colour by which the effect size at a place is known."""
    return MARKS.get(place, ("circle", ""))


def outline(shape: str, x: float, y: float, size: float = 1.0) -> str:
    """The path of a mark around a point; at full size it takes some 8 pixels."""
    if shape == "diamond":
        r = 4.6 * size
        return f"M{x:g} {y - r:g}l{r:g} {r:g}-{r:g} {r:g}-{r:g}-{r:g}z"
    if shape == "square":
        r = 3.4 * size
        return f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h-{2 * r:g}z"
    if shape == "triangle":
        r = 4.2 * size
        return f"M{x:g} {y - r:g}l{r:g} {1.7 * r:g}h-{2 * r:g}z"
    r = 3.8 * size
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0-{2 * r:g} 0z"


FILLS = {"supported": " on", "these words": "", "not shown": " no", None: ""}
"""Class of a mark by the verdict on its effect size: filled, outlined, or small and thin."""
SMALL_MARK = 0.65
"""Size of a mark about which nothing is shown."""


def is_untested(shown: Effect) -> bool:
    """Whether a number has no test, as in MAC."""
    return shown.verdict is None and shown.p is None


def gray_mark(x: float, y: float, size: float = 1.0) -> str:
    """The mark of a number without a test."""
    return path(outline("circle", round(x, 1), round(y, 1), size), "b")


def mark(shown: Effect, x: float, y: float, size: float = 1.0) -> str:
    """The mark of an effect size around a point: its shape says the level, its fill the verdict."""
    if is_untested(shown):
        return gray_mark(x, y, size)
    return path(*mark_path(shown, x, y, size))


def mark_path(shown: Effect, x: float, y: float, size: float = 1.0) -> tuple[str, str]:
    """The path and the class of the mark of an effect size."""
    shape, colour = mark_of(shown.place)
    kind = f"m{FILLS[shown.verdict]} {colour}".strip()
    size *= SMALL_MARK if shown.verdict == "not shown" else 1.0
    return outline(shape, round(x, 1), round(y, 1), size), kind


def interval_line(shown: Effect, axis: Axis, y: float) -> str:
    """The line of an interval, with a stroke at the adjusted estimate.

    An end beyond the axis is an arrow.
    """
    if shown.interval is None:
        return ""
    low, high = shown.interval
    drawn = _line(low, high, axis, y)
    middle = (low + high) / 2
    if shown.adjusted is not None and axis.low < middle < axis.high:
        drawn += f"M{axis.at(middle):.1f} {y - 3.5:g}v7"
    return path(drawn, f"i {mark_of(shown.place)[1]}".strip())


def line_between(low: float, high: float, axis: Axis, y: float) -> str:
    """The line of an interval that belongs to no level."""
    return path(_line(low, high, axis, y), "i")


def _line(low: float, high: float, axis: Axis, y: float) -> str:
    """The path from one value to another; an end beyond the axis is an arrow."""
    first, last = (round(axis.at(min(max(v, axis.low), axis.high)), 1) for v in (low, high))
    drawn = f"M{first:g} {y:g}H{last:g}"
    drawn += "m-3-3l3 3-3 3" * (high > axis.high)
    return drawn + f"M{first + 3:g} {y - 3:g}l-3 3 3 3" * (low < axis.low)


def estimate(shown: Effect, axis: Axis, y: float, symbol: str = "d") -> str:
    """The mark of an effect size on the line of its interval.

    A dash where it is undefined, or a number on another scale.
    """
    if shown.d is None or shown.symbol != symbol:
        return label("–", axis.at(0), y + 4, size=11, anchor="middle")
    return interval_line(shown, axis, y) + mark(shown, axis.at(shown.d), y)


def stack_effects(
    shown: Sequence[Effect], axis: Axis, top: float, steps: Sequence[float] = ()
) -> tuple[str, float]:
    """Effect sizes below each other from an edge on, with lines at the ticks, and their height.

    `steps` are the heights of rows that are not equal.
    """
    steps = steps or [ROW] * len(shown)
    height = sum(steps) + 4
    zero = path(f"M{axis.at(0):g} {top:g}v{height:g}", "z")
    ticks = path("".join(f"M{round(x, 1):g} {top:g}v{height:g}" for x, _ in axis.ticks()), "g")
    rows = (
        estimate(row, axis, top + 2 + sum(steps[:i]) + steps[i] / 2) for i, row in enumerate(shown)
    )
    return ticks + zero + "".join(rows), height


def share_bar(share: float, width: int = SHARE, *, strong: bool = False) -> Markup:
    """A share between 0 and 1 as a bar from the left on a faint whole."""
    length, kind = max(share * width, 1.0), "b on" if strong else "b"
    bar = path(f"M0 0h{length:.1f}v10h-{length:.1f}z", kind) if share else ""
    whole = path(f"M0 5H{width}", "g")
    return Markup(f'<svg class="fig bar w{width}" aria-hidden="true">{whole}{bar}</svg>')  # noqa: S704


@dataclass(frozen=True)
class Scales:
    """The axis of all effect sizes of a page, and the drawings that lie on it."""

    axis: Axis

    @classmethod
    def of(cls, results: Iterable[AssociationResult]) -> Self:
        """Enclose every effect size and the middle of every interval, unless that is far away."""
        shown = [e for result in results for e in levels_of(result) if e.symbol == "d"]
        middles = [sum(e.interval) / 2 for e in shown if e.interval]
        near = [middle for middle in middles if abs(middle) <= FAR]
        return cls(Axis.of_effects([*(e.d for e in shown), *near], MARGIN, MARGIN + COLUMN))

    def line(self, levels: Iterable[Effect], width: float = LINE) -> Markup:
        """Effect sizes in the line of their finding, in the order of the levels."""
        rows = [row for row in levels if row.symbol == "d"]
        axis = self.axis.on(MARGIN, MARGIN + width)
        inside, height = stack_effects(rows, axis, 0.0)
        return small("glance", axis, height, inside) if rows else Markup()

    def ruler(self, width: float = COLUMN) -> Markup:
        """The numbers of the axis."""
        axis = self.axis.on(MARGIN, MARGIN + width)
        numbers = (label(text, x, 11, size=10, anchor="middle") for x, text in axis.ticks())
        return small("ruler", axis, 14, *numbers)

    def interval(self, row: Effect) -> Markup:
        """One effect size with its interval."""
        inside, height = stack_effects([row], self.axis, 0.0)
        return small("interval", self.axis, height, inside)

    def states(
        self, row: Effect, verdicts: Iterable[Verdict], ends: tuple[float, float] | None
    ) -> dict[str, Any]:
        """Parts of the drawing of :meth:`interval` with other verdicts and another interval.

        The path and the class of each mark, and the path of the line.
        """
        y = 2 + ROW / 2
        marks = [
            mark_path(replace(row, verdict=verdict), self.axis.at(row.d or 0.0), y)
            for verdict in verdicts
        ]
        return {"marks": marks, "line": _line(*ends, self.axis, y) if ends else ""}

    def random(self, shown: Effect) -> Markup:
        """Where 95% of the differences of random topics are, and the observed one."""
        low, high, x = (
            round(self.axis.at(max(self.axis.low, min(self.axis.high, value))), 1)
            for value in (*chance_range(shown), shown.d or 0.0)
        )
        behind, height = stack_effects([], self.axis, 0.0)[0], 16.0
        shape, colour = mark_of(shown.place)
        beyond = cast("MatchedLevel", shown.matched).p_two_sided < shown.rule.alpha
        kind = f"m{' on' * beyond} {colour}".strip()
        range_of = path(f"M{low:g} 5H{high:g}v6H{low:g}z", "b")
        mark = path(outline(shape, x, height / 2), kind)
        return small("random", self.axis, height, behind, range_of, mark)


def small(kind: str, axis: Axis, height: float, *inside: str) -> Markup:
    """A small drawing as wide as its axis."""
    size = f'width="{axis.end + MARGIN:g}" height="{height:g}"'
    return Markup(f'<svg class="fig {kind}" {size} aria-hidden="true">{"".join(inside)}</svg>')  # noqa: S704
