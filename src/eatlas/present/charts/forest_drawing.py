"""How a forest plot is laid out and drawn; :mod:`eatlas.plots.forest` says what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import LINE, Canvas, Style, at, horizontal, lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.making import chart
from eatlas.present.charts.notes import described, effect_notes, effect_tooltip, shown
from eatlas.present.charts.theme import LEVELS, MUTED, PAPER, SERIES
from eatlas.present.numbers import effect, interval

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

_LABELS, _PLOT, _NUMBERS = 250.0, 330.0, 132.0
_WIDTH = _LABELS + _PLOT + 14 + _NUMBERS
_ROW, _INDENT, _GAP = 19.0, 14.0, 12.0
_HEADING = Style(size=12.5, weight="bold")
_SMALL = Style(size=11, colour=MUTED)
_SMALL_RIGHT = Style(size=11, colour=MUTED, align="right")
_NUMBER_RIGHT = Style(size=11.5, align="right")
_NUMBER = Style(size=11.5)
_UNDEFINED = Style(size=11.5, colour=MUTED)


@dataclass
class _Layout:
    """Where things stand, from the top down."""

    looks: dict[str, dict[str, str]]
    """Of each series; empty where there is one alone, and the levels have theirs."""
    canvas: Canvas = field(default_factory=Canvas)
    points: list[dict[str, Any]] = field(default_factory=list)
    y: float = 8.0

    def key(self) -> None:
        """What the marks of several series mean."""
        for name, look in self.looks.items():
            lines = lines_of(name, _WIDTH - 24)
            self.canvas.mark(6, self.y, size=70, fill=look["colour"], **look)
            self.y = self.canvas.write(lines, 20, self.y) + 3
        if self.looks:
            self.canvas.box(_LABELS - 4, 0, _PLOT + 8, self.y, fill=PAPER)
            self.y += _GAP

    def test(self, rows: list[dict[str, Any]]) -> None:
        """One test: what is compared, and below it a line for each effect size."""
        top = self.y
        ends = (
            self.canvas.write(lines_of(rows[0]["test"], _LABELS - 8, 13), 0, top, _HEADING),
            self.canvas.write(_towards("←", rows[0]["B"]), _LABELS, top, _SMALL),
            self.canvas.write(_towards("→", rows[0]["A"]), _LABELS + _PLOT, top, _SMALL_RIGHT),
        )
        self.y = max(ends) + 4
        # the grid does not pass behind the names
        self.canvas.box(_LABELS - 4, top - 16, _PLOT + 8, self.y - top + 4, fill=PAPER)
        for _, lines in groupby(rows, key=_line):
            self._line(list(lines))
        self.y += _GAP

    def _line(self, rows: list[dict[str, Any]]) -> None:
        label = lines_of(_label(rows[0]), _LABELS - _INDENT - 6)
        end = self.canvas.write(label, _INDENT, self.y)
        for row in rows:
            self._point(row)
            self.y += _ROW
        apart = 5.0 if len(rows) > 1 else 0.0
        self.y = max(self.y, end + _ROW - 12 * LINE) + apart

    def _point(self, row: dict[str, Any]) -> None:
        right = _LABELS + _PLOT + 14
        if row["effect_size"] is None:
            self.canvas.write(["undefined"], right, self.y, _UNDEFINED)
            return
        self.canvas.write([effect(row["effect_size"])], right + 30, self.y, _NUMBER_RIGHT)
        if row["significant"]:
            self.canvas.write(["*"], right + 31, self.y, _NUMBER)
        if row["low"] is not None:
            self.canvas.write([interval((row["low"], row["high"]))], right + 44, self.y, _NUMBER)
        look = self.looks.get(row["series"]) or LEVELS[_level_key(row)]
        fill = look["colour"] if row["significant"] else PAPER
        self.points.append({**row, **look, **shown(row), "fill": fill, "y": self.y})


def draw(given: pd.DataFrame) -> Chart:
    """Draw the frame of :func:`eatlas.plots.forest.prepare`."""
    rows = records(given)
    names = list(dict.fromkeys(row["series"] for row in rows))
    looks = dict(zip(names, SERIES * (1 + len(names) // len(SERIES)), strict=False))
    layout = _Layout(looks if len(names) > 1 else {})
    layout.key()
    top = layout.y - 10
    for _, of_test in groupby(_ordered(rows), key=lambda row: row["test"]):
        layout.test(list(of_test))
    height = layout.y - _GAP
    across = horizontal(
        (row[end] for row in rows for end in ("effect_size", "low", "high")),
        (_LABELS, _LABELS + _PLOT),
        "Effect size d",
    )
    boxes, *texts = layout.canvas.layers()
    data = _data(layout.points, across) if layout.points else []
    layers = [_zero(across, top, height), boxes, *data, *texts]
    return chart(
        layers,
        width=_WIDTH,
        height=height,
        title=altair().Title("Effect sizes of levels 1 and 2", subtitle=_subtitle(rows, names)),
        description=described("Forest plot", rows),
    )


def _ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tests in their order, in each test the lines in theirs, in each line the series."""
    tests = {row["test"]: place for place, row in reversed(list(enumerate(rows)))}
    lines = {_line(row): place for place, row in reversed(list(enumerate(rows)))}
    return sorted(rows, key=lambda row: (tests[row["test"]], lines[_line(row)]))


def _line(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["test"], row["level"], row["role"], row["name"]


def _label(row: dict[str, Any]) -> str:
    if row["level"] == "level 1":
        return "Level 1: X against Y"
    if row["role"] == "AB":
        return "Over attributes: A against B"
    name: str = row["name"]
    return name if row["term"] else f"Level 2, {row['role']}: {name}"


def _towards(arrow: str, name: str) -> list[str]:
    lines = lines_of(name, _PLOT / 2 - 24, 11)
    if arrow == "←":
        return [f"← {lines[0]}", *lines[1:]]
    return [*lines[:-1], f"{lines[-1]} →"]


def _level_key(row: dict[str, Any]) -> str:
    return {"XY": "level 1", "AB": "attributes"}.get(row["role"], str(row["role"]))


def _subtitle(rows: list[dict[str, Any]], names: list[str]) -> list[str]:
    source = lines_of(f"Source: {names[0]}", _WIDTH) if len(names) == 1 else []
    return source + [line for note in effect_notes(rows) for line in lines_of(note, _WIDTH)]


def _zero(across: dict[str, Any], top: float, height: float) -> Any:
    """The line of no effect."""
    alt = altair()
    return (
        alt.Chart(alt.InlineData(values=[{"d": 0.0, "y": top, "y2": height}]))
        .mark_rule(color=MUTED, strokeWidth=1.2, aria=False)
        .encode(x=alt.X("d:Q", **across), y=at("y", "y"), y2="y2:Q")
    )


def _data(points: list[dict[str, Any]], across: dict[str, Any]) -> list[Any]:
    alt = altair()
    base = alt.Chart(alt.InlineData(values=points))
    y, colour = at("y", "y"), alt.Color("colour:N", scale=None)
    bars = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.8, aria=False)
        .encode(x=alt.X("low:Q", **across), x2="high:Q", y=y, color=colour)
    )
    marks = base.mark_point(size=70, opacity=1, strokeWidth=1.8).encode(
        x=alt.X("effect_size:Q", **across),
        y=y,
        stroke=alt.Stroke("colour:N", scale=None),
        fill=alt.Fill("fill:N", scale=None),
        shape=alt.Shape("shape:N", scale=None),
        tooltip=effect_tooltip(),
        description="words:N",
    )
    return [bars, marks]
