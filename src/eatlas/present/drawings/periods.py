"""Which EAT pattern each period shows, as rows below a timeline: one for each pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise

from eatlas.present.drawings.eat_map import PATTERNS, mini_map, states
from eatlas.present.drawings.svg import LARGEST, NAME, Axis, broken, label, path, short, tag, words
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult

SIDE, NAMES, LETTERS, LINE = 14.0, 26.0, 11.0, 13.0
"""Pixels of the map of a pattern, from the axis to its name, of its letters, of a line of these."""
INSET, HEADING, FOOT = 10.0, 24.0, 6.0
"""Pixels from the axis to its first period, of the heading of a series, and below all rows."""
PERIODS = (
    "Below, a stroke in the row of each EAT pattern, by the paper's rule, at each result that "
    "shows it."
)
"""What a caption says of the rows."""
Series = Mapping[float, AssociationResult]
Names = Mapping[float, str]
"""What each place on the axis is called."""


def patterns_below(
    series: Mapping[str, Series],
    missing: Mapping[float, str],
    names: Names,
    across: Axis,
    top: float,
    width: float,
    unit: str,
) -> tuple[str, float, str]:
    """Draw for each series a row for each of its patterns, marked at the periods that show it.

    Returns what is drawn, where it ends, and the same in words; nothing without patterns.
    """
    drawn, spoken, y = "", [], top
    for name, line in series.items():
        by_period = {at: r.primary.label for at, r in sorted(line.items()) if r.pattern is not None}
        if not by_period:
            continue
        title = f"EAT pattern by the paper's rule{f': {name}' * bool(name)}"
        left = across.start - INSET
        drawn += label(short(title, width - left, NAME), left, y + 16, size=NAME)
        y += HEADING
        for pattern in (known for known in PATTERNS if known in by_period.values()):
            row, high = _row(pattern, by_period, names, across, y, width, unit)
            drawn, y = drawn + row, y + high
        of = f" of {isolate(name)}" * bool(name)
        runs = ", ".join(_runs(by_period, missing, names, unit))
        spoken.append(f"EAT patterns{of} by the paper's rule: {runs}")
    return drawn, y + FOOT * bool(drawn), "; ".join(spoken)


def _row(
    pattern: str,
    by_period: Names,
    names: Names,
    across: Axis,
    top: float,
    width: float,
    unit: str,
) -> tuple[str, float]:
    """A pattern: a stroke at each period that shows it, its map and its name on the right."""
    left = across.end + NAMES
    lines = [pattern]
    if pixels(pattern, LARGEST) > width - left:
        lines = broken(pattern.replace("-", "- "), width - left, 2)
    high = LINE * len(lines) + 8
    middle, first = top + high / 2, top + high / 2 - LINE * (len(lines) - 1) / 2 + 4
    closest = min((b - a for a, b in pairwise(map(across.at, by_period))), default=INSET)
    strokes = "".join(
        path(
            f"M{across.at(at):.1f} {middle - 5:g}v10", "fig-ink",
            tag("title", words(f"{_at(unit)}{names[at]}: {pattern}")),
            stroke_width=max(1.0, min(8.0, 0.6 * closest)),
        )
        for at, shown in by_period.items()
        if shown == pattern
    )  # fmt: skip
    return "".join((
        path(f"M{across.start:.1f} {middle:g}H{across.end:.1f}", "fig-grid"),
        strokes,
        mini_map(states(pattern), left - SIDE - 4, middle - SIDE / 2, SIDE),
        *(label(text, left, first + LINE * n, size=LETTERS) for n, text in enumerate(lines)),
    )), high  # fmt: skip


def _at(unit: str) -> str:
    """What a number is in front of, unless it is a year."""
    return "" if unit == "year" else f"{unit} "


def _runs(by_period: Names, missing: Names, names: Names, unit: str) -> Iterator[str]:
    """Neighbouring periods that show one pattern: "A-Uniform in 1810 to 1890"."""
    for pattern, run in groupby(sorted({*by_period, *missing}), key=by_period.get):
        first, *_, last = [*run] * 2
        if pattern:
            span = f"{names[first]} to {names[last]}" if first < last else names[first]
            yield f"{pattern} in {_at(unit)}{span}"
