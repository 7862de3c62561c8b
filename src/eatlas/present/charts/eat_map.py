"""EAT-Maps of several results beside each other.

One map alone, without altair, is :class:`eatlas.present.EATMap`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import eat_map_drawing
from eatlas.present.charts.frames import HEAD, frame, heads, some_results
from eatlas.present.charts.squares import State
from eatlas.present.drawings.eat_map import Column, EATMap
from eatlas.results import ThreeLevelResult

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, "pattern", "two_sided_pattern", "cell", "role", "attribute_role", "target",
    "attribute", "state", "effect_size", "p", "p_low", "alpha", "tail", "significant",
)  # fmt: skip


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each cell of each EAT-Map.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the
        results of one test); ``pattern`` and ``two_sided_pattern``; ``cell`` (XA, XB, YA, YB)
        of ``role`` and ``attribute_role``, called ``target`` and ``attribute``; ``state``
        ("associated", "not associated", "undefined"); the target's level 2 ``effect_size``, and
        its ``p``, ``p_low`` (where only bounds are known), ``alpha``, ``tail`` and ``significant``.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure.

    Examples
    --------
    >>> import eatlas
    >>> cells = prepare(eatlas.run(tests="weat-6"))
    >>> cells.loc[cells["state"] == "associated", "cell"].tolist()
    ['YB']
    """
    found = some_results(
        results, "eat-map", (ThreeLevelResult,), "an EAT-Map shows the level 2 of an ML-EAT"
    )
    return frame(
        (
            head | row
            for head, result in zip(heads(found), found, strict=True)
            if isinstance(result, ThreeLevelResult)
            for row in _cells(EATMap.of(result))
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame, *, columns: int = 3) -> Chart:
    """Draw the maps in rows.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.
    columns : int, default 3
        Maps in a row, at least 1.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return eat_map_drawing.draw(given, max(1, columns))


def _cells(shown: EATMap) -> Iterator[dict[str, Any]]:
    for role, column in (("X", shown.X), ("Y", shown.Y)):
        for attribute_role, attribute in (("A", shown.A), ("B", shown.B)):
            yield {
                "pattern": shown.label,
                "two_sided_pattern": shown.two_sided_label,
                "cell": role + attribute_role,
                "role": role,
                "attribute_role": attribute_role,
                "target": column.name,
                "attribute": attribute,
                "state": _state(column, attribute_role),
                "effect_size": column.effect_size,
                "p": column.p,
                "p_low": column.p_low,
                "alpha": shown.rule.alpha,
                "tail": shown.rule.tail,
                "significant": column.significant,
            }


def _state(column: Column, attribute_role: str) -> State:
    if column.effect_size is None:
        return "undefined"
    return "associated" if column.attribute == attribute_role else "not associated"
