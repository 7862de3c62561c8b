"""How associations change: effect sizes of levels 1 and 2 by year (Figure 3 of the paper).

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, maps, marks, wording
from eatlas.present.charts.backend import alt, lines_of
from eatlas.present.charts.frames import Records
from eatlas.present.charts.theme import LEVELS, LOOKS, MUTED
from eatlas.present.comparison import steps
from eatlas.present.drawings.svg import apart
from eatlas.present.numbers import UNDEFINED
from eatlas.present.text import isolated
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    "test", "source", "signature", "series", "title", *"XYAB", "period", "state", "level", "role",
    "name", "effect_size", "low", "high", "confidence", "p", "p_low", "alpha", "tail",
    "significant", "pattern", "subject",
)  # fmt: skip
MOST_TICKS = 22
"""Periods that the axis names one by one."""
PANEL, HEIGHT, LABELS = 560, 250, 150.0
"""Pixels of a panel from left to right and from top to bottom; of a line of the names at its right
end."""
THICK, THIN = 3.0, 1.4
"""Pixels of the lines of level 1, and of others."""
SMALL, BELOW = 9, 32
"""Pixels of a cell of a small EAT-Map, and of the room below the panel."""


def prepare(results: object, *, periods: Iterable[int] | None = None) -> pd.DataFrame:
    """Make a row of each effect size in each period, also of periods without a result."""
    why = "a timeline shows effect sizes of levels 1 and 2"
    found = frames.some_results(results, "timeline", "level1", why)
    bare = [result for result in found if result.period is None]
    if bare:
        raise ResultsError(
            "a timeline needs the period of every result",
            got=f"{len(bare)} of {len(found)} results without one, the first of them of "
            f"{bare[0].test} on {bare[0].source}",
            allowed="results of vectors of a year or decade",
            remedy="leave the others out: [r for r in results if r.period is not None]",
        )
    years = steps(year for result in found if (year := result.period) is not None)
    grid = years if periods is None else sorted(set(periods))
    rows: list[dict[str, Any]] = []
    settings = Settings.among(found)
    for (test, source, signature), several in frames.lines_by_period(found).items():
        names = {settings.sources[result.source] for result in several}
        series = names.pop() if source or len(names) == 1 else f"{len(names)} sources"
        head = {"test": test, "signature": signature, "series": series}
        rows += frames.rows_by_period(head | {"subject": settings.subject}, several, grid)
    return frames.frame(rows, COLUMNS)


@dataclass(frozen=True)
class Across:
    """What runs from left to right, in the words of the chart."""

    unit: str = "year"
    heading: str = "Effect sizes over time"
    name: str = "Timeline"
    axis: str = "Year"


def draw(given: pd.DataFrame, across: Across = Across()) -> Chart:
    """Draw a panel for each test and source; periods without a result are marked."""
    found = frames.records(given)
    known = [row for row in found if row["state"] != "missing"]
    years = sorted({row["period"] for row in found})
    several, domain = len({row["signature"] for row in found}) > 1, marks.reach(found)
    panels = [
        _panel(rows, years, across, domain).properties(title=_title(rows[0], several))
        for _, rows in frames.grouped(found, "test", "series", "signature")
    ]
    title = marks.title(across.heading, _notes(found))
    return marks.below(panels, title=title, description=wording.described(across.name, known))


def _title(first: dict[str, Any], several: bool) -> Any:  # noqa: FBT001
    """The heading of a panel: its test and source, and what is up."""
    source = f"Source: {first['series']}" + (f". {first['signature']}" if several else "")
    ends = f"Up: towards {first['A']}. Down: towards {first['B']}."
    return marks.title(wording.named(first), [source, ends])


def _panel(rows: Records, years: list[int], across: Across, domain: list[float] | None) -> Any:
    """One test on one source: a line, its ribbon and its points for each effect size."""
    drawn = [row | {"line": _line(row, long=True)} | _texts(row) for row in rows]
    kinds = {row["line"]: LEVELS[LOOKS[row["role"]]] for row in drawn}
    colour, shape, dash = marks.looks("line", kinds, legend=False)
    ticks = {"values": years} if len(years) <= MOST_TICKS else {"tickCount": 10}
    square = min(SMALL, 0.42 * (0.55 * marks.line() if marks.is_narrow() else PANEL) / len(years))
    beneath = any(row["pattern"] or row["state"] != "found" for row in rows)
    x = alt.X(
        "period:Q",
        scale=alt.Scale(domain=[years[0], years[-1]], zero=False, nice=False, padding=14),
        axis=alt.Axis(
            title=across.axis, format="d", grid=False, labelAngle=0, labelFlush=False,
            offset=BELOW if beneath else 0, **ticks,
        ),
    )  # fmt: skip
    scale = alt.Undefined if domain is None else alt.Scale(domain=domain)
    y = partial(alt.Y, title="Effect size d", axis=alt.Axis(grid=True, tickCount=6), scale=scale)
    wide = alt.condition("datum.level == 'level 1'", alt.value(THICK), alt.value(THIN))
    layers = [
        marks.rule(y=alt.datum(0)),
        alt.Chart().mark_area(opacity=0.13, aria=False).encode(y=y("low:Q"), y2="high:Q"),
        alt.Chart().mark_line(aria=False)
        .encode(y=y("effect_size:Q"), strokeDash=dash, strokeWidth=wide),
        *marks.points(shape, "significant", y=y("effect_size:Q")),
        *maps.squares(None, square, y=BELOW / 2 + 2),
        marks.text("ends", None, align="left", dx=12).encode(y=y("place:Q")),
        marks.text("sign", MUTED, x=None, fontSize=14, dy=BELOW / 2)
        .encode(y=alt.value("height"), description="words:N"),
    ]  # fmt: skip
    hover = [alt.Tooltip("period:Q", title=across.unit, format="d"), *wording.effect_tooltip()]
    cells = (
        cell | {"period": period}
        for (period, pattern), _ in frames.grouped(rows, "period", "pattern")
        for cell in (maps.cells_of(pattern) if pattern else ())
    )
    data = frames.frame([*_labelled(drawn, domain), *cells])
    chart = alt.layer(*layers, data=data).encode(x=x, color=colour, tooltip=hover)
    return chart.properties(width=PANEL, height=HEIGHT)


def _labelled(drawn: Records, domain: list[float] | None) -> Records:
    """Name each line at its right end, with room between the names."""
    last = {row["line"]: row for row in drawn if row["effect_size"] is not None}
    ends = sorted(last.values(), key=lambda row: -row["effect_size"])
    sizes = [row["effect_size"] for row in ends]
    low, high = domain or (sizes[-1] - 0.5, sizes[0] + 0.5)
    unit = marks.LINE * (high - low) / HEIGHT
    names = [lines_of(_line(row), marks.line(LABELS)) for row in ends]
    heights = [len(lines) * unit for lines in names]
    middles = apart([-size for size in sizes], heights, -high, -low)
    texts = {
        id(row): {"ends": "\n".join(lines), "place": -middle + (height - unit) / 2}
        for row, lines, height, middle in zip(ends, names, heights, middles, strict=True)
    }
    return [row | texts.get(id(row), {}) for row in drawn]


def _notes(found: Records) -> list[str]:
    """What marks, ribbons, maps and signs mean."""
    known = [row for row in found if row["state"] != "missing"]
    states = {row["state"] for row in found}
    signs = {"missing": "×: no result for this period.", "undefined": "?: effect size undefined."}
    notes = ["Thick: level 1; thin: level 2.", *wording.effect_notes(known, "Filled", "Ribbons")]
    if any(row["pattern"] for row in found):
        notes.append("Below: EAT-Maps; columns X and Y, rows A and B.")
    if all(row["low"] is None for row in known):
        notes.append("No intervals: these results were not measured with other words (resamples).")
    said = " ".join(meaning for state, meaning in signs.items() if state in states)
    return [" ".join(notes), *filter(None, [said])]


def _line(row: dict[str, Any], *, long: bool = False) -> str:
    """The name of a line, at its end without its level."""
    levels = {"AB": "Over attributes", "XY": "Level 1"}
    level = levels.get(row["role"], f"Level 2, {row['role']}")
    return f"{level}: {wording.targets(row)}" if long else wording.targets(row)


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    """Texts of a point, or of the sign for a period without one."""
    if row["state"] == "found":
        return wording.shown(row)
    sign, why = "×", "no result"
    if row["state"] == "undefined":
        sign, why = "?", f"effect size undefined for {isolated(row['name'])}"
    none = {"significant": None, "interval": UNDEFINED, "p_shown": UNDEFINED}
    return none | {"sign": sign, "words": f"{row['period']}: {why}", "d": why}
