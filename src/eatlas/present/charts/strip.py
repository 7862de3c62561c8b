"""Shares of targets as strips, one for each group: the map of the words of k groups."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
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
    """Draw the share of each target in each group as a dot; the line is the reference."""
    found = frames.by_result(given)
    words = wording.listed("Shares of targets", [one for rows in found for one in _in_words(rows)])
    return marks.below([_panel(rows) for rows in found], description=words)


def _panel(found: Records) -> Any:
    """The strips of one result."""
    rows = marks.Rows(step=STEP)
    groups = list(dict.fromkeys(row["group"] for row in found))
    x = marks.across("Share")
    known = alt.Chart().transform_filter("isValid(datum.share)")
    line = alt.Chart().transform_filter("isValid(datum.at)")
    small = {"dy": STEP / 2 - 8, "fontSize": 11}
    layers = [
        known.mark_circle(size=24, opacity=0.6, aria=False).encode(
            x=x("share:Q"), yOffset=alt.YOffset("shift:Q", scale=alt.Scale(domain=[-2.4, 2.4]))
        ),
        line.mark_tick(size=STEP - 34, thickness=2, aria=False)
        .encode(x=x("at:Q"), color=alt.value(INK)),
        marks.text("low", MUTED, x=0, align="left", **small),
        marks.text("high", MUTED, align="right", **small),
    ]  # fmt: skip
    notes = [
        *wording.source_note(found),
        "Dots: targets; lines: the reference. Below each strip: the targets at both ends.",
    ]
    return rows.chart(
        layers,
        list(_drawn(found, rows)),
        color=alt.Color("group:N", scale=marks.scale_of(groups), legend=None),
        tooltip=wording.tooltip(term="target", group="group", said="share"),
    ).properties(width=WIDTH, title=marks.title(wording.named(found[0]), notes))


def _by_share(found: Records) -> Iterator[tuple[str, Records]]:
    """Rows of each group from the least share to the largest."""
    for (group,), of_group in frames.grouped(found, "group"):
        known = [row for row in of_group if row["share"] is not None]
        yield group, sorted(known, key=itemgetter("share"))


def _drawn(found: Records, rows: marks.Rows) -> Iterator[dict[str, Any]]:
    """Give each group a row: its reference, the names at both ends, its dots."""
    for group, known in _by_share(found):
        place = {"row": rows.add(group), "group": group}
        low, high = (
            ", ".join(isolated(one["term"]) for one in some)
            for some in (known[:NAMED], known[-NAMED:])
        )
        references = {row["reference"] for row in found if row["group"] == group}
        at = references.pop() if len(references) == 1 else None
        yield place | {"at": at, "low": f"← {low}", "high": f"{high} →"}
        shifts = marks.swarm([row["share"] for row in known])
        for row, shift in zip(known, shifts, strict=True):
            texts = {"term": row["term"], "said": effect(row["share"], 3)}
            yield place | {"share": row["share"], "shift": shift} | texts


def _in_words(found: Records) -> Iterator[str]:
    """The ends of each strip."""
    for group, known in _by_share(found):
        if known:
            ends = (end(known, key=itemgetter("share")) for end in (min, max))
            low, high = (f"{isolated(one['term'])} {effect(one['share'], 3)}" for one in ends)
            yield f"{isolated(group)}: from {low} to {high}"
