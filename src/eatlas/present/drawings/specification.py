"""Drawings of a study: the curve of its specifications, and two ways of measuring as points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from eatlas.present.drawings.svg import (
    Axis,
    dot,
    figure,
    label,
    muted,
    path,
    short,
    tag,
    words,
)
from eatlas.present.numbers import effect, number_of
from eatlas.present.text import one_line

Specification = Any
"""One of a study: numbered, with choices, a status, an effect size d and a pattern."""
MOST = 1000
"""Specifications of a curve; of more, as many that lie evenly in their order."""
MOST_ROWS = 12
"""Alternatives of a choice that have a row of their own; the others share one."""
MOST_POINTS = 500
"""Of a panel of points."""
NAMED = 200
"""Specifications of which each mark has a tooltip."""
WIDTH, HEADS, NAMES, RIGHT = 920.0, 100.0, 235.0, 10.0
"""Pixels of the whole; where the names of choices end, those of alternatives, and the curve: on a
narrow drawing in the same shares."""
TOP, CURVE, ROW, GAP = 10.0, 230.0, 18.0, 8.0
PATTERN = "EAT pattern"
PANEL, EDGE = 210.0, 46.0
"""Pixels of the side of a panel, and of its margin."""


def drawn_of(measured: Sequence[Specification]) -> list[Specification]:
    """The specifications that a curve shows, by effect size: all, or evenly some of many."""
    ordered = sorted(measured, key=lambda one: (one.d or 0.0, one.number))
    if len(ordered) <= MOST:
        return ordered
    step = (len(ordered) - 1) / (MOST - 1)
    return [ordered[round(place * step)] for place in range(MOST)]


@dataclass(frozen=True)
class Row:
    """One alternative below the curve, and which of the specifications take it."""

    choice: str
    name: str
    taken: tuple[bool, ...]


def rows_of(given: Sequence[Specification], choices: Mapping[str, Sequence[str]]) -> list[Row]:
    """The rows below a curve: EAT patterns, then the alternatives of each choice."""
    rows: list[Row] = []
    patterns = [one.pattern for one in given]
    found = dict.fromkeys(sorted({p for p in patterns if p}, key=lambda p: (-patterns.count(p), p)))
    for choice, labels, taken in (
        (PATTERN, found, patterns),
        *((c, labels, [one.choices.get(c, "") for one in given]) for c, labels in choices.items()),
    ):
        known = [name for name in labels if name and name in set(taken)]
        own = known if len(known) <= MOST_ROWS else known[: MOST_ROWS - 1]
        rows += [Row(choice, name, tuple(one == name for one in taken)) for name in own]
        if others := set(known[len(own) :]):
            name = f"{len(others)} others"
            rows.append(Row(choice, name, tuple(one in others for one in taken)))
    return rows


def specification_curve(
    measured: Sequence[Specification],
    choices: Mapping[str, Sequence[str]],
    width: float = WIDTH,
) -> str:
    """Effect sizes in order with their intervals, and below them the choices behind each.

    Filled marks are significant, hollow ones are not.
    """
    given = drawn_of(measured)
    narrow = min(1.0, max(width / WIDTH, 0.85))
    heads, names = HEADS * narrow, NAMES * narrow
    slot = (width - names - RIGHT) / len(given)
    places = [names + slot * (n + 0.5) for n in range(len(given))]
    ends = [end for one in given for end in (one.d, one.low, one.high) if end is not None]
    axis = Axis.around(ends, TOP + CURVE, TOP)
    intervals = "".join(
        f"M{x:.1f} {axis.at(one.low):.1f}V{axis.at(one.high):.1f}"
        for x, one in zip(places, given, strict=True)
        if one.low is not None and one.high is not None
    )
    parts = [
        axis.grid(names, width - RIGHT, upright=True),
        label("Effect size d", 0, TOP + 8, size=12.5, font_weight=600),
        path(intervals, "study-interval") if intervals else "",
        _marks(given, places, axis, min(max(slot * 0.42, 1.3), 4.5)),
    ]
    y = TOP + CURVE + 14
    for choice, group in groupby(rows_of(given, choices), key=lambda row: row.choice):
        y += GAP
        parts.append(label(short(choice, heads - 6, 12), 0, y + 13, size=12, font_weight=600))
        for row in group:
            parts.append(path(f"M{names:g} {y + ROW / 2:.1f}H{width - RIGHT:g}", "fig-grid"))
            name = label(short(row.name, names - heads - 6, 12), heads, y + 13, size=12)
            whole = tag("title", words(f"{row.choice}: {one_line(row.name)}"))
            parts.append(tag("g", whole, name))
            parts += _ticks(row, given, places, y, slot)
            y += ROW
    effects = [one.d or 0.0 for one in measured]
    significant = sum(bool(one.significant) for one in measured)
    return figure(
        y + 6, *parts, width=width, kind="study-curve", title="Specification curve",
        alt=f"{number_of(len(measured), 'effect size')} in order, from "
        f"{effect(min(effects))} to {effect(max(effects))}; {significant} significant. Below each, "
        "a mark for its EAT pattern and for each of its choices.",
    )  # fmt: skip


def _marks(
    given: Sequence[Specification], places: Sequence[float], axis: Axis, radius: float
) -> str:
    """A circle for each effect size; of few, each with a tooltip."""
    circles = [
        (bool(one.significant), dot(x, axis.at(one.d or 0.0), radius), one)
        for x, one in zip(places, given, strict=True)
    ]
    if len(given) <= NAMED:
        return "".join(path(d, _kind(on), tag("title", label_of(one))) for on, d, one in circles)
    return "".join(
        path("".join(d for which, d, _ in circles if which == on), _kind(on))
        for on in (False, True)
    )


def label_of(one: Specification) -> str:
    """What a mark is: number, effect size, pattern, choices; escaped."""
    choices = ", ".join(f"{name}: {value}" for name, value in one.choices.items() if value)
    return words(f"{one.number}: d = {effect(one.d)}, {one.pattern or 'no pattern'}; {choices}")


def _kind(significant: bool) -> str:  # noqa: FBT001
    return "study-mark on" if significant else "study-mark"


def _ticks(
    row: Row, given: Sequence[Specification], places: Sequence[float], y: float, slot: float
) -> list[str]:
    """A stroke for each specification that takes an alternative, strong where significant."""
    found = []
    for on in (False, True):
        d = "".join(
            f"M{x:.1f} {y + 4:.1f}v{ROW - 8:g}"
            for x, one, taken in zip(places, given, row.taken, strict=True)
            if taken and bool(one.significant) == on
        )
        if d:
            width = min(max(slot * 0.7, 0.6), 5.0)
            kind = "study-tick on" if on else "study-tick"
            found.append(path(d, kind, stroke_width=width))
    return found


def panel(points: Sequence[tuple[float, float]], first: str, second: str) -> str:
    """Effect sizes of the same tests in two ways, as points around the line where both agree."""
    step = -(-len(points) // MOST_POINTS)
    shown = points[::step]
    values = [value for point in points for value in point]
    upright = Axis.around(values, PANEL, TOP)
    across = upright.on(EDGE, EDGE + PANEL - TOP)
    low, high = upright.low, upright.high
    diagonal = (
        f"M{across.at(low):.1f} {upright.at(low):.1f}L{across.at(high):.1f} {upright.at(high):.1f}"
    )
    dots = "".join(dot(across.at(x), upright.at(y), 2.6) for x, y in shown)
    middle = (across.start + across.end) / 2
    turned = f"rotate(-90 0 {(TOP + PANEL) / 2:g})"
    room = PANEL - 20
    return figure(
        PANEL + 40,
        across.grid(TOP, PANEL),
        upright.grid(across.start, across.end, upright=True),
        path(diagonal, "fig-dashed"),
        path(dots, "fig-dot"),
        muted(short(first, room), middle, PANEL + 34),
        tag("g", muted(short(second, room), 0, (TOP + PANEL) / 2 + 11), transform=turned),
        title=f"{first} and {second}", width=EDGE + PANEL, kind="study-panel",
        alt=f"Effect sizes by {first} (across) and by {second} (upright), "
        f"{number_of(len(points), 'pair')}.",
    )  # fmt: skip
