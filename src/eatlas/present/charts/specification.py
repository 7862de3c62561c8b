"""Specification curve: effect sizes of a study in order, and the choices behind each below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError, described
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.theme import BLUE, MUTED, OTHER

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

SIGNIFICANT, OTHERWISE = "significant", "not significant"
WIDTH, CURVE, ROW = 640, 200, 16
"""Pixels: of the chart, of the curve, and of the row of one alternative."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each specification and choice.

    Parameters
    ----------
    results : Study or StudyRecord
        What :func:`eatlas.multiverse` returned, or its record.

    Returns
    -------
    DataFrame
        ``rank`` (by effect size, from 1), ``specification``, ``effect_size``, ``low``, ``high``,
        ``p``, ``finding`` ("significant" or "not significant"), ``pattern``; ``choice``, ``label``
        and ``alternative`` (both together) of each choice that varies.

    Raises
    ------
    ResultsError
        If this is no study, or none of its specifications has an effect size d.

    Examples
    --------
    >>> import eatlas
    >>> study = eatlas.multiverse({"tests": ["weat-6"], "choices": {"ddof": [1, 0]}})
    >>> prepare(study)["alternative"].tolist()
    ['ddof: 1', 'ddof: 0']
    """
    import pandas as pd  # noqa: PLC0415

    record: Any = getattr(results, "record", results)
    given = [one for one in getattr(record, "measured", ()) if one.symbol == "d"]
    if not given:
        raise ResultsError(
            "there is no specification curve of this",
            got=described(results),
            allowed="a study with effect sizes d: eatlas.multiverse(...) or eatlas.read_study(...)",
        )
    ordered = sorted(given, key=lambda one: (one.d, one.number))
    rows = [
        {
            "rank": rank,
            "specification": one.number,
            "effect_size": one.d,
            "low": one.low,
            "high": one.high,
            "p": one.p,
            "finding": SIGNIFICANT if one.significant else OTHERWISE,
            "pattern": one.pattern or "none",
            "choice": name,
            "label": one.choices[name],
            "alternative": f"{name}: {one.choices[name]}",
        }
        for rank, one in enumerate(ordered, start=1)
        for name in record.varying or ("test",)
        if one.choices[name]
    ]
    return pd.DataFrame(rows)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the curve, and a mark for each alternative that a specification takes.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    alt = altair()
    x = alt.X("rank:Q", title=None, axis=None, scale=alt.Scale(nice=False, padding=6))
    colour = alt.Color(
        "finding:N",
        title=None,
        scale=alt.Scale(domain=[SIGNIFICANT, OTHERWISE], range=[BLUE, OTHER]),
    )
    tooltip = ["specification:Q", "effect_size:Q", "p:Q", "pattern:N"]
    points = given.drop_duplicates("rank")
    shapes = alt.Shape("pattern:N", title="EAT pattern")
    bounds = points[points["low"].notna()]
    curve = alt.layer(
        alt.Chart(points).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(y=alt.datum(0)),
        alt.Chart(bounds).mark_rule(opacity=0.4).encode(x=x, y="low:Q", y2="high:Q", color=colour),
        alt.Chart(points)
        .mark_point(filled=True, size=40, opacity=1)
        .encode(
            x=x,
            y=alt.Y("effect_size:Q", title="Effect size d"),
            color=colour,
            shape=shapes,
            tooltip=tooltip,
        ),
    ).properties(width=WIDTH, height=CURVE)
    order = list(dict.fromkeys(given.sort_values("specification")["alternative"]))
    choices = list(dict.fromkeys(given["choice"]))
    order.sort(key=lambda one: choices.index(one.partition(": ")[0]))
    below = (
        alt.Chart(given)
        .mark_tick(thickness=2, size=ROW - 4, orient="vertical")
        .encode(
            x=x,
            y=alt.Y("alternative:N", title=None, sort=order),
            color=colour,
            tooltip=["alternative:N", *tooltip],
        )
        .properties(width=WIDTH, height=ROW * len(order))
    )
    number = points["rank"].max()
    share = (points["finding"] == SIGNIFICANT).mean()
    return themed(
        alt.vconcat(curve, below, spacing=6),
        title=alt.TitleParams(
            "Specification curve",
            subtitle=f"{number} specifications by effect size; {100 * share:.0f}% significant",
        ),
        description=f"Specification curve of {number} effect sizes, from "
        f"{points['effect_size'].min():.2f} to {points['effect_size'].max():.2f}; "
        f"{100 * share:.0f}% are significant.",
    )
