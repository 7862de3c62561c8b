"""How shares of patterns are drawn; :mod:`eatlas.plots.stability` says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import LINE, Canvas, Style, height_of, lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.legend import cells_of
from eatlas.present.charts.making import chart
from eatlas.present.charts.notes import listed
from eatlas.present.charts.squares import draw_cells, span
from eatlas.present.charts.theme import GRID, MUTED, ON
from eatlas.present.numbers import UNDEFINED, percent
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

_OTHER = "#6b6b75"  # bars of patterns that the terms as they are do not show
_MAP = 12.0
_ROW, _LABELS, _BAR = 32.0, 160.0, 300.0
_NAMES, _COLUMN, _CELL_BAR = 168.0, 72.0, 60.0
_PLAIN, _BOLD = Style(size=12), Style(size=12, weight="bold")
_HEADING = Style(size=11, align="center")
_SMALL = Style(size=11, colour=MUTED)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the frame of :func:`eatlas.plots.stability.prepare`."""
    results: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in records(given):
        results.setdefault((row["test"], row["series"]), []).append(row)
    groups = list(results.values())
    canvas = Canvas()
    if len(groups) == 1:
        width, height = _bars(canvas, groups[0])
    else:
        width, height = _table(canvas, groups)
    return chart(
        canvas.layers(tooltip=_tooltip()),
        width=width,
        height=height,
        title=altair().Title(_title(groups), subtitle=_subtitle(groups, width)),
        description=listed("EAT patterns among resamples", [_in_words(rows) for rows in groups]),
    )


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else percent(share)


def _bars(canvas: Canvas, rows: list[dict[str, Any]]) -> tuple[float, float]:
    """One result: a bar for each pattern, beside its EAT-Map."""
    for place, row in enumerate(rows):
        middle = 16 + place * _ROW
        draw_cells(canvas, cells_of(row["pattern"]), 0, middle - span(_MAP) / 2, (_MAP, _MAP))
        style = _BOLD if row["observed"] else _PLAIN
        canvas.write([row["pattern"]], 36, middle, style)
        _bar(canvas, row, _LABELS, middle - 8, (_BAR, 16))
        end = _LABELS + _BAR + 10
        canvas.write([_percent(row["share"])], end, middle, style)
        if row["observed"]:
            canvas.write(["observed"], end + 44, middle, _SMALL)
    return _LABELS + _BAR + 104, len(rows) * _ROW


def _table(canvas: Canvas, groups: list[list[dict[str, Any]]]) -> tuple[float, float]:
    """Several results: a row for each, a column for each pattern."""
    for place, row in enumerate(groups[0]):
        left = _NAMES + place * _COLUMN
        draw_cells(canvas, cells_of(row["pattern"]), left + 18, 4, (_MAP, _MAP))
        words = row["pattern"].replace("Non-Directional", "Non- Directional").replace("-", "- ")
        canvas.write(" ".join(words.split()).split(" "), left + 30, 44, _HEADING)
    several = len({rows[0]["series"] for rows in groups}) > 1
    y = 72.0
    for rows in groups:
        first = rows[0]
        name = f"{first['test']}: {first['series']}" if several else first["test"]
        lines = lines_of(name, _NAMES - 14)
        height = max(40.0, height_of(lines) + 10)
        middle = y + height / 2
        canvas.write(lines, 0, middle - (len(lines) - 1) * 6 * LINE)
        canvas.rule(0, y, _NAMES + 9 * _COLUMN, y, colour=GRID)
        if rows[0]["resamples"] is None:
            canvas.write(["not resampled"], _NAMES, middle, _SMALL)
        for place, row in enumerate(rows if rows[0]["resamples"] else []):
            left = _NAMES + place * _COLUMN
            _bar(canvas, row, left, middle + 2, (_CELL_BAR, 7))
            style = _BOLD if row["observed"] else _PLAIN
            canvas.write([_percent(row["share"])], left, middle - 7, style)
        y += height
    return _NAMES + 9 * _COLUMN, y


def _bar(
    canvas: Canvas, row: dict[str, Any], left: float, top: float, size: tuple[float, float]
) -> None:
    width, height = size
    told = {
        "test": row["test"], "series": row["series"], "pattern": row["pattern"],
        "percent": _percent(row["share"]), "observed": "yes" if row["observed"] else "no",
    }  # fmt: skip
    canvas.box(left, top, width, height, fill=GRID, **told)
    if row["share"]:
        colour = ON if row["observed"] else _OTHER
        canvas.box(left, top, max(1.0, row["share"] * width), height, fill=colour, **told)


def _title(groups: list[list[dict[str, Any]]]) -> str:
    if len(groups) == 1:
        return "EAT patterns among resamples of the terms"
    return "EAT patterns among resamples of the terms of each test"


def _subtitle(groups: list[list[dict[str, Any]]], width: float) -> list[str]:
    first = groups[0][0]
    names = {rows[0]["series"] for rows in groups}
    where = [f"Source: {first['series']}"] if len(names) == 1 else []
    if len(groups) == 1:
        where = [f"{first['test']}, source: {first['series']}"]
    counts = dict.fromkeys(
        (rows[0]["resamples"], rows[0]["over"]) for rows in groups if rows[0]["resamples"]
    )
    drawn = " or ".join(
        f"{int(n):,} resamples of {'targets and attributes' if over == 'both' else over}"
        for n, over in counts
    )
    notes = [
        *where,
        f"Share of {drawn} that show each pattern, not the probability "
        "that another study would. Red and bold: observed.",
    ]
    return [line for note in notes for line in lines_of(note, width)]


def _in_words(rows: list[dict[str, Any]]) -> str:
    known = sorted((r for r in rows if r["share"]), key=lambda row: -row["share"])
    shares = ", ".join(f"{row['pattern']} {_percent(row['share'])}" for row in known)
    observed = next((row["pattern"] for row in rows if row["observed"]), "none")
    head = f"{isolated(rows[0]['test'])}, {isolated(rows[0]['series'])}: observed {observed}"
    return f"{head}; {shares}" if shares else f"{head}; not resampled"


def _tooltip() -> list[Any]:
    titles = {
        "test": "test", "series": "source", "pattern": "pattern", "percent": "share",
        "observed": "observed",
    }  # fmt: skip
    return [altair().Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
