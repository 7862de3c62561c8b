"""Effect sizes with their intervals as lines and marks; one shape for each level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eatlas.present.drawings.scale import Scale
from eatlas.present.numerals import effect
from eatlas.present.svg import label, tag

Mark = Literal["diamond", "circle", "square", "triangle"]
MARKS: dict[str, Mark] = {
    "level1": "diamond", "level2.X": "circle", "level2.Y": "square", "over_attributes": "triangle",
}  # fmt: skip
MARGIN = 8.0
"""Room at both ends, for a mark that stands on the edge."""
ROW = 12.0


@dataclass(frozen=True)
class Estimate:
    """An effect size as it is drawn."""

    d: float | None
    interval: tuple[float, float] | None
    mark: Mark
    filled: bool
    """Filled where p is below alpha, hollow otherwise."""


def interval(shown: Estimate, scale: Scale, height: float = 22.0) -> str:
    """One estimate on the scale, with the grid of the scale behind it."""
    return _frame(scale, height, [_estimate(shown, scale, height / 2)], "interval")


def glance(shown: Sequence[Estimate], scale: Scale) -> str:
    """Several estimates below each other, small."""
    height = ROW * len(shown) + 4
    rows = [_estimate(one, scale, 2 + ROW * (i + 0.5)) for i, one in enumerate(shown)]
    return _frame(scale, height, rows, "glance")


def ruler(scale: Scale) -> str:
    """The numbers of the scale, for the head of a column."""
    numbers = [
        label(effect(tick, 0), MARGIN + scale.at(tick), 11, size=10, text_anchor="middle")
        for tick in scale.ticks()
    ]
    return _svg(scale, 14, numbers, "ruler")


def _frame(scale: Scale, height: float, rows: list[str], kind: str) -> str:
    places = {tick: round(MARGIN + scale.at(tick), 1) for tick in scale.ticks() if tick}
    grid = "".join(f"M{x:g} 0V{height:g}" for x in places.values())
    zero = MARGIN + scale.at(0)
    behind = [
        tag("path", d=grid, class_="g") if grid else "",
        tag("path", d=f"M{zero:g} 0V{height:g}", class_="z"),
    ]
    return _svg(scale, height, [*behind, *rows], kind)


def _svg(scale: Scale, height: float, children: list[str], kind: str) -> str:
    """A drawing whose numbers stand beside it as text, so that nobody needs to hear it."""
    width = scale.width + 2 * MARGIN
    return tag(
        "svg", *children, width=width, height=height, viewBox=f"0 0 {width:g} {height:g}",
        class_=f"fig {kind}", aria_hidden="true",
    )  # fmt: skip


def _estimate(shown: Estimate, scale: Scale, y: float) -> str:
    if shown.d is None:
        return label("–", MARGIN + scale.at(0), y + 4, size=11, text_anchor="middle")
    line = ""
    if shown.interval is not None:
        low, high = (round(MARGIN + scale.at(end), 1) for end in shown.interval)
        line = tag("path", d=f"M{low:g} {y:g}H{high:g}", class_="i")
    x = round(MARGIN + scale.at(shown.d), 1)
    return line + tag("path", d=outline(shown.mark, x, y), class_="m on" if shown.filled else "m")


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
