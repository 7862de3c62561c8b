"""Charts in the width of a journal's column, with type of 7 points at that size."""

from __future__ import annotations

import math
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
GROWS = 2.4
"""Times its own side that a square panel has at most."""
ROUNDS = 4
"""Ticks and labels move when a panel changes its width, and so the whole does once more."""
CLOSE = 1.01
"""Of the width that is wanted, what a chart of several panels may have more; it is scaled to it."""
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)"')


def millimetres(width: object) -> float:
    """Return the width of a column, or a width in millimetres."""
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
    """Draw a chart so that it has a width in millimetres with its letters at 7 points."""
    size = millimetres(width)
    pixels = size * POINTS_PER_MM * LETTERS / TYPE
    with marks.page(pixels):
        chart = draw()
    while _wrapped(chart) and chart.columns > 1 and _width_of(chart) > pixels:
        chart.columns -= 1
    _fit(chart, pixels)
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


def _fit(chart: Any, pixels: float) -> None:
    """Widen all panels alike, or make them narrower, until the whole chart has a width."""
    panels = list(_panels(chart))
    lowest = min((least - own for _, own, least, _ in panels), default=0.0)
    highest = max((most - own for _, own, _, most in panels), default=0.0)
    extra, before = 0.0, (0.0, 0.0)
    for _ in range(ROUNDS):
        wide = _width_of(chart)
        if abs(pixels - wide) < 1:
            break
        # panels beside each other, or cells, make the whole wider by several times as much
        slope = max(1.0, (wide - before[1]) / (extra - before[0])) if extra else 1.0
        before = extra, wide
        extra = min(highest, max(lowest, extra + (pixels - wide) / slope))
        if extra == before[0]:
            break
        for panel, own, least, most in panels:
            _widen(panel, min(most, max(least, own + extra)))


def _panels(chart: Any) -> Iterator[tuple[Any, float, float, float]]:
    """Every part with a width of its own: that width, the least and the largest it may have."""
    for one in getattr(chart, "vconcat", None) or getattr(chart, "hconcat", None) or ():
        yield from _panels(one)
    panel = getattr(chart, "spec", chart)
    width = getattr(panel, "width", None)
    if isinstance(width, int | float):
        least = NARROWEST if panel is chart else SMALLEST
        yield panel, width, least, width * GROWS if width == panel.height else math.inf
    elif isinstance(width, alt.Step) and not _wrapped(chart):
        yield panel, width.step, width.step, math.inf


def _widen(panel: Any, width: float) -> None:
    """Give a panel a width, or its cells; a square stays one."""
    if isinstance(panel.width, alt.Step):
        panel.width = alt.Step(width)
        return
    if panel.width == panel.height:
        panel.height = width
    panel.width = width
