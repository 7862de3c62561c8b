"""Drawings of targets against groups: deviations as bars on one scale, shares in a triangle."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from eatlas.present.drawings.figures import BAR_HEIGHT
from eatlas.present.drawings.svg import (
    LEFT,
    WIDTH,
    Axis,
    cross,
    dot,
    figure,
    label,
    muted,
    path,
    short,
    tag,
)
from eatlas.present.text import isolated

SIDE = 380.0
"""Of the triangle."""
HALF = math.sqrt(3) / 2
TOP = 34.0
DOT = 2.6
Interval = tuple[float, float] | None


def deviation_bar(
    value: float | None, interval: Interval, axis: Axis, *, strong: bool = False
) -> str:
    """A bar from the reference, 0, to a deviation, and the line of its interval."""
    zero, middle = axis.at(0), BAR_HEIGHT / 2
    parts = [path(f"M{zero:.1f} -3V{BAR_HEIGHT + 3}", "z")]
    if value is not None:
        end = axis.at(value)
        bar = f"M{zero:.1f} 0H{end:.1f}V{BAR_HEIGHT}H{zero:.1f}z"
        parts.insert(0, path(bar, "b on" if strong else "b"))
    if interval is not None:
        low, high = (axis.at(end) for end in interval)
        parts.append(path(f"M{low:.1f} {middle:g}H{high:.1f}", "i"))
    return (
        f'<svg width="{axis.end + 4:g}" height="16" viewBox="0 -3 {axis.end + 4:g} 16" class="fig" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )


def bars_of(
    term: str,
    groups: Sequence[str],
    shares: Sequence[float],
    reference: Sequence[float],
    intervals: Sequence[Interval],
) -> str:
    """The distribution of one target against its reference: a bar for each group, signed."""
    points = [100 * (p - q) for p, q in zip(shares, reference, strict=True)]
    ends = [ends and (100 * ends[0], 100 * ends[1]) for ends in intervals]
    axis = Axis.around(
        [*points, *(end for pair in ends if pair for end in pair)], LEFT + 4, WIDTH - 24
    )
    rows, y = [], 8.0
    for group, p, q, value, pair in zip(groups, shares, reference, points, ends, strict=True):
        said = f"{short(group, 240)}: {100 * p:.1f}%, reference {100 * q:.1f}%"
        low, high = sorted((axis.at(0), axis.at(value)))
        rows.append(label(said, LEFT, y + 10, size=12.5))
        bar = {"x": low, "y": y + 16, "width": max(high - low, 0.5), "height": 10}
        rows.append(tag("rect", **bar, class_="fig-towards" if value > 0 else "fig-away"))
        if pair is not None:
            first, last = (axis.at(end) for end in pair)
            rows.append(path(f"M{first:.1f} {y + 21:g}H{last:.1f}", "i"))
        y += 40
    alt = "; ".join(
        f"{isolated(group)} {value:+.1f} points"
        for group, value in zip(groups, points, strict=True)
    )
    name = f"{isolated(term)}: shares against the reference"
    return figure(
        y + 24, axis.grid(8, y), *rows, title=name, alt=f"{name}, in percentage points: {alt}."
    )


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
    outline = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"
    x, y = (round(value, 1) for value in at(reference))
    dots = "".join(dot(*at(p), DOT) for _, p in inside)
    parts = [_grid(at), path(outline, "fig-frame"), path(dots, "fig-dot")]
    parts.append(path(cross(x, y, 7), "fig-reference"))
    chosen = set(named)
    for term, p in inside:
        if term in chosen:
            x, y = at(p)
            anchor = "start" if x < width / 2 else "end"
            shift = 6 if anchor == "start" else -6
            parts.append(label(short(term, 110), x + shift, y + 4, size=11, text_anchor=anchor))
    for (x, y), group, (anchor, dx, dy) in zip(
        corners, groups, (("start", -8, 20), ("end", 8, 20), ("middle", 0, -12)), strict=True
    ):
        parts.append(
            label(short(group, 180), x + dx, y + dy, size=12.5, font_weight=600, text_anchor=anchor)
        )
    said = f"Shares of {len(inside)} targets among {', '.join(map(isolated, groups))}"
    return figure(
        TOP + side * HALF + 34, *parts, title=said, width=width,
        alt=f"{said}, as points in a triangle; the cross is the reference.",
    )  # fmt: skip


def _grid(at: Callable[[Sequence[float]], tuple[float, float]]) -> str:
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
