"""The permutation distribution of level 1 with the observed effect size in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import INK, OTHER
from eatlas.present.numbers import effect, p_equals, percent
from eatlas.present.text import isolated
from eatlas.results import AssociationResult

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "X", "Y", "low", "high", "count", "share", "beyond", "d", "p_two_sided", "alpha",
    "drawn",
)  # fmt: skip
DRAWN, BINS = 20_000, 41
"""Relabellings that are drawn for the picture; bars of it, an odd number so that one is at zero."""
SEED = 0
FAINT = "#c3c3ca"


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each bar of the histogram.

    The p-value is that of the result, exact where it says so; the histogram shows 20,000 random
    relabellings, always the same ones.

    Parameters
    ----------
    results : result or iterable of results
        With a level 1 and the scores of their targets: ML-EAT, WEAT, CEAT and others.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series``; names of ``X`` and ``Y``;
        ``low`` and ``high`` ends of a bar in units of d, the ``count`` of relabellings in it and
        their ``share``; ``beyond``, whether it is as far from 0 as the observed ``d``;
        ``p_two_sided``, ``alpha``; ``drawn`` relabellings.

    Raises
    ------
    ResultsError
        If there is no result, or one without scores, or without spread.

    Examples
    --------
    >>> import eatlas
    >>> bars = prepare(eatlas.run(tests="weat-6"))
    >>> int(bars["count"].sum())
    20000
    """
    why = "a null distribution is that of the labels of level 1"
    return frames.tidy(results, "null", "level1", why, _rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw a histogram for each result, the observed effect size as a line.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    found = frames.records(given)
    histograms = frames.by_result(given)
    several = len(frames.series_of(found)) > 1
    notes = [
        *wording.source_note(found),
        f"Bars: {DRAWN:,} random assignments of the words to X and Y. Dark: as far from 0 as the "
        "observed effect size, which is the line. p counts all assignments where it is exact.",
    ]
    said = [_in_words(rows) for rows in histograms]
    return marks.below(
        [_panel(rows, with_series=several) for rows in histograms],
        title=marks.title("What chance alone would show", notes),
        description=wording.listed("Permutation distributions of level 1", said),
    )


def _panel(rows: list[dict[str, Any]], *, with_series: bool) -> Any:
    """The histogram of one result."""
    first = rows[0]
    d = first["d"]
    reach = max(abs(d), *(abs(row["high"]) for row in rows if row["count"])) * 1.05
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    x = alt.X("low:Q", scale=scale, title="Effect size d", axis=alt.Axis(grid=False, tickCount=7))
    most = alt.Scale(domain=[0, 1.25 * max(row["count"] for row in rows)], nice=False)
    dark = alt.Scale(domain=[True, False], range=[OTHER, FAINT])
    data = frames.frame(row | {"shown": percent(row["share"])} for row in rows)
    side = {"align": "right", "dx": -6} if d > 0 else {"align": "left", "dx": 6}
    at = alt.Chart(alt.InlineData(values=[{}])).encode(x=alt.datum(d))
    name = f"{wording.of_series(first, with_series)}: "
    groups = f"{isolated(first['X'])} against {isolated(first['Y'])}"
    return alt.layer(
        alt.Chart(data).mark_rect(aria=False).encode(
            x=x, x2="high:Q", y=alt.Y("count:Q", axis=None, scale=most), y2=alt.datum(0),
            color=alt.Color("beyond:N", scale=dark, legend=None),
            tooltip=wording.tooltip(shown="share of relabellings", low="from d", high="to d"),
        ),
        at.mark_rule(color=INK, strokeWidth=2, aria=False),
        at.mark_text(baseline="top", dy=2, color=INK, **side)
        .encode(y=alt.value(0), text=alt.value(_observed(first))),
        marks.broken(x=alt.datum(0)),
    ).properties(width=430, height=120, title=marks.title(name + groups, []))  # fmt: skip


def _observed(row: dict[str, Any]) -> str:
    return f"d = {effect(row['d'])}, two-sided {p_equals(row['p_two_sided'], row['alpha'])}"


def _in_words(rows: list[dict[str, Any]]) -> str:
    first = rows[0]
    share = sum(row["share"] for row in rows if row["beyond"])
    return (
        f"{isolated(first['test'])}, {isolated(first['series'])}: {_observed(first)}; "
        f"{percent(share)} of the relabellings drawn are as far from 0"
    )


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Bars of the effect sizes of random relabellings."""
    level, scores = result.primary.level1, result.primary.scores
    values = np.array([*scores.X, *scores.Y])
    if level is None or not level.difference or not level.effect_size or len(values) < 2:
        raise ResultsError(
            f"the result of {result.test} has no distribution of its level 1",
            got="no scores of single words" if not len(values) else "no difference, or no spread",
            allowed="results with the scores of their targets and an effect size other than 0",
        )
    n, d, unit = len(scores.X), level.effect_size, level.effect_size / level.difference
    rng = np.random.default_rng(SEED)
    order = rng.permuted(np.tile(values, (DRAWN, 1)), axis=1)
    found = (order[:, :n].mean(axis=1) - order[:, n:].mean(axis=1)) * unit
    reach = max(abs(d), float(np.abs(found).max())) * (1 + 1e-9)
    counts, ends = np.histogram(found, bins=BINS, range=(-reach, reach))
    for count, low, high in zip(
        counts.tolist(), ends[:-1].tolist(), ends[1:].tolist(), strict=True
    ):
        yield {
            "X": result.concepts.X, "Y": result.concepts.Y, "low": low, "high": high,
            "count": count, "share": count / DRAWN, "d": d, "drawn": DRAWN,
            "beyond": abs(low + high) / 2 >= abs(d), "p_two_sided": level.p.two_sided,
            "alpha": result.rule.alpha,
        }  # fmt: skip
