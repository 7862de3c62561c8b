"""Effect sizes by year, layer or window: a line for each level, broken where one has no result.

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from eatlas.present.drawings.figures import mark_of, outline
from eatlas.present.drawings.svg import (
    LARGEST,
    NAME,
    Axis,
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
_TOP, _BOTTOM, _STRIP = 30.0, 280.0, 18.0
_LETTERS, _BETWEEN = 14.0, 8.0
"""Pixels of a line of a name, and between two names."""
_INSET, _MARK, _APART = 10.0, 11.0, 6.0
"""Pixels between the axis and the first year; between two years below which marks shrink; between
the numbers of two years."""

Line = Mapping[int, Effect]
"""One effect size by year."""


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


def name_of(line: Line) -> str:
    """What a line shows, in full."""
    first = next(iter(line.values()))
    return one_line(f"{first.title}: {' against '.join(map(isolated, first.names))}")


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
    lines: list[Line] = [
        {at: levels_of(result)[i] for at, result in members} for i in range(len(levels_of(first)))
    ]
    threshold, sides = first.rule.threshold, first.sides[-1]
    years, end = sorted({at for at, _ in members} | set(missing)), width * (1 - _KEY)
    ends = (years[0], years[-1]) if len(years) > 1 else (years[0] - 1, years[0] + 1)
    across = Axis(*ends, 1, _LEFT + _INSET, end - _INSET)
    closest = min(
        (across.at(b) - across.at(a) for a, b in pairwise(years)), default=across.end - across.start
    )
    values = [v for line in lines for e in line.values() for v in (e.d, *(e.interval or ()))]
    band = [] if threshold is None else [-threshold, threshold]
    up = Axis.around([*band, *(v for v in values if v is not None)], _BOTTOM, _TOP)
    parts = []
    for year, why in missing.items():  # so that nobody takes a gap for a short line
        wide, about = max(3.0, min(16.0, 0.8 * closest)), tag("title", words(f"{year}: {why}"))
        parts.append(_rect(across.at(year) - wide / 2, _TOP, wide, _BOTTOM, about))
    if band:
        parts.append(_rect(_LEFT, up.at(band[1]), end - _LEFT, up.at(band[0])))
    parts.append(up.grid(_LEFT, end, upright=True))
    parts += [_drawn(line, missing, across, up, closest) for line in lines]
    parts.append(_keys(lines, up, end, width))
    # below the plot: × for a year without a result, ? for one with an undefined effect size
    signs = {year: ("×", [f"{year}: {why}"]) for year, why in missing.items()}
    for line in lines:
        for year, shown in line.items():
            if shown.d is None:
                _, reasons = signs.get(year, ("", [str(year)]))
                signs[year] = ("?", [*reasons, f"{name_of(line)}: undefined"])
    for year, (sign, reasons) in sorted(signs.items()):
        tooltip = tag("title", words("; ".join(reasons)))
        parts.append(tag("g", tooltip, muted(sign, across.at(year), _BOTTOM + 15, size=14)))
    below = _BOTTOM + (_STRIP if signs else 0.0)
    parts.append(path("".join(f"M{across.at(y):.1f} {below:g}v4" for y in years), "fig-line"))
    taken = float("-inf")
    for year in years:  # as many numbers as there is room for
        x, half = across.at(year), pixels(str(year), LARGEST) / 2
        if x - half >= taken + _APART:
            taken = x + half
            parts.append(muted(str(year), x, below + 18))
    for arrow, name, y in (("↑", sides[0], _TOP - 12), ("↓", sides[-1], below + 56)):
        parts.append(label(f"{arrow} {short(name, end - _LEFT - 20)}", _LEFT, y))
    upright = f"rotate(-90) translate({-(_TOP + _BOTTOM) / 2:g} 14)"
    parts.append(label(unit, (_LEFT + end) / 2, below + 36, anchor="middle"))
    parts.append(tag("g", label("effect size d", 0, 0, anchor="middle"), transform=upright))
    alt = _in_words(lines, missing, unit)
    return figure(below + 62, *parts, title=title, alt=alt, width=width, kind="figure timeline")


def _rect(x: float, top: float, width: float, bottom: float, *inside: str) -> str:
    """A shaded rectangle."""
    size = {"x": x, "y": top, "width": width, "height": bottom - top}
    return tag("rect", *inside, **size, class_="fig-shade")


def _keys(lines: Sequence[Line], up: Axis, x: float, width: float) -> str:
    """The name of each line where it ends, moved as far as it takes for all to be read."""
    named = []
    for line in lines:
        known = [shown.d for shown in line.values() if shown.d is not None]
        level = up.at(known[-1]) if known else (up.start + up.end) / 2
        texts: list[str] = []
        for name in next(iter(line.values())).names:
            texts += [*(["against"] if texts else []), *broken(name, width - x - 28, 2)]
        named.append((level, line, texts))
    named.sort(key=lambda key: key[0])
    heights = [_LETTERS * len(texts) + _BETWEEN for *_, texts in named]
    middles, edge = [], _TOP
    for (level, *_), height in zip(named, heights, strict=True):
        middles.append(max(level, edge + height / 2))
        edge = middles[-1] + height / 2
    edge = _BOTTOM
    for i in reversed(range(len(middles))):  # what went past the end moves back
        middles[i] = min(middles[i], edge - heights[i] / 2)
        edge = middles[i] - heights[i] / 2
    keys = ""
    for middle, (_, line, texts) in zip(middles, named, strict=True):
        start = middle + 4.5 - _LETTERS * (len(texts) - 1) / 2
        shape, colour = mark_of(next(iter(line.values())).place)
        names = (
            label(isolated(text), x + 24, start + _LETTERS * i, size=NAME)
            for i, text in enumerate(texts)
        )
        mark = path(outline(shape, x + 14, round(start - 4.5, 1)), "on")
        series = tag("g", mark, class_=f"fig-series {colour}".strip())
        keys += tag("g", tag("title", words(name_of(line))), series, *names)
    return keys


def _drawn(line: Line, missing: Mapping[int, str], across: Axis, up: Axis, closest: float) -> str:
    """A line in pieces, with a bar for each interval and a mark for each year."""
    place = next(iter(line.values())).place
    (dashes, side), (shape, colour) = LOOKS.get(place, LOOKS["level1"]), mark_of(place)
    size = max(0.5, min(1.0, closest / _MARK))
    bars, whole, marks, before = "", "", [], None
    for year, shown in line.items():
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
        p = shown.p_of()
        of_p = "" if p is None else f", {p_equals(p, shown.rule.alpha)}"
        text = f"{year}, {name_of(line)}: {shown.symbol} = {effect(shown.d)}{of_p}"
        mark = outline(shape, round(x, 1), round(y, 1), size)
        kind = "on" if shown.significant else "off"
        marks.append(path(mark, kind, tag("title", words(text))))
    return tag(
        "g",
        path(bars, "bar", stroke_opacity=0.4) if bars else "",
        path(whole, "open", stroke_dasharray=dashes) if whole else "",
        *marks,
        class_=f"fig-series {colour}".strip(),
    )


def _in_words(lines: Sequence[Line], missing: Mapping[int, str], unit: str) -> str:
    """Where each line begins and ends, and how often p is below alpha."""
    at = "" if unit == "year" else f"{unit} "
    parts = []
    for line in lines:
        known = [(year, shown.d) for year, shown in line.items() if shown.d is not None]
        if not known:
            parts.append(f"{name_of(line)}: undefined in every {unit}")
            continue
        (first, start), (last, end) = known[0], known[-1]
        filled = sum(shown.significant for shown in line.values())
        parts.append(
            f"{name_of(line)}: d from {effect(start)} in {at}{first} to {effect(end)} in {at}{last}"
            f", p below alpha in {filled} of {len(line)} {unit}s"
        )
    if missing:
        parts.append(f"without a result: {', '.join(map(str, missing))}")
    return "; ".join(parts)
