"""Forest plot: level 1 and level 2 effect sizes with their intervals, test below test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.rows import effects
from eatlas.present.charts.theme import LEVELS, LOOKS, MUTED, SERIES
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, *"XYAB", "level", "role", "name", "term", *frames.SIZES, "confidence", "p",
    "p_low", "alpha", "tail", "significant", "read_over",
)  # fmt: skip

HEADING = "Effect sizes of levels 1 and 2"
WIDTH, NUMBERS = 330, 150
"""Pixels of the panel, and of the numbers beside it."""
MANY = 3
"""Layers that are better drawn as lines."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each effect size."""
    why = "a forest shows effect sizes"
    return frames.tidy(results, "forest", "effects", why, effects, COLUMNS)


def draw(given: pd.DataFrame, heading: str = HEADING) -> Chart:
    """Draw the forest.

    Tests are below each other in their order in the frame, the sources of a test beside each
    other in its rows, told apart by shape and lightness. Filled marks are significant.
    """
    found = frames.records(given)
    names = frames.series_of(found)
    colour, shape, _ = marks.looks("look", LEVELS, legend=False)
    light: dict[str, Any] = {}
    if len(names) > 1:
        _, shape, _ = marks.looks("series", dict(zip(names, cycle(SERIES), strict=False)))
        light = {"opacity": marks.lightness("series", names, shape["legend"])}
    others = dict.fromkeys(row["level"] for row in found)
    of_levels = any(row["role"] in LOOKS for row in found)
    axis = ("Effect size d", marks.reach(found)) if of_levels else (", ".join(others), None)
    x = marks.across(*axis)
    rows = marks.Rows(room=300.0, step=marks.STEP if len(names) == 1 else marks.LINE + 1)
    drawn = list(_drawn(found, rows))
    layers = [
        *marks.no_effect(),
        marks.stems(x=x("low:Q"), x2="high:Q", **light),
        *marks.points(shape, "significant", light, x=x("effect_size:Q")),
        marks.text("about", x=0, dx=-rows.left, align="left", fontWeight="bold"),
        marks.text("towards", MUTED, dx=NUMBERS, align="right"),
        marks.text("d", align="right", dx=48),
        marks.text("star", align="left", dx=49),
        marks.text("ends", align="left", dx=62),
    ]  # fmt: skip
    notes = [*wording.source_note(found), *wording.effect_notes(found), *_hint(given)]
    return marks.themed(
        rows.chart(layers, drawn, color=colour, tooltip=wording.effect_tooltip()),
        width=WIDTH,
        title=marks.title(heading if of_levels else "Results of other measures", notes),
        description=wording.described("Forest plot", found),
    )


def _hint(given: pd.DataFrame) -> list[str]:
    """Of many layers, the kind of chart that shows them as lines."""
    layers = given["source"].str.contains("layer=").all() and given["source"].nunique() > MANY
    return ['Layers as lines: kind="layers".'] if layers else []


def _drawn(found: list[dict[str, Any]], rows: marks.Rows) -> Iterator[dict[str, Any]]:
    """Give each test a heading, and below it each effect size of each series its row."""
    for _, of_test in frames.grouped(found, "test"):
        a, b = (of_test[0][role] for role in "AB")
        levels = any(row["role"] in LOOKS for row in of_test)
        towards = f"← {isolated(b)} · {isolated(a)} →" if a and b and levels else ""
        yield from rows.title(wording.named(of_test[0]), towards, WIDTH + NUMBERS + rows.room)
        for _, line in frames.grouped(of_test, "level", "role", "name"):
            top = rows.add(_label(line[0]), len(line))
            for place, row in enumerate(line, start=top):
                texts: dict[str, Any] = wording.shown(row)
                known = row["effect_size"] is not None
                ends = texts["interval"] if row["low"] is not None else None
                yield row | texts | {
                    "row": place, "star": "*" if row["significant"] else None,
                    "d": texts["d"] if known else None, "ends": ends if known else "undefined",
                }  # fmt: skip


def _label(row: dict[str, Any]) -> str:
    """What a row shows: the level and its targets, or a single term."""
    level, role = row["level"][:1].upper() + row["level"][1:], row["role"]
    if row["term"] or role not in LOOKS:
        return str(row["name"] if row["term"] else level)
    return f"{level}: {wording.targets(row)}"
