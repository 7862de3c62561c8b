"""Small drawings for the cells of tables: effect sizes on one scale, shares, changes.

The numbers of a cell are beside its drawing as text, so screen readers skip the drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from eatlas.present.drawings.svg import Axis, label, path
from eatlas.present.numbers import effect
from eatlas.present.text import pixels
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
BAR, BAR_HEIGHT, SHARE = 92, 10, 150
"""Pixels of the bar of a change; of the height of bars; of a share of all."""
WITHOUT = 112
"""Pixels of the scale of effect sizes without single terms."""
COLUMN = 176.0
"""Pixels of the scale of effect sizes in a column of its own."""
LEAST_WITHOUT = 0.1
"""Half of the least that this scale spans, so that no tiny change looks large."""
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


def without_axis(values: Iterable[float], d: float) -> Axis:
    """The scale of an effect size: as wide as single terms vary, at least 0.2."""
    known = [d, *values]
    middle, half = (min(known) + max(known)) / 2, max((max(known) - min(known)) / 2, LEAST_WITHOUT)
    axis = Axis.around((0.0, 2 * half), MARGIN, WITHOUT - MARGIN)
    return Axis(middle - half, middle + half, axis.step, MARGIN, WITHOUT - MARGIN)


def without_mark(value: float, d: float, axis: Axis, *, rests: bool) -> str:
    """An effect size without one term as a dot, and the line of the effect size with all.

    Filled where the effect rests on the term.
    """
    zero = f'<path d="M{axis.at(0):.0f} 0v14" class="g"/>' if axis.low < 0 < axis.high else ""
    line = f'<path d="M{axis.at(d):.0f} 0v14" class="z"/>'
    mark = f'<circle cx="{axis.at(value):.0f}" cy="7" r="3.8" class="m{" on" if rests else ""}"/>'
    return f'<svg class="fig without" aria-hidden="true">{zero}{line}{mark}</svg>'


def without_ruler(axis: Axis) -> str:
    """The numbers of that scale, as many as there is room for."""
    numbers, end = [], float("-inf")
    for tick in axis.ticks():
        text, x = effect(tick, max(1, axis.decimals)), axis.at(tick)
        half = pixels(text, 12) / 2
        if end + 4 < x - half and x + half <= WITHOUT:
            numbers.append(label(text, x, 11, size=10, text_anchor="middle"))
            end = x + half
    return f'<svg class="fig without" aria-hidden="true">{"".join(numbers)}</svg>'


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
