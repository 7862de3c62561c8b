"""Targets against k groups: deviations from a reference as bars, shares of three in a triangle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Literal

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, ternary, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import shares
from eatlas.present.charts.theme import INK
from eatlas.present.targets import points

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

Form = Literal["bars", "ternary"]
COLUMNS = (
    *frames.HEAD, "term", "rank", "bias", "group", "share", "reference", "deviation", "low", "high",
    "confidence", "p", "p_holm",
)  # fmt: skip
ENDS = 15
"""Targets at either end that bars show; the frame has them all."""
STEP = 13
"""Pixels of a bar."""
POINTS = {"points": "deviation", "low": "low", "high": "high"}
"""Columns in percentage points, and what they are made of."""


def prepare(results: object, form: Form = "bars") -> pd.DataFrame:
    """Make a row of each target and group."""
    kind = "targets" if form == "bars" else "ternary"
    why = "targets and their groups are drawn"
    found = frames.tidy(results, kind, "by_target", why, shares, COLUMNS)
    if form == "ternary":
        for (test, series), rows in frames.grouped(frames.records(found), "test", "series"):
            groups = list(dict.fromkeys(row["group"] for row in rows))
            if len(groups) != 3:
                raise ResultsError(
                    "a triangle shows the shares of three groups",
                    got=f"{len(groups)} of {test} on {series}: {', '.join(groups)}",
                    allowed="results of three groups",
                    remedy='kind="targets" shows any number of groups',
                )
    return found


def draw(given: pd.DataFrame, form: Form = "bars") -> Chart:
    """Draw bars of deviations, or the triangle; results below each other."""
    one = _bars if form == "bars" else ternary.triangle
    chart: Chart = reduce(and_, map(one, frames.by_result(given)))
    return chart


def _bars(rows: Records) -> Any:
    """Targets at either end, a bar for each group; of two groups for the first alone."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    known = [row for row in rows if row["deviation"] is not None and row["bias"] is not None]
    terms = list(dict.fromkeys(row["term"] for row in known))
    kept = terms if len(terms) <= 2 * ENDS else [*terms[:ENDS], *terms[-ENDS:]]
    two = len(groups) == 2
    shown = groups[:1] if two else groups
    data = [
        row | {name: row[of] and 100 * row[of] for name, of in POINTS.items()}
        for row in known
        if row["term"] in set(kept) and row["group"] in shown
    ]
    bars = alt.Chart().encode(**({} if two else {"yOffset": alt.YOffset("group:N", sort=shown)}))
    head = f"← {groups[1]} · {groups[0]} →" if two else "Share less reference"
    x = alt.X("points:Q", title=f"{head} (percentage points)")
    hover = ["term:N", "group:N"]
    hover += [f"{name}:Q" for name in ("share", "reference", "points", "bias", "p")]
    key = {"legend": None} if two else {}
    colour = alt.Color("group:N", sort=shown, scale=marks.scale_of(shown), title=None, **key)
    y = alt.Y("term:N", sort=kept, title=None, axis=alt.Axis(ticks=False, domain=False))
    line = bars.mark_rule(strokeWidth=1.2).encode(x="low:Q", x2="high:Q", color=alt.value(INK))
    layers = [marks.rule(), bars.mark_bar().encode(x=x), line]
    first, left = rows[0], len(terms) - len(kept)
    notes = [*wording.source_note(rows), *_notes(rows)]
    notes += [f"{left} targets between them are left out."] if left else []
    said = [f"{row['term']} {row['group']} {points(row['points'])}" for row in data]
    return marks.themed(
        alt.layer(*layers, data=frames.frame(data)).encode(y=y, tooltip=hover, color=colour),
        width=330,
        height=alt.Step(STEP * len(shown) + 4, **{"for": "position"}),
        title=marks.title(f"{first['test']}: leans of targets", notes),
        description=wording.listed(f"Leans of {len(terms)} targets of {first['test']}", said),
    )


def _notes(rows: Records) -> Iterator[str]:
    """The reference and the intervals."""
    references = dict.fromkeys((row["group"], row["reference"]) for row in rows)
    if len(references) == len(dict(references)):
        yield "Reference: " + ", ".join(f"{group} {share:.0%}" for group, share in references)
    else:
        yield "Reference: of each target its own"
    confidence = next((row["confidence"] for row in rows if row["low"] is not None), None)
    if confidence is not None:
        yield f"Lines: {confidence:.0%} bootstrap intervals"
