"""How charts look: colours that colour-blind readers tell apart, one font, few lines.

Nothing here touches altair's global theme: each chart carries its own configuration.
"""

from __future__ import annotations

from typing import Any

from eatlas.present.drawings.map_cells import EDGE, OFF, ON, PAPER
from eatlas.present.drawings.svg import BLUE, INK, MUTED, VERMILION, VIOLET

__all__ = [
    "BLUE", "CONFIG", "EDGE", "FONT", "GRID", "INK", "LEVELS", "MUTED", "OFF", "ON", "PAPER",
    "SERIES",
]  # fmt: skip

# what vl-convert's renderer takes: the first family that is installed, so the widths of Arial
# (Liberation Sans has the same) come first, and a family with every sign that we write
FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
GRID = "#e3e3e7"
OTHER = "#6b6b75"
"""Bars of patterns that the terms as they are do not show."""

# blue and vermilion of Okabe and Ito (2008), "Color Universal Design"; the others were searched so
# that any two differ by 31 or more in CIELAB, in full colour vision and in three kinds of colour
# blindness, with a contrast of 3:1 to the paper (WCAG 2.2, 1.4.11): their bluish green, darkened so
# far, differs from blue by 11 for tritanopes, and their yellow from vermilion by 3 for protanopes
# (vermilion is darkened a little, for letters: one value for charts and report)
SAND, BROWN = "#94877c", "#6b3a1a"
LEVELS: dict[str, dict[str, Any]] = {
    "level 1": {"colour": INK, "shape": "diamond", "dash": [1, 0]},
    "X": {"colour": BLUE, "shape": "circle", "dash": [7, 3]},
    "Y": {"colour": VERMILION, "shape": "square", "dash": [2, 2]},
    "attributes": {"colour": VIOLET, "shape": "triangle-up", "dash": [10, 2]},
}
"""Level 1, the two target groups and what an LPBS finds over attributes keep their colour and shape
in every chart."""
LOOKS = {"XY": "level 1", "X": "X", "Y": "Y", "AB": "attributes"}
"""Key of an effect size in `LEVELS`, by the groups that it compares."""
ROLES = {
    "X": LEVELS["X"],
    "Y": LEVELS["Y"],
    "A": {"colour": VIOLET, "shape": "triangle-up"},
    "B": {"colour": BROWN, "shape": "triangle-down"},
}
"""Targets and attributes, where terms of all four groups are beside each other."""
_COLOURS = (BLUE, VERMILION, VIOLET, SAND, BROWN, INK)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
SERIES = tuple(
    {"colour": _COLOURS[i % len(_COLOURS)], "shape": _SHAPES[i % len(_SHAPES)]} for i in range(30)
)
"""Looks of sources beside each other; 30 pairs of colour and shape, no two alike."""

CONFIG: dict[str, Any] = {
    "background": PAPER,
    "font": FONT,
    "padding": 12,
    "view": {"stroke": None},
    "title": {
        "anchor": "start", "color": INK, "fontSize": 15, "fontWeight": "bold", "lineHeight": 19,
        "offset": 12, "subtitleColor": MUTED, "subtitleFontSize": 12, "subtitleLineHeight": 16,
        "subtitlePadding": 4,
    },
    "axis": {
        "domainColor": EDGE, "gridColor": GRID, "labelColor": MUTED, "labelFontSize": 12,
        "labelLimit": 0, "tickColor": EDGE, "tickSize": 4, "titleColor": INK, "titleFontSize": 12,
        "titleFontWeight": "normal", "titlePadding": 8, "titleLimit": 0,
    },
    "legend": {
        "orient": "top", "labelColor": INK, "labelFontSize": 12, "labelLimit": 0, "symbolSize": 75,
        "titleColor": INK, "titleFontSize": 12,
    },
    "header": {
        "labelColor": INK, "labelFontSize": 13, "labelFontWeight": "bold", "labelLimit": 0,
        "title": None,
    },
    "text": {"fontSize": 12, "color": INK},
}  # fmt: skip
"""Vega-Lite configuration of every chart; altair takes it as ``alt.ThemeConfig(config=CONFIG)``."""
