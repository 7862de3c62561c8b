"""How often each EAT pattern appears when the terms are drawn again.

Shares of resamples are not probabilities that another study shows a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, maps, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import patterns
from eatlas.present.charts.theme import GRID, ON, OTHER
from eatlas.present.drawings.eat_map import PATTERNS
from eatlas.present.numbers import percent

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

Order = Literal["pattern", "share"]
COLUMNS = (*frames.HEAD, "pattern", "share", "observed", "resamples", "over")


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each of the nine patterns for each result."""
    why = "EAT patterns are found by ML-EAT"
    found = frames.tidy(results, "stability", "pattern", why, patterns, COLUMNS)
    if found["share"].isna().all():
        raise ResultsError(
            "no result says how often each pattern appears",
            got=f"{found['signature'][0]} for {found['test'][0]}, without resamples",
            allowed="results of an ML-EAT that resamples its terms",
            remedy='measure with resamples: eatlas.run(tests=..., measures="ml-eat")',
        )
    return found


def draw(given: pd.DataFrame, order: Order = "pattern") -> Chart:
    """Draw the shares of one result as bars, those of several as a table of bars."""
    groups = frames.by_result(given)
    one = len(groups) == 1
    rows = marks.Rows(room=420.0, share=0.28, step=32 if one else 38, padding=44 if one else 12)
    if order == "share":
        groups = [sorted(groups[0], key=_less)] if one else sorted(groups, key=_least_stable)
    drawn = list(_of_one(groups[0], rows) if one else _of_several(groups, rows))
    bar = alt.Chart().mark_bar(**({"size": 16} if one else {"size": 8, "yOffset": 6}))
    beside = {"align": "left"} | ({"x": "width", "dx": 10} if one else {"x": 0, "dy": -8})
    x = partial(alt.X, scale=alt.Scale(domain=[0, 1]), axis=None)
    layers = [
        *maps.squares(-34 if one else 6),
        bar.encode(x=x("whole:Q"), color=alt.value(GRID)),
        bar.encode(x=x("share:Q"), description="words:N"),
        marks.text("percent", **beside),
        marks.text("bold", fontWeight="bold", **beside),
    ]
    red = alt.Scale(domain=[True, False], range=[ON, OTHER])
    hover = wording.tooltip(
        test="test", series="source", pattern="pattern", shown="share", observed="observed"
    )
    colour = alt.Color("observed:N", scale=red, legend=None)
    chart = rows.chart(layers, drawn, color=colour, tooltip=hover)
    chart = chart.properties(width=300 if one else 62)
    if not one:
        chart = chart.facet(column=_columns(), spacing=4 if marks.is_narrow() else 10)
    heading = f"EAT patterns among resamples of the terms{'' if one else ' of each test'}"
    about = [wording.named(groups[0][0])] if one else []
    notes = [*about, *wording.source_note(groups[0]), _meaning(groups)]
    said = [_in_words(group) for group in groups]
    return marks.themed(
        chart,
        title=marks.title(heading, notes, 520.0 if one else marks.WIDTH),
        description=wording.listed("EAT patterns among resamples", said),
    )


def _columns() -> Any:
    """A column for each pattern; its name is upright where columns are narrow."""
    upright = {"labelAngle": -90, "labelAlign": "left", "labelBaseline": "middle"}
    broken = {"labelExpr": "split(replace(datum.label, '-', '-\\n'), '\\n')"}
    look = upright if marks.is_narrow() else broken
    header = alt.Header(labelFontSize=11, labelFontWeight="normal", **look)
    return alt.Column("pattern:N", sort=list(PATTERNS), header=header)


def _less(share: dict[str, Any]) -> float:
    return -(share["share"] or 0.0)


def _least_stable(shares: Records) -> float:
    """For an order from the observed pattern that is most often seen again to the least."""
    return min((_less(share) for share in shares if share["observed"]), default=0.0)


def _of_one(shares: Records, rows: marks.Rows) -> Iterator[dict[str, Any]]:
    """A row for each pattern, with its EAT-Map."""
    for share in shares:
        row = {"row": rows.add(share["pattern"], heading=share["observed"])}
        for one in (share | _texts(share, alone=True), *maps.cells_of(share["pattern"])):
            yield one | row


def _of_several(groups: list[Records], rows: marks.Rows) -> Iterator[dict[str, Any]]:
    """A row for each result, below the EAT-Maps of the patterns; sources below their test."""
    top = {"row": rows.add("")}
    yield from (cell | top for share in groups[0] for cell in maps.cells_of(share["pattern"]))
    shares = [share for group in groups for share in group]
    several = len(frames.series_of(shares)) > 1
    for _, of_test in frames.grouped(shares, "test"):
        if several:
            rows.add(wording.named(of_test[0]), heading=True)
        for (series,), of_result in frames.grouped(of_test, "series"):
            row = rows.add(series if several else wording.named(of_test[0]))
            yield from (share | _texts(share, alone=False) | {"row": row} for share in of_result)


def _texts(share: dict[str, Any], *, alone: bool) -> dict[str, Any]:
    """What is written at the bar of a share; nothing at one of none."""
    if share["resamples"] is None:
        first = alone or share["pattern"] == next(iter(PATTERNS))
        return {"whole": None, "percent": "not resampled" if first else None}
    shown = percent(share["share"])
    observed = " observed" if alone and share["observed"] else ""
    return {
        "whole": 1, "shown": shown, "words": f"{share['pattern']}: {shown}",
        "bold" if share["observed"] else "percent": f"{shown}{observed}"
        if share["share"] or observed
        else None,
    }  # fmt: skip


def _meaning(groups: list[Records]) -> str:
    """What the shares are shares of, and what they are not."""
    firsts = [rows[0] for rows in groups if rows[0]["resamples"]]
    drawn = dict.fromkeys(
        f"{int(row['resamples']):,} resamples of "
        f"{'targets and attributes' if row['over'] == 'both' else row['over']}"
        for row in firsts
    )
    return (
        f"Share of {' or '.join(drawn)} that show each pattern, not the probability that another "
        "study would. Red and bold: observed."
    )


def _in_words(rows: Records) -> str:
    known = sorted((row for row in rows if row["share"]), key=_less)
    shares = ", ".join(f"{row['pattern']} {percent(row['share'])}" for row in known)
    observed = next((row["pattern"] for row in rows if row["observed"]), "none")
    return f"{wording.subject(rows[0])}: observed {observed}; {shares or 'not resampled'}"
