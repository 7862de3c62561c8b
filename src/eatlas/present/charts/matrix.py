"""Tests by settings: a small EAT-Map and forest in each cell, and what differs behind each row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, maps, marks, wording
from eatlas.present.charts.backend import alt, lines_of
from eatlas.present.charts.rows import cells, effects
from eatlas.present.charts.theme import INK, LEVELS
from eatlas.present.text import isolated
from eatlas.results.compare import SideBySide, side_by_side

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

MAP, STEP, DIFFERS = 12, 46, 220.0
"""Pixels: from the left of a panel to the map, from row to row, and of what differs."""
ROOM = 1.6
"""Times the largest effect size that the scale reaches to the left, where the map is."""
WIDE, NARROW, MANY = 210, 130, 4
"""Pixels of a panel; a narrow one where there are more settings than these."""


def prepare(results: Any) -> pd.DataFrame:
    """Make a row of each effect size, and of each cell of a map, in each setting."""
    alike = isinstance(results, SideBySide)
    found = results if alike else side_by_side(frames.listed(results, "matrix"))
    return frames.frame(_rows(found))


def _rows(found: SideBySide) -> Iterator[dict[str, Any]]:
    for row in found:
        for setting, one in zip(found.values, row.members, strict=True):
            head = {"test": row.name, "series": setting, "differs": row.differs, "period": None}
            for effect in effects(one) if one is not None else ():
                yield head | {"part": "effect", "cell": None} | effect
            for cell in cells(one) if one is not None and one.pattern is not None else ():
                yield head | {"part": "cell"} | cell


def draw(given: pd.DataFrame) -> Chart:
    """Draw the panels of all settings beside each other, a row for each test."""
    found = frames.records(given)
    effects = [row for row in found if row["part"] == "effect" and not row["term"]]
    settings, rows = frames.series_of(found), marks.Rows(step=STEP)
    firsts = {test: group[0] for (test,), group in frames.grouped(effects, "test")}
    numbers = {test: rows.add(_label(first)) for test, first in firsts.items()}
    drawn = [
        row | {"row": numbers[row["test"]]} | _look(row, last=row["series"] == settings[-1])
        for row in [*effects, *(row for row in found if row["part"] == "cell")]
    ]
    panel = WIDE if len(settings) <= MANY else NARROW
    reach = max([2.0, *(abs(row[k]) for row in effects for k in frames.SIZES if row[k])])
    scale = alt.Scale(domain=[-ROOM * reach, reach], nice=False)
    axis = alt.Axis(grid=True, values=[-2, -1, 0, 1, 2], format="~g", domain=False)
    x = partial(alt.X, scale=scale, title=None, axis=axis)
    below = alt.YOffset("place:Q", scale=alt.Scale(domain=[-1.2, len(LEVELS) - 1]))
    colour, shape, _ = marks.looks("look", LEVELS, legend=False)
    place = {"yOffset": below, "color": colour}
    layers = [
        marks.rule(x=alt.datum(0, scale=scale)),
        *maps.squares(MAP),
        marks.stems(x=x("low:Q"), x2="high:Q", **place).transform_filter("datum.part == 'effect'"),
        *marks.points(shape, "significant", x=x("effect_size:Q"), **place),
        marks.text("said", INK, align="left", dx=14),
    ]
    chart = rows.chart(layers, drawn, tooltip=wording.effect_tooltip()).properties(width=panel)
    header = alt.Header(labelAnchor="start")
    column = alt.Column("series:N", sort=settings, title=None, header=header)
    return marks.themed(
        chart.facet(column=column, bounds="flush", spacing=22),
        title=marks.title("Tests by setting", [wording.SHAPES, *wording.effect_notes(effects)]),
        description=wording.described("Matrix", effects),
    )


def _label(row: dict[str, Any]) -> str:
    """The test, and the groups that it compares."""
    groups = "/".join(isolated(row[role]) for role in "XY" if row[role])
    return f"{row['test']}: {groups}" if groups else str(row["test"])


def _look(row: dict[str, Any], *, last: bool) -> dict[str, Any]:
    """What a row of the frame needs to be drawn; in the last column also what differs."""
    if row["part"] == "effect":
        texts = wording.shown(row)
        return texts | {"place": list(LEVELS).index(texts["look"])}
    first = last and row["cell"] == "XA" and row["differs"]
    said = "\n".join(lines_of(row["differs"], DIFFERS)) if first else None
    return {"said": said, "significant": None}
