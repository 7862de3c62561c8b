"""Figures of one result: level 3, its cosines, and level 1 term by term.

Names are in a column of their own on the left, so that no mark lies on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    broken,
    figure,
    label,
    muted,
    path,
    short,
    tag,
    text_lines,
    words,
)
from eatlas.present.numbers import effect
from eatlas.present.text import isolated, one_line
from eatlas.results import AssociationResult
from eatlas.results.levels import CELLS, Cell
from eatlas.results.parts import at
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

if TYPE_CHECKING:
    from eatlas.present.thumbnails import Finder, Thumbnail

COLUMN = 124.0
"""Pixels of the column of names."""
_LINE = 15.0
"""Between two lines of a name."""
_STEP, _PAIR = 44.0, 10.0
"""Pixels of a row, and below the two rows of a target."""
_HALF = 15.0
_BINS = 60
MOST_DOTS = 60
"""Cosines that are drawn one by one; of more, so many quantiles, each for as many of them."""
_PLOT = (COLUMN + 18, WIDTH - RIGHT)
"""Where the axis begins and ends."""
_GOLDEN = 0.6180339887498949  # its multiples fill the unit interval evenly, in any number


def cosine_plot(result: AssociationResult, *, dots: bool) -> str:
    """Draw level 3: mean, median and quartiles of each pair, over every single cosine.

    Empty where a result has no level 3.
    """
    if result.level3 is None:
        return ""
    cells = {name: result.level3.cell(name) for name in CELLS}
    axis = Axis.around((q for c in cells.values() for q in c.quantiles), *_PLOT)
    values = blocks(result) if dots else None
    rows: list[str] = []
    top = 4.0
    for role in TARGETS:
        target = broken(result.concepts.name(role), COLUMN, 2)
        rows.append(_name(target, result.concepts.name(role), top + 12, font_weight=700))
        top += _LINE * len(target) - 4
        for attribute in ATTRIBUTES:
            name, middle = role + attribute, top + _STEP / 2
            lines = broken(result.concepts.name(attribute), COLUMN, 2)
            first = middle + 4.5 - _LINE * (len(lines) - 1) / 2
            rows.append(_name(lines, result.concepts.name(attribute), first))
            rows.append(_row(cells[name], axis, middle, values[name] if values else None))
            top += _STEP
        top += _PAIR
    bottom = top - _PAIR
    return figure(
        bottom + 24,
        axis.grid(4, bottom),
        *rows,
        title=f"{result.unit.capitalize()}s of the target terms with the attribute terms"
        + (f", in {result.scale}" if result.scale else ""),
        alt="; ".join(_in_words(result, name, cell) for name, cell in cells.items()),
    )


def _name(lines: Sequence[str], whole: str, y: float, **look: object) -> str:
    """The lines of a name in the column of names."""
    return text_lines(lines, LEFT, y, whole=one_line(whole), step=_LINE, **look)


def blocks(result: AssociationResult) -> dict[str, list[float]] | None:
    """The cosines of each pair of groups; None where the result has not kept them all."""
    rows = result.similarities
    x, y, a, b = (len(result.coverage[role].scored) for role in ROLES)
    if rows is None or len(rows) != x + y or any(len(row) != a + b for row in rows):
        return None
    halves = slice(x), slice(x, None), slice(a), slice(a, None)
    part = dict(zip(ROLES, halves, strict=True))
    return {name: [v for row in rows[part[name[0]]] for v in row[part[name[1]]]] for name in CELLS}


def _in_words(result: AssociationResult, name: str, cell: Cell) -> str:
    pair = " – ".join(isolated(result.concepts.name(role)) for role in name)
    low, _, median, _, high = cell.quantiles
    numbers = f"mean {effect(cell.mean, 3)}, median {effect(median, 3)}"
    return f"{pair}: {numbers}, from {effect(low, 3)} to {effect(high, 3)}"


def _row(cell: Cell, axis: Axis, middle: float, values: list[float] | None) -> str:
    """The cosines of a pair of groups."""
    if values is None:
        return _box(cell, axis, middle)
    return _cloud(values, axis, middle) + _box(cell, axis, middle, over=True)


def _cloud(values: Sequence[float], axis: Axis, middle: float) -> str:
    """One dot a cosine, or 60 quantiles of more, spread as far as there are others like it.

    Half pixels as whole numbers, each relative to the one before: some 7 bytes a dot.
    """
    ordered = sorted(values)
    if len(ordered) > MOST_DOTS:
        every = len(ordered) / MOST_DOTS
        ordered = [ordered[int((i + 0.5) * every)] for i in range(MOST_DOTS)]
    width = (axis.high - axis.low) / _BINS
    bins = [min(int((v - axis.low) / width), _BINS - 1) for v in ordered]
    counts = [0] * _BINS
    for number in bins:
        counts[number] += 1
    most = max(counts)
    moves, at_x, at_y = [], 0, 0
    for i, (value, number) in enumerate(zip(ordered, bins, strict=True)):
        x = round(2 * axis.at(value))
        spread = (2 * (i * _GOLDEN % 1) - 1) * _HALF * counts[number] / most
        y = round(2 * (middle + spread))
        moves.append(f"m{x - at_x} {y - at_y}h0")
        at_x, at_y = x, y
    return path("".join(moves), "fig-cloud", transform="scale(.5)")


def _box(cell: Cell, axis: Axis, y: float, *, over: bool = False) -> str:
    """Quartiles, median and mean; over a cloud without the box's filling."""
    low, first, median, third, high = (axis.at(q) for q in cell.quantiles)
    spread = "" if over else path(f"M{low:.1f} {y:.1f}H{high:.1f}", "fig-line")
    top, wide = y - 8, max(third - first, 1.0)
    box = f"M{first:.1f} {top:.1f}h{wide:.1f}v16h-{wide:.1f}z"
    return "".join(
        [
            spread,
            path(box, "fig-frame box" if over else "fig-box"),
            path(f"M{median:.1f} {top:.1f}v16", "fig-median"),
            path(f"M{axis.at(cell.mean):.1f} {y:.1f}h0", "fig-mean"),
        ]
    )


_NAME_END, _NAME_ROOM = 150.0, 90.0


_IMAGE = 34.0
"""Side of the thumbnail of an outermost term."""


def lean_plot(result: AssociationResult, find: Finder | None = None) -> str:
    """The lean of each target term or stimulus, its mean cosine with A less that with B.

    Empty where the scores do not belong to the terms one by one.
    """
    scores = result.primary.scores
    values = {role: at(scores, role) for role in TARGETS}
    names = {role: result.scored(role) for role, found in values.items() if found}
    if [len(found) for found in names.values()] != [len(found) for found in values.values()]:
        return ""
    axis = Axis.around((*scores.X, *scores.Y), *_PLOT)
    images = {} if find is None else _outermost(names, values, find)
    pitch = 72.0 + (_IMAGE + 2 if images else 0)
    more = 2 * (pitch - 72)
    rows = [
        _terms(
            result.concepts.name(role), names[role], values[role],
            axis, 16 + pitch * place, images.get(role, {}),
        )
        for place, role in enumerate(TARGETS)
    ]  # fmt: skip
    unit = "stimulus" if result.primary.over_stimuli else "term"
    a, b = (isolated(result.concepts.name(role)) for role in ATTRIBUTES)
    return figure(
        198 + more,
        axis.grid(4, 148 + more),
        *rows,
        _ends(a, b, 190 + more),
        title=f"Lean of each target {unit} towards {a} (right) or {b} (left)",
        alt="; ".join(
            f"{isolated(result.concepts.name(role))}: mean {effect(_mean(v), 3)}, "
            f"from {effect(min(v), 3)} to {effect(max(v), 3)}"
            for role, v in values.items()
        ),
    )


def _terms(
    name: str,
    terms: tuple[str, ...],
    values: tuple[float, ...],
    axis: Axis,
    top: float,
    images: Mapping[str, Thumbnail],
) -> str:
    """A dot for each term of a target, a line at their mean, and the outermost named and shown."""
    y = top + 22
    dots = [
        f'<circle cx="{axis.at(value):.1f}" cy="{y:g}" r="4.5">'
        f"<title>{words(term)}: {effect(value, 3)}</title></circle>"
        for term, value in zip(terms, values, strict=True)
    ]
    about = tag("title", words(f"mean: {effect(_mean(values), 3)}"))
    mean = path(f"M{axis.at(_mean(values)):.1f} {y - 11:g}v22", "fig-ink", about, stroke_width=2.5)
    marks = [tag("g", *dots, class_="fig-term"), mean]
    order = sorted(zip(values, terms, strict=True))
    (low, first), (high, last) = order[0], order[-1]
    names = [_end_name(last, axis.at(high), y + 25, "start")]
    if len(order) > 1:
        names.append(_end_name(first, axis.at(low), y + 25, "end"))
    for term, value in {first: low, last: high}.items():
        if term in images:
            left = min(max(axis.at(value) - _IMAGE / 2, _PLOT[0]), WIDTH - RIGHT - _IMAGE)
            names.append(images[term].drawn(left, y + 30, _IMAGE))
    lines = broken(name, COLUMN, 2)
    upper = y + 4.5 - _LINE * (len(lines) - 1) / 2
    return tag("g", _name(lines, name, upper, font_weight=600), *marks, *names)


def _end_name(term: str, x: float, y: float, anchor: str) -> str:
    """The name of an outermost term, drawn outwards, or inwards where the edge is near."""
    if anchor == "end" and x < _PLOT[0] + _NAME_ROOM:
        anchor = "start"
    elif anchor == "start" and x > WIDTH - _NAME_ROOM:
        anchor = "end"
    shift = -5 if anchor == "start" else 5
    return muted(short(term, _NAME_END), x + shift, y, anchor=anchor)


def _outermost(
    names: Mapping[str, Sequence[str]],
    values: Mapping[str, Sequence[float]],
    find: Finder,
) -> dict[str, dict[str, Thumbnail]]:
    """Thumbnails of the terms at both ends of each group, of those that have one."""
    found: dict[str, dict[str, Thumbnail]] = {}
    for role, terms in names.items():
        ordered = [term for _, term in sorted(zip(values[role], terms, strict=True))]
        ends = {term: find(role, term) for term in (ordered[0], ordered[-1])}
        if images := {term: one for term, one in ends.items() if one is not None}:
            found[role] = images
    return found


def _ends(a: str, b: str, y: float) -> str:
    """What the two ends of the axis mean."""
    half = (WIDTH - LEFT - RIGHT) / 2 - 30
    left, right = (short(name, half) for name in (b, a))
    return label(f"← {left}", LEFT, y, size=12) + label(
        f"{right} →", WIDTH - RIGHT, y, size=12, text_anchor="end"
    )


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)
