"""Effect sizes by year, layer or window: a line for each level, broken where one has no result.

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from eatlas.present.drawings.figures import TARGET_OF, mark_of, outline
from eatlas.present.drawings.svg import (
    LARGEST,
    NAME,
    Axis,
    apart,
    broken,
    figure,
    label,
    muted,
    path,
    short,
    tag,
    words,
)
from eatlas.present.effects import levels_of
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated, one_line, pixels
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect

LOOKS: dict[str, tuple[str | None, int]] = {
    "level1": (None, 0), "level2.X": ("7 3", -1), "level2.Y": ("2 2", 1),
    "over_attributes": ("9 3 2 3", 2),
}  # fmt: skip
"""Dashes of lines, and their places beside each other, so that no interval hides another."""
WIDE = 500.0
_LEFT, _KEY = 52.0, 0.22
"""Pixels to the left of the axis; share of the width for the names of lines, on the right."""
_TOP, _HEIGHT, _STRIP = 30.0, 250.0, 18.0
_LETTERS, _BETWEEN = 14.0, 8.0
"""Pixels of a line of a name, and between two names."""
_INSET, _MARK, _APART = 10.0, 11.0, 6.0
"""Pixels between the axis and the first year; between two years below which marks shrink; between
the numbers of two years."""


class Line(NamedTuple):
    """One effect size over the years."""

    first: Effect
    points: dict[int, Effect]
    """By year."""

    @property
    def name(self) -> str:
        """What the line shows, in full."""
        return one_line(f"{self.first.title}: {' against '.join(map(isolated, self.first.names))}")

    def drawn(self, *children: str) -> str:
        """What belongs to the line, in its colour."""
        return tag(
            "g", *children, class_=f"fig-series {TARGET_OF.get(self.first.place, '')}".strip()
        )


def steps(years: Iterable[int]) -> list[int]:
    """Complete a series of years, if it is one."""
    known = sorted(set(years))
    gaps = {late - early for early, late in pairwise(known)}
    if not gaps:
        return known
    step = min(gaps)
    full = list(range(known[0], known[-1] + 1, step))
    regular = all(gap % step == 0 for gap in gaps) and 2 * len(known) >= len(full)
    return full if regular else known


def timeline_of(
    members: Sequence[tuple[int, AssociationResult]],
    missing: Mapping[int, str],
    *,
    title: str,
    unit: str = "year",
    width: float = WIDE,
) -> str:
    """Draw each effect size by a number that each result has, such as its year."""
    first = members[0][1]
    lines = [
        Line(shown, {at: levels_of(result)[i] for at, result in members})
        for i, shown in enumerate(levels_of(first))
    ]
    threshold, sides = first.rule.threshold, first.sides[-1]
    years = sorted({at for at, _ in members} | set(missing))
    across = _axis_of(years, width * (1 - _KEY))
    bottom = _TOP + _HEIGHT
    values = [v for line in lines for e in line.points.values() for v in (e.d, *(e.interval or ()))]
    band = [] if threshold is None else [-threshold, threshold]
    up = Axis.around([*band, *(v for v in values if v is not None)], bottom, _TOP)
    strip = _strip(lines, missing, across, bottom)
    below = bottom + (_STRIP if strip else 0.0)
    end = across.end + _INSET
    upright = f"rotate(-90) translate({-(_TOP + bottom) / 2:g} 14)"
    return figure(
        below + 62,
        *_gaps(missing, across, years, bottom),
        _rect(_LEFT, up.at(band[1]), end - _LEFT, up.at(band[0])) if band else "",
        up.grid(_LEFT, end, upright=True),
        *(_drawn(line, missing, across, up, _closest(across, years)) for line in lines),
        *_keys(lines, up, end, width),
        *strip,
        *_numbers(across, years, below),
        *(
            label(f"{arrow} {short(name, end - _LEFT - 20)}", _LEFT, y, size=12)
            for arrow, name, y in (("↑", sides[0], _TOP - 12), ("↓", sides[-1], below + 56))
        ),
        label(unit, (_LEFT + end) / 2, below + 36, size=12, text_anchor="middle"),
        tag("g", label("effect size d", 0, 0, size=12, text_anchor="middle"), transform=upright),
        title=title,
        alt=_in_words(lines, missing, unit),
        width=width,
        kind="timeline",
    )


def _axis_of(years: Sequence[int], end: float) -> Axis:
    """Years from left to right; one alone is in the middle."""
    low, high = (years[0], years[-1]) if len(years) > 1 else (years[0] - 1, years[0] + 1)
    return Axis(low, high, 1, _LEFT + _INSET, end - _INSET)


def _closest(across: Axis, years: Sequence[int]) -> float:
    """Pixels between the two closest years."""
    places = map(across.at, years)
    return min((b - a for a, b in pairwise(places)), default=across.end - across.start)


def _numbers(across: Axis, years: Sequence[int], y: float) -> Iterator[str]:
    """A tick for every year, and as many numbers as there is room for."""
    yield path("".join(f"M{across.at(year):.1f} {y:g}v4" for year in years), "fig-line")
    end = float("-inf")
    for year in years:
        x, half = across.at(year), pixels(str(year), LARGEST) / 2
        if x - half >= end + _APART:
            end = x + half
            yield muted(str(year), x, y + 18)


def _rect(x: float, top: float, width: float, bottom: float, *inside: str) -> str:
    """A shaded rectangle."""
    size = {"x": x, "y": top, "width": width, "height": bottom - top}
    return tag("rect", *inside, **size, class_="fig-shade")


def _gaps(
    missing: Mapping[int, str], across: Axis, years: Sequence[int], bottom: float
) -> Iterator[str]:
    """A column for each year without a result, so that nobody takes the gap for a short line."""
    width = max(3.0, min(16.0, 0.8 * _closest(across, years)))
    for year, why in missing.items():
        about = tag("title", words(f"{year}: {why}"))
        yield _rect(across.at(year) - width / 2, _TOP, width, bottom, about)


def _strip(
    lines: Sequence[Line], missing: Mapping[int, str], across: Axis, bottom: float
) -> list[str]:
    """Below the plot: × for a year without a result, ? for one with an undefined effect size."""
    signs = {year: ("×", [f"{year}: {why}"]) for year, why in missing.items()}
    for line in lines:
        for year, shown in line.points.items():
            if shown.d is None:
                about = signs.get(year, ("", [str(year)]))[1]
                signs[year] = ("?", [*about, f"{line.name}: undefined"])
    return [
        tag(
            "g",
            tag("title", words("; ".join(why))),
            muted(sign, across.at(year), bottom + 15, size=14),
        )
        for year, (sign, why) in sorted(signs.items())
    ]


def _keys(lines: Sequence[Line], up: Axis, x: float, width: float) -> Iterator[str]:
    """The name of each line where it ends, moved as far as it takes for all to be read."""
    named = []
    for line in lines:
        known = [shown.d for shown in line.points.values() if shown.d is not None]
        level = up.at(known[-1]) if known else (up.start + up.end) / 2
        texts: list[str] = []
        for name in line.first.names:
            texts += [*(["against"] if texts else []), *broken(name, width - x - 28, 2)]
        named.append((level, line, texts))
    named.sort(key=lambda key: key[0])
    heights = [_LETTERS * len(texts) + _BETWEEN for *_, texts in named]
    middles = apart([level for level, *_ in named], heights, _TOP, _TOP + _HEIGHT)
    for middle, (_, line, texts) in zip(middles, named, strict=True):
        first = middle + 4.5 - _LETTERS * (len(texts) - 1) / 2
        shape = outline(mark_of(line.first.place), x + 14, round(first - 4.5, 1))
        names = (
            label(isolated(text), x + 24, first + _LETTERS * i, size=NAME)
            for i, text in enumerate(texts)
        )
        yield tag("g", tag("title", words(line.name)), line.drawn(path(shape, "on")), *names)


def _drawn(line: Line, missing: Mapping[int, str], across: Axis, up: Axis, closest: float) -> str:
    """A line in pieces, with a bar for each interval and a mark for each year."""
    dashes, side = LOOKS.get(line.first.place, LOOKS["level1"])
    size = max(0.5, min(1.0, closest / _MARK))
    bars, whole, marks, before = "", "", [], None
    for year, shown in line.points.items():
        if shown.d is None:
            before = None
            continue
        x, y = across.at(year) + side * min(3.0, 0.15 * closest), up.at(shown.d)
        broken_off = before is None or any(before < gap < year for gap in missing)
        whole += f"{'M' if broken_off else 'L'}{x:.1f} {y:.1f}"
        before = year
        if shown.interval:
            low, high = map(up.at, shown.interval)
            bars += f"M{x:.1f} {low:.1f}V{high:.1f}"
        shape = outline(mark_of(line.first.place), round(x, 1), round(y, 1), size)
        about = tag("title", words(f"{year}, {line.name}: {_point_in_words(shown)}"))
        marks.append(path(shape, "on" if shown.significant else "off", about))
    return line.drawn(
        path(bars, "bar", stroke_opacity=0.4) if bars else "",
        path(whole, "open", stroke_dasharray=dashes) if whole else "",
        *marks,
    )


def _point_in_words(shown: Effect) -> str:
    p = shown.p_of()
    of_p = "" if p is None else f", {p_equals(p, shown.rule.alpha)}"
    return f"{shown.symbol} = {effect(shown.d)}{of_p}"


def _in_words(lines: Sequence[Line], missing: Mapping[int, str], unit: str) -> str:
    """Where each line begins and ends, and how often p is below alpha."""
    at = "" if unit == "year" else f"{unit} "
    parts = []
    for line in lines:
        known = [(year, shown.d) for year, shown in line.points.items() if shown.d is not None]
        if not known:
            parts.append(f"{line.name}: undefined in every {unit}")
            continue
        (first, start), (last, end) = known[0], known[-1]
        filled = sum(shown.significant for shown in line.points.values())
        parts.append(
            f"{line.name}: d from {effect(start)} in {at}{first} to {effect(end)} in {at}{last}, "
            f"p below alpha in {filled} of {len(line.points)} {unit}s"
        )
    if missing:
        parts.append(f"without a result: {', '.join(map(str, missing))}")
    return "; ".join(parts)
