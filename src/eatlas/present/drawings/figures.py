"""Figures of one result, and small drawings for the cells of tables.

The numbers of a cell are beside its drawing as text, so screen readers skip the drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from eatlas.present.drawings.svg import (
    INK,
    LEFT,
    MUTED,
    RIGHT,
    WIDTH,
    Axis,
    Drawn,
    figure,
    label,
    muted,
    row_name,
    short,
    tag,
    words,
)
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect, at
from eatlas.results.inference import MatchedLevel
from eatlas.results.levels import CELLS, Cell
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Mark = Literal["diamond", "circle", "square", "triangle"]
MARKS: dict[str, Mark] = {
    "level1": "diamond", "level2.X": "circle", "level2.Y": "square", "over_attributes": "triangle",
}  # fmt: skip
TARGET_OF: dict[str, Literal["", "x", "y"]] = {"level2.X": "x", "level2.Y": "y"}
"""Effect sizes of one target alone, which have its colour everywhere."""
MARGIN = 8.0
"""Room at both ends, for a mark that is on the edge."""
ROW = 12.0
BAR, BAR_HEIGHT, SHARE = 92, 10, 150
"""Pixels of the bar of a change; of the height of bars; of a share of all."""
HILL, HILL_BASE, HILL_HEIGHT = 32.0, 38.0, 46.0
"""Pixels of the highest step of a hill; down to its foot; of the whole drawing."""


@dataclass(frozen=True)
class Estimate:
    """An effect size as it is drawn."""

    d: float | None
    interval: tuple[float, float] | None
    mark: Mark
    filled: bool
    """Filled where p is below alpha, hollow otherwise."""
    target: Literal["", "x", "y"] = ""
    """Whose colour it has."""

    @classmethod
    def of(cls, shown: Effect) -> Self:
        """Take what is drawn of an effect size; nothing of a number on another scale."""
        d = shown.d if shown.symbol == "d" else None
        target: Literal["", "x", "y"] = TARGET_OF.get(shown.place, "")
        return cls(d, shown.interval, mark_of(shown.place), shown.significant, target)


def mark_of(place: str) -> Mark:
    """The shape by which the effect size at a place is known."""
    return MARKS.get(place, "circle")


def across(axis: Axis, width: float) -> Axis:
    """Lay an axis into a drawing of a width, with room for marks on its edges."""
    return axis.on(MARGIN, MARGIN + width)


def interval(shown: Estimate, axis: Axis, height: float = 22.0) -> str:
    """One estimate on the axis, with its grid behind it."""
    return _frame(axis, height, [_estimate(shown, axis, height / 2)], "interval")


def glance(shown: Iterable[Estimate], axis: Axis, threshold: float = 0.0) -> str:
    """Several estimates below each other, small; effects below the threshold lie in a band."""
    rows = [_estimate(one, axis, 2 + ROW * (i + 0.5)) for i, one in enumerate(shown)]
    height = ROW * len(rows) + 4
    if not threshold:
        return _frame(axis, height, rows, "glance")
    low, high = (round(axis.at(end), 1) for end in (-threshold, threshold))
    band = f'<path d="M{low:g} 0h{high - low:g}v{height:g}h{low - high:g}z" class="s"/>'
    zero = tag("path", d=f"M{axis.at(0):g} 0V{height:g}", class_="z")
    return _svg(axis.end + MARGIN, height, band + zero + "".join(rows), "glance")


def ruler(axis: Axis) -> str:
    """The numbers of the axis, for the head of a column."""
    numbers = [
        label(effect(tick, 0), axis.at(tick), 11, size=10, text_anchor="middle")
        for tick in axis.ticks()
    ]
    return _svg(axis.end + MARGIN, 14, "".join(numbers), "ruler")


def matched_hill(null: MatchedLevel, d: float, mark: Mark, axis: Axis, *, beyond: bool) -> str:
    """How often random lists give each effect size; lines hold 95% of them."""

    def at(value: float) -> float:
        return round(axis.at(max(axis.low, min(axis.high, value))), 1)

    low, high = null.ends
    width = (high - low) / len(null.counts)
    most = max(null.counts) or 1
    steps = "".join(
        f"V{HILL_BASE - HILL * n / most:.0f}H{at(low + (i + 1) * width):.0f}"
        for i, n in enumerate(null.counts)
    )
    lines = "".join(
        f"M{at(end):g} {HILL_BASE - HILL:g}V{HILL_BASE + 4:g}"
        for end in (null.quantiles[0], null.quantiles[4])
    )
    x = at(d)
    children = (
        tag("path", d=f"M{at(0):g} 0V{HILL_HEIGHT:g}", class_="z"),
        tag("path", d=f"M{at(low):g} {HILL_BASE:g}{steps}V{HILL_BASE:g}z", class_="b"),
        tag("path", d=lines, class_="z", stroke_dasharray="3 2"),
        tag("path", d=f"M{x:g} 4V{HILL_BASE:g}", class_="i"),
        tag("path", d=outline(mark, x, HILL_BASE), class_="m on" if beyond else "m"),
    )
    return _svg(axis.end + MARGIN, HILL_HEIGHT, "".join(children), "hill")


def share_bar(share: float, width: int = SHARE, *, strong: bool = False) -> str:
    """A share between 0 and 1 as a bar from the left on a faint whole."""
    bar = _bar(0, max(share * width, 1.0), strong=strong) if share else ""
    whole = f'<path d="M0 5H{width}" class="g"/>'
    return f'<svg class="fig bar w{width}" aria-hidden="true">{whole}{bar}</svg>'


def change_bar(change: float, limit: float, *, strong: bool = False) -> str:
    """A change as a bar from the middle, left where it is negative; ``limit`` fills one half."""
    middle = BAR // 2
    length = min(abs(change) / limit, 1.0) * (middle - 1) if limit else 0.0
    bar = _bar(middle if change > 0 else middle - length, length, strong=strong)
    zero = f'<path d="M{middle} 0V{BAR_HEIGHT}" class="z"/>'
    return f'<svg class="fig bar" aria-hidden="true">{bar}{zero}</svg>'  # its size: the style


def _bar(start: float, length: float, *, strong: bool) -> str:
    """A rectangle, written without detours, as there are thousands on a page."""
    kind = "b on" if strong else "b"
    return f'<path d="M{start:.1f} 0h{length:.1f}v{BAR_HEIGHT}h-{length:.1f}z" class="{kind}"/>'


def _frame(axis: Axis, height: float, rows: Sequence[str], kind: str) -> str:
    """Estimates on the grid of their axis."""
    places = [round(axis.at(tick), 1) for tick in axis.ticks() if tick]
    grid = "".join(f"M{x:g} 0V{height:g}" for x in places)
    behind = tag("path", d=grid, class_="g") if grid else ""
    zero = tag("path", d=f"M{axis.at(0):g} 0V{height:g}", class_="z")
    return _svg(axis.end + MARGIN, height, behind + zero + "".join(rows), kind)


def _svg(width: float, height: float, inside: str, kind: str) -> str:
    return (
        f'<svg width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
        f'class="fig {kind}" aria-hidden="true">{inside}</svg>'
    )


def _estimate(shown: Estimate, axis: Axis, y: float) -> str:
    """The mark of an effect size on the line of its interval; a dash where it is undefined."""
    if shown.d is None:
        return label("–", axis.at(0), y + 4, size=11, text_anchor="middle")
    line = ""
    if shown.interval is not None:
        low, high = (round(axis.at(end), 1) for end in shown.interval)
        line = tag("path", d=f"M{low:g} {y:g}H{high:g}", class_=f"i {shown.target}".strip())
    mark = outline(shown.mark, round(axis.at(shown.d), 1), y)
    kind = " ".join(filter(None, ("m", "on" if shown.filled else "", shown.target)))
    return line + tag("path", d=mark, class_=kind)


def outline(mark: Mark, x: float, y: float, size: float = 1.0) -> str:
    """The path of a mark around a point; at full size it takes some 8 pixels."""
    if mark == "diamond":
        r = 4.6 * size
        return f"M{x:g} {y - r:g}l{r:g} {r:g}-{r:g} {r:g}-{r:g}-{r:g}z"
    if mark == "square":
        r = 3.4 * size
        return f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h-{2 * r:g}z"
    if mark == "triangle":
        r = 4.2 * size
        return f"M{x:g} {y - r:g}l{r:g} {1.7 * r:g}h-{2 * r:g}z"
    r = 3.8 * size
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0-{2 * r:g} 0z"


BOX = "#c9c9d0"
_FIRST, _STEP, _APART = 16.0, 56.0, 6.0  # the two of one target are together
_HALF = 15.0
_BINS = 60
MOST_DOTS = 60
"""Cosines that are drawn one by one; of more, so many quantiles, each for as many of them."""
_GOLDEN = 0.6180339887498949  # its multiples fill the unit interval evenly, in any number


def cosine_plot(result: AssociationResult, *, dots: bool) -> str:
    """Draw level 3: mean, median and quartiles of each pair, over every single cosine.

    Empty where a result has no level 3.

    Parameters
    ----------
    result : AssociationResult
    dots : bool
        Whether to draw the cosines themselves; where the result keeps none, quartiles alone.
    """
    if result.level3 is None:
        return ""
    cells = {name: result.level3.cell(name) for name in CELLS}
    axis = Axis.around((q for c in cells.values() for q in c.quantiles), LEFT + 4, WIDTH - RIGHT)
    values = blocks(result) if dots else None
    tops = [_FIRST + i * _STEP + (i // 2) * _APART for i in range(len(CELLS))]
    bottom = tops[-1] + _STEP - 10
    rows = [
        _row(result, name, cell, axis, top, values[name] if values else None)
        for top, (name, cell) in zip(tops, cells.items(), strict=True)
    ]
    return figure(
        bottom + 24,
        axis.grid(4, bottom),
        *rows,
        title=f"{result.unit.capitalize()}s of the target terms with the attribute terms"
        + (f", in {result.scale}" if result.scale else ""),
        alt="; ".join(_in_words(result, name, cell) for name, cell in cells.items()),
    )


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


def _row(
    result: AssociationResult,
    name: str,
    cell: Cell,
    axis: Axis,
    top: float,
    values: list[float] | None,
) -> str:
    """The names of a pair of groups, and below them its cosines."""
    middle = top + 8 + _HALF + 4
    names = row_name(top, *(result.concepts.name(role) for role in name))
    if values is None:
        return names + _box(cell, axis, middle)
    return names + _cloud(values, axis, middle) + _box(cell, axis, middle, over=True)


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
    path, at_x, at_y = [], 0, 0
    for i, (value, number) in enumerate(zip(ordered, bins, strict=True)):
        x = round(2 * axis.at(value))
        spread = (2 * (i * _GOLDEN % 1) - 1) * _HALF * counts[number] / most
        y = round(2 * (middle + spread))
        path.append(f"m{x - at_x} {y - at_y}h0")
        at_x, at_y = x, y
    return tag(
        "path", d="".join(path), transform="scale(.5)", stroke=MUTED, stroke_width=5,
        stroke_linecap="round", stroke_opacity=0.4, fill="none", class_="fig-cloud",
    )  # fmt: skip


def _box(cell: Cell, axis: Axis, y: float, *, over: bool = False) -> str:
    """Quartiles, median and mean; over a cloud without the box's filling."""
    low, first, median, third, high = (axis.at(q) for q in cell.quantiles)
    spread = "" if over else tag(
        "line", x1=low, x2=high, y1=y, y2=y, stroke=MUTED, class_="fig-line"
    )  # fmt: skip
    box = tag(
        "rect", x=first, y=y - 8, width=max(third - first, 1.0), height=16, rx=2,
        fill="none" if over else BOX, stroke=INK if over else MUTED,
        class_="fig-frame" if over else "fig-box",
    )  # fmt: skip
    line = tag(
        "line", x1=median, x2=median, y1=y - 8, y2=y + 8, stroke=INK, stroke_width=2,
        class_="fig-ink",
    )  # fmt: skip
    mean = tag("circle", cx=axis.at(cell.mean), cy=y, r=3.4, fill=INK, class_="fig-dot")
    return tag("g", spread, box, line, mean)


_NAME_END, _NAME_ROOM = 150.0, 90.0


_IMAGE = 34.0
"""Side of the thumbnail of an outermost term."""


def lean_plot(
    result: AssociationResult, find: Callable[[str, str], Drawn | None] | None = None
) -> str:
    """The lean of each target term or stimulus, its mean cosine with A less that with B.

    Empty where the scores do not belong to the terms one by one.

    Parameters
    ----------
    result : AssociationResult
    find : callable, optional
        From a role and a term to its thumbnail, or to None; the outermost terms have theirs.
    """
    scores = result.primary.scores
    values = {role: at(scores, role) for role in TARGETS}
    names = {role: result.scored(role) for role, found in values.items() if found}
    if [len(found) for found in names.values()] != [len(found) for found in values.values()]:
        return ""
    axis = Axis.around((*scores.X, *scores.Y), LEFT + 4, WIDTH - RIGHT)
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
    images: Mapping[str, Drawn],
) -> str:
    """A dot for each term of a target, a line at their mean, and the outermost named and shown."""
    y = top + 22
    dots = [
        f'<circle cx="{axis.at(value):.1f}" cy="{y:g}" r="4.5">'
        f"<title>{words(term)}: {effect(value, 3)}</title></circle>"
        for term, value in zip(terms, values, strict=True)
    ]
    marks = [tag("g", *dots, fill=MUTED, fill_opacity=0.45, class_="fig-term")]
    mean = axis.at(_mean(values))
    marks.append(
        tag(
            "line", tag("title", words(f"mean: {effect(_mean(values), 3)}")), x1=mean, x2=mean,
            y1=y - 11, y2=y + 11, stroke=INK, stroke_width=2.5, class_="fig-ink",
        )
    )  # fmt: skip
    order = sorted(zip(values, terms, strict=True))
    (low, first), (high, last) = order[0], order[-1]
    names = [_end_name(last, axis.at(high), y + 25, "start")]
    if len(order) > 1:
        names.append(_end_name(first, axis.at(low), y + 25, "end"))
    for term, value in {first: low, last: high}.items():
        if term in images:
            left = min(max(axis.at(value) - _IMAGE / 2, LEFT), WIDTH - RIGHT - _IMAGE)
            names.append(images[term].drawn(left, y + 30, _IMAGE))
    return tag("g", row_name(top, name), *marks, *names)


def _end_name(term: str, x: float, y: float, anchor: str) -> str:
    """The name of an outermost term, drawn outwards, or inwards where the edge is near."""
    if anchor == "end" and x < _NAME_ROOM:
        anchor = "start"
    elif anchor == "start" and x > WIDTH - _NAME_ROOM:
        anchor = "end"
    shift = -5 if anchor == "start" else 5
    return muted(short(term, _NAME_END), x + shift, y, anchor=anchor)


def _outermost(
    names: Mapping[str, Sequence[str]],
    values: Mapping[str, Sequence[float]],
    find: Callable[[str, str], Drawn | None],
) -> dict[str, dict[str, Drawn]]:
    """Thumbnails of the terms at both ends of each group, of those that have one."""
    found: dict[str, dict[str, Drawn]] = {}
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
