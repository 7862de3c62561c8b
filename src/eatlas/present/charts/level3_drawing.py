"""How level 3 is laid out and drawn; :mod:`eatlas.plots.level3` says what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.present.charts.backend import altair
from eatlas.present.charts.canvas import LINE, Canvas, Style, at, height_of, horizontal, lines_of
from eatlas.present.charts.frames import records
from eatlas.present.charts.making import chart
from eatlas.present.charts.notes import listed
from eatlas.present.charts.theme import INK, LEVELS, PAPER
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

MOST_DOTS = 6_000
"""Cosines that one chart shows as dots; as SVG, so many take 2 MB."""
_LABELS, _PLOT, _NUMBERS = 200.0, 400.0, 130.0
_WIDTH = _LABELS + _PLOT + 14 + _NUMBERS
_WITH_DOTS, _WITHOUT, _GAP = 46.0, 28.0, 14.0
_HEADING = Style(size=13, weight="bold")
_LABEL, _NUMBER = Style(size=12), Style(size=11.5)


@dataclass
class _Layout:
    """Where things stand, from the top down."""

    with_dots: bool
    canvas: Canvas = field(default_factory=Canvas)
    dots: list[dict[str, Any]] = field(default_factory=list)
    boxes: list[dict[str, Any]] = field(default_factory=list)
    y: float = 8.0

    def result(self, heading: str, cells: dict[str, list[dict[str, Any]]]) -> None:
        """The four cells of one result."""
        top = self.y
        self.y = self.canvas.write(lines_of(heading, _WIDTH, 13), 0, self.y, _HEADING)
        self.canvas.box(_LABELS - 4, top - 16, _PLOT + 8, self.y - top + 10, fill=PAPER)
        for name, rows in cells.items():
            self.y += _GAP if name.endswith("A") and not name.startswith("X") else 0
            self._cell(rows)
        self.y += 2 * _GAP

    def _cell(self, rows: list[dict[str, Any]]) -> None:
        first = rows[0]
        look = LEVELS[first["cell"][0]]
        lines = lines_of(f"{first['target']} – {first['attribute']}", _LABELS - 14)
        height = max(_WITH_DOTS if self.with_dots else _WITHOUT, height_of(lines) + 6)
        middle = self.y + height / 2
        self.canvas.write(lines, 0, middle - (len(lines) - 1) * 6 * LINE, _LABEL)
        found = {row["statistic"]: row["value"] for row in rows if row["statistic"] != row["unit"]}
        right = _LABELS + _PLOT + 14
        self.canvas.write([f"mean {effect(found['mean'], 3)}"], right, middle, _NUMBER)
        self.canvas.write([f"sd {effect(found['sd'], 3)}"], right + 80, middle, _NUMBER)
        dots = [row for row in rows if row["statistic"] == row["unit"]] if self.with_dots else []
        self.boxes.append(
            {
                **{name.replace(" ", "_"): value for name, value in found.items()},
                "fill": PAPER if dots else look["colour"],
                "y": middle, "high": middle - 7, "low": middle + 7,
                "label": _in_words(first, found),
            }
        )  # fmt: skip
        self._dots(dots, middle, look)
        self.y += height

    def _dots(self, rows: list[dict[str, Any]], middle: float, look: dict[str, str]) -> None:
        shifts = swarm(np.array([row["value"] for row in rows], dtype=np.float64))
        room = _WITH_DOTS / 2 - 4
        for row, shift in zip(rows, shifts.tolist(), strict=True):
            pair = f"{isolated(row['target_term'])} – {isolated(row['attribute_term'])}"
            self.dots.append(
                {
                    "value": row["value"], "y": middle + shift * room, "colour": look["colour"],
                    "pair": pair, "shown": effect(row["value"], 3),
                }
            )  # fmt: skip


def swarm(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Spread dots sideways, between -1 and 1, the wider the more of them are near.

    Without chance: the places come from the van der Corput sequence, in the order of the values,
    scaled by the share of values in each of 24 classes, smoothed.
    """
    if len(values) < 2 or np.ptp(values) == 0:
        return np.zeros(len(values))
    counts, edges = np.histogram(values, bins=24)
    smooth = np.convolve(counts, [0.25, 0.5, 0.25], mode="same")
    centres = (edges[:-1] + edges[1:]) / 2
    near = np.interp(values, centres, smooth) / smooth.max()
    places = np.empty(len(values))
    places[np.argsort(values, kind="stable")] = [_van_der_corput(i) for i in range(len(values))]
    spread: np.ndarray[Any, np.dtype[np.float64]] = (2 * places - 1) * near
    return spread


def _van_der_corput(index: int) -> float:
    """Mirror the binary digits of a number at the point: 1, 2, 3 become 1/2, 1/4, 3/4."""
    digits = f"{index:b}"[::-1]
    return int(digits, 2) / 2.0 ** len(digits)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the frame of :func:`eatlas.plots.level3.prepare`."""
    found = records(given)
    unit = found[0]["unit"]
    cosines = sum(row["statistic"] == row["unit"] for row in found)
    with_dots = 0 < cosines <= MOST_DOTS
    layout = _Layout(with_dots)
    several = len({row["series"] for row in found}) > 1
    results: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in found:
        cells = results.setdefault((row["test"], row["series"]), {})
        cells.setdefault(row["cell"], []).append(row)
    for (test, series), cells in results.items():
        layout.result(f"{test}: {series}" if several else test, cells)
    height = layout.y - 2 * _GAP
    across = horizontal(
        (row["value"] for row in found if row["statistic"] in {"minimum", "maximum", unit}),
        (_LABELS, _LABELS + _PLOT),
        unit.capitalize() + (f" ({found[0]['scale']})" if found[0]["scale"] else ""),
    )
    boxes, *texts = layout.canvas.layers()
    return chart(
        [boxes, *_dots(layout.dots, across, unit), *_boxes(layout.boxes, across), *texts],
        width=_WIDTH,
        height=height,
        title=altair().Title(
            f"Level 3: {unit}s of targets with attributes",
            subtitle=_subtitle(found, cosines, several=several),
        ),
        description=listed(
            f"{unit.capitalize()}s of {len(layout.boxes)} pairs of groups",
            [box["label"] for box in layout.boxes],
        ),
    )


def _subtitle(rows: list[dict[str, Any]], cosines: int, *, several: bool) -> list[str]:
    notes = [] if several else [f"Source: {rows[0]['series']}"]
    dots = ""
    if cosines > MOST_DOTS:
        dots = f" (the {cosines:,} {rows[0]['unit']}s themselves are too many to show)"
    elif cosines:
        dots = f"; dots: the {rows[0]['unit']}s of single pairs of terms"
    notes.append(f"Line: range; box: quartiles and median; diamond: mean{dots}.")
    return [line for note in notes for line in lines_of(note, _WIDTH)]


def _in_words(first: dict[str, Any], found: dict[str, float]) -> str:
    pair = f"{isolated(first['target'])} with {isolated(first['attribute'])}"
    return (
        f"{isolated(first['test'])}, {pair}: mean {effect(found['mean'], 3)}, "
        f"median {effect(found['median'], 3)}, "
        f"from {effect(found['minimum'], 3)} to {effect(found['maximum'], 3)}"
    )


def _dots(dots: list[dict[str, Any]], across: dict[str, Any], unit: str) -> list[Any]:
    alt = altair()
    if not dots:
        return []
    return [
        alt.Chart(alt.InlineData(values=dots))
        .mark_circle(size=22, opacity=0.4, aria=False)
        .encode(
            x=alt.X("value:Q", **across),
            y=at("y", "y"),
            color=alt.Color("colour:N", scale=None),
            tooltip=[alt.Tooltip("pair:N", title="terms"), alt.Tooltip("shown:N", title=unit)],
        )
    ]


def _boxes(boxes: list[dict[str, Any]], across: dict[str, Any]) -> list[Any]:
    alt = altair()
    base = alt.Chart(alt.InlineData(values=boxes))
    line = base.mark_rule(color=INK, aria=False).encode(
        x=alt.X("minimum:Q", **across), x2="maximum:Q", y=at("y", "y")
    )
    box = base.mark_rect(
        fillOpacity=0.6, stroke=INK, strokeWidth=1.2
    ).encode(
        x=alt.X("lower_quartile:Q", **across), x2="upper_quartile:Q", y=at("y", "high"),
        y2="low:Q", fill=alt.Fill("fill:N", scale=None), description="label:N",
    )  # fmt: skip
    median = base.mark_rule(color=INK, strokeWidth=2.5, aria=False).encode(
        x=alt.X("median:Q", **across), y=at("y", "high"), y2="low:Q"
    )
    mean = base.mark_point(
        shape="diamond", fill=PAPER, stroke=INK, size=60, opacity=1, aria=False
    ).encode(x=alt.X("mean:Q", **across), y=at("y", "y"))
    return [line, box, median, mean]
