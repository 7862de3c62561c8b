"""The forest in short: a row for each result, its effect sizes of levels 1 and 2 in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.forest import prepare
from eatlas.present.charts.theme import LEVELS
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

__all__ = ["draw", "prepare"]

STEP = 13
"""Pixels from one effect size to the next."""


def draw(given: pd.DataFrame) -> Chart:
    """Draw a row for each result: level 1 above, the levels 2 of X and Y below it."""
    found = frames.records(given)
    colour, shape, _ = marks.looks("look", LEVELS, legend=False)
    x, rows = marks.across("Effect size d", marks.reach(found)), marks.Rows(share=0.48, step=STEP)
    drawn = list(_drawn(found, rows, with_series=len(frames.series_of(found)) > 1))
    layers = [
        marks.rule(),
        marks.stems(x=x("low:Q"), x2="high:Q"),
        *marks.points(shape, "significant", x=x("effect_size:Q")),
    ]
    return marks.themed(
        rows.chart(layers, drawn, color=colour, tooltip=wording.effect_tooltip()),
        width=330,
        title=marks.title(
            "Effect sizes of levels 1 and 2",
            [*wording.source_note(found), wording.SHAPES, *wording.effect_notes(found)],
        ),
        description=wording.described("Forest plot", found),
    )


def _drawn(
    found: list[dict[str, Any]], rows: marks.Rows, *, with_series: bool
) -> Iterator[dict[str, Any]]:
    """Give each result a label, those of one test together, and each of its effects a row."""
    for _, of_test in frames.grouped(found, "test"):
        results = frames.grouped(of_test, "series")
        for (series,), of_result in results:
            head = of_result[0]["test"] if of_result is results[0][1] else ""
            said = ": ".join(filter(None, (head, series)))
            gap = 1 if of_result is results[-1][1] else 0
            label = said if with_series else _label(of_result[0])
            top = rows.add(label, len(of_result) + gap)
            for row, one in enumerate(of_result, start=top):
                yield one | wording.shown(one) | {"row": row}


def _label(first: dict[str, Any]) -> str:
    """Targets and attributes of a test."""
    x, y, a, b = (isolated(first[role] or "") for role in "XYAB")
    groups = f"{first['test']}: {x}/{y}" if x and y else str(first["test"])
    return f"{groups}\n{b} ↔ {a}" if a and b else groups
