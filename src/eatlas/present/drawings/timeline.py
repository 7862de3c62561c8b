"""Effect sizes by year, layer or window: a line for each level, broken where one has no result.

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

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

LOOKS: dict[str, tuple[str | None, int]] = {
    "level1": (None, 0), "level2.X": ("7 3", -1), "level2.Y": ("2 2", 1),
    "over_attributes": ("9 3 2 3", 2),
}  # fmt: skip
"""Dashes of lines, and their places beside each other, so that no interval hides another."""
AGAINST = " against "
WIDE = 500.0
_LEFT, _KEY = 52.0, 0.22
"""Pixels to the left of the axis; share of the width for the names of lines, on the right."""
_TOP, _HEIGHT, _STRIP = 30.0, 250.0, 18.0
_LETTERS, _BETWEEN = 14.0, 8.0
"""Pixels of a line of a name, and between two names."""
_INSET = 10.0
"""Between the axis and the first year."""
_MARK = 11.0
"""Pixels between two years below which marks shrink."""
_APART = 6.0
"""Between the numbers of two years."""


@dataclass(frozen=True)
class Point:
    """An effect size of one year."""

    year: int
    d: float | None
    interval: tuple[float, float] | None
    filled: bool
    """Where p is below alpha."""
    text: str
    """Its numbers in words."""


@dataclass(frozen=True)
class Line:
    """One effect size over the years."""

    place: str
    """``level1``, ``level2.X``, ``level2.Y`` or, of an LPBS, ``over_attributes``."""
    title: str
    """Such as "Level 2, X"."""
    targets: tuple[str, ...]
    """The target that the line is about, both, or both attributes."""
    points: tuple[Point, ...]

    @property
    def look(self) -> tuple[str | None, int]:
        """Dashes and place; what no record of ours has is drawn as level 1."""
        return LOOKS.get(self.place, LOOKS["level1"])

    @property
    def name(self) -> str:
        """What the line shows, in full."""
        return one_line(f"{self.title}: {AGAINST.join(map(isolated, self.targets))}")


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
        Line(one.place, one.title, one.names, tuple(_points(members, number)))
        for number, one in enumerate(levels_of(first))
    ]
    up, *_, down = first.sides[-1]
    return timeline(
        lines, missing, title=title, ends=(up, down), threshold=first.rule.threshold, unit=unit,
        width=width,
    )  # fmt: skip


def _points(members: Sequence[tuple[int, AssociationResult]], number: int) -> Iterator[Point]:
    """One effect size of each result."""
    for at, result in members:
        level = levels_of(result)[number]
        text = "undefined" if level.d is None else f"{level.symbol} = {effect(level.d)}"
        p, low = level.p_of()
        if p is not None:
            text += f", {p_equals(p, level.rule.alpha, low)}"
        yield Point(at, level.d, level.interval, level.significant, text)


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


def timeline(
    lines: Sequence[Line],
    missing: Mapping[int, str],
    *,
    title: str,
    ends: tuple[str, str],
    threshold: float | None,
    unit: str = "year",
    width: float = WIDE,
) -> str:
    """Draw effect sizes by year, or by another number that rises."""
    years = sorted({point.year for line in lines for point in line.points} | set(missing))
    top, bottom = _TOP, _TOP + _HEIGHT
    across = _Years(tuple(years), width * (1 - _KEY))
    up = Axis.around(_values(lines, threshold), bottom, top)
    strip = _strip(lines, missing, across, bottom)
    below = bottom + (_STRIP if strip else 0.0)
    upright = f"rotate(-90) translate({-(top + bottom) / 2:g} 14)"
    shade = ""
    if threshold is not None:
        shade = _rect(_LEFT, up.at(threshold), across.end - _LEFT, up.at(-threshold))
    return figure(
        below + 62,
        *_gaps(missing, across, top, bottom),
        shade,
        up.grid(_LEFT, across.end, upright=True),
        *(_drawn(line, missing, across, up) for line in lines),
        *_keys(lines, up, (top, bottom), across.end, width),
        *strip,
        *across.draw(below),
        _end("↑", ends[0], top - 12, across.end),
        _end("↓", ends[1], below + 56, across.end),
        label(unit, (_LEFT + across.end) / 2, below + 36, size=12, text_anchor="middle"),
        tag("g", label("effect size d", 0, 0, size=12, text_anchor="middle"), transform=upright),
        title=title,
        alt=_in_words(lines, missing, unit),
        width=width,
        kind="timeline",
    )


def _rect(x: float, top: float, width: float, bottom: float, *inside: str) -> str:
    """A shaded rectangle."""
    size = {"x": x, "y": top, "width": width, "height": bottom - top}
    return tag("rect", *inside, **size, class_="fig-shade")


def _values(lines: Sequence[Line], threshold: float | None) -> Iterator[float]:
    for point in (point for line in lines for point in line.points):
        yield from () if point.d is None else (point.d,)
        yield from point.interval or ()
    if threshold is not None:
        yield from (-threshold, threshold)


@dataclass(frozen=True)
class _Years:
    """Years from left to right."""

    years: tuple[int, ...]
    end: float
    """Pixel of the right end."""

    @cached_property
    def closest(self) -> float:
        """Pixels between the two closest years."""
        places = [self.at(year) for year in self.years]
        return min((b - a for a, b in pairwise(places)), default=self.end - _LEFT)

    @property
    def size(self) -> float:
        """How large marks may be, 1 at most."""
        return max(0.5, min(1.0, self.closest / _MARK))

    def at(self, year: int) -> float:
        first, last = self.years[0], self.years[-1]
        share = (year - first) / (last - first) if last > first else 0.5
        return _LEFT + _INSET + share * (self.end - _LEFT - 2 * _INSET)

    def beside(self, year: int, side: int) -> float:
        """Where the mark of a line is."""
        return self.at(year) + side * min(3.0, 0.15 * self.closest)

    def draw(self, y: float) -> Iterator[str]:
        """A tick for every year, and as many numbers as there is room for."""
        ticks = "".join(f"M{self.at(year):.1f} {y:g}v4" for year in self.years)
        yield path(ticks, "fig-line")
        end = float("-inf")
        for year in self.years:
            half = pixels(str(year), LARGEST) / 2
            if self.at(year) - half < end + _APART:
                continue
            end = self.at(year) + half
            yield muted(str(year), self.at(year), y + 18)


def _end(arrow: str, name: str, y: float, end: float) -> str:
    """What lies up, or down."""
    return label(f"{arrow} {short(name, end - _LEFT - 20)}", _LEFT, y, size=12)


def _keys(
    lines: Sequence[Line], up: Axis, ends: tuple[float, float], x: float, width: float
) -> Iterator[str]:
    """The name of each line where it ends, moved as far as it takes for all to be read."""
    room = width - x - 28
    names = [(_level(line, up, sum(ends) / 2), line, _name_of(line, room)) for line in lines]
    ordered = sorted(names, key=lambda name: name[0])
    heights = [_LETTERS * len(written) + _BETWEEN for _, _, written in ordered]
    middles = apart([wanted for wanted, *_ in ordered], heights, *ends)
    for middle, (_, line, written) in zip(middles, ordered, strict=True):
        yield _key(line, written, middle, x)


def _level(line: Line, up: Axis, otherwise: float) -> float:
    """The height at which a line ends."""
    known = [point.d for point in line.points if point.d is not None]
    return up.at(known[-1]) if known else otherwise


def _name_of(line: Line, room: float) -> list[str]:
    """Its targets, each on two lines at most."""
    found: list[str] = []
    for target in line.targets:
        between = [AGAINST.strip()] if found else []
        found += [*between, *broken(target, room, 2)]
    return found


def _key(line: Line, written: Sequence[str], middle: float, end: float) -> str:
    """The mark and the name of a line."""
    first = middle + 4.5 - _LETTERS * (len(written) - 1) / 2
    shape = outline(mark_of(line.place), end + 14, round(first - 4.5, 1))
    mark = _styled(line, path(shape, "on"))
    names = (
        label(isolated(text), end + 24, first + _LETTERS * i, size=NAME)
        for i, text in enumerate(written)
    )
    return tag("g", tag("title", words(line.name)), mark, *names)


def _styled(line: Line, *children: str) -> str:
    """What belongs to a line, in its colour."""
    return tag("g", *children, class_=f"fig-series {TARGET_OF.get(line.place, '')}".strip())


def _drawn(line: Line, missing: Mapping[int, str], across: _Years, up: Axis) -> str:
    """Intervals as ribbons or, of single years, as bars; the line in pieces; a mark for each."""
    at = {p.year: across.beside(p.year, line.look[1]) for p in line.points}
    pieces = list(_pieces(line, missing))
    ribbons, bars = "", ""
    for piece in (run for one in pieces for run in _with_intervals(one)):
        ends = [(at[point.year], *map(up.at, point.interval or ())) for point in piece]
        if len(piece) == 1:
            bars += "".join(f"M{x:.1f} {low:.1f}V{high:.1f}" for x, low, high in ends)
        else:
            around = [(x, high) for x, _, high in ends] + [(x, low) for x, low, _ in ends[::-1]]
            ribbons += "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in around) + "z"
    whole = "".join(
        "M" + "L".join(f"{at[p.year]:.1f} {up.at(p.d):.1f}" for p in piece if p.d is not None)
        for piece in pieces
    )
    marks = [_mark(line, p, at[p.year], up, across.size) for p in line.points]
    return _styled(
        line,
        path(ribbons, "ribbon on") if ribbons else "",
        path(bars, "bar", stroke_opacity=0.4) if bars else "",
        path(whole, "open", stroke_dasharray=line.look[0]) if whole else "",
        *marks,
    )


def _with_intervals(piece: Sequence[Point]) -> Iterator[list[Point]]:
    """Runs of years that have an interval."""
    for known, run in groupby(piece, key=lambda point: point.interval is not None):
        if known:
            yield list(run)


def _mark(line: Line, point: Point, x: float, up: Axis, size: float) -> str:
    if point.d is None:
        return ""
    shape = outline(mark_of(line.place), round(x, 1), round(up.at(point.d), 1), size)
    tooltip = tag("title", words(f"{point.year}, {line.name}: {point.text}"))
    return path(shape, "on" if point.filled else "off", tooltip)


def _pieces(line: Line, missing: Mapping[int, str]) -> Iterator[list[Point]]:
    """Runs of years that have an effect size, with no missing year between."""
    piece: list[Point] = []
    for point in line.points:
        broken = piece and any(piece[-1].year < year < point.year for year in missing)
        if piece and (broken or point.d is None):
            yield piece
            piece = []
        if point.d is not None:
            piece.append(point)
    if piece:
        yield piece


def _gaps(missing: Mapping[int, str], across: _Years, top: float, bottom: float) -> Iterator[str]:
    """A column for each year without a result, so that nobody takes the gap for a short line."""
    width = max(3.0, min(16.0, 0.8 * across.closest))
    for year, why in missing.items():
        about = tag("title", words(f"{year}: {why}"))
        yield _rect(across.at(year) - width / 2, top, width, bottom, about)


def _strip(
    lines: Sequence[Line], missing: Mapping[int, str], across: _Years, bottom: float
) -> list[str]:
    """Below the plot: × for a year without a result, ? for one with an undefined effect size."""
    signs = {year: ("×", f"{year}: {why}") for year, why in missing.items()}
    for line in lines:
        for point in line.points:
            if point.d is None:
                before = f"{signs[point.year][1]}; " if point.year in signs else f"{point.year}, "
                undefined = f"{before}{line.name}: undefined"
                signs[point.year] = ("?", undefined)
    return [
        tag(
            "g", tag("title", words(why)),
            muted(sign, across.at(year), bottom + 15, size=14),
        )
        for year, (sign, why) in sorted(signs.items())
    ]  # fmt: skip


def _in_words(lines: Sequence[Line], missing: Mapping[int, str], unit: str) -> str:
    parts = [_line_in_words(line, unit) for line in lines]
    if missing:
        parts.append(f"without a result: {', '.join(map(str, missing))}")
    return "; ".join(parts)


def _line_in_words(line: Line, unit: str) -> str:
    """Where a line begins and ends, and how often p is below alpha."""
    known = [(point.year, point.d) for point in line.points if point.d is not None]
    name = line.name
    if not known:
        return f"{name}: undefined in every {unit}"
    (first, start), (last, end) = known[0], known[-1]
    filled = sum(point.filled for point in line.points)
    at = "" if unit == "year" else f"{unit} "
    return (
        f"{name}: d from {effect(start)} in {at}{first} to {effect(end)} in {at}{last}, "
        f"p below alpha in {filled} of {len(line.points)} {unit}s"
    )
