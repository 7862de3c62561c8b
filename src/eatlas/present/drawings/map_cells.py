"""The cells of an EAT-Map, and the map at full size with names, effect sizes and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eatlas.present.drawings.figures import Estimate, outline
from eatlas.present.drawings.svg import (
    BLUE,
    FONT,
    INK,
    MUTED,
    VERMILION,
    Axis,
    Drawn,
    broken,
    drawing,
    label,
    muted,
    tag,
    words,
)
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated
from eatlas.results.levels import Attribute

PAPER = "#ffffff"
ON, ON_TEXT = "#b3261e", "#ffffff"  # luminance ratio to OFF 4.9, of the text 6.5
OFF, EDGE = "#dfdfe4", "#74747e"

CELL_W, CELL_H, GAP = 138.0, 78.0, 4.0
LEFT, RIGHT, TOP, BELOW = 132.0, 16.0, 84.0, 46.0
"""Pixels beside the cells, above them, and at the foot."""
WIDTH = LEFT + 2 * CELL_W + GAP + RIGHT
NUMBERS, SCALE = 44.0, 40.0
"""Pixels of the numbers below a column, and of its interval on the scale of d."""
NAME, LINE = 13.0, 16.0
THUMBNAIL = 30.0
COLOURS = {"X": BLUE, "Y": VERMILION}
"""Of the marks of both targets, as everywhere in a page."""
MOST_LINES = 3
NEITHER, UNDEFINED = "N", "U"
"""What a column of a map may show besides A and B."""


@dataclass(frozen=True)
class Column:
    """One target group of an EAT-Map."""

    name: str
    effect_size: float | None
    """Level 2 effect size; None where it is undefined."""
    p: float | None
    """The p-value that the pattern's rule reads; None where there is none over stimuli."""
    significant: bool
    """Whether p is below alpha."""
    attribute: Attribute | None
    """The attribute that the group is associated with, if any."""
    p_low: float | None = None
    """Lower bound of p where only bounds are known."""
    texts: tuple[str, str] = ("", "")
    """What is written in the cells of A and of B, such as a share; empty for most measures."""
    interval: tuple[float, float] | None = None
    """Bootstrap interval of the effect size, where there is one."""

    @property
    def state(self) -> str:
        """What the column shows: A, B, NEITHER or UNDEFINED."""
        return UNDEFINED if self.undefined else self.attribute or NEITHER

    @property
    def undefined(self) -> bool:
        """Whether it has no effect size."""
        return self.effect_size is None


def large(
    targets: Mapping[str, Column],
    attributes: Mapping[str, str],
    images: Mapping[str, Sequence[Drawn]],
    *,
    heading: str,
    comparison: str,
    alpha: float,
    notes: Sequence[str],
    **said: str,
) -> str:
    """Draw a map with names, numbers and pattern."""
    middle = LEFT + CELL_W + GAP / 2
    over = broken(comparison, WIDTH - 24, MOST_LINES, NAME) if comparison else []
    top = TOP + LINE * len(over)
    under = top + 2 * CELL_H + GAP
    axis = Axis.of_effects(
        v for one in targets.values() for v in (one.effect_size, *(one.interval or ()))
    )
    height = under + NUMBERS + SCALE + BELOW
    height += THUMBNAIL + 8 if images.keys() & set("XY") else 0
    parts = [
        tag("rect", width=WIDTH, height=height, fill=PAPER, class_="eat-paper"),
        label(heading, middle, 27, size=17, font_weight=650, text_anchor="middle"),
        *(muted(text, WIDTH / 2, 48 + LINE * i, size=12) for i, text in enumerate(over)),
    ]
    for i, (role, name) in enumerate(attributes.items()):
        parts.append(_row(name, top + i * (CELL_H + GAP), images.get(role, ())))
    lefts = {role: LEFT + i * (CELL_W + GAP) for i, role in enumerate(targets)}
    for role, left in lefts.items():
        parts.append(_column(targets[role], left, top, alpha, images.get(role, ())))
    for role, left in lefts.items():
        scale = axis.on(left + 8, left + CELL_W - 8)
        parts.append(_scale(role, targets[role], scale, under + NUMBERS))
    parts += [muted(note, middle, height - 24 + 15.0 * i) for i, note in enumerate(notes)]
    look = {"class_": "eat-map", "font_family": FONT, "fill": INK}
    return drawing(WIDTH, height, *parts, **said, **look)


def _row(name: str, top: float, images: Sequence[Drawn]) -> str:
    """The name of an attribute before its cells, with thumbnails below it."""
    middle = top + CELL_H / 2
    if not images:
        return _lines(name, LEFT - 26, 4, LEFT - 12, middle, "end")
    side = 24.0
    left = LEFT - 12 - len(images) * (side + 3) + 3
    drawn = [one.drawn(left + i * (side + 3), middle + 4, side) for i, one in enumerate(images)]
    return _lines(name, LEFT - 26, 2, LEFT - 12, middle - 16, "end") + "".join(drawn)


def _column(
    column: Column, left: float, top: float, alpha: float, images: Sequence[Drawn] = ()
) -> str:
    """One target: its name, a cell for each attribute, and its numbers below."""
    middle, under = left + CELL_W / 2, top + 2 * CELL_H + GAP + 19
    start = middle - (len(images) * (THUMBNAIL + 4) - 4) / 2
    d, p = "d undefined", ""
    if column.effect_size is not None:
        d = f"d = {effect(column.effect_size)}{'*' if column.significant else ''}"
        p = "" if column.p is None else p_equals(column.p, alpha, column.p_low)
    return tag(
        "g",
        _lines(column.name, CELL_W - 8, 2, middle, top - 24, "middle"),
        *(
            _cell(column, role, left, top + row * (CELL_H + GAP), column.texts[row])
            for row, role in enumerate("AB")
        ),
        label(d, middle, under, size=15, font_weight=600, text_anchor="middle"),
        muted(p, middle, under + 17, size=12),
        *(
            one.drawn(start + i * (THUMBNAIL + 4), under + NUMBERS + SCALE - 14, THUMBNAIL)
            for i, one in enumerate(images)
        ),
    )


def _scale(role: str, column: Column, axis: Axis, top: float) -> str:
    """The effect size of a target with its interval, on a scale that both columns share."""
    y = top + 10
    ends = "".join(f"M{axis.at(end):.1f} {y - 4:.1f}v8" for end in (axis.low, 0.0, axis.high))
    line = f"M{axis.start:.1f} {y:.1f}H{axis.end:.1f}{ends}"
    numbers = [
        muted(effect(end, 0 if end.is_integer() else 1), axis.at(end), y + 20, size=11)
        for end in (axis.low, 0.0, axis.high)
    ]
    drawn = tag("path", d=line, stroke=MUTED, fill="none", stroke_opacity=0.5, class_="fig-line")
    if column.effect_size is None:
        return drawn + "".join(numbers)
    shown = Estimate(
        column.effect_size, column.interval, "circle" if role == "X" else "square",
        column.significant,
    )  # fmt: skip
    return drawn + _mark(shown, role, axis, y) + "".join(numbers)


def _mark(shown: Estimate, role: str, axis: Axis, y: float) -> str:
    """The mark of an effect size on the line of its interval, in the colour of its target."""
    low, high = shown.interval or (shown.d or 0.0, shown.d or 0.0)
    line = f"M{axis.at(low):.1f} {y:.1f}H{axis.at(high):.1f}"
    mark = outline(shown.mark, round(axis.at(shown.d or 0.0), 1), round(y, 1))
    filled = {"fill": COLOURS[role], "class_": "on"} if shown.filled else {}
    return tag(
        "g", tag("path", d=line), tag("path", d=mark, **filled),
        stroke=COLOURS[role], stroke_width=1.6, fill=PAPER, class_=f"fig-level2-{role}",
    )  # fmt: skip


def _lines(name: str, width: float, most: int, x: float, middle: float, anchor: str) -> str:
    """Write a name on one or more lines around a height; the whole of it is a tooltip."""
    lines = broken(name, width, most, NAME)
    first = middle - (len(lines) - 1) * LINE / 2 + 4.5
    written = [
        label(isolated(line), x, first + LINE * number, size=NAME, text_anchor=anchor)
        for number, line in enumerate(lines)
    ]
    whole = tag("title", words(name)) if lines != [name] else ""
    return tag("g", whole, *written, font_weight=550)


def _cell(column: Column, attribute: str, x: float, y: float, text: str = "") -> str:
    """Draw a cell with a word in it, so that nobody needs the colour, and a text below that."""
    on, undefined = column.state == attribute, column.undefined
    drawn = cell(x, y, CELL_W, CELL_H, on=on, hatched=undefined)
    middle, height = x + CELL_W / 2, y + CELL_H / 2
    white: dict[str, Any] = {"fill": ON_TEXT, "class_": "eat-on-text"} if on else {}
    if undefined:
        plate = {"x": middle - 42, "y": height - 12, "width": 84, "height": 24, "rx": 3}
        drawn += tag("rect", **plate, fill=PAPER, class_="eat-plate")
        drawn += muted("undefined", middle, height + 4, size=12)
    elif on:
        # the dot is a letter, so that no font can push the word against it
        drawn += label(
            "● associated", middle, height + 4.5, font_weight=600, text_anchor="middle", **white
        )
    if text:
        below = 24 if undefined or on else 4.5
        drawn += label(text, middle, height + below, size=12, text_anchor="middle", **white)
    return drawn


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
