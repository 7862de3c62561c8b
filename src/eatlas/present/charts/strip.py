"""Shares of targets as strips, one for each group: the map of the words of k groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.targets import prepare
from eatlas.present.charts.theme import INK, MUTED
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

__all__ = ["draw", "prepare"]

STEP, WIDTH = 64, 430
"""Pixels of a strip from top to bottom, and of all from left to right."""
NAMED = 2
"""Targets at either end of a strip whose names are beside it."""


def draw(given: pd.DataFrame) -> Chart:
    """Draw the share of each target in each group as a dot; the line is the reference.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some rows of it.

    Raises
    ------
    EatlasError
        If altair is not installed.

    Examples
    --------
    >>> import eatlas
    >>> chart = eatlas.plot(eatlas.run(tests="divdist-face-validity"), kind="strip")
    >>> chart.description.split(".")[0]
    'Shares of targets'
    """
    found = frames.by_result(given)
    words = wording.listed("Shares of targets", [one for rows in found for one in _in_words(rows)])
    return marks.below([_panel(rows) for rows in found], description=words)


def _panel(found: list[dict[str, Any]]) -> Any:
    """The strips of one result."""
    rows = marks.Rows(step=STEP)
    drawn = list(_drawn(found, rows))
    groups = list(dict.fromkeys(row["group"] for row in found))
    colour = alt.Color("group:N", scale=marks.scale_of(groups), legend=None)
    x = marks.across("Share")
    spread = alt.YOffset("shift:Q", scale=alt.Scale(domain=[-2.4, 2.4]))
    known = alt.Chart().transform_filter("isValid(datum.share)")
    line = alt.Chart().transform_filter("isValid(datum.at)")
    layers = [
        known.mark_circle(size=24, opacity=0.6, aria=False).encode(x=x("share:Q"), yOffset=spread),
        line.mark_tick(size=STEP - 34, thickness=2, aria=False)
        .encode(x=x("at:Q"), color=alt.value(INK)),
        marks.text("low", MUTED, x=0, align="left", dy=STEP / 2 - 8, fontSize=11),
        marks.text("high", MUTED, align="right", dy=STEP / 2 - 8, fontSize=11),
    ]  # fmt: skip
    hover = wording.tooltip(term="target", group="group", said="share")
    notes = [
        *wording.source_note(found),
        "Dots: targets; lines: the reference. Below each strip: the targets at both ends.",
    ]
    chart = rows.chart(layers, drawn, color=colour, tooltip=hover)
    return chart.properties(width=WIDTH, title=marks.title(wording.named(found[0]), notes))


def _drawn(found: list[dict[str, Any]], rows: marks.Rows) -> Iterator[dict[str, Any]]:
    """Give each group a row: its reference, the names at both ends, its dots."""
    for (group,), of_group in frames.grouped(found, "group"):
        known = sorted(
            (row for row in of_group if row["share"] is not None), key=lambda row: row["share"]
        )
        place = {"row": rows.add(group), "group": group}
        low, high = (
            ", ".join(isolated(one["term"]) for one in some)
            for some in (known[:NAMED], known[-NAMED:])
        )
        references = {row["reference"] for row in of_group}
        at = references.pop() if len(references) == 1 else None
        yield place | {"at": at, "low": f"← {low}", "high": f"{high} →"}
        shifts = marks.swarm(np.array([row["share"] for row in known], dtype=np.float64))
        for row, shift in zip(known, shifts.tolist(), strict=True):
            yield place | {
                "share": row["share"], "shift": shift, "term": row["term"],
                "said": effect(row["share"], 3),
            }  # fmt: skip


def _in_words(found: list[dict[str, Any]]) -> Iterator[str]:
    """The ends of each strip."""
    for (group,), of_group in frames.grouped(found, "group"):
        known = [row for row in of_group if row["share"] is not None]
        if known:
            low, high = (end(known, key=lambda row: row["share"]) for end in (min, max))
            yield (
                f"{isolated(group)}: from {isolated(low['term'])} {effect(low['share'], 3)} to "
                f"{isolated(high['term'])} {effect(high['share'], 3)}"
            )
