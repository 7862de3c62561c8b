"""The block of level 3 itself: the cosine of each target word with each attribute word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import INK
from eatlas.present.drawings.plane import require_pairs
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.stimuli import ROLES

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "target_role", "target", "target_term", "attribute_role", "attribute",
    "attribute_term", "value", "unit", "row", "column",
)  # fmt: skip
CELL = 13
"""Pixels of a cell."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each pair of a target and an attribute.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT, CEAT, LPBS or LPBS-CEAT, that have kept the cosines of single words.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series``; role, name and term of the
        target and of the attribute; the ``value`` in a ``unit``; ``row`` and ``column``, where the
        pair is: targets of X, then of Y, from the nearest to A to the nearest to B; attributes of
        A, then of B, from the nearest to X to the nearest to Y.

    Raises
    ------
    ResultsError
        If there is no result, or one that has not kept these.

    Examples
    --------
    >>> import eatlas
    >>> pairs = prepare(eatlas.run(tests="weat-6"))
    >>> len(pairs), pairs.loc[pairs["row"] == 0, "target_term"].unique().tolist()
    (256, ['Steve'])
    """
    why = "a block of cosines is that of level 3"
    return frames.tidy(results, "cosines", "level3", why, _rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the block of each result, a cell for each pair.

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
    blocks, several = frames.by_result(given), len(frames.series_of(found)) > 1
    unit = found[0]["unit"]
    notes = [
        *wording.source_note(found),
        "Rows: targets, from the nearest to A to the nearest to B. Columns: attributes, from the "
        "nearest to X to the nearest to Y.",
    ]
    return marks.below(
        [_panel(rows, with_series=several) for rows in blocks],
        title=marks.title(f"Level 3: the {unit} of each pair of words", notes),
        description=wording.listed(f"Blocks of {unit}s", [_in_words(rows) for rows in blocks]),
    )


def _panel(rows: list[dict[str, Any]], *, with_series: bool) -> Any:
    """The block of one result: a panel of rows for X and one for Y, of columns for A and for B."""
    unit = rows[0]["unit"]
    targets, attributes = (
        list(dict.fromkeys(row[side] for row in rows)) for side in ("target", "attribute")
    )
    names = {"title": None, "domain": False, "ticks": False, "labelColor": INK, "labelFontSize": 10}
    down, right = (alt.EncodingSortField(field=place, op="min") for place in ("row", "column"))
    key = alt.Legend(title=unit, orient="right", gradientLength=120)
    data = frames.frame(row | {"shown": effect(row["value"], 3)} for row in rows)
    return (
        alt.Chart(data)
        .mark_rect(aria=False)
        .encode(
            x=alt.X("attribute_term:N", sort=right, axis=alt.Axis(labelAngle=-90, **names)),
            y=alt.Y("target_term:N", sort=down, axis=alt.Axis(**names)),
            color=alt.Color("value:Q", scale=alt.Scale(scheme="viridis"), legend=key),
            tooltip=wording.tooltip(target_term="target", attribute_term="attribute", shown=unit),
        )
        .properties(width=alt.Step(CELL), height=alt.Step(CELL))
        .facet(
            row=alt.Row("target:N", sort=targets, title=None),
            column=alt.Column("attribute:N", sort=attributes, title=None),
            spacing=4,
        )
        .resolve_scale(x="independent", y="independent")
        .properties(title=marks.title(wording.of_series(rows[0], with_series), []))
    )


def _in_words(rows: list[dict[str, Any]]) -> str:
    """The pairs at both ends."""
    order = sorted(rows, key=lambda row: row["value"])
    ends = [
        f"{isolated(one['target_term'])} with {isolated(one['attribute_term'])} "
        f"{effect(one['value'], 3)}"
        for one in (order[-1], order[0])
    ]
    return f"{isolated(rows[0]['test'])}: from {ends[1]} to {ends[0]}"


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """A row of each pair, with the places of its words in the order of their associations."""
    terms = [(role, term) for role in ROLES for term in result.paired(role)]
    targets = [one for one in terms if one[0] in "XY"]
    attributes = [one for one in terms if one[0] in "AB"]
    require_pairs(result)
    block = np.array(result.similarities, dtype=np.float64)
    down, right = _order(targets, block, attributes, "A"), _order(attributes, block.T, targets, "X")
    for i, (target_role, target) in enumerate(targets):
        for j, (attribute_role, attribute) in enumerate(attributes):
            yield {
                "target_role": target_role, "target": result.concepts.name(target_role),
                "target_term": target, "attribute_role": attribute_role,
                "attribute": result.concepts.name(attribute_role), "attribute_term": attribute,
                "value": float(block[i, j]), "unit": result.unit, "row": down[i],
                "column": right[j],
            }  # fmt: skip


def _order(
    words: list[tuple[str, str]],
    block: np.ndarray[Any, np.dtype[np.float64]],
    others: list[tuple[str, str]],
    first: str,
) -> list[int]:
    """Place of each word: group by group, from the nearest to the first of the other groups."""
    of_first = np.array([role == first for role, _ in others])
    leans = block[:, of_first].mean(axis=1) - block[:, ~of_first].mean(axis=1)
    order = sorted(range(len(words)), key=lambda i: (words[i][0], -leans[i]))
    places = [0] * len(words)
    for place, i in enumerate(order):
        places[i] = place
    return places
