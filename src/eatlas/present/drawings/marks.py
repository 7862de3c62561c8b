"""Labelled points on one axis, one below the other, each with an interval where it has one."""

from __future__ import annotations

from eatlas.present.drawings.svg import (
    BLUE,
    LEFT,
    MUTED,
    RIGHT,
    VERMILION,
    VIOLET,
    WIDTH,
    Axis,
    figure,
    label,
    muted,
    short,
    tag,
    words,
)
from eatlas.present.numbers import effect
from eatlas.results.evidence import Drawing, Mark

ROW = 22.0
"""Height of a row."""
NAMES = 150.0
"""Room for labels, left of the axis."""
COLOURS = (BLUE, VERMILION, VIOLET, MUTED)
"""Of groups in their order; the classes mark-0 and so on give them the colours of dark pages."""
SHAPES = ("circle", "square", "diamond", "circle")


def marks(given: Drawing) -> str:
    """Draw the marks of a study."""
    axis = _axis(given)
    groups = list(dict.fromkeys(mark.group for mark in given.marks))
    top = ROW if any(groups) else 4.0
    bottom = top + ROW * len(given.marks)
    rows = [
        _row(mark, top + ROW * (i + 0.5), axis, groups.index(mark.group))
        for i, mark in enumerate(given.marks)
    ]
    return figure(
        bottom + 22,
        _key(groups) if any(groups) else "",
        axis.grid(top, bottom, strong=given.neutral),
        *rows,
        title=given.title,
        alt=f"{given.title}. {given.axis}. " + "; ".join(map(_in_words, given.marks)),
    )


def _axis(given: Drawing) -> Axis:
    """The axis: between stated ends, or around all marks."""
    start, end = LEFT + NAMES, WIDTH - RIGHT - 40
    ends = [x for one in given.marks for x in (one.value, one.low, one.high) if x is not None]
    if given.low is not None and given.high is not None:
        return Axis(given.low, given.high, (given.high - given.low) / 4, start, end)
    return Axis.around(ends or [0.0, 1.0], start, end)


def _at(axis: Axis, value: float) -> float:
    return axis.at(min(axis.high, max(axis.low, value)))


def _row(mark: Mark, y: float, axis: Axis, group: int) -> str:
    """One label, its interval, its point and its number."""
    title = tag("title", words(_in_words(mark)))
    name = label(short(mark.label, NAMES - 16), LEFT, y + 4, size=12.5)
    if mark.value is None:
        return tag("g", title, name, muted("–", axis.end + 24, y + 4))
    kind = group % len(COLOURS)
    x, parts = _at(axis, mark.value), []
    if mark.low is not None and mark.high is not None:
        ends = {"x1": _at(axis, mark.low), "x2": _at(axis, mark.high)}
        style = {"stroke": COLOURS[kind], "class_": f"mark-{kind}"}
        parts.append(tag("line", **ends, y1=y, y2=y, stroke_width=2, **style))
    parts.append(_point(x, y, kind))
    number = muted(effect(mark.value), axis.end + 24, y + 4)
    return tag("g", title, name, *parts, number)


def _point(x: float, y: float, kind: int) -> str:
    """A point, whose shape tells its group where colours are not seen."""
    style, shape = {"fill": COLOURS[kind], "class_": f"mark-{kind}"}, SHAPES[kind]
    if shape == "circle":
        return tag("circle", cx=x, cy=y, r=4.5, **style)
    turned = f"rotate(45 {x:.2f} {y:.2f})" if shape == "diamond" else None
    return tag("rect", x=x - 4, y=y - 4, width=8, height=8, transform=turned, **style)


def _key(groups: list[str]) -> str:
    """What the shapes and colours say."""
    parts, x = [], LEFT + NAMES
    for i, name in enumerate(groups):
        parts.append(_point(x + 5, 9, i % len(COLOURS)))
        parts.append(label(short(name, 100), x + 14, 13, size=12))
        x += 110
    return tag("g", *parts)


def _in_words(mark: Mark) -> str:
    """A mark as text, for those who cannot see it."""
    value = "undefined" if mark.value is None else effect(mark.value)
    ends = ""
    if mark.low is not None and mark.high is not None:
        ends = f", {effect(mark.low)} to {effect(mark.high)}"
    return f"{mark.label}: {value}{ends}" + (f" ({mark.group})" if mark.group else "")
