"""The permutation distribution of level 1 with the observed effect size in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.rows import DRAWN, relabellings
from eatlas.present.charts.theme import INK, OTHER
from eatlas.present.numbers import effect, p_equals, percent
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "X", "Y", "low", "high", "count", "share", "beyond", "d", "p_two_sided", "alpha",
    "drawn",
)  # fmt: skip
FAINT = "#c3c3ca"


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each bar of the histogram.

    The p-value is that of the result, exact where it says so; the histogram shows 20,000 random
    relabellings, always the same ones.
    """
    why = "a null distribution is that of the labels of level 1"
    return frames.tidy(results, "null", "level1", why, relabellings, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw a histogram for each result, the observed effect size as a line."""
    found, histograms = frames.records(given), frames.by_result(given)
    several = len(frames.series_of(found)) > 1
    notes = [
        *wording.source_note(found),
        f"Bars: {DRAWN:,} random assignments of the words to X and Y. Dark: as far from 0 as the "
        "observed effect size, which is the line. p counts all assignments where it is exact.",
    ]
    said = [_in_words(rows) for rows in histograms]
    return marks.below(
        [_panel(rows, several) for rows in histograms],
        title=marks.title("What chance alone would show", notes),
        description=wording.listed("Permutation distributions of level 1", said),
    )


def _panel(rows: list[dict[str, Any]], several: bool) -> Any:  # noqa: FBT001
    """The histogram of one result."""
    first, d = rows[0], rows[0]["d"]
    reach = max(abs(d), *(abs(row["high"]) for row in rows if row["count"])) * 1.05
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    x = alt.X("low:Q", scale=scale, title="Effect size d", axis=alt.Axis(grid=False, tickCount=7))
    most = alt.Scale(domain=[0, 1.25 * max(row["count"] for row in rows)], nice=False)
    dark = alt.Scale(domain=[True, False], range=[OTHER, FAINT])
    hover = wording.tooltip(shown="share of relabellings", low="from d", high="to d")
    bars = alt.Chart(frames.frame(row | {"shown": percent(row["share"])} for row in rows))
    side = {"align": "right", "dx": -6} if d > 0 else {"align": "left", "dx": 6}
    name = wording.of_series(first, several)
    return alt.layer(
        bars.mark_rect(aria=False).encode(
            x=x, x2="high:Q", y=alt.Y("count:Q", axis=None, scale=most), y2=alt.datum(0),
            color=alt.Color("beyond:N", scale=dark, legend=None), tooltip=hover,
        ),
        marks.rule(x=alt.datum(d), colour=INK, width=2),
        marks.note(_observed(first), alt.datum(d), alt.value(0), INK, baseline="top", dy=2, **side),
        marks.rule(dashed=True),
    ).properties(
        width=430, height=120,
        title=marks.title(f"{name}: {isolated(first['X'])} against {isolated(first['Y'])}"),
    )  # fmt: skip


def _observed(row: dict[str, Any]) -> str:
    return f"d = {effect(row['d'])}, two-sided {p_equals(row['p_two_sided'], row['alpha'])}"


def _in_words(rows: list[dict[str, Any]]) -> str:
    first, share = rows[0], percent(sum(row["share"] for row in rows if row["beyond"]))
    far = f"{share} of the relabellings drawn are as far from 0"
    return f"{wording.subject(first)}: {_observed(first)}; {far}"
