"""Marks and small drawings: effect sizes on one scale, shares, a triangle.

The numbers of a cell of a table are beside its drawing as text, so screen readers skip the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from markupsafe import Markup

from eatlas.present.drawings.svg import (
    WIDTH,
    Axis,
    cross,
    dot,
    figure,
    label,
    muted,
    path,
    short,
)
from eatlas.present.effects import levels_of
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.inference import MatchedLevel

MARKS = {
    "level1": ("diamond", ""), "level2.X": ("circle", "x"), "level2.Y": ("square", "y"),
    "over_attributes": ("triangle", "a"),
}  # fmt: skip
"""Shape of an effect size, and the class of its colour, which is one everywhere."""
MARGIN, ROW = 8.0, 12.0
"""Pixels at both ends of an axis, for a mark that is on the edge; of a row of marks."""
SHARE, COLUMN, LINE = 150, 176.0, 196.0
"""Pixels of a bar; of the scale of effect sizes in a column, and in the line of a finding."""
HILL, HILL_BASE, HILL_HEIGHT = 32.0, 38.0, 46.0
"""Pixels of the highest step of a hill; down to its foot; of the whole drawing."""


def mark_of(place: str) -> tuple[str, str]:
    """Shape and colour by which the effect size at a place is known."""
    return MARKS.get(place, ("circle", ""))


def outline(shape: str, x: float, y: float, size: float = 1.0) -> str:
    """The path of a mark around a point; at full size it takes some 8 pixels."""
    if shape == "diamond":
        r = 4.6 * size
        return f"M{x:g} {y - r:g}l{r:g} {r:g}-{r:g} {r:g}-{r:g}-{r:g}z"
    if shape == "square":
        r = 3.4 * size
        return f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h-{2 * r:g}z"
    if shape == "triangle":
        r = 4.2 * size
        return f"M{x:g} {y - r:g}l{r:g} {1.7 * r:g}h-{2 * r:g}z"
    r = 3.8 * size
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0-{2 * r:g} 0z"


def estimate(shown: Effect, axis: Axis, y: float, symbol: str = "d") -> str:
    """The mark of an effect size on the line of its interval, filled where it is significant.

    A dash where it is undefined, or a number on another scale.
    """
    if shown.d is None or shown.symbol != symbol:
        return label("–", axis.at(0), y + 4, size=11, anchor="middle")
    (shape, colour), line = mark_of(shown.place), ""
    if shown.interval is not None:
        low, high = (round(axis.at(end), 1) for end in shown.interval)
        line = path(f"M{low:g} {y:g}H{high:g}", f"i {colour}".strip())
    kind = f"m{' on' if shown.significant else ''} {colour}".strip()
    return line + path(outline(shape, round(axis.at(shown.d), 1), y), kind)


def stacked(
    shown: Sequence[Effect], axis: Axis, top: float, threshold: float = 0.0
) -> tuple[str, float]:
    """Effect sizes below each other from an edge on, and the height that they take.

    A band holds those below the threshold.
    """
    height = ROW * len(shown) + 4
    if threshold:
        low, high = (round(axis.at(end), 1) for end in (-threshold, threshold))
        behind = path(f"M{low:g} {top:g}h{high - low:g}v{height:g}h{low - high:g}z", "band")
        behind += path(f"M{axis.at(0):g} {top:g}v{height:g}", "z")
    else:
        behind = _grid(axis, top, height)
    rows = (estimate(row, axis, top + 2 + ROW * (i + 0.5)) for i, row in enumerate(shown))
    return behind + "".join(rows), height


def _grid(axis: Axis, top: float, height: float) -> str:
    """Lines of the axis, stronger at 0."""
    ticks = "".join(f"M{round(axis.at(t), 1):g} {top:g}v{height:g}" for t in axis.ticks() if t)
    return (path(ticks, "g") if ticks else "") + path(f"M{axis.at(0):g} {top:g}v{height:g}", "z")


def share_bar(share: float, width: int = SHARE, *, strong: bool = False) -> Markup:
    """A share between 0 and 1 as a bar from the left on a faint whole."""
    length, kind = max(share * width, 1.0), "b on" if strong else "b"
    bar = path(f"M0 0h{length:.1f}v10h-{length:.1f}z", kind) if share else ""
    whole = path(f"M0 5H{width}", "g")
    return Markup(f'<svg class="fig bar w{width}" aria-hidden="true">{whole}{bar}</svg>')  # noqa: S704


@dataclass(frozen=True)
class Scales:
    """The axis of all effect sizes of a page, and the drawings that lie on it."""

    axis: Axis

    @classmethod
    def of(cls, results: Iterable[AssociationResult]) -> Self:
        """Enclose every effect size and every interval."""
        shown = (e for result in results for e in levels_of(result) if e.symbol == "d")
        values = [value for e in shown for value in (e.d, *(e.interval or ()))]
        return cls(Axis.of_effects(values, MARGIN, MARGIN + COLUMN))

    def line(self, result: AssociationResult, width: float = LINE) -> Markup:
        """The effect sizes of a result in the line of its finding: X, Y, and their comparison."""
        rows = [row for row in levels_of(result) if row.symbol == "d"]
        rows.sort(key=lambda row: row.place == "level1")
        axis = self.axis.on(MARGIN, MARGIN + width)
        inside, height = stacked(rows, axis, 0.0, result.rule.threshold or 0.0)
        return _small("glance", axis, height, inside) if rows else Markup()

    def ruler(self, width: float = COLUMN) -> Markup:
        """The numbers of the axis."""
        axis = self.axis.on(MARGIN, MARGIN + width)
        numbers = (
            label(effect(tick, 0), axis.at(tick), 11, size=10, anchor="middle")
            for tick in axis.ticks()
        )
        return _small("ruler", axis, 14, *numbers)

    def interval(self, row: Effect, height: float = 22.0) -> Markup:
        """One effect size with its interval."""
        mark = estimate(row, self.axis, height / 2)
        return _small("interval", self.axis, height, _grid(self.axis, 0, height), mark)

    def hill(self, shown: Effect, null: MatchedLevel) -> Markup:
        """How often random lists give each effect size; dashed lines hold 95% of them."""
        axis, (low, high), most = self.axis, null.ends, max(null.counts) or 1
        edges = [low + i * (high - low) / len(null.counts) for i in range(len(null.counts) + 1)]
        # what lies past the ends of the axis is drawn there
        first, *others = (round(axis.at(max(axis.low, min(axis.high, v))), 1) for v in edges)
        steps = "".join(
            f"V{HILL_BASE - HILL * n / most:.0f}H{x:.0f}"
            for n, x in zip(null.counts, others, strict=True)
        )
        inner, outer, x = (
            round(axis.at(max(axis.low, min(axis.high, value))), 1)
            for value in (null.quantiles[0], null.quantiles[4], shown.d or 0.0)
        )
        dashed = "".join(f"M{at:g} {HILL_BASE - HILL:g}V{HILL_BASE + 4:g}" for at in (inner, outer))
        beyond = null[f"p_{shown.tail}"] < shown.rule.alpha
        return _small(
            "hill", axis, HILL_HEIGHT,
            path(f"M{round(axis.at(0), 1):g} 0V{HILL_HEIGHT:g}", "z"),
            path(f"M{first:g} {HILL_BASE:g}{steps}V{HILL_BASE:g}z", "b"),
            path(dashed, "z", stroke_dasharray="3 2"),
            path(f"M{x:g} 4V{HILL_BASE:g}", "i"),
            path(outline(mark_of(shown.place)[0], x, HILL_BASE), "m on" if beyond else "m"),
        )  # fmt: skip

    def ends(self) -> str:
        """The ends of the axis, in words."""
        limit = self.axis.high
        decimals = 0 if limit.is_integer() else 1
        return f"{effect(-limit, decimals)} to {effect(limit, decimals)}"


def _small(kind: str, axis: Axis, height: float, *inside: str) -> Markup:
    """A small drawing as wide as its axis."""
    size = f'width="{axis.end + MARGIN:g}" height="{height:g}"'
    return Markup(f'<svg class="fig {kind}" {size} aria-hidden="true">{"".join(inside)}</svg>')  # noqa: S704


SIDE, TOP, DOT = 380.0, 34.0, 2.6
"""Pixels of the triangle, above it, and of half a dot."""
HALF = math.sqrt(3) / 2
QUARTERS = ((0.25, 0.75), (0.5, 0.5), (0.75, 0.25))


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

    lines, parts, chosen = "", [], set(named)
    for share, rest in QUARTERS:
        for first, last in (
            ((share, rest, 0), (share, 0, rest)),
            ((rest, share, 0), (0, share, rest)),
            ((rest, 0, share), (0, rest, share)),
        ):
            lines += "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*at(first), *at(last))
        x, y = at((0, rest, share))
        parts.append(muted(f"{share:.0%}", x + 6, y + 4, anchor="start"))
    corners = [at((1, 0, 0)), at((0, 1, 0)), at((0, 0, 1))]
    border = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"
    inside = [(term, p) for term, p in points if min(p) >= 0]
    x, y = (round(value, 1) for value in at(reference))
    dots = "".join(dot(*at(p), DOT) for _, p in inside)
    parts = [path(lines, "fig-grid"), *parts, path(border, "fig-frame"), path(dots, "fig-dot")]
    parts.append(path(cross(x, y, 7), "fig-reference"))
    for term, p in inside:
        if term in chosen:
            x, y = at(p)
            anchor, shift = ("start", 6) if x < width / 2 else ("end", -6)
            parts.append(label(short(term, 110), x + shift, y + 4, size=11, anchor=anchor))
    looks = (("start", -8, 20), ("end", 8, 20), ("middle", 0, -12))
    for (x, y), group, (anchor, dx, dy) in zip(corners, groups, looks, strict=True):
        name = short(group, 180)
        parts.append(label(name, x + dx, y + dy, size=12.5, font_weight=600, anchor=anchor))
    title = f"Shares of {len(inside)} targets among {', '.join(map(isolated, groups))}"
    return figure(
        TOP + side * HALF + 34, *parts, title=title, width=width,
        alt=f"{title}, as points in a triangle; the cross is the reference.",
    )  # fmt: skip
