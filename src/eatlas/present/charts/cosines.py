"""The block of level 3 itself: the cosine of each target word with each attribute word."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import pairs
from eatlas.present.charts.theme import INK
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "target_role", "target", "target_term", "attribute_role", "attribute",
    "attribute_term", "value", "unit", "row", "column",
)  # fmt: skip
CELL = 13
"""Pixels of a cell."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each pair of a target and an attribute."""
    why = "a block of cosines is that of level 3"
    return frames.tidy(results, "cosines", "level3", why, pairs, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the block of each result, a cell for each pair."""
    blocks, several = frames.by_result(given), given["series"].nunique() > 1
    unit = blocks[0][0]["unit"]
    notes = [
        *wording.source_note(blocks[0]),
        "Rows: targets, from the nearest to A to the nearest to B. Columns: attributes, from the "
        "nearest to X to the nearest to Y.",
    ]
    return marks.below(
        [_panel(rows, several) for rows in blocks],
        title=marks.title(f"Level 3: the {unit} of each pair of words", notes),
        description=wording.listed(f"Blocks of {unit}s", [_in_words(rows) for rows in blocks]),
    )


def _panel(rows: Records, several: bool) -> Any:  # noqa: FBT001
    """The block of one result: a panel of rows for X and one for Y, of columns for A and for B."""
    unit = rows[0]["unit"]
    names = {"title": None, "domain": False, "ticks": False, "labelColor": INK, "labelFontSize": 10}
    down, right = (alt.EncodingSortField(field=place, op="min") for place in ("row", "column"))
    key = alt.Legend(title=unit, orient="right", gradientLength=120)
    data = frames.frame(row | {"shown": effect(row["value"], 3)} for row in rows)
    return (
        alt.Chart(data)
        .mark_rect(aria=False)
        .encode(
            x=alt.X("attribute_term:N", sort=right, axis=alt.Axis(labelAngle=-90, **names)),
            y=alt.Y("target_term:N", sort=down, axis=alt.Axis(**names)),
            color=alt.Color("value:Q", scale=alt.Scale(scheme="viridis"), legend=key),
            tooltip=wording.tooltip(target_term="target", attribute_term="attribute", shown=unit),
        )
        .properties(width=alt.Step(CELL), height=alt.Step(CELL))
        .facet(
            row=alt.Row("target:N", sort=data["target"].unique().tolist(), title=None),
            column=alt.Column("attribute:N", sort=data["attribute"].unique().tolist(), title=None),
            spacing=4,
        )
        .resolve_scale(x="independent", y="independent")
        .properties(title=marks.title(wording.of_series(rows[0], several)))
    )


def _in_words(rows: Records) -> str:
    """The pairs at both ends."""
    order = sorted(rows, key=itemgetter("value"))
    low, high = (
        f"{isolated(one['target_term'])} with {isolated(one['attribute_term'])} "
        f"{effect(one['value'], 3)}"
        for one in (order[0], order[-1])
    )
    return f"{isolated(rows[0]['test'])}: from {low} to {high}"
