"""Draws of contexts: where their level 2 effect sizes lie, among the nine patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import draws_drawing
from eatlas.present.charts.frames import HEAD, frame, heads, some_results
from eatlas.results import DrawnResult

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart, Panels

COLUMNS = (
    *HEAD, "what", "d_X", "d_Y", "pattern", "share", "draws", "threshold", "rule", "X", "Y",
    "A", "B",
)  # fmt: skip


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each draw that a result kept, of its mean, and of each pattern.

    Parameters
    ----------
    results : result or iterable of results
        Of CEAT, or of LPBS within CEAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the
        results of one test); ``what``: "draw", "mean" over all draws, or "pattern"; ``d_X`` and
        ``d_Y``, the level 2 effect sizes of a draw or of the mean, missing where undefined;
        ``pattern``, that of the mean or the one whose ``share`` of all ``draws`` is given;
        ``threshold`` of an association, and the whole ``rule`` in words; ``X``, ``Y``, ``A`` and
        ``B``, what the groups are called.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample", measures="ceat(n=50)")
    >>> prepare(result)["what"].value_counts().to_dict()
    {'draw': 50, 'pattern': 9, 'mean': 1}
    """
    found = some_results(results, "draws", (DrawnResult,), "draws are made by CEAT and LPBS-CEAT")
    known = [r for r in found if isinstance(r, DrawnResult)]
    return frame(
        (
            head | row
            for head, result in zip(heads(known), known, strict=True)
            for row in _rows(result)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart | Panels:
    """Draw the cloud of each result over the nine regions.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return draws_drawing.draw(given)


def _rows(result: DrawnResult) -> Iterator[dict[str, Any]]:
    rule = result.pattern
    tail = "two-sided" if rule.tail == "two-sided" else "in the direction of d"
    common = {
        **{role: result.concepts.name(role) for role in "XYAB"},
        "draws": result.draws.count,
        "threshold": rule.threshold,
        "rule": f"|d| > {rule.threshold:g} and p < {rule.alpha:g} {tail}",
    }
    for _, x, y in result.draws.kept:
        yield {**common, "what": "draw", "d_X": x, "d_Y": y}
    levels = result.level2
    yield {
        **common, "what": "mean", "d_X": levels.X.effect_size, "d_Y": levels.Y.effect_size,
        "pattern": rule.label,
    }  # fmt: skip
    for pattern, share in result.draws.patterns.items():
        yield {**common, "what": "pattern", "pattern": pattern, "share": share}
