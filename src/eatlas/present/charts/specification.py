"""Specification curve: effect sizes of a study in order, and the choices behind each below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError, described
from eatlas.present.charts import marks
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import frame
from eatlas.present.charts.theme import BLUE, OTHER

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

SIGNIFICANT, OTHERWISE = "significant", "not significant"
WIDTH, CURVE, ROW = 640, 200, 16
"""Pixels: of the chart, of the curve, and of the row of one alternative."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each specification and choice."""
    record: Any = getattr(results, "record", results)
    given = [one for one in getattr(record, "measured", ()) if one.symbol == "d"]
    if not given:
        raise ResultsError(
            "there is no specification curve of this",
            got=described(results),
            allowed="a study with effect sizes d: eatlas.multiverse(...) or eatlas.read_study(...)",
        )
    ordered = sorted(given, key=lambda one: (one.d, one.number))
    return frame(
        {
            "rank": rank, "specification": one.number, "effect_size": one.d,
            "low": one.low, "high": one.high, "p": one.p,
            "finding": SIGNIFICANT if one.significant else OTHERWISE,
            "pattern": one.pattern or "none", "choice": name, "label": one.choices[name],
            "alternative": f"{name}: {one.choices[name]}",
        }
        for rank, one in enumerate(ordered, start=1)
        for name in record.varying or ("test",)
        if one.choices[name]
    )  # fmt: skip


def draw(given: pd.DataFrame) -> Chart:
    """Draw the curve, and a mark for each alternative that a specification takes."""
    x = alt.X("rank:Q", title=None, axis=None, scale=alt.Scale(nice=False, padding=6))
    scale = alt.Scale(domain=[SIGNIFICANT, OTHERWISE], range=[BLUE, OTHER])
    colour = alt.Color("finding:N", title=None, scale=scale)
    hover = ["specification:Q", "effect_size:Q", "p:Q", "pattern:N"]
    points = given.drop_duplicates("rank")
    bounds = alt.Chart(points[points["low"].notna()])
    curve = alt.layer(
        marks.rule(dashed=True, y=alt.datum(0)),
        bounds.mark_rule(opacity=0.4).encode(x=x, y="low:Q", y2="high:Q", color=colour),
        alt.Chart(points).mark_point(filled=True, size=40, opacity=1).encode(
            x=x, y=alt.Y("effect_size:Q", title="Effect size d"), color=colour,
            shape=alt.Shape("pattern:N", title="EAT pattern"), tooltip=hover,
        ),
    ).properties(width=WIDTH, height=CURVE)  # fmt: skip
    firsts = given.sort_values("specification").drop_duplicates("alternative")
    choices = list(dict.fromkeys(given["choice"]))
    order = firsts.sort_values("choice", key=lambda one: one.map(choices.index), kind="stable")
    below = (
        alt.Chart(given)
        .mark_tick(thickness=2, size=ROW - 4, orient="vertical")
        .encode(
            x=x, y=alt.Y("alternative:N", title=None, sort=order["alternative"].tolist()),
            color=colour, tooltip=["alternative:N", *hover],
        )
        .properties(width=WIDTH, height=ROW * len(order))
    )  # fmt: skip
    number, sizes = points["rank"].max(), points["effect_size"]
    share = f"{100 * (points['finding'] == SIGNIFICANT).mean():.0f}%"
    about = f"{number} specifications by effect size; {share} significant"
    return marks.themed(
        alt.vconcat(curve, below, spacing=6),
        title=alt.Title("Specification curve", subtitle=about),
        description=f"Specification curve of {number} effect sizes, from {sizes.min():.2f} to "
        f"{sizes.max():.2f}; {share} are significant.",
    )
