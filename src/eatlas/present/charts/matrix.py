"""Tests by settings: a small EAT-Map and forest in each cell, and what differs behind each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair, lines_of, themed
from eatlas.present.charts.eat_map import _cells
from eatlas.present.charts.frames import effect_rows, frame, listed, records
from eatlas.present.charts.layers import (
    Rows,
    described,
    effect_notes,
    effect_tooltip,
    looks,
    points,
    shown,
    squares,
    text,
    title,
    zero,
)
from eatlas.present.charts.theme import INK, LEVELS, LOOKS
from eatlas.present.text import isolated
from eatlas.results.side_by_side import SideBySide, side_by_side

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

MAP, STEP, DIFFERS = 12, 46, 220.0
"""Pixels: from the left of a panel to the map, from row to row, and of what differs."""
WIDE, NARROW, MANY = 210, 130, 4
"""Pixels of a panel; a narrow one where there are more settings than these."""


def prepare(results: Any) -> pd.DataFrame:
    """Make a row of each effect size, and of each cell of a map, in each setting.

    Parameters
    ----------
    results : SideBySide or iterable of results
        What :meth:`eatlas.Results.compare` returns; of results, that by setting.

    Returns
    -------
    DataFrame
        ``test`` (what a row has in common), ``series`` (the setting), ``differs``; ``part``
        ("effect" or "cell"); the columns of :func:`eatlas.plots.forest.prepare` for effects, and
        of :func:`eatlas.plots.eat_map.prepare` for cells.

    Raises
    ------
    ResultsError
        If the results do not differ in a setting.

    Examples
    --------
    >>> import eatlas
    >>> both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
    >>> given = prepare(eatlas.run("weat-6", both))
    >>> given["series"].unique().tolist(), given["part"].value_counts().tolist()
    (['plain', 'centred'], [8, 6])
    """
    found = results if isinstance(results, SideBySide) else side_by_side(listed(results, "matrix"))
    return frame(_rows(found))


def _rows(found: SideBySide) -> Iterator[dict[str, Any]]:
    for row in found:
        for setting, one in zip(found.values, row.members, strict=True):
            head = {"test": row.name, "series": setting, "differs": row.differs, "period": None}
            for effect in effect_rows(one) if one is not None else ():
                yield head | {"part": "effect", "cell": None} | effect
            for cell in _cells(one) if one is not None and one.pattern is not None else ():
                yield head | {"part": "cell"} | cell


def draw(given: pd.DataFrame) -> Chart:
    """Draw the panels of all settings beside each other, a row for each test.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    alt = altair()
    found = records(given)
    effects = [row for row in found if row["part"] == "effect" and not row["term"]]
    settings, rows = list(dict.fromkeys(row["series"] for row in found)), Rows(step=STEP)
    numbers = {row["test"]: row for row in reversed(effects)}
    numbers = {test: rows.add(_label(numbers[test])) for test in reversed(numbers)}
    panel = WIDE if len(settings) <= MANY else NARROW
    places = {look: place for place, look in enumerate(LEVELS)}
    drawn = [
        row | {"row": numbers[row["test"]]} | _look(row, places, row["series"] == settings[-1])
        for row in [*effects, *(row for row in found if row["part"] == "cell")]
    ]
    ends = [abs(row[k]) for row in effects for k in ("low", "high", "effect_size") if row[k]]
    scale = alt.Scale(domain=[-max([2.0, *ends]), max([2.0, *ends])], range=[MAP + 30, panel])
    x = {
        "scale": scale,
        "title": None,
        "axis": alt.Axis(grid=True, values=[-2, -1, 0, 1, 2], format="~g"),
    }
    below = alt.YOffset("place:Q", scale=alt.Scale(domain=[-1.2, max(places.values())]))
    colour, shape, _ = looks("look", LEVELS, legend=False)
    marks = alt.Chart().transform_filter("datum.part == 'effect'")
    layers = [
        zero(x=alt.datum(0, scale=scale), y=alt.value(0), y2=alt.value("height")),
        *squares(MAP),
        marks.mark_rule(strokeWidth=1.8, aria=False)
        .encode(x=alt.X("low:Q", **x), x2="high:Q", yOffset=below, color=colour),
        *points(shape, "significant", x=alt.X("effect_size:Q", **x), yOffset=below, color=colour),
        text("said", INK, align="left", dx=14),
    ]  # fmt: skip
    chart = rows.chart(layers, drawn, tooltip=effect_tooltip()).properties(width=panel)
    column = alt.Column(
        "series:N", sort=settings, title=None, header=alt.Header(labelAnchor="start")
    )
    about = "Diamonds: level 1, X against Y. Circles and squares: level 2 of X and of Y alone."
    return themed(
        chart.facet(column=column, bounds="flush", spacing=22),
        title=title("Tests by setting", [about, *effect_notes(effects)]),
        description=described("Matrix", effects),
    )


def _label(row: dict[str, Any]) -> str:
    """The test, and the groups that it compares."""
    groups = "/".join(isolated(row[role]) for role in "XY" if row[role])
    return f"{row['test']}: {groups}" if groups else str(row["test"])


def _look(row: dict[str, Any], places: dict[str, int], last: bool) -> dict[str, Any]:  # noqa: FBT001
    """What a row of the frame needs to be drawn; in the last column also what differs."""
    if row["part"] == "cell":
        first = last and row["cell"] == "XA" and row["differs"]
        said = "\n".join(lines_of(row["differs"], DIFFERS)) if first else None
        return {"place": 0, "said": said, "significant": None, "look": None}
    look = LOOKS.get(row["role"], "level 1")
    return shown(row) | {"look": look, "place": places[look], "said": None}
