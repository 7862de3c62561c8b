"""Points: the cosines of level 3, and shares of three groups in a triangle.

Names are in a column of their own on the left, so that no mark lies on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

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
from eatlas.results.levels import CELLS, Cell
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

COLUMN = 124.0
"""Pixels of the column of names."""
LINE, STEP, PAIR = 15.0, 44.0, 10.0
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
    axis = Axis.around(ends, COLUMN + 18, WIDTH - RIGHT)
    values = blocks(result) if dots else {}
    rows: list[str] = []
    top = 4.0
    for role in TARGETS:
        target = broken(result.concepts.name(role), COLUMN, 2)
        rows.append(_name(target, result.concepts.name(role), top + 12, font_weight=700))
        top += LINE * len(target) - 4
        for attribute in ATTRIBUTES:
            name, middle = role + attribute, top + STEP / 2
            lines = broken(result.concepts.name(attribute), COLUMN, 2)
            first = middle + 4.5 - LINE * (len(lines) - 1) / 2
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
    return text_lines(lines, LEFT, y, whole=one_line(whole), step=LINE, **look)


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
