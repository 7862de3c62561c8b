"""Marks and small drawings: effect sizes on one scale, shares, the cosines of level 3, a triangle.

The numbers of a cell of a table are beside its drawing as text, so screen readers skip the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    broken,
    cross,
    dot,
    figure,
    label,
    muted,
    path,
    short,
    text_lines,
)
from eatlas.present.numbers import effect
from eatlas.present.text import isolated, one_line
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.inference import MatchedLevel
from eatlas.results.levels import CELLS, Cell
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Mark = Literal["diamond", "circle", "square", "triangle"]
MARKS: dict[str, Mark] = {
    "level1": "diamond", "level2.X": "circle", "level2.Y": "square", "over_attributes": "triangle",
}  # fmt: skip
TARGET_OF = {"level2.X": "x", "level2.Y": "y", "over_attributes": "a"}
"""Classes of effect sizes, which have one colour everywhere."""
MARGIN = 8.0
"""Room at both ends, for a mark that is on the edge."""
ROW = 12.0
BAR_HEIGHT, SHARE = 10, 150
"""Pixels of a bar."""
COLUMN = 176.0
"""Pixels of the scale of effect sizes in a column of its own."""
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
    target: str = ""
    """The class of its colour."""

    @classmethod
    def of(cls, shown: Effect, symbol: str = "d") -> Self:
        """Take what is drawn of an effect size; nothing of a number on another scale."""
        d = shown.d if shown.symbol == symbol else None
        target = TARGET_OF.get(shown.place, "")
        return cls(d, shown.interval, mark_of(shown.place), shown.significant, target)


def mark_of(place: str) -> Mark:
    """The shape by which the effect size at a place is known."""
    return MARKS.get(place, "circle")


def across(axis: Axis, width: float) -> Axis:
    """Lay an axis into a drawing of a width, with room for marks on its edges."""
    return axis.on(MARGIN, MARGIN + width)


def interval(shown: Estimate, axis: Axis, height: float = 22.0) -> str:
    """One estimate on the axis, with its grid behind it."""
    inside = _grid(axis, 0, height) + estimate(shown, axis, height / 2)
    return _svg(axis.end + MARGIN, height, inside, "interval")


def glance(shown: Iterable[Estimate], axis: Axis, threshold: float = 0.0) -> str:
    """Several estimates below each other, small; effects below the threshold lie in a band."""
    inside, height = stacked(list(shown), axis, 0.0, threshold)
    return _svg(axis.end + MARGIN, height, inside, "glance")


def stacked(
    shown: Sequence[Estimate], axis: Axis, top: float, threshold: float = 0.0
) -> tuple[str, float]:
    """The same within a drawing, from its upper edge on, and the height that it takes."""
    rows = [estimate(one, axis, top + 2 + ROW * (i + 0.5)) for i, one in enumerate(shown)]
    height = ROW * len(rows) + 4
    if threshold:
        low, high = (round(axis.at(end), 1) for end in (-threshold, threshold))
        behind = path(f"M{low:g} {top:g}h{high - low:g}v{height:g}h{low - high:g}z", "band")
        behind += path(f"M{axis.at(0):g} {top:g}v{height:g}", "z")
    else:
        behind = _grid(axis, top, height)
    return behind + "".join(rows), height


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
        path(f"M{at(0):g} 0V{HILL_HEIGHT:g}", "z"),
        path(f"M{at(low):g} {HILL_BASE:g}{steps}V{HILL_BASE:g}z", "b"),
        path(lines, "z", stroke_dasharray="3 2"),
        path(f"M{x:g} 4V{HILL_BASE:g}", "i"),
        path(outline(mark, x, HILL_BASE), "m on" if beyond else "m"),
    )
    return _svg(axis.end + MARGIN, HILL_HEIGHT, "".join(children), "hill")


def share_bar(share: float, width: int = SHARE, *, strong: bool = False) -> str:
    """A share between 0 and 1 as a bar from the left on a faint whole."""
    length, kind = max(share * width, 1.0), "b on" if strong else "b"
    bar = path(f"M0 0h{length:.1f}v{BAR_HEIGHT}h-{length:.1f}z", kind) if share else ""
    whole = path(f"M0 5H{width}", "g")
    return f'<svg class="fig bar w{width}" aria-hidden="true">{whole}{bar}</svg>'


def _grid(axis: Axis, top: float, height: float) -> str:
    """Lines of the axis, stronger at 0."""
    places = [round(axis.at(tick), 1) for tick in axis.ticks() if tick]
    grid = "".join(f"M{x:g} {top:g}v{height:g}" for x in places)
    return (path(grid, "g") if grid else "") + path(f"M{axis.at(0):g} {top:g}v{height:g}", "z")


def _svg(width: float, height: float, inside: str, kind: str) -> str:
    size = f'width="{width:g}" height="{height:g}"'
    return f'<svg class="fig {kind}" {size} aria-hidden="true">{inside}</svg>'


def estimate(shown: Estimate, axis: Axis, y: float) -> str:
    """The mark of an effect size on the line of its interval; a dash where it is undefined."""
    if shown.d is None:
        return label("–", axis.at(0), y + 4, size=11, text_anchor="middle")
    line = ""
    if shown.interval is not None:
        low, high = (round(axis.at(end), 1) for end in shown.interval)
        line = path(f"M{low:g} {y:g}H{high:g}", f"i {shown.target}".strip())
    mark = outline(shown.mark, round(axis.at(shown.d), 1), y)
    return line + path(mark, f"m{' on' if shown.filled else ''} {shown.target}".strip())


def outline(mark: str, x: float, y: float, size: float = 1.0) -> str:
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


NAMES = 124.0
"""Pixels of the column of names."""
LETTERS, STEP, PAIR = 15.0, 44.0, 10.0
"""Pixels between two lines of a name, of a row, and below the two rows of a target."""
MOST_DOTS = 60
"""Cosines that are drawn one by one; of more, so many quantiles."""
SPREAD = 15.0
_GOLDEN = 0.6180339887498949  # its multiples fill the unit interval evenly, in any number


def cosine_plot(result: AssociationResult, *, dots: bool) -> str:
    """Draw level 3: mean, median and quartiles of each pair, over every single cosine.

    Empty where a result has no level 3.
    """
    if result.level3 is None:
        return ""
    cells = {name: result.level3.cell(name) for name in CELLS}
    ends = (q for c in cells.values() for q in c.quantiles)
    axis = Axis.around(ends, NAMES + 18, WIDTH - RIGHT)
    values = blocks(result) if dots else {}
    rows: list[str] = []
    top = 4.0
    for role in TARGETS:
        target = broken(result.concepts.name(role), NAMES, 2)
        rows.append(_name(target, result.concepts.name(role), top + 12, font_weight=700))
        top += LETTERS * len(target) - 4
        for attribute in ATTRIBUTES:
            name, middle = role + attribute, top + STEP / 2
            lines = broken(result.concepts.name(attribute), NAMES, 2)
            first = middle + 4.5 - LETTERS * (len(lines) - 1) / 2
            rows.append(_name(lines, result.concepts.name(attribute), first))
            rows += [_cloud(values[name], axis, middle)] if values else []
            rows.append(_box(cells[name], axis, middle, over=bool(values)))
            top += STEP
        top += PAIR
    phrases = []
    for name, cell in cells.items():
        pair = " – ".join(isolated(result.concepts.name(role)) for role in name)
        low, _, median, _, high = (effect(q, 3) for q in cell.quantiles)
        phrases.append(
            f"{pair}: mean {effect(cell.mean, 3)}, median {median}, from {low} to {high}"
        )
    title = f"{result.unit.capitalize()}s of the target terms with the attribute terms"
    title += f", in {result.scale}" if result.scale else ""
    bottom = top - PAIR
    return figure(bottom + 24, axis.grid(4, bottom), *rows, title=title, alt="; ".join(phrases))


def _name(lines: Sequence[str], whole: str, y: float, **look: object) -> str:
    """The lines of a name in the column of names."""
    return text_lines(lines, LEFT, y, whole=one_line(whole), step=LETTERS, **look)


def blocks(result: AssociationResult) -> dict[str, list[float]]:
    """The cosines of each pair of groups; empty where the result has not kept them all."""
    rows = result.similarities
    x, y, a, b = (len(result.coverage[role].scored) for role in ROLES)
    if rows is None or len(rows) != x + y or any(len(row) != a + b for row in rows):
        return {}
    part = dict(zip(ROLES, (slice(x), slice(x, None), slice(a), slice(a, None)), strict=True))
    return {name: [v for row in rows[part[name[0]]] for v in row[part[name[1]]]] for name in CELLS}


def _cloud(values: Sequence[float], axis: Axis, middle: float) -> str:
    """One dot a cosine, or 60 quantiles of more.

    Half pixels as whole numbers, each relative to the one before: some 7 bytes a dot.
    """
    ordered = sorted(values)
    every = max(1.0, len(ordered) / MOST_DOTS)
    shown = [ordered[int((i + 0.5) * every)] for i in range(min(len(ordered), MOST_DOTS))]
    moves, at_x, at_y = [], 0, 0
    for i, value in enumerate(shown):
        x = round(2 * axis.at(value))
        y = round(2 * (middle + (2 * (i * _GOLDEN % 1) - 1) * SPREAD))
        moves.append(f"m{x - at_x} {y - at_y}h0")
        at_x, at_y = x, y
    return path("".join(moves), "fig-cloud", transform="scale(.5)")


def _box(cell: Cell, axis: Axis, y: float, *, over: bool) -> str:
    """Quartiles, median and mean; over a cloud without the box's filling."""
    low, first, median, third, high = (axis.at(q) for q in cell.quantiles)
    spread = "" if over else path(f"M{low:.1f} {y:.1f}H{high:.1f}", "fig-line")
    top, wide = y - 8, max(third - first, 1.0)
    box = f"M{first:.1f} {top:.1f}h{wide:.1f}v16h-{wide:.1f}z"
    return "".join((
        spread,
        path(box, "fig-frame box" if over else "fig-box"),
        path(f"M{median:.1f} {top:.1f}v16", "fig-median"),
        path(f"M{axis.at(cell.mean):.1f} {y:.1f}h0", "fig-mean"),
    ))  # fmt: skip


SIDE, TOP, DOT = 380.0, 34.0, 2.6
"""Pixels of the triangle, above it, and of half a dot."""
HALF = math.sqrt(3) / 2


def ternary(
    groups: Sequence[str],
    points: Sequence[tuple[str, Sequence[float]]],
    reference: Sequence[float],
    named: Iterable[str] = (),
    width: float = WIDTH,
) -> str:
    """Shares of targets among three groups, as points in a triangle.

    A corner is a share of 1 for its group; the cross is the reference.
    """
    side = width - WIDTH + SIDE

    def at(shares: Sequence[float]) -> tuple[float, float]:
        """Pixels of three shares."""
        _, second, third = shares
        return (width - side) / 2 + side * (second + third / 2), TOP + side * HALF * (1 - third)

    inside = [(term, p) for term, p in points if min(p) >= 0]
    corners = [at((1, 0, 0)), at((0, 1, 0)), at((0, 0, 1))]
    border = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"
    x, y = (round(value, 1) for value in at(reference))
    dots = "".join(dot(*at(p), DOT) for _, p in inside)
    parts = [_shares_grid(at), path(border, "fig-frame"), path(dots, "fig-dot")]
    parts.append(path(cross(x, y, 7), "fig-reference"))
    chosen = set(named)
    for term, p in inside:
        if term in chosen:
            x, y = at(p)
            anchor, shift = ("start", 6) if x < width / 2 else ("end", -6)
            parts.append(label(short(term, 110), x + shift, y + 4, size=11, text_anchor=anchor))
    looks = (("start", -8, 20), ("end", 8, 20), ("middle", 0, -12))
    for (x, y), group, (anchor, dx, dy) in zip(corners, groups, looks, strict=True):
        name = short(group, 180)
        parts.append(label(name, x + dx, y + dy, size=12.5, font_weight=600, text_anchor=anchor))
    title = f"Shares of {len(inside)} targets among {', '.join(map(isolated, groups))}"
    return figure(
        TOP + side * HALF + 34, *parts, title=title, width=width,
        alt=f"{title}, as points in a triangle; the cross is the reference.",
    )  # fmt: skip


def _shares_grid(at: Callable[[Sequence[float]], tuple[float, float]]) -> str:
    """Lines of equal shares, a quarter apart, with their numbers on one side."""
    lines, numbers = "", ""
    for share in (0.25, 0.5, 0.75):
        rest = 1 - share
        for first, last in (
            ((share, rest, 0), (share, 0, rest)),
            ((rest, share, 0), (0, share, rest)),
            ((rest, 0, share), (0, rest, share)),
        ):
            lines += "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*at(first), *at(last))
        x, y = at((0, rest, share))
        numbers += muted(f"{share:.0%}", x + 6, y + 4, anchor="start")
    return path(lines, "fig-grid") + numbers
