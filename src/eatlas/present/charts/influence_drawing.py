"""How the influence of terms is drawn; :mod:`eatlas.plots.influence` says what it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import LINE, Canvas, Style, at, horizontal, lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.making import chart
from eatlas.present.charts.notes import listed
from eatlas.present.charts.theme import BLUE, BROWN, MUTED, PAPER, VERMILION, VIOLET
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

_LABELS, _PLOT, _NUMBERS = 190.0, 330.0, 120.0
_WIDTH = _LABELS + _PLOT + 14 + _NUMBERS
_ROW, _GAP = 19.0, 16.0
_LOOKS = {
    "X": {"colour": BLUE, "shape": "circle"},
    "Y": {"colour": VERMILION, "shape": "square"},
    "A": {"colour": VIOLET, "shape": "triangle-up"},
    "B": {"colour": BROWN, "shape": "triangle-down"},
}
_HEADING = Style(size=13, weight="bold")
_SMALL, _NUMBER = Style(size=11, colour=MUTED), Style(size=11.5)


@dataclass
class _Layout:
    """Where things stand, from the top down."""

    canvas: Canvas = field(default_factory=Canvas)
    points: list[dict[str, Any]] = field(default_factory=list)
    y: float = 8.0

    def key(self, names: dict[str, str]) -> None:
        """Which groups the terms belong to."""
        for role, name in names.items():
            look = _LOOKS[role]
            self.canvas.mark(6, self.y, size=70, fill=look["colour"], **look)
            lines = lines_of(f"{role}: {name}", _WIDTH - 24)
            self.y = self.canvas.write(lines, 20, self.y) + 3
        self.canvas.box(_LABELS - 4, 0, _PLOT + 8, self.y, fill=PAPER)
        self.y += _GAP

    def effect(self, rows: list[dict[str, Any]], most: int) -> None:
        """One effect size and the terms that change it most."""
        known = [row for row in rows if row["change"] is not None]
        shown = sorted(known, key=lambda row: row["rank"])[:most]
        top = self.y
        self.y = self.canvas.write(lines_of(_heading(rows[0]), _WIDTH, 13), 0, self.y, _HEADING)
        self.y = self.canvas.write([_count(rows, shown)], 0, self.y, _SMALL) + 4
        self.canvas.box(_LABELS - 4, top - 16, _PLOT + 8, self.y - top + 4, fill=PAPER)
        for row in sorted(shown, key=lambda row: (not row["drives"], row["rank"])):
            self._term(row)
        self.y += _GAP

    def _term(self, row: dict[str, Any]) -> None:
        lines = lines_of(row["term"], _LABELS - 20)
        end = self.canvas.write(lines, 12, self.y)
        without = [f"without: {effect(row['without'])}"]
        self.canvas.write(without, _LABELS + _PLOT + 14, self.y, _NUMBER)
        look = _LOOKS[row["term_role"]]
        shown = {
            "change_shown": effect(row["change"], 3),
            "without_shown": effect(row["without"], 3),
        }
        fill = look["colour"] if row["drives"] else PAPER
        words = _in_words(row)
        self.points.append({**row, **look, **shown, "fill": fill, "y": self.y, "words": words})
        self.y = max(self.y + _ROW, end + _ROW - 12 * LINE)


def draw(given: pd.DataFrame, most: int) -> Chart:
    """Draw the frame of :func:`eatlas.plots.influence.prepare`."""
    rows = records(given)
    layout = _Layout()
    used = {row["term_role"] for row in rows}
    layout.key({role: rows[0][role] for role in "XYAB" if role in used})
    top = layout.y
    for _, of_effect in groupby(rows, key=lambda row: (row["level"], row["role"])):
        layout.effect(list(of_effect), most)
    height = layout.y - _GAP
    across = horizontal(
        (point["change"] for point in layout.points),
        (_LABELS, _LABELS + _PLOT),
        "Change of d when the term is left out",
    )
    boxes, *texts = layout.canvas.layers()
    first = rows[0]
    return chart(
        [_zero(across, top, height), boxes, *_data(layout.points, across), *texts],
        width=_WIDTH,
        height=height,
        title=altair().Title(
            "Which terms drive the associations?",
            subtitle=_subtitle(first),
        ),
        description=listed(
            f"Influence of terms in {isolated(first['test'])}",
            [point["words"] for point in layout.points],
        ),
    )


def _subtitle(first: dict[str, Any]) -> list[str]:
    notes = (
        f"{first['test']}, source: {first['series']}",
        "Filled: without the term the effect size is nearer to 0, or past it; hollow: farther.",
    )
    return [line for note in notes for line in lines_of(note, _WIDTH)]


def _heading(row: dict[str, Any]) -> str:
    known = row["effect_size"] is not None
    d = f"d = {effect(row['effect_size'])}" if known else "d undefined"
    if row["level"] == "level 1":
        return f"Level 1: {row['X']} against {row['Y']}, {d}"
    return f"Level 2: {row['name']}, {d}"


def _count(rows: list[dict[str, Any]], shown: list[dict[str, Any]]) -> str:
    if not shown:
        return "whichever term is left out, no effect size is defined"
    unknown = sum(row["change"] is None for row in rows)
    left = f"; no effect size is left without {unknown} of them" if unknown else ""
    if len(shown) + unknown == len(rows):
        return f"all {len(rows)} terms{left}"
    return f"{len(shown)} of {len(rows)} terms, those that change it most{left}"


def _in_words(row: dict[str, Any]) -> str:
    what = (
        row["level"] if row["level"] == "level 1" else f"{row['level']} of {isolated(row['name'])}"
    )
    return f"{what} without {isolated(row['term'])}: d = {effect(row['without'])}"


def _zero(across: dict[str, Any], top: float, height: float) -> Any:
    alt = altair()
    return (
        alt.Chart(alt.InlineData(values=[{"d": 0.0, "y": top, "y2": height}]))
        .mark_rule(color=MUTED, strokeWidth=1.2, aria=False)
        .encode(x=alt.X("d:Q", **across), y=at("y", "y"), y2="y2:Q")
    )


def _data(points: list[dict[str, Any]], across: dict[str, Any]) -> list[Any]:
    alt = altair()
    if not points:
        return []
    base = alt.Chart(alt.InlineData(values=points))
    colour = alt.Color("colour:N", scale=None)
    stems = base.mark_rule(strokeWidth=1.8, aria=False).encode(
        x=alt.X("change:Q", **across), x2=alt.X2Datum(0), y=at("y", "y"), color=colour
    )
    marks = base.mark_point(size=60, opacity=1, strokeWidth=1.8).encode(
        x=alt.X("change:Q", **across),
        y=at("y", "y"),
        stroke=alt.Stroke("colour:N", scale=None),
        fill=alt.Fill("fill:N", scale=None),
        shape=alt.Shape("shape:N", scale=None),
        description="words:N",
        tooltip=[
            alt.Tooltip("term:N"),
            alt.Tooltip("term_role:N", title="group"),
            alt.Tooltip("without_shown:N", title="d without it"),
            alt.Tooltip("change_shown:N", title="change"),
        ],
    )
    return [stems, marks]
