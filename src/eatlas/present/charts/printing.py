"""Charts in the width of a journal's column, with type of 7 points at that size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import marks
from eatlas.present.charts.backend import PRINT, alt, svg_of
from eatlas.present.charts.theme import CONFIG

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart

COLUMNS: Mapping[str, float] = {"single": 89.0, "double": 183.0}
"""Millimetres of one column and of both, as in Nature; others differ by a few."""
LEAST, MOST = 40.0, 1000.0
"""Millimetres that a chart may be wide."""
TYPE = 7.0
"""Points of the letters of axes and labels in print."""
LETTERS = float(CONFIG["axis"]["labelFontSize"])
"""Pixels of the same letters."""
POINTS_PER_MM = 72.0 / 25.4
NARROWEST, SMALLEST = 60.0, 30.0
"""Pixels that a panel keeps, and a small multiple; with less, nothing could be read from it."""
ROUNDS = 3
"""Ticks and labels move when a panel changes its width, and so the whole does once more."""
CLOSE = 1.01
"""Of the width that is wanted, what a chart of several panels may have more; it is scaled to it."""
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)"')


def millimetres(width: object) -> float:
    """Return the width of a column, or a width in millimetres.

    Raises
    ------
    ResultsError
        If it is neither.

    Examples
    --------
    >>> millimetres("single"), millimetres(120)
    (89.0, 120.0)
    """
    if isinstance(width, str) and width in COLUMNS:
        return COLUMNS[width]
    number = isinstance(width, int | float) and not isinstance(width, bool)
    if number and LEAST <= float(str(width)) <= MOST:
        return float(str(width))
    raise ResultsError(
        "a chart cannot have this width",
        got=repr(width),
        allowed=f'"single" (89 mm), "double" (183 mm), or {LEAST:g} to {MOST:g} millimetres',
    )


def drawn_for_print(draw: Callable[[], Any], width: object) -> Chart:
    """Draw a chart so that it has a width in millimetres with its letters at 7 points.

    Parameters
    ----------
    draw : callable
        Draws the chart, with labels and notes as wide as :func:`marks.Rows` allows.
    width : {"single", "double"} or float
        A column, or millimetres.

    Raises
    ------
    ResultsError
        If the width is not usable, or labels leave no room for what is drawn.
    """
    size = millimetres(width)
    pixels = size * POINTS_PER_MM * LETTERS / TYPE
    with marks.page(pixels):
        chart = draw()
    while _wrapped(chart) and chart.columns > 1 and _width_of(chart) > pixels:
        chart.columns -= 1
    for _ in range(ROUNDS):
        spare = pixels - _width_of(chart)
        if abs(spare) < 1:
            break
        for panel, parts, least in _panels(chart):
            _widen(panel, spare / parts, least)
    if _width_of(chart) > pixels * CLOSE:
        raise ResultsError(
            "the chart does not fit into this width",
            got=f"{size:g} mm, where it takes {size * _width_of(chart) / pixels:.0f} mm",
            allowed="a width that leaves room beside the names",
            remedy='take width="double", or fewer results: results.filter(...)',
        )
    # maps of a fixed size may be narrower than the column; their letters have 7 points too
    chart.usermeta = {PRINT: {"width_mm": round(min(1.0, _width_of(chart) / pixels) * size, 2)}}
    return chart  # type: ignore[no-any-return]


def _wrapped(chart: Any) -> bool:
    """Whether a chart is of panels of one size that are wrapped into rows, such as EAT-Maps."""
    spec, columns = getattr(chart, "spec", None), getattr(chart, "columns", None)
    return not isinstance(getattr(spec, "width", 0), int | float) and isinstance(columns, int)


def _width_of(chart: Any) -> float:
    """Pixels that a chart takes with all its labels."""
    found = _SIZE.search(svg_of(chart))
    return float(found[1]) if found else 0.0


def _panels(chart: Any, parts: int = 1) -> Iterator[tuple[Any, int, float]]:
    """Every part with a width of its own, how many are beside each other, and the least width."""
    if isinstance(chart, alt.VConcatChart):
        for one in chart.vconcat:
            yield from _panels(one, parts)
    elif isinstance(chart, alt.HConcatChart):
        for one in chart.hconcat:
            yield from _panels(one, parts * len(chart.hconcat))
    elif isinstance(chart, alt.FacetChart):
        if isinstance(chart.spec.width, int | float):
            yield chart.spec, parts * _beside(chart), SMALLEST
    elif isinstance(chart.width, int | float):
        yield chart, parts, NARROWEST


def _beside(chart: Any) -> int:
    """How many panels of a faceted chart are beside each other."""
    written = chart.to_dict(context={"pre_transform": False})
    column = written["facet"].get("column", written["facet"])
    values = {row.get(column["field"]) for row in next(iter(written["datasets"].values()))}
    return max(1, min(len(values), int(written.get("columns", len(values)))))


def _widen(panel: Any, pixels: float, least: float) -> None:
    """Make a panel wider or narrower; a square stays one."""
    square = panel.width == panel.height
    panel.width = max(least, panel.width + pixels)
    if square:
        panel.height = panel.width
