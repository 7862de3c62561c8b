"""Small drawings for the cells of tables: effect sizes on one scale, shares, changes.

The numbers of a cell are beside its drawing as text, so screen readers skip the drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from eatlas.present.drawings.svg import Axis, label, path
from eatlas.present.numbers import effect
from eatlas.results.effects import Effect
from eatlas.results.inference import MatchedLevel

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
