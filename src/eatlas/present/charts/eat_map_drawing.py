"""How several EAT-Maps are laid out and drawn; :mod:`eatlas.plots.eat_map` says what they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import LINE, Canvas, Style, height_of, lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.making import chart
from eatlas.present.charts.notes import listed
from eatlas.present.charts.squares import draw_cells
from eatlas.present.charts.theme import MUTED
from eatlas.present.effects import Rule
from eatlas.present.numbers import effect, p_equals, p_value
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

_NAMES, _CELL, _LEAST, _GAP = 84.0, 84.0, 48.0, 3.0
_MAP = _NAMES + 2 * _CELL + _GAP
_BETWEEN, _BELOW = 26.0, 24.0
_TEST = Style(size=12, colour=MUTED)
_PATTERN = Style(size=14, weight="bold")
_ROW_NAME = Style(align="right")
_COLUMN_NAME = Style(align="center")
_D = Style(size=12.5, weight="bold", align="center")
_P = Style(size=11, align="center", colour=MUTED)
_NOTE = Style(size=11, colour=MUTED)


@dataclass
class _Map:
    """One map, its names broken into lines."""

    cells: dict[str, dict[str, Any]]
    heading: list[str]
    columns: dict[str, list[str]]
    rows: dict[str, list[str]]

    @classmethod
    def of(cls, rows: list[dict[str, Any]], *, with_series: bool) -> _Map:
        cells = {row["cell"]: row for row in rows}
        first = rows[0]
        series = lines_of(first["series"], _MAP) if with_series else []
        return cls(
            cells,
            lines_of(first["test"], _MAP) + series,
            {r: lines_of(cells[f"{r}A"]["target"], _CELL) for r in "XY"},
            {r: lines_of(cells[f"X{r}"]["attribute"], _NAMES - 8) for r in "AB"},
        )

    @property
    def note(self) -> list[str]:
        """The two-sided pattern, where it differs."""
        first = self.cells["XA"]
        if first["two_sided_pattern"] == first["pattern"]:
            return []
        return lines_of(f"two-sided rule: {first['two_sided_pattern']}", _MAP - _NAMES, 11)


def draw(given: pd.DataFrame, columns: int) -> Chart:
    """Draw the frame of :func:`eatlas.plots.eat_map.prepare`."""
    found = records(given)
    several = len({row["series"] for row in found}) > 1
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in found:
        grouped.setdefault((row["test"], row["series"]), []).append(row)
    maps = [_Map.of(rows, with_series=several) for rows in grouped.values()]
    canvas, y = Canvas(), 8.0
    for start in range(0, len(maps), columns):
        y = _row(canvas, maps[start : start + columns], y) + _BELOW
    shown = min(columns, len(maps))
    return chart(
        canvas.layers(tooltip=_tooltip()),
        width=shown * _MAP + (shown - 1) * _BETWEEN,
        height=y - _BELOW,
        title=altair().Title(
            "EAT-Maps" if len(maps) > 1 else "EAT-Map",
            subtitle=_subtitle(found, shown * _MAP, several=several),
        ),
        description=listed(_kind(len(maps)), [_in_words(one) for one in maps]),
    )


def _kind(count: int) -> str:
    return f"{count} EAT-Maps" if count != 1 else "EAT-Map"


def _row(canvas: Canvas, maps: list[_Map], top: float) -> float:
    """Draw maps beside each other, as high as the highest; return where they end."""
    head = max(height_of(one.heading) for one in maps)
    names = max(height_of(lines) for one in maps for lines in one.columns.values())
    cell = max(_LEAST, *(height_of(lines) + 8 for one in maps for lines in one.rows.values()))
    for place, one in enumerate(maps):
        _draw_map(canvas, one, place * (_MAP + _BETWEEN), top, (head, names, cell))
    notes = max(height_of(one.note, 11) for one in maps)
    return top + head + 20 + names + 2 * cell + _GAP + 40 + notes


def _draw_map(
    canvas: Canvas, one: _Map, left: float, top: float, heights: tuple[float, float, float]
) -> None:
    head, names, cell = heights
    canvas.write(one.heading, left, top, _TEST)
    canvas.write([one.cells["XA"]["pattern"]], left, top + head, _PATTERN)
    first = top + head + 20 + names
    for row, role in enumerate("AB"):
        lines = one.rows[role]
        middle = first + row * (cell + _GAP) + cell / 2 - (len(lines) - 1) * 12 * LINE / 2
        canvas.write(lines, left + _NAMES - 8, middle, _ROW_NAME)
    for place, role in enumerate("XY"):
        middle = left + _NAMES + place * (_CELL + _GAP) + _CELL / 2
        start = first - 2 - height_of(one.columns[role]) + 12 * LINE / 2 - 3
        canvas.write(one.columns[role], middle, start, _COLUMN_NAME)
        _numbers(canvas, one.cells[f"{role}A"], middle, first + 2 * cell + _GAP + 14)
    states = {name: row["state"] for name, row in one.cells.items()}
    told = {name: _told(row) for name, row in one.cells.items()}
    draw_cells(canvas, states, left + _NAMES, first, (_CELL, cell), told)
    canvas.write(one.note, left + _NAMES, first + 2 * cell + _GAP + 46, _NOTE)


def _numbers(canvas: Canvas, row: dict[str, Any], x: float, y: float) -> None:
    if row["effect_size"] is None:
        canvas.write(["d undefined"], x, y, _D)
        return
    star = "*" if row["significant"] else ""
    canvas.write([f"d = {effect(row['effect_size'])}{star}"], x, y, _D)
    canvas.write([p_equals(row["p"], row["alpha"], row.get("p_low"))], x, y + 16, _P)


def _told(row: dict[str, Any]) -> dict[str, Any]:
    kept = ("test", "series", "target", "attribute", "state")
    known = row["effect_size"] is not None
    return {name: row[name] for name in kept} | {
        "d": effect(row["effect_size"]),
        "p_shown": p_value(row["p"], row["alpha"], row.get("p_low")) if known else "–",
    }


def _tooltip() -> list[Any]:
    titles = {
        "test": "test", "series": "source", "target": "target", "attribute": "attribute",
        "state": "state", "d": "d", "p_shown": "p",
    }  # fmt: skip
    return [altair().Tooltip(f"{name}:N", title=title) for name, title in titles.items()]


def _subtitle(rows: list[dict[str, Any]], width: float, *, several: bool) -> list[str]:
    rules = dict.fromkeys((row["alpha"], row["tail"]) for row in rows)
    notes = [] if several else [f"Source: {rows[0]['series']}"]
    notes.append("Level 2: is each target group, taken alone, associated with A or B?")
    notes += [Rule(*rule).meaning for rule in rules]
    return [line for note in notes for line in lines_of(note, width)]


def _in_words(one: _Map) -> str:
    first = one.cells["XA"]
    found = []
    for role in "XY":
        held = [
            c for c in (one.cells[f"{role}A"], one.cells[f"{role}B"]) if c["state"] == "associated"
        ]
        name = isolated(one.cells[f"{role}A"]["target"])
        found.append(f"{name} with {isolated(held[0]['attribute']) if held else 'neither'}")
    return f"{isolated(first['test'])} {first['pattern']}: {', '.join(found)}"
