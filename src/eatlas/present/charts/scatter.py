"""Scatter matrix: effect sizes of every two alternatives of a choice against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError, described
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.theme import BLUE, MUTED

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

SIDE = 150
"""Pixels of a panel."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each pair of effect sizes.

    Parameters
    ----------
    results : Study or StudyAnalysis
        What :func:`eatlas.multiverse` returned, or its analysis.

    Returns
    -------
    DataFrame
        ``choice``, its alternatives ``first`` and ``second``, the effect sizes ``x`` by the first
        and ``y`` by the second; ``n``, ``pearson`` and ``spearman`` of all pairs of the two.

    Raises
    ------
    ResultsError
        If this is no study, or it has fewer than three tests or nothing to correlate.

    Examples
    --------
    >>> import eatlas
    >>> choices = {"transform": ["none", "center"]}
    >>> plan = {"tests": ["weat-6", "weat-7", "weat-8"], "choices": choices}
    >>> frame = prepare(eatlas.multiverse(plan))
    >>> frame[["first", "second"]].drop_duplicates().values.tolist(), len(frame)
    ([['none', 'center']], 3)
    """
    import pandas as pd  # noqa: PLC0415

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
    return pd.DataFrame(
        {
            "choice": one.choice,
            "first": one.first,
            "second": one.second,
            "x": x,
            "y": y,
            "n": one.n,
            "pearson": one.pearson,
            "spearman": one.spearman,
        }
        for one in found
        for x, y in one.points
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the panels of each choice: the first alternatives across, a row for each second.

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
    low = min(0.0, float(given[["x", "y"]].min().min()))
    high = max(0.0, float(given[["x", "y"]].max().max()))
    scale = alt.Scale(domain=[low, high], nice=True)
    both = {"x": alt.datum(low), "x2": alt.datum(high), "y": alt.datum(low), "y2": alt.datum(high)}

    def panel(rows: pd.DataFrame) -> Any:
        head = rows.iloc[0]
        r = "undefined" if rows["pearson"].isna().all() else f"{head['pearson']:.2f}"
        points = alt.Chart(rows).mark_point(filled=True, size=36, opacity=0.7, color=BLUE)
        return alt.layer(
            alt.Chart(rows.head(1)).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(**both),
            points.encode(
                x=alt.X("x:Q", title=str(head["first"]), scale=scale),
                y=alt.Y("y:Q", title=str(head["second"]), scale=scale),
                tooltip=["first:N", "x:Q", "second:N", "y:Q"],
            ),
        ).properties(
            width=SIDE,
            height=SIDE,
            title=alt.TitleParams(f"{head['choice']}: r = {r}", fontSize=11, anchor="start"),
        )

    matrices = [
        alt.vconcat(
            *(
                alt.hconcat(*(panel(one) for _, one in row.groupby("first", sort=False)))
                for _, row in rows.groupby("second", sort=False)
            )
        )
        for _, rows in given.groupby("choice", sort=False)
    ]
    pairs = given.drop_duplicates(["choice", "first", "second"])
    known = pairs["pearson"].dropna()
    ends = f", Pearson's r from {known.min():.2f} to {known.max():.2f}" if len(known) else ""
    return themed(
        alt.vconcat(*matrices, spacing=20),
        title=alt.TitleParams(
            "Scatter matrix of methods",
            subtitle="Effect sizes d; r is Pearson's; broken lines: both agree",
        ),
        description=f"Scatter matrix of {len(pairs)} pairs of alternatives{ends}.",
    )
