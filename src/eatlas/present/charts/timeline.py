"""How associations change: effect sizes of levels 1 and 2 by year (Figure 3 of the paper).

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.frames import (
    frame,
    grouped,
    lines_by_period,
    records,
    rows_by_period,
    some_results,
)
from eatlas.present.charts.layers import (
    described,
    effect_notes,
    effect_tooltip,
    looks,
    points,
    shown,
    title,
    zero,
)
from eatlas.present.charts.theme import LEVELS, LOOKS, MUTED
from eatlas.present.comparison import steps
from eatlas.present.numbers import UNDEFINED
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    "test", "source", "signature", "series", "title", *"XYAB", "period", "state", "level", "role",
    "name", "effect_size", "low", "high", "confidence", "p", "p_low", "alpha", "tail",
    "significant",
)  # fmt: skip
MOST_TICKS = 22
"""Periods that the axis names one by one."""


def prepare(results: object, *, periods: Iterable[int] | None = None) -> pd.DataFrame:
    """Make a row of each effect size in each period, also of periods without a result.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT (three lines) or WEAT (one), each with its `period`.
    periods : iterable of int, optional
        All years that there should be. Without it: those of the results and, where their
        distances are multiples of the smallest and half of the steps are there, the steps between.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``series`` (one panel each), ``title``; ``X``, ``Y``,
        ``A``, ``B`` (names of the groups); ``period``; ``state`` ("found", "undefined" without
        an effect size, "missing" without a result); ``level`` ("level 1", "level 2"), ``role``
        ("XY", "X", "Y"), ``name`` (of the targets); ``effect_size``, ``low``, ``high``,
        ``confidence``, ``p``, ``p_low``, ``alpha``, ``tail``, ``significant``; in the order of the
        periods.

    Raises
    ------
    ResultsError
        If there is no result, one of another measure, one without a period, or two of one test,
        source, measure and period.

    Examples
    --------
    >>> import eatlas
    >>> (result,) = eatlas.run(tests="weat-7")
    >>> series = [result.model_copy(update={"period": year}) for year in (1970, 1980, 2000)]
    >>> prepare(series).query("role == 'XY'")["state"].tolist()
    ['found', 'found', 'missing', 'found']
    """
    why = "a timeline shows effect sizes of levels 1 and 2"
    found = some_results(results, "timeline", "level1", why)
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
    for (test, source, signature), line in lines_by_period(found).items():
        sources = {result.source for result in line}
        series = source or (f"{len(sources)} sources" if len(sources) > 1 else sources.pop())
        rows += rows_by_period({"test": test, "signature": signature, "series": series}, line, grid)
    return frame(rows, COLUMNS)


@dataclass(frozen=True)
class Across:
    """What runs from left to right, in the words of the chart."""

    unit: str = "year"
    heading: str = "Effect sizes over time"
    name: str = "Timeline"
    axis: str = "Year"


def draw(given: pd.DataFrame, across: Across = Across()) -> Chart:
    """Draw a panel for each test and source; periods without a result are marked.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some panels of it.
    across : Across, optional
        The words for what runs from left to right.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    alt = altair()
    found = records(given)
    known = [row for row in found if row["state"] != "missing"]
    years = sorted({row["period"] for row in found})
    signatures = len({row["signature"] for row in found}) > 1
    notes = _notes(known, {row["state"] for row in found})
    drawn = []
    for _, rows in grouped(found, "test", "series", "signature"):
        first = rows[0]
        name = ": ".join(filter(None, (first["test"], first["title"])))
        source = f"Source: {first['series']}" + (f". {first['signature']}" if signatures else "")
        ends = f"Up: towards {first['A']}. Down: towards {first['B']}."
        drawn.append((_panel(rows, years, across), name, [source, ends]))
    words = described(across.name, known)
    if len(drawn) == 1:
        ((panel, name, about),) = drawn
        heading = title(across.heading, [name, *about, *notes])
        return themed(panel, title=heading, description=words)
    panels = [panel.properties(title=title(name, about)) for panel, name, about in drawn]
    chart = alt.vconcat(*panels, spacing=26).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )
    return themed(chart, title=title(across.heading, notes), description=words)


def _panel(rows: list[dict[str, Any]], years: list[int], across: Across) -> Any:
    """One test on one source: a line, its interval and its points for each effect size."""
    alt = altair()
    colour, shape, dash = looks("line", {_line(row): LEVELS[LOOKS[row["role"]]] for row in rows})
    dash["legend"] = None
    ticks = {"values": years} if len(years) <= MOST_TICKS else {"tickCount": 10}
    gaps = any(row["state"] != "found" for row in rows)
    x = alt.X(
        "period:Q",
        scale=alt.Scale(domain=[years[0], years[-1]], zero=False, nice=False, padding=14),
        axis=alt.Axis(
            title=across.axis, format="d", grid=False, labelAngle=0, labelFlush=False,
            offset=20 if gaps else 0, **ticks,
        ),
    )  # fmt: skip
    y = partial(alt.Y, title="Effect size d", axis=alt.Axis(grid=True, tickCount=6))
    band = alt.Chart().encode(y=y("low:Q"), y2="high:Q")
    sign = alt.Chart().mark_text(fontSize=14, dy=10).transform_filter("isValid(datum.sign)")
    layers = [
        zero(y=alt.datum(0), x=alt.value(0), x2=alt.value("width")),
        band.mark_area(opacity=0.15, aria=False),
        band.mark_rule(opacity=0.4, aria=False),
        alt.Chart().mark_line(aria=False).encode(y=y("effect_size:Q"), strokeDash=dash),
        *points(shape, "significant", y=y("effect_size:Q")),
        sign.encode(
            y=alt.value("height"), text="sign:N", color=alt.value(MUTED), description="words:N"
        ),
    ]
    hover = [alt.Tooltip("period:Q", title=across.unit, format="d"), *effect_tooltip()]
    drawn = frame(row | {"line": _line(row)} | _texts(row) for row in rows)
    chart = alt.layer(*layers, data=drawn).encode(x=x, color=colour, tooltip=hover)
    return chart.properties(width=620, height=250)


def _notes(known: list[dict[str, Any]], states: set[str]) -> list[str]:
    """What marks and bands mean."""
    signs = {"missing": "×: no result for this period.", "undefined": "?: effect size undefined."}
    marks = " ".join(meaning for state, meaning in signs.items() if state in states)
    notes = " ".join(effect_notes(known)).replace("Filled and starred", "Filled")
    return [notes.replace("Bars", "Bands"), *filter(None, [marks])]


def _line(row: dict[str, Any]) -> str:
    if row["role"] == "AB":
        return f"Over attributes: {row['A']} against {row['B']}"
    if row["level"] == "level 1":
        return f"Level 1: {row['X']} against {row['Y']}"
    return f"Level 2, {row['role']}: {row['name']}"


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    """Texts of a point, or of the sign for a period without one."""
    if row["state"] == "found":
        return shown(row)
    missing = row["state"] == "missing"
    why = "no result" if missing else f"effect size undefined for {isolated(row['name'])}"
    sign, words = "×" if missing else "?", f"{row['period']}: {why}"
    none = {"significant": None, "interval": UNDEFINED, "p_shown": UNDEFINED}
    return none | {"sign": sign, "words": words, "d": why}
