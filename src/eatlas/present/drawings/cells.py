"""Small drawings for the cells of tables: effect sizes with intervals, bars, and hills.

Their numbers are beside them as text, so screen readers skip them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from eatlas.present.drawings.svg import Axis, label, tag
from eatlas.present.numbers import effect
from eatlas.results.effects import Effect
from eatlas.results.inference import MatchedLevel

Mark = Literal["diamond", "circle", "square", "triangle"]
MARKS: dict[str, Mark] = {
    "level1": "diamond", "level2.X": "circle", "level2.Y": "square", "over_attributes": "triangle",
}  # fmt: skip
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

    @classmethod
    def of(cls, shown: Effect) -> Self:
        """Take what is drawn of an effect size; nothing of a number on another scale."""
        d = shown.d if shown.symbol == "d" else None
        return cls(d, shown.interval, mark_of(shown.place), shown.significant)


def mark_of(place: str) -> Mark:
    """The shape by which the effect size at a place is known."""
    return MARKS.get(place, "circle")


def across(axis: Axis, width: float) -> Axis:
    """Lay an axis into a drawing of a width, with room for marks on its edges."""
    return axis.on(MARGIN, MARGIN + width)


def interval(shown: Estimate, axis: Axis, height: float = 22.0) -> str:
    """One estimate on the axis, with its grid behind it."""
    return _frame(axis, height, [_estimate(shown, axis, height / 2)], "interval")


def glance(shown: Iterable[Estimate], axis: Axis) -> str:
    """Several estimates below each other, small."""
    rows = [_estimate(one, axis, 2 + ROW * (i + 0.5)) for i, one in enumerate(shown)]
    return _frame(axis, ROW * len(rows) + 4, rows, "glance")


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
        f"V{round(HILL_BASE - HILL * n / most, 1):g}H{at(low + (i + 1) * width):g}"
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


def share_bar(share: float, *, strong: bool = False) -> str:
    """A share between 0 and 1 as a bar from the left on a faint whole."""
    bar = _bar(0, max(share * SHARE, 1.0), strong=strong) if share else ""
    return _svg(SHARE, 16, f'<path d="M0 {BAR_HEIGHT // 2}H{SHARE}" class="g"/>{bar}', "bar", -3)


def change_bar(change: float, limit: float, *, strong: bool = False) -> str:
    """A change as a bar from the middle, left where it is negative; ``limit`` fills one half."""
    middle = BAR // 2
    length = min(abs(change) / limit, 1.0) * (middle - 1) if limit else 0.0
    bar = _bar(middle if change > 0 else middle - length, length, strong=strong)
    return _svg(BAR, 16, f'{bar}<path d="M{middle} -3V{BAR_HEIGHT + 3}" class="z"/>', "bar", -3)


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


def _svg(width: float, height: float, inside: str, kind: str, top: int = 0) -> str:
    return (
        f'<svg width="{width:g}" height="{height:g}" viewBox="0 {top} {width:g} {height:g}" '
        f'class="fig {kind}" aria-hidden="true">{inside}</svg>'
    )


def _estimate(shown: Estimate, axis: Axis, y: float) -> str:
    """The mark of an effect size on the line of its interval; a dash where it is undefined."""
    if shown.d is None:
        return label("–", axis.at(0), y + 4, size=11, text_anchor="middle")
    line = ""
    if shown.interval is not None:
        low, high = (round(axis.at(end), 1) for end in shown.interval)
        line = tag("path", d=f"M{low:g} {y:g}H{high:g}", class_="i")
    mark = outline(shown.mark, round(axis.at(shown.d), 1), y)
    return line + tag("path", d=mark, class_="m on" if shown.filled else "m")


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
