"""Scatter matrix: effect sizes of every two alternatives of a choice against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError, described
from eatlas.present.charts import marks
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import frame
from eatlas.present.charts.theme import BLUE

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = ("choice", "first", "second", "x", "y", "n", "pearson", "spearman")
SIDE, BESIDE = 150, 76
"""Pixels of a panel, and of its axis and the room beside it."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each pair of effect sizes."""
    study: Any = results
    analysis = study.analysis() if hasattr(study, "analysis") else study
    found = [one for one in getattr(analysis, "correlations", ()) if one.points]
    if not found:
        raise ResultsError(
            "there is no scatter matrix of this",
            got=described(results),
            allowed="a study, or its analysis, with at least three tests and two alternatives of "
            "another choice: eatlas.multiverse(...) or eatlas.read_study(...)",
        )
    rows = (
        {name: getattr(one, name, at.get(name)) for name in COLUMNS}
        for one in found
        for at in ({"x": x, "y": y} for x, y in one.points)
    )
    return frame(rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the panels of each choice: the first alternatives across, a row for each second.

    The matrices of several choices are beside each other where they fit on the page.
    """
    sizes = given[["x", "y"]].to_numpy()
    low, high = min(0.0, float(sizes.min())), max(0.0, float(sizes.max()))
    matrices, wide = [], 0
    for _, rows in given.groupby("choice", sort=False):
        seconds = rows.groupby("second", sort=False)
        wide += rows["first"].nunique() * (SIDE + BESIDE)
        panels = [
            [_panel(one, low, high) for _, one in row.groupby("first", sort=False)]
            for _, row in seconds
        ]
        matrices.append(alt.vconcat(*(alt.hconcat(*row) for row in panels)))
    together = alt.hconcat if wide <= marks.line(wide) else alt.vconcat
    pairs = given.drop_duplicates(["choice", "first", "second"])
    known = pairs["pearson"].dropna()
    ends = f", Pearson's r from {known.min():.2f} to {known.max():.2f}" if len(known) else ""
    return marks.themed(
        together(*matrices, spacing=20),
        title=marks.title(
            "Scatter matrix of methods",
            ["Effect sizes d; r is Pearson's; broken lines: both agree"],
        ),
        description=f"Scatter matrix of {len(pairs)} pairs of alternatives{ends}.",
    )


def _panel(rows: pd.DataFrame, low: float, high: float) -> Any:
    """The effect sizes of two alternatives, with a broken line where both agree."""
    head = rows.iloc[0]
    r = "undefined" if rows["pearson"].isna().all() else f"{head['pearson']:.2f}"
    scale, axis = alt.Scale(domain=[low, high], nice=True), alt.Axis(tickCount=5)
    x, y = (
        channel(f"{name}:Q", title=f"{head['choice']} = {head[way]}", scale=scale, axis=axis)
        for channel, name, way in ((alt.X, "x", "first"), (alt.Y, "y", "second"))
    )
    start, end = alt.datum(low), alt.datum(high)
    return alt.layer(
        marks.rule(dashed=True, x=start, x2=end, y=start, y2=end),
        alt.Chart(rows)
        .mark_point(filled=True, size=36, opacity=0.7, color=BLUE)
        .encode(x=x, y=y, tooltip=["first:N", "x:Q", "second:N", "y:Q"]),
    ).properties(width=SIDE, height=SIDE, title=alt.Title(f"r = {r}", fontSize=11, anchor="start"))
