"""The drawing in the row of a finding: effect sizes, targets on a strip, or a line of settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from eatlas.present.drawings.svg import (
    FILLS,
    LINE,
    MARGIN,
    ROW,
    Axis,
    Scales,
    label,
    line_between,
    mark,
    mark_of,
    outline,
    path,
    small,
)
from eatlas.present.effects import levels_of, only_terms
from eatlas.present.findings import most_of, terms_adjusted
from eatlas.present.targets import leans
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.finding import Finding, Verdict

Told = tuple[AssociationResult, Finding]
"""A result with what it shows among the others of a page."""
STRIP, SPARK = 20.0, 56.0
"""Height of a strip of targets, and of a line over settings."""
CHANGE = 140.0
"""Width of the axis of changes."""


class RowDrawing(NamedTuple):
    """A drawing and what is at the ends of its axis."""

    drawing: Markup
    left: str = ""
    right: str = ""


def row_of(result: AssociationResult, finding: Finding, scales: Scales) -> RowDrawing:
    """The drawing of one result on the axis of its page, or on one of its own."""
    if result.by_target is not None:
        return _of_targets(result)
    if result.values is not None:
        return _of_values(result, finding)
    effects = result.effects()
    names = result.concepts
    ends = _ends(names["B"], names["A"]) if {"A", "B"} <= set(names) else ("", "")
    if only_terms(effects):
        values = [
            (e.d, p is not None and p <= result.rule.alpha)
            for e, p in terms_adjusted(result)
            if e.d is not None
        ]
        return RowDrawing(strip(values, scales.axis), *ends)
    if any(effect.symbol == "d" for effect in effects):
        return RowDrawing(scales.line(levels_of(result, finding)), *ends)
    return RowDrawing(Markup())


def _ends(left: str, right: str) -> tuple[str, str]:
    """What is towards either end."""
    return f"← {left}", f"{right} →"


def _of_targets(result: AssociationResult) -> RowDrawing:
    """Of two groups a strip of points; of more the targets associated with each, as a bar."""
    shown = leans(result)
    if len(shown.groups) == 2:
        values = [(lean.points[0] or 0.0, lean.star) for lean in shown.known]
        axis = Axis.with_zero([value for value, _ in values] + [-1.0, 1.0], 0.0, 1.0)
        limit = max(-axis.low, axis.high)
        return RowDrawing(
            strip(values, Axis(-limit, limit, axis.step, 0, 1)), *_ends(*reversed(shown.groups))
        )
    towards = Counter(most_of(lean.shown, shown.groups) for lean in shown.known if lean.star)
    counts = [towards[group] for group in shown.groups]
    x, parts, all_known = MARGIN, "", max(len(shown.known), 1)
    for group, count in enumerate(counts):
        wide = LINE * count / all_known
        if count:
            parts += path(f"M{x:.1f} 2h{wide:.1f}v10h-{wide:.1f}z", f"c{group}")
            x += wide
    parts += path(f"M{x:.1f} 7H{MARGIN + LINE:g}", "g")
    each = [f"{name} {count}" for name, count in zip(shown.groups, counts, strict=True) if count]
    return RowDrawing(
        _row_drawing(parts, 14.0), ", ".join(each) or "none significant", f"of {len(shown.known)}"
    )


def _of_values(result: AssociationResult, finding: Finding) -> RowDrawing:
    """A strip of the targets' numbers, with a diamond at the number for all of them."""
    whole, span = levels_of(result, finding)[0], result.each  # type: ignore[attr-defined]
    strokes = [
        (target.value, p is not None and p <= result.rule.alpha)
        for target, p in zip(result.values or (), result.holm, strict=True)  # type: ignore[attr-defined]
        if target.value is not None
    ]
    values = [value for value, _ in strokes]
    if not values:
        return RowDrawing(Markup())
    neutral = span.neutral
    around = [*values, *([neutral] if neutral is not None else [])]
    same = whole.d is not None and min(around) <= whole.d <= max(around)
    axis = Axis.with_margin(around, 0.0, 1.0)
    drawing = strip(strokes, axis, middle=neutral, whole=whole if same else None)
    groups = [name for name in result.sides[-1] if name != span.larger]
    ends = _ends(groups[0], span.larger) if span.larger and len(groups) == 1 else ("", "")
    return RowDrawing(drawing, *ends)


def strip(
    values: Sequence[tuple[float, bool]],
    axis: Axis,
    *,
    middle: float | None = 0.0,
    whole: Effect | None = None,
) -> Markup:
    """A stroke for each number, strong where it counts, and a line at the middle."""
    axis = axis.on(MARGIN, MARGIN + LINE)
    parts = ""
    if middle is not None:
        parts += path(f"M{axis.at(middle):.1f} 0v{STRIP:g}", "z")
    for strong, kind in ((False, "k"), (True, "k on")):
        strokes = [axis.at(value) for value, counts in values if counts is strong]
        if strokes:
            parts += path("".join(f"M{x:.1f} 4v12" for x in strokes), kind)
    if whole is not None and whole.d is not None:
        parts += path(outline("diamond", axis.at(whole.d), STRIP / 2), f"m{FILLS[whole.verdict]}")
    return _row_drawing(parts, STRIP)


def line_of(told: Sequence[Told], names: Sequence[str], axis: Axis) -> Markup:
    """Effect sizes over settings that rise, from the first to the last: a line for each."""
    across = Axis(0, max(len(told) - 1, 1), 1, MARGIN, MARGIN + LINE)
    up = Axis(axis.low, axis.high, 1, SPARK - 4, 4)
    parts = path(f"M{MARGIN:g} {up.at(0):.1f}h{LINE:g}", "z")
    levels = [{e.place: e for e in levels_of(*each)} for each in told]
    for place in dict.fromkeys(place for by_place in levels for place in by_place):
        known = {i: by_place[place] for i, by_place in enumerate(levels) if place in by_place}
        dots = [(across.at(i), up.at(e.d), e) for i, e in known.items() if e.d is not None]
        for (x, y, _), (to, high, _) in pairwise(dots):
            parts += path(f"M{x:.1f} {y:.1f}L{to:.1f} {high:.1f}", f"i {mark_of(place)[1]}")
        parts += "".join(mark(effect, x, round(y, 1), 0.7) for x, y, effect in dots)
    parts += label(names[0], MARGIN, SPARK + 9, size=10)
    parts += label(names[-1], MARGIN + LINE, SPARK + 9, size=10, anchor="end")
    return _row_drawing(parts, SPARK + 12)


def change_of(
    d: float,
    interval: tuple[float, float] | None,
    axis: Axis,
    width: float = CHANGE,
    verdict: Verdict = "supported",
) -> Markup:
    """A difference or mean of effect sizes with its interval; beyond the axis is an arrow."""
    axis = axis.on(MARGIN, MARGIN + width)
    height = ROW + 4
    inside = [path(f"M{axis.at(0):g} 0v{height:g}", "z")]
    ticks = [x for x, _ in axis.ticks() if x != axis.at(0)]
    inside.append(path("".join(f"M{x:.1f} 0v{height:g}" for x in ticks), "g"))
    if interval is not None:
        inside.append(line_between(*interval, axis, height / 2))
    x = round(axis.at(max(axis.low, min(axis.high, d))), 1)
    inside.append(path(outline("diamond", x, height / 2), f"m{FILLS[verdict]}"))
    return small("change", axis, height, *inside)


def ruler_of_changes(axis: Axis) -> Markup:
    """The numbers at the ends of the axis of changes, and at zero."""
    axis = axis.on(MARGIN, MARGIN + CHANGE)
    ticks = axis.ticks()
    (first, low), (last, high) = ticks[0], ticks[-1]
    numbers = (
        label(low, first - MARGIN, 11, size=10),
        label("0", axis.at(0), 11, size=10, anchor="middle"),
        label(high, last + MARGIN, 11, size=10, anchor="end"),
    )
    return small("ruler", axis, 14, *numbers)


def _row_drawing(parts: str, height: float) -> Markup:
    """A small drawing as wide as the scale of effect sizes in a row."""
    return small("row", Axis(0, 1, 1, MARGIN, MARGIN + LINE), height, parts)
