"""Effect sizes along an axis: a line for each level by year or layer.

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from eatlas.numbers import effect
from eatlas.present.drawings.periods import patterns_below
from eatlas.present.drawings.svg import (
    LARGEST,
    NAME,
    SMALL_MARK,
    Axis,
    aside,
    broken,
    ends_within,
    figure,
    label,
    mark_of,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.effects import levels_of
from eatlas.present.findings import NAMES as VERDICTS
from eatlas.present.text import isolate, one_line, pixels
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.finding import Finding
from eatlas.results.trend import Years

LOOKS: dict[str, tuple[str | None, int]] = {
    "level1": (None, 0), "level2.X": ("7 3", -1), "level2.Y": ("2 2", 1),
    "over_attributes": ("9 3 2 3", 2),
}  # fmt: skip
"""Dashes of lines, and their places beside each other, so that no interval hides another."""
SHAPES = ("circle", "square", "diamond", "triangle")
"""Marks of series in one panel."""
WIDE = 500.0
"""Pixels of a timeline on a screen."""
_LEFT, _TOP, _BOTTOM, _INSET = 52.0, 30.0, 280.0, 10.0
"""Pixels to the axis, from its upper end to its lower one, and to the first year."""
_KEY, _LETTERS = 0.22, 14.0
"""Share of the width for the names of lines, on the right; pixels of a line of these."""


class Line(NamedTuple):
    """One effect size by year."""

    by: Mapping[float, Effect]
    """By its place on the axis."""
    of: str = ""
    """The series, where the effect size of several is shown."""
    number: int = 0
    """The place of the series among these."""

    @property
    def first(self) -> Effect:
        """The effect size of the first year."""
        return next(iter(self.by.values()))

    @property
    def look(self) -> tuple[str | None, int, str, str]:
        """Dashes, place beside others, shape and colour."""
        place = self.first.place
        (dashes, side), (shape, colour) = LOOKS.get(place, LOOKS["level1"]), mark_of(place)
        if self.of:
            (dashes, side), shape = [*LOOKS.values()][self.number], SHAPES[self.number]
        return dashes, side, shape, colour


def steps(years: Iterable[int]) -> list[int]:
    """Complete a series of years, if it is one."""
    dated = sorted(set(years))
    gaps = {late - early for early, late in pairwise(dated)}
    if not gaps:
        return dated
    step = min(gaps)
    full = list(range(dated[0], dated[-1] + 1, step))
    regular = all(gap % step == 0 for gap in gaps) and 2 * len(dated) >= len(full)
    return full if regular else dated


def timeline_of(
    series: Mapping[str, Mapping[int, tuple[AssociationResult, Finding]]],
    missing: Mapping[int, str],
    *,
    title: str = "",
    unit: str = "year",
    width: float = WIDE,
    only: int | None = None,
    years: Mapping[int, Years] | None = None,
) -> str:
    """Draw each effect size by a number that each result has, such as its year.

    The mark of several `years` is in their middle.

    A result comes with what it shows among the others. Of several series, by their names, one
    effect size `only`. Lines break, and a band is gray, where there is no result; a tooltip says
    why. Below the effect sizes, or of several series below those of level 1, is the EAT pattern of
    each result that has one.
    """
    keys = {key for line in series.values() for key in line} | set(missing)
    spans = {key: Years(key, key) if years is None else years[key] for key in keys}
    names = {span.middle: str(span) for span in spans.values()}
    dated = {
        name: {spans[key].middle: pair for key, pair in line.items()}
        for name, line in series.items()
    }
    gaps = {spans[key].middle: why for key, why in missing.items()}
    first = next(result for line in series.values() for result, _ in line.values())
    lines = [
        Line({at: levels_of(*told)[i] for at, told in line.items()}, name * (only is not None), n)
        for n, (name, line) in enumerate(dated.items())
        for i in (range(len(levels_of(first))) if only is None else [only])
    ]
    places, end = sorted(names), width * (1 - _KEY)
    ends = (places[0], places[-1]) if len(places) > 1 else (places[0] - 1, places[0] + 1)
    across = Axis(*ends, 1, _LEFT + _INSET, end - _INSET)
    ticks = list(map(across.at, places))
    closest = min((b - a for a, b in pairwise(ticks)), default=across.end - across.start)
    shown = [effect for line in lines for effect in line.by.values()]
    values = [v for e in shown for v in (e.d, *ends_within(e), *_other_ends(e))]
    sides = first.sides[-1]
    up = Axis.with_zero((v for v in values if v is not None), _BOTTOM, _TOP)
    half, parts = max(1.5, min(8.0, 0.4 * closest)), []
    for place, why in gaps.items():
        x, about = across.at(place), tag("title", words(f"{names[place]}: {why}"))
        parts.append(_shade(x - half, x + half, _TOP, _BOTTOM, about))
    parts.append(up.grid(_LEFT, end, upright=True))
    parts += [_line(line, gaps, names, across, up, closest) for line in lines]
    parts.append(_keys(lines, up, end, width))
    parts.append(path("".join(f"M{across.at(y):.1f} {_BOTTOM:g}v4" for y in places), "fig-line"))
    taken = float("-inf")
    for place in places:  # as many numbers as there is room for
        x, wide = across.at(place), pixels(names[place], LARGEST)
        if x - wide / 2 >= taken:
            taken = x + wide / 2 + 6
            parts.append(aside(names[place], x, _BOTTOM + 18))
    for arrow, name, y in (("↑", sides[0], _TOP - 12), ("↓", sides[-1], _BOTTOM + 40)):
        parts.append(label(f"{arrow} {short(name, end - _LEFT - 90)}", _LEFT, y))
    upright = f"rotate(-90) translate({-(_TOP + _BOTTOM) / 2:g} 14)"
    parts.append(label(unit, end, _BOTTOM + 40, anchor="end"))
    parts.append(tag("g", label("effect size d", 0, 0, anchor="middle"), transform=upright))
    foot, maps, patterns = _BOTTOM + 48, "", ""
    if only in (None, 0):
        alone = {
            name: {at: result for at, (result, _) in line.items()} for name, line in dated.items()
        }
        maps, foot, patterns = patterns_below(alone, gaps, names, across, foot, width, unit)
    alt = "; ".join(filter(None, [*(_in_words(line, names, unit) for line in lines), patterns]))
    if missing:
        alt += f"; without a result: {', '.join(names[place] for place in gaps)}"
    return figure(foot, *parts, maps, title=title, alt=alt, width=width, kind="figure timeline")


def _other_ends(shown: Effect) -> tuple[float, ...]:
    """Ends of the interval that another package knows; empty without one."""
    return next(iter(shown.other_intervals.values()), ())


def _shade(left: float, right: float, top: float, bottom: float, *inside: str) -> str:
    """A shaded rectangle."""
    size = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return tag("rect", *inside, **size, class_="fig-shade")


def name_of(line: Line) -> str:
    """What a line shows, in full."""
    first = line.first
    name = f"{first.title}: {' against '.join(map(isolate, first.names))}"
    return one_line(", ".join(filter(None, (name, isolate(line.of)))))


def _keys(lines: Sequence[Line], up: Axis, x: float, width: float) -> str:
    """The name of each line where it ends, moved down as far as it takes for all to be read."""
    keys = []
    for line in lines:
        defined = [shown.d for shown in line.by.values() if shown.d is not None]
        texts: list[str] = []
        for name in (line.of,) if line.of else line.first.names:
            texts += [*(["against"] if texts else []), *broken(name, width - x - 28, 6)]
        keys.append((up.at(defined[-1] if defined else 0.0), line.look[2:], name_of(line), texts))
    drawn, room = "", sum(_LETTERS * len(texts) + 8 for *_, texts in keys)
    edge = _TOP
    for level, (shape, colour), whole, texts in sorted(keys):
        height = _LETTERS * len(texts) + 8
        edge = max(edge, min(level - height / 2, _BOTTOM - room))
        mark = path(outline(shape, x + 14, round(edge + height / 2, 1)), "on")
        names = (
            label(isolate(text), x + 24, edge + 15 + _LETTERS * i, size=NAME)
            for i, text in enumerate(texts)
        )
        series = tag("g", mark, class_=f"fig-series {colour}".strip())
        drawn += tag("g", tag("title", words(whole)), series, *names)
        edge, room = edge + height, room - height
    return drawn


def _line(
    line: Line,
    gaps: Mapping[float, str],
    names: Mapping[float, str],
    across: Axis,
    up: Axis,
    closest: float,
) -> str:
    """A line in pieces, with a bar for each interval and a mark for each year."""
    dashes, side, shape, colour = line.look
    size = max(0.5, min(1.0, closest / 11.0))
    bars, thick, whole, marks, before = "", "", "", [], None
    for place, shown in line.by.items():
        if shown.d is None:
            before = None
            continue
        x, y = across.at(place) + side * min(3.0, 0.15 * closest), up.at(shown.d)
        begins = before is None or any(before < gap < place for gap in gaps)
        whole += f"{'M' if begins else 'L'}{x:.1f} {y:.1f}"
        before = place
        if shown.interval:
            low, high = map(up.at, ends_within(shown))
            bars += f"M{x:.1f} {low:.1f}V{high:.1f}"
        if over := _other_ends(shown):
            low, high = map(up.at, over)
            thick += f"M{x:.1f} {low:.1f}V{high:.1f}"
        said = f", {VERDICTS[shown.verdict]}" if shown.verdict else ""
        text = f"{names[place]}, {name_of(line)}: {shown.symbol} = {effect(shown.d)}{said}"
        smaller = SMALL_MARK if shown.verdict == "not shown" else 1.0
        mark = outline(shape, round(x, 1), round(y, 1), size * smaller)
        kind = "on" if shown.verdict == "supported" else "off"
        marks.append(path(mark, kind, tag("title", words(text))))
    return tag(
        "g",
        path(bars, "bar", stroke_opacity=0.4) if bars else "",
        path(thick, "bar", stroke_opacity=0.4, stroke_width=4) if thick else "",
        path(whole, "open", stroke_dasharray=dashes) if whole else "",
        *marks,
        class_=f"fig-series {colour}".strip(),
    )


def _in_words(line: Line, names: Mapping[float, str], unit: str) -> str:
    """Where a line begins and ends, and how often its effect size is supported."""
    defined = [(names[at], shown.d) for at, shown in line.by.items() if shown.d is not None]
    if not defined:
        return f"{name_of(line)}: undefined in every {unit}"
    at = "" if unit == "year" else f"{unit} "
    filled = sum(shown.verdict == "supported" for shown in line.by.values())
    start, end = (f"{effect(d)} in {at}{year}" for year, d in (defined[0], defined[-1]))
    return (
        f"{name_of(line)}: d from {start} to {end}, supported in {filled} of {len(line.by)} {unit}s"
    )
