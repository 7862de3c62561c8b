"""The forest in short: a row for each result, its effect sizes of levels 1 and 2 in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.forest import prepare
from eatlas.present.charts.frames import grouped, records
from eatlas.present.charts.layers import (
    Rows,
    across,
    described,
    effect_notes,
    effect_tooltip,
    looks,
    points,
    shown,
    source_note,
    title,
    zero,
)
from eatlas.present.charts.theme import LEVELS, LOOKS
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

__all__ = ["draw", "prepare"]

STEP = 36
"""Pixels from row to row."""


def draw(given: pd.DataFrame) -> Chart:
    """Draw a row for each result: level 1 above, the levels 2 of X and Y below it.

    Parameters
    ----------
    given : DataFrame
        What :func:`~eatlas.plots.forest.prepare` made, or some rows of it.

    Raises
    ------
    EatlasError
        If altair is not installed.

    Examples
    --------
    >>> import eatlas
    >>> chart = eatlas.plot(eatlas.run(tests=["weat-6", "weat-7"]), kind="compact")
    >>> chart.description.split(".")[0]
    'Forest plot of 6 effect sizes'
    """
    alt = altair()
    found = records(given)
    names = list(dict.fromkeys(row["series"] for row in found))
    colour, shape, _ = looks("look", LEVELS, legend=False)
    x, rows = across("Effect size d"), Rows(room=300.0, step=STEP)
    places = {look: place for place, look in enumerate(LEVELS)}
    drawn = list(_drawn(found, rows, places, with_series=len(names) > 1))
    below = alt.YOffset(
        "place:Q", scale=alt.Scale(domain=[-1.3, max(row["place"] for row in drawn) + 1.3])
    )
    layers = [
        zero(x=alt.datum(0), y=alt.value(0), y2=alt.value("height")),
        alt.Chart().mark_rule(strokeWidth=1.8, aria=False)
        .encode(x=x("low:Q"), x2="high:Q", yOffset=below),
        *points(shape, "significant", x=x("effect_size:Q"), yOffset=below),
    ]  # fmt: skip
    marks = "Diamonds: level 1, X against Y. Circles and squares: level 2 of X and of Y alone."
    return themed(
        rows.chart(layers, drawn, color=colour, tooltip=effect_tooltip()),
        width=330,
        title=title(
            "Effect sizes of levels 1 and 2", [*source_note(names), marks, *effect_notes(found)]
        ),
        description=described("Forest plot", found),
    )


def _drawn(
    found: list[dict[str, Any]], rows: Rows, places: dict[str, int], *, with_series: bool
) -> Iterator[dict[str, Any]]:
    """Give each result a row, and each of its effect sizes a place in it."""
    for (test, series), of_result in grouped(found, "test", "series"):
        first = of_result[0]
        groups = "/".join(isolated(first[role]) for role in "XY" if first[role])
        said = f"{test}: {series}" if with_series else f"{test}: {groups}" if groups else test
        row = rows.add(said)
        for one in of_result:
            look = LOOKS.get(one["role"], "level 1")
            yield (
                one
                | shown(one)
                | {"row": row, "look": look, "place": places[look], "heading": False}
            )
