"""How a timeline is drawn; :mod:`eatlas.plots.timeline` says what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import Canvas, Style, around, at, lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.making import panels
from eatlas.present.charts.notes import described, effect_notes, effect_tooltip, shown
from eatlas.present.charts.theme import LEVELS, MUTED, PAPER
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Panels

_PLOT, _HEIGHT, _STRIP = 620.0, 250.0, 18.0
_HEADING = Style(size=13, weight="bold")
_SMALL = Style(size=11, colour=MUTED)
_MOST_TICKS = 22
_DODGE = {"level 1": 0.0, "X": -4.0, "Y": 4.0, "attributes": 8.0}
_DASHES = {"level 1": [1, 0], "X": [7, 3], "Y": [2, 2], "attributes": [10, 2]}


@dataclass(frozen=True)
class Across:
    """What runs from left to right."""

    unit: str = "year"
    heading: str = "Effect sizes over time"
    name: str = "Timeline"
    axis: str = ""
    """Title of the axis, where the unit alone does not say it."""


def draw(given: pd.DataFrame, across: Across = Across()) -> Panels:
    """Draw the frame of :func:`eatlas.plots.timeline.prepare`, or one like it."""
    rows = records(given)
    place = dict.fromkeys((row["test"], row["series"], row["signature"]) for row in rows)
    several = len({row["signature"] for row in rows}) > 1
    found = [row for row in rows if row["state"] != "missing"]
    years = [min(row["period"] for row in rows), max(row["period"] for row in rows)]
    drawn = [
        _panel(
            [row for row in rows if (row["test"], row["series"], row["signature"]) == key],
            years, across, with_signature=several,
        )
        for key in place
    ]  # fmt: skip
    return panels(
        drawn,
        spacing=26,
        title=altair().Title(across.heading, subtitle=_subtitle(rows, found)),
        description=described(across.name, found),
    )


def _subtitle(rows: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[str]:
    notes = [note.replace("Filled and starred", "Filled") for note in effect_notes(found)]
    marks = []
    if any(row["state"] == "missing" for row in rows):
        marks.append("×: no result for this period.")
    if any(row["state"] == "undefined" for row in rows):
        marks.append("?: effect size undefined.")
    notes += [" ".join(marks)] if marks else []
    return [line for note in notes for line in lines_of(note, _PLOT)]


def _panel(
    rows: list[dict[str, Any]], years: list[int], what: Across, *, with_signature: bool
) -> Any:
    canvas = Canvas()
    top = _key(canvas, rows, _head(canvas, rows[0], with_signature=with_signature)) + 6
    bottom = top + _HEIGHT
    across, up = _scales(rows, years, (bottom, top), what)
    points = [{**row, **LEVELS[_key_of(row)], **_told(row)} for row in rows]
    layers = [_zero(up), *_intervals(points, across, up), *_lines(points, across, up, what.unit)]
    absent = _absent(points, across, bottom + _STRIP / 2 + 2)
    layers += [*absent, *canvas.layers()]
    return altair().layer(*layers, width=_PLOT, height=bottom + (_STRIP if absent else 0.0))


def _head(canvas: Canvas, first: dict[str, Any], *, with_signature: bool) -> float:
    """What the panel is about; return where the next line stands."""
    names = [first["test"], *([first["title"]] if first["title"] else [])]
    y = canvas.write(lines_of(": ".join(names), _PLOT, 13), 0, 6, _HEADING)
    about = f"Source: {first['series']}"
    if with_signature:
        about += f". {first['signature']}"
    y = canvas.write(lines_of(about, _PLOT, 11), 0, y, _SMALL)
    ends = f"Up: towards {first['A']}. Down: towards {first['B']}."
    return canvas.write(lines_of(ends, _PLOT, 11), 0, y, _SMALL) + 6


def _key(canvas: Canvas, rows: list[dict[str, Any]], y: float) -> float:
    """What each line shows."""
    for row in {_key_of(row): row for row in rows}.values():
        look = LEVELS[_key_of(row)]
        canvas.mark(14, y, size=60, fill=look["colour"], **look)
        for start, end in _strokes(_key_of(row)):
            canvas.rule(start, y, end, y, colour=look["colour"])
        text = f"Level 1: {row['X']} against {row['Y']}"
        if row["level"] == "level 2":
            text = f"Level 2, {row['role']}: {row['name']}"
        if row["role"] == "AB":
            text = f"Over attributes: {row['A']} against {row['B']}"
        y = canvas.write(lines_of(text, _PLOT - 40), 36, y) + 3
    return y


def _strokes(key: str, length: float = 28.0) -> list[tuple[float, float]]:
    """The dashes of a line, from its start."""
    dash, gap = _DASHES[key]
    found, x = [], 0.0
    while x < length:
        found.append((x, min(x + (dash if gap else length), length)))
        x += dash + gap if gap else length
    return found


def _scales(
    rows: list[dict[str, Any]], years: list[int], heights: tuple[float, float], what: Across
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Year, layer or window from left to right, effect size from bottom to top."""
    alt = altair()
    room = 0.03 * (years[1] - years[0]) or 1.0
    values = (row[name] for row in rows for name in ("effect_size", "low", "high"))
    periods = sorted({row["period"] for row in rows})
    ticks = {"values": periods} if len(periods) <= _MOST_TICKS else {"tickCount": 10}
    return {
        "scale": alt.Scale(
            domain=[years[0] - room, years[1] + room], range=[0, _PLOT], nice=False, zero=False
        ),
        "axis": alt.Axis(
            title=what.axis or what.unit.capitalize(),
            format="d",
            grid=False,
            labelAngle=0,
            **ticks,
        ),
    }, {
        "scale": alt.Scale(domain=around(values), range=list(heights), nice=False),
        "axis": alt.Axis(title="Effect size d", tickCount=6),
    }


def _key_of(row: dict[str, Any]) -> str:
    return {"XY": "level 1", "AB": "attributes"}.get(row["role"], str(row["role"]))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """Look and texts of a point; there is none without an effect size."""
    if row["state"] != "found":
        return {}
    colour = LEVELS[_key_of(row)]["colour"]
    return {**shown(row), "fill": colour if row["significant"] else PAPER}


def _zero(up: dict[str, Any]) -> Any:
    alt = altair()
    return (
        alt.Chart(alt.InlineData(values=[{"d": 0.0}]))
        .mark_rule(color=MUTED, strokeWidth=1.2, aria=False)
        .encode(y=alt.Y("d:Q", **up))
    )


def _intervals(
    points: list[dict[str, Any]], across: dict[str, Any], up: dict[str, Any]
) -> list[Any]:
    """Intervals as thin bars, those of the three lines beside each other."""
    alt = altair()
    return [
        alt.Chart(alt.InlineData(values=known))
        .mark_rule(
            opacity=0.5, strokeWidth=1.4, xOffset=_DODGE[_key_of(known[0])], aria=False,
            stroke=known[0]["colour"],
        )
        .encode(x=alt.X("period:Q", **across), y=alt.Y("low:Q", **up), y2="high:Q")
        for line in _by_line(points)
        if (known := [point for point in line if point["low"] is not None])
    ]  # fmt: skip


def _lines(
    points: list[dict[str, Any]], across: dict[str, Any], up: dict[str, Any], unit: str
) -> list[Any]:
    """A line for each effect size, broken where there is none, and its points above it."""
    alt = altair()
    layers = []
    x, y = alt.X("period:Q", **across), alt.Y("effect_size:Q", **up)
    for line in _by_line(points):
        base = alt.Chart(alt.InlineData(values=line))
        key = _key_of(line[0])
        path = base.mark_line(
            stroke=line[0]["colour"], strokeWidth=2, strokeDash=_DASHES[key],
            xOffset=_DODGE[key], aria=False,
        ).encode(x=x, y=y)  # fmt: skip
        marks = (
            base.transform_filter("isValid(datum.effect_size)")
            .mark_point(size=60, opacity=1, strokeWidth=1.8, xOffset=_DODGE[key])
            .encode(
                x=x,
                y=y,
                stroke=alt.Stroke("colour:N", scale=None),
                fill=alt.Fill("fill:N", scale=None),
                shape=alt.Shape("shape:N", scale=None),
                description="words:N",
                tooltip=[alt.Tooltip("period:Q", title=unit, format="d"), *effect_tooltip()],
            )
        )
        layers += [path, marks]
    return layers


def _by_line(points: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    ordered = sorted(points, key=lambda row: (row["level"], row["role"], row["period"]))
    return [list(line) for _, line in groupby(ordered, key=_key_of)]


def _absent(points: list[dict[str, Any]], across: dict[str, Any], y: float) -> list[Any]:
    """Marks below the plot for periods without a result or without an effect size."""
    alt = altair()
    marks: dict[int, dict[str, Any]] = {}
    for point in points:
        if point["state"] != "found":
            sign = "×" if point["state"] == "missing" else "?"
            names = [*marks.get(point["period"], {}).get("names", []), point["name"]]
            marks[point["period"]] = {
                "period": point["period"], "y": y, "sign": sign, "names": names,
                "words": f"{point['period']}: {_why(point['state'], names)}",
            }  # fmt: skip
    if not marks:
        return []
    return [
        alt.Chart(alt.InlineData(values=list(marks.values())))
        .mark_text(fontSize=14, color=MUTED, baseline="middle")
        .encode(
            x=alt.X("period:Q", **across),
            y=at("y", "y"),
            text="sign:N",
            description="words:N",
            tooltip=alt.Tooltip("words:N", title="no point"),
        )
    ]


def _why(state: str, names: list[str]) -> str:
    if state == "missing":
        return "no result"
    return f"effect size undefined for {', '.join(isolated(name) for name in names)}"
