"""EAT-Maps in charts: as panels with names and numbers, and small in the rows of a chart."""

from __future__ import annotations

import json
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import frame
from eatlas.present.charts.theme import EDGE, INK, MUTED, OFF, ON, PAPER
from eatlas.present.drawings.eat_map import PATTERNS
from eatlas.stimuli import ATTRIBUTES, TARGETS

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


def cells_of(pattern: str) -> list[dict[str, Any]]:
    """The four cells of a pattern."""
    held = dict(zip(TARGETS, PATTERNS[pattern], strict=False))
    return [
        {
            "pattern": pattern, "cell": role + attribute, "role": role,
            "attribute_role": attribute,
            "state": "associated" if held[role] == attribute else "not associated",
        }
        for role, attribute in product(TARGETS, ATTRIBUTES)
    ]  # fmt: skip


def states() -> Any:
    """Colours of the cells of an EAT-Map."""
    given = {"associated": ON, "not associated": OFF, "undefined": PAPER}
    scale = alt.Scale(domain=list(given), range=list(given.values()))
    return alt.Fill("state:N", scale=scale, legend=None)


def squares(left: float | None, size: float = 12, y: float | None = None) -> list[Any]:
    """Small EAT-Maps in their rows, their columns from this pixel on; dots mark associations.

    Without `left`, at the x of the chart, so many pixels `y` below the panel.
    """
    start = -size / 2 if left is None else 0
    right = {"expr": f"{start} + (datum.role == 'Y' ? {size} : 0)"}
    down = {"expr": f"{(y or 0) - size / 2} + (datum.attribute_role == 'B' ? {size} : 0)"}
    look = {"opacity": 1, "aria": False, "xOffset": right, "yOffset": down}
    place = {"stroke": alt.value(EDGE)}
    place |= {} if left is None else {"x": alt.value(left)}
    place |= {} if y is None else {"y": alt.value("height")}
    cell = alt.Chart().transform_filter("isValid(datum.cell)")
    dot = cell.transform_filter("datum.state == 'associated'")
    return [
        cell.mark_square(size=size**2, strokeWidth=0.8, **look).encode(**place, fill=states()),
        dot.mark_circle(size=size, strokeWidth=0, **look).encode(**place, fill=alt.value(PAPER)),
    ]


def draw_maps(
    maps: list[list[dict[str, Any]]], size: tuple[int, int], columns: int, **properties: Any
) -> Chart:
    """Draw maps of four cells each, in rows."""
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
