"""EAT-Maps in charts: as panels with names and numbers, and small in the rows of a chart."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import frame
from eatlas.present.charts.theme import EDGE, INK, MUTED, OFF, ON, PAPER
from eatlas.present.drawings.eat_map import PATTERNS

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart

CELL = 88
"""Pixels of a cell from left to right."""
DOT = "●"
"""Marks an association, as red does, for readers without colours."""
NOTHING = dict.fromkeys(("inside", "d", "p", "note"), "")
"""Texts of a cell that has none."""
TOOLTIP = {
    "test": "test", "series": "source", "target": "target", "attribute": "attribute",
    "state": "state", "d_shown": "d", "p_shown": "p",
}  # fmt: skip
"""Columns of tooltips, and what they are called."""


def cells_of(pattern: str) -> dict[str, Any]:
    """States of the four cells of a pattern."""
    x, y, _ = PATTERNS[pattern]
    return {
        role + attribute: "associated" if held == attribute else "not associated"
        for role, held in (("X", x), ("Y", y))
        for attribute in "AB"
    }


def states() -> Any:
    """Colours of the cells of an EAT-Map."""
    given = {"associated": ON, "not associated": OFF, "undefined": PAPER}
    scale = alt.Scale(domain=list(given), range=list(given.values()))
    return alt.Fill("state:N", scale=scale, legend=None)


def squares(left: float | None, size: float = 12, y: float | None = None) -> list[Any]:
    """Small EAT-Maps in their rows, their columns from this pixel on; dots mark associations.

    Without `left`, at the x of the chart, so many pixels `y` below the panel.
    """
    half = size / 2
    places = {"XA": (0, -half), "XB": (0, half), "YA": (size, -half), "YB": (size, half)}
    found = []
    for cell, (dx, dy) in places.items():
        own = alt.Chart().transform_filter(f"datum.cell == '{cell}'")
        off = {"yOffset": dy + (y or 0.0)} | ({"xOffset": dx - half} if left is None else {})
        place = {"stroke": alt.value(EDGE)}
        if left is not None:
            place["x"] = alt.value(left + dx)
        if y is not None:
            place["y"] = alt.value("height")
        found += [
            own.mark_square(size=size**2, opacity=1, strokeWidth=0.8, aria=False, **off)
            .encode(**place, fill=states()),
            own.transform_filter("datum.state == 'associated'")
            .mark_circle(size=size, opacity=1, strokeWidth=0, aria=False, **off)
            .encode(**place, fill=alt.value(PAPER)),
        ]  # fmt: skip
    return found


def draw_maps(
    maps: list[list[dict[str, Any]]], size: tuple[int, int], columns: int, **properties: Any
) -> Chart:
    """Draw maps of four cells each, in rows.

    Parameters
    ----------
    maps : list of lists of four cells
        Each with ``state``, what its ``column`` and ``line`` are called, what is ``inside`` it,
        and in one cell of a column what is below it: ``d``, ``p`` and ``note``.
    size : (int, int)
        Width and height of a cell in pixels.
    columns : int
        Maps in a row.
    properties
        Title and description of the chart.
    """
    most = {
        name: max(cell[name].count("\n") for cells in maps for cell in cells)
        for name in ("column", "line")
    }
    drawn = frame(
        cell
        | {
            "map": place,
            # a first letter keeps columns of one name apart, and in order; names end at one line
            "column": f"{cell['role']}{_lower(cell['column'], most['column'])}",
            "line": f"{cell['attribute_role']}{cell['line']}",
        }
        for place, cells in enumerate(maps)
        for cell in cells
    )
    headings = json.dumps([cells[0]["heading"].split("\n") for cells in maps])
    axis = partial(
        alt.Axis, title=None, domain=False, ticks=False, labelAngle=0, labelOverlap=False,
        labelExpr="split(slice(datum.label, 1), '\\n')", labelColor=INK, labelLineHeight=marks.LINE,
    )  # fmt: skip
    top = axis(orient="top", labelPadding=marks.LINE * most["column"] + 4)
    left = axis(labelPadding=8, labelOffset=-marks.LINE * most["line"] / 2)
    layers = _map_layers(size, numbers=bool(drawn["d"].any()))
    bands = alt.Scale(padding=0.02)
    places = {
        "x": alt.X("column:N", scale=bands, axis=top),
        "y": alt.Y("line:N", scale=bands, axis=left),
    }
    hover = wording.tooltip(**TOOLTIP) if "test" in drawn else alt.value(None)
    heading = alt.Header(labelExpr=f"{headings}[datum.value]", labelAnchor="start", labelPadding=6)
    chart = alt.layer(*layers, data=drawn).encode(**places, tooltip=hover)
    panels = chart.properties(width=alt.Step(size[0]), height=alt.Step(size[1])).facet(
        facet=alt.Facet("map:O", header=heading), columns=columns
    )
    return marks.themed(panels.resolve_scale(x="independent", y="independent"), **properties)


def _map_layers(size: tuple[int, int], *, numbers: bool) -> list[Any]:
    """Cells, what is written in them, and below them numbers and notes."""
    on = alt.condition("datum.state == 'associated'", alt.value(PAPER), alt.value(MUTED))
    large = alt.condition(f"datum.inside == '{DOT}'", alt.value(20), alt.value(11))
    below = {
        "d": {"dy": 14, "fontWeight": "bold"},
        "p": {"dy": 30, "color": MUTED},
        "note": {"dy": 45, "color": MUTED, "align": "left", "xOffset": -size[0] / 2},
    }
    if not numbers:
        below["note"]["dy"] = 16
    small = {"fontSize": 11, "lineBreak": "\n", "lineHeight": marks.LINE, "aria": False}
    cell = alt.Chart()
    return [
        cell.mark_rect(cornerRadius=2, stroke=EDGE, aria=False).encode(fill=states()),
        cell.mark_text(fontWeight="bold", aria=False).encode(text="inside:N", color=on, size=large),
        *(
            cell.mark_text(**small, **look).encode(y=alt.value("height"), text=f"{name}:N")
            for name, look in below.items()
        ),
    ]


def _lower(name: str, most: int) -> str:
    """A name with empty lines above it, so that it has one more line than `most`."""
    return "\n" * (most - name.count("\n")) + name
