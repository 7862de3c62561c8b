"""Labelled points on one axis, one below the other, each with an interval where it has one."""

from __future__ import annotations

from itertools import cycle

from eatlas.apps.protocol.evidence import Drawing, Mark
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    figure,
    label,
    muted,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.numbers import effect

ROW = 22.0
"""Height of a row."""
NAMES = 150.0
"""Room for labels, left of the axis."""
LOOKS = (("circle", "x"), ("square", "y"), ("diamond", "a"), ("triangle", "n"))
"""Shape and class of the groups in their order: a shape tells its group where colours do not."""


def marks(drawing: Drawing) -> str:
    """Draw the marks of a study."""
    axis = _axis(drawing)
    groups = list(dict.fromkeys(mark.group for mark in drawing.marks))
    top = ROW if any(groups) else 4.0
    bottom = top + ROW * len(drawing.marks)
    rows = [
        _row(mark, top + ROW * (i + 0.5), axis, groups.index(mark.group))
        for i, mark in enumerate(drawing.marks)
    ]
    return figure(
        bottom + 22,
        _key(groups) if any(groups) else "",
        axis.grid(top, bottom, strong=drawing.neutral),
        *rows,
        title=drawing.title,
        alt=f"{drawing.title}. {drawing.axis}. " + "; ".join(map(_in_words, drawing.marks)),
    )


def _axis(drawing: Drawing) -> Axis:
    """The axis: between stated ends, or around all marks."""
    start, end = LEFT + NAMES, WIDTH - RIGHT - 40
    ends = [x for mark in drawing.marks for x in (mark.value, mark.low, mark.high) if x is not None]
    if drawing.low is not None and drawing.high is not None:
        return Axis(drawing.low, drawing.high, (drawing.high - drawing.low) / 4, start, end)
    return Axis.around(ends or [0.0, 1.0], start, end)


def _at(axis: Axis, value: float) -> float:
    return axis.at(min(axis.high, max(axis.low, value)))


def _row(mark: Mark, y: float, axis: Axis, group: int) -> str:
    """One label, its interval, its point and its number."""
    title = tag("title", words(_in_words(mark)))
    name = label(short(mark.label, NAMES - 16), LEFT, y + 4, size=12.5)
    if mark.value is None:
        return tag("g", title, name, muted("–", axis.end + 24, y + 4))
    line = ""
    if mark.low is not None and mark.high is not None:
        line = path(f"M{_at(axis, mark.low):.1f} {y:g}H{_at(axis, mark.high):.1f}", "i")
    shape, colour = LOOKS[group % len(LOOKS)]
    point = path(outline(shape, round(_at(axis, mark.value), 1), y), "m on")
    number = muted(effect(mark.value), axis.end + 24, y + 4)
    return tag("g", title, name, tag("g", line, point, class_=colour), number)


def _key(groups: list[str]) -> str:
    """What the shapes and colours say."""
    parts, x = [], LEFT + NAMES
    for (shape, colour), name in zip(cycle(LOOKS), groups, strict=False):
        parts.append(tag("g", path(outline(shape, x + 5, 9), "m on"), class_=colour))
        parts.append(label(short(name, 100), x + 14, 13))
        x += 110
    return tag("g", *parts)


def _in_words(mark: Mark) -> str:
    """A mark as text, for those who cannot see it."""
    value = "undefined" if mark.value is None else effect(mark.value)
    ends = ""
    if mark.low is not None and mark.high is not None:
        ends = f", {effect(mark.low)} to {effect(mark.high)}"
    return f"{mark.label}: {value}{ends}" + (f" ({mark.group})" if mark.group else "")
