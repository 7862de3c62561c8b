"""Layers, scales and axes that several charts share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.fonts import lines_of
from eatlas.present.charts.theme import EDGE, INK, MUTED, OFF, ON, PAPER

STEP, LINE = 19, 15
"""Pixels from row to row, and from line to line of a text."""
WIDTH = 640.0
"""Pixels of the lines that titles and legends are broken into."""


@dataclass
class Rows:
    """The discrete y axis of a chart with headings: whose labels stand on which of its rows.

    A label of several lines takes as many rows, so that nothing is cut and nothing overlaps.
    """

    room: float = 260.0
    """Pixels of a line of a label."""
    step: float = STEP
    """Pixels from row to row."""
    padding: int = 8
    """Pixels between labels and panel."""
    labels: dict[int, list[str]] = field(default_factory=dict)
    headings: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, label: str, rows: int = 1, *, heading: bool = False) -> int:
        """Add a label that spans at least so many rows; return the first of them."""
        first, lines = self.count, lines_of(label, self.room)
        self.labels[first] = lines
        self.headings += [first] if heading else []
        self.count += max(rows, ceil(len(lines) * LINE / self.step))
        return first

    def heading(self, label: str, **texts: str) -> Iterator[dict[str, Any]]:
        """Add a bold label with texts beside it; make the rows of the drawing that it takes."""
        lines = max((text.count("\n") + 1 for text in texts.values()), default=1)
        first = self.add(label, lines, heading=True)
        for row in range(first, self.count):
            yield {"row": row, "heading": True, **(texts if row == first else {})}

    def axis(self) -> Any:
        """Encode `y` by the column ``row``."""
        alt = altair()
        lines = json.dumps([self.labels.get(row, []) for row in range(self.count)])
        bold = alt.condition(
            f"indexof({self.headings}, datum.value) >= 0", alt.value("bold"), alt.value("normal")
        )
        return alt.Y(
            "row:O",
            scale=alt.Scale(domain=list(range(self.count))),
            axis=alt.Axis(
                title=None,
                values=list(self.labels),
                labelExpr=f"{lines}[datum.value]",
                labelFontWeight=bold,
                labelColor=INK,
                labelLineHeight=LINE,
                labelPadding=self.padding,
                domain=False,
                ticks=False,
                grid=False,
            ),
        )


def across(title: str) -> dict[str, Any]:
    """Title and axis of `x`, which all layers of a chart repeat."""
    return {"title": title, "axis": altair().Axis(grid=True, tickCount=7)}


def heading_band() -> Any:
    """Paper behind headings, so that no grid crosses the text beside them."""
    alt = altair()
    return (
        alt.Chart()
        .mark_rect(aria=False)
        .encode(x=alt.value(0), x2=alt.value("width"), color=alt.value(PAPER))
        .transform_filter("datum.heading")
    )


def zero(channel: str = "x") -> Any:
    """The line of no effect, across the whole panel."""
    alt = altair()
    across = {"x": ("y", "height"), "y": ("x", "width")}[channel]
    return (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(strokeWidth=1.2, aria=False)
        .encode(
            **{channel: alt.datum(0), across[0]: alt.value(0)},
            **{f"{across[0]}2": alt.value(across[1])},
            color=alt.value(MUTED),
            tooltip=alt.value(None),
        )
    )


def points(shape: Any, filled: str, **place: Any) -> list[Any]:
    """Marks of effect sizes, hollow where the column `filled` does not hold."""
    alt = altair()
    known = alt.Chart().transform_filter(f"isValid(datum['{filled}'])")
    return [
        known.mark_point(filled=True, size=75, opacity=1).encode(
            **place, shape=shape, description="words:N"
        ),
        known.mark_point(filled=True, size=24, opacity=1, aria=False)
        .encode(**place, shape=shape, color=alt.value(PAPER))
        .transform_filter(f"!datum['{filled}']"),
    ]


def text(column: str, colour: str = INK, *, x: float | str = "width", **mark: Any) -> Any:
    """Texts of a column in their rows, at one place across the panel."""
    alt = altair()
    return (
        alt.Chart()
        .mark_text(aria=False, baseline="middle", lineBreak="\n", lineHeight=LINE, **mark)
        .encode(x=alt.value(x), text=f"{column}:N", color=alt.value(colour))
        .transform_filter(f"isValid(datum['{column}'])")
    )


def key(names: Sequence[str]) -> Any:
    """A legend above the chart, whose names stand in full below each other."""
    alt = altair()
    lines = json.dumps({name: lines_of(name, WIDTH) for name in names})
    return alt.Legend(
        title=None, columns=1, symbolOpacity=1, symbolLimit=0, labelExpr=f"{lines}[datum.label]"
    )


def looks(column: str, given: dict[str, dict[str, str]], *, legend: bool = True) -> tuple[Any, ...]:
    """Colour and shape of the values of a column."""
    alt = altair()
    shown = key(list(given)) if legend else None
    return tuple(
        channel(
            f"{column}:N",
            scale=alt.Scale(domain=list(given), range=[look[name] for look in given.values()]),
            legend=shown,
        )
        for channel, name in ((alt.Color, "colour"), (alt.Shape, "shape"))
    )


def look_of(role: str) -> str:
    """Key of an effect size in :data:`~eatlas.present.charts.theme.LEVELS`."""
    return {"XY": "level 1", "AB": "attributes"}.get(role, role)


def title(heading: str, notes: Iterable[str], width: float = WIDTH) -> Any:
    """A heading with notes below it, each broken into lines."""
    lines = [line for note in notes for line in lines_of(note, width)]
    return altair().Title(heading, subtitle=lines)


def states() -> Any:
    """Colours of the cells of an EAT-Map."""
    alt = altair()
    given = {"associated": ON, "not associated": OFF, "undefined": PAPER}
    scale = alt.Scale(domain=list(given), range=list(given.values()))
    return alt.Fill("state:N", scale=scale, legend=None)


def squares(left: float, size: float = 12) -> list[Any]:
    """Small EAT-Maps in their rows, their columns from this pixel on; dots mark associations."""
    alt = altair()
    half = size / 2
    places = {"XA": (0, -half), "XB": (0, half), "YA": (size, -half), "YB": (size, half)}
    found = []
    for cell, (dx, dy) in places.items():
        own = alt.Chart().transform_filter(f"datum.cell == '{cell}'")
        place = {"x": alt.value(left + dx), "stroke": alt.value(EDGE)}
        found += [
            own.mark_square(size=size**2, opacity=1, yOffset=dy, strokeWidth=0.8, aria=False)
            .encode(**place, fill=states()),
            own.transform_filter("datum.state == 'associated'")
            .mark_circle(size=size, opacity=1, yOffset=dy, strokeWidth=0, aria=False)
            .encode(**place, fill=alt.value(PAPER)),
        ]  # fmt: skip
    return found
