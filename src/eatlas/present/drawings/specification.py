"""Drawings of a study: the curve of its specifications, and two ways of measuring as points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
    ordered = sorted(measured, key=lambda spec: (spec.d or 0.0, spec.number))
    if len(ordered) <= MOST:
        return ordered
    step = (len(ordered) - 1) / (MOST - 1)
    return [ordered[round(number * step)] for number in range(MOST)]


def rows_of(
    drawn: Sequence[Specification], choices: Mapping[str, Sequence[str]]
) -> list[tuple[str, str, list[bool]]]:
    """Choice and alternative of each row below a curve, and which specifications take it.

    EAT patterns are first, the most frequent in front; alternatives beyond 12 share a row.
    """
    patterns = [spec.pattern for spec in drawn]
    counts = sorted(Counter(filter(None, patterns)).items(), key=lambda item: (-item[1], item[0]))
    columns: list[tuple[str, Sequence[str], list[Any]]] = [
        (PATTERN, [name for name, _ in counts], patterns)
    ]
    columns += [
        (c, names, [spec.choices.get(c, "") for spec in drawn]) for c, names in choices.items()
    ]
    rows = []
    for choice, names, taken in columns:
        own = [name for name in names if name and name in set(taken)]
        others = set(own[MOST_ROWS - 1 :]) if len(own) > MOST_ROWS else set()
        rows += [(choice, n, [name == n for name in taken]) for n in own if n not in others]
        if others:
            rows.append((choice, f"{len(others)} others", [name in others for name in taken]))
    return rows


def specification_curve(
    measured: Sequence[Specification],
    choices: Mapping[str, Sequence[str]],
    width: float = WIDTH,
) -> str:
    """Effect sizes in order with their intervals, and below them the choices behind each.

    Filled marks are significant, hollow ones are not.
    """
    drawn = drawn_of(measured)
    narrow = min(1.0, max(width / WIDTH, 0.85))
    heads, names = HEADS * narrow, NAMES * narrow
    slot = (width - names - RIGHT) / len(drawn)
    at = [names + slot * (n + 0.5) for n in range(len(drawn))]
    ends = [end for spec in drawn for end in (spec.d, spec.low, spec.high) if end is not None]
    axis = Axis.around(ends, TOP + CURVE, TOP)
    intervals = "".join(
        f"M{x:.1f} {axis.at(spec.low):.1f}V{axis.at(spec.high):.1f}"
        for x, spec in zip(at, drawn, strict=True)
        if spec.low is not None and spec.high is not None
    )
    parts = [
        axis.grid(names, width - RIGHT, upright=True),
        label("Effect size d", 0, TOP + 8, size=12.5, font_weight=600),
        path(intervals, "study-interval") if intervals else "",
    ]
    radius, tick = min(max(slot * 0.42, 1.3), 4.5), min(max(slot * 0.7, 0.6), 5.0)
    for x, spec in zip(at, drawn, strict=True):
        chosen = ", ".join(f"{name}: {value}" for name, value in spec.choices.items() if value)
        text = f"{spec.number}: d = {effect(spec.d)}, {spec.pattern or 'no pattern'}; {chosen}"
        kind = "study-mark on" if spec.significant else "study-mark"
        tooltip = tag("title", words(text)) if len(drawn) <= NAMED else ""
        parts.append(path(dot(x, axis.at(spec.d or 0.0), radius), kind, tooltip))
    y = TOP + CURVE + 14
    for choice, rows in groupby(rows_of(drawn, choices), key=lambda row: row[0]):
        y += GAP
        parts.append(label(short(choice, heads - 6, 12), 0, y + 13, font_weight=600))
        for _, name, taken in rows:
            parts.append(path(f"M{names:g} {y + ROW / 2:.1f}H{width - RIGHT:g}", "fig-grid"))
            whole = tag("title", words(f"{choice}: {one_line(name)}"))
            written = label(short(name, names - heads - 6, 12), heads, y + 13)
            parts.append(tag("g", whole, written))
            strokes = {"study-tick": "", "study-tick on": ""}
            for x, spec, own in zip(at, drawn, taken, strict=True):
                if own:
                    kind = "study-tick on" if spec.significant else "study-tick"
                    strokes[kind] += f"M{x:.1f} {y + 4:.1f}v{ROW - 8:g}"
            parts += [path(d, kind, stroke_width=tick) for kind, d in strokes.items() if d]
            y += ROW
    effects = [spec.d or 0.0 for spec in measured]
    significant = sum(bool(spec.significant) for spec in measured)
    return figure(
        y + 6, *parts, width=width, kind="figure study-curve", title="Specification curve",
        alt=f"{number_of(len(measured), 'effect size')} in order, from "
        f"{effect(min(effects))} to {effect(max(effects))}; {significant} significant. Below each, "
        "a mark for its EAT pattern and for each of its choices.",
    )  # fmt: skip


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
        title=f"{first} and {second}", width=EDGE + PANEL, kind="figure study-panel",
        alt=f"Effect sizes by {first} (across) and by {second} (upright), "
        f"{number_of(len(points), 'pair')}.",
    )  # fmt: skip
