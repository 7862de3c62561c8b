"""Level 3: how the cosines of each target group with each attribute group are spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import level3_drawing
from eatlas.present.charts.frames import HEAD, frame, heads, some_results
from eatlas.results import ThreeLevelResult
from eatlas.results.ml_eat import CELLS

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, "cell", "target", "attribute", "statistic", "value", "n", "target_term",
    "attribute_term", "unit", "scale",
)  # fmt: skip
QUANTILES = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each statistic, and of each cosine that the result kept.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT, or of LPBS.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the
        results of one test); ``cell`` (XA, XB, YA, YB) of the groups ``target`` and
        ``attribute``; ``statistic``: "mean", "sd", "minimum", "lower quartile", "median",
        "upper quartile", "maximum", or "cosine" ("log-ratio" of an LPBS) of one ``target_term``
        with one ``attribute_term``; its ``value``; ``n`` values of the cell; ``unit``, "cosine" or
        "log-ratio", and its ``scale``: empty, or "nats".

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure, or of measures in different units.

    Examples
    --------
    >>> import eatlas
    >>> rows = prepare(eatlas.run(tests="weat-6"))
    >>> int((rows["statistic"] == "cosine").sum())
    256
    """
    why = "level 3 is measured by ML-EAT and LPBS"
    found = some_results(results, "level3", (ThreeLevelResult,), why)
    units = sorted({result.unit for result in found})
    if len(units) > 1:
        raise ResultsError(
            "one scale cannot show these results",
            got=" and ".join(f"{unit}s" for unit in units),
            allowed="results in one unit",
            remedy="draw those of each measure by themselves",
        )
    return frame(
        (
            head | row
            for head, result in zip(heads(found), found, strict=True)
            if isinstance(result, ThreeLevelResult)
            for row in _rows(result)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the spread of each cell: quartiles and median, mean, and the cosines where kept.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return level3_drawing.draw(given)


def _rows(result: ThreeLevelResult) -> Iterator[dict[str, Any]]:
    for name in CELLS:
        cell, names = result.level3.cell(name), result.concepts
        head = {
            "cell": name,
            "target": names.name(name[0]),
            "attribute": names.name(name[1]),
            "n": cell.n,
            "unit": result.unit,
            "scale": result.scale,
        }
        statistics = {"mean": cell.mean, "sd": cell.sd}
        statistics |= dict(zip(QUANTILES, cell.quantiles, strict=True))
        for statistic, value in statistics.items():
            yield {**head, "statistic": statistic, "value": value}
        for target_term, attribute_term, value in _cosines(result, name):
            yield {
                **head,
                "statistic": result.unit,
                "value": value,
                "target_term": target_term,
                "attribute_term": attribute_term,
            }


def _cosines(result: ThreeLevelResult, cell: str) -> Iterator[tuple[str, str, float]]:
    """Terms and cosine of each pair of a cell, from the block that is kept for all four."""
    if result.similarities is None:
        return
    used = {role: result.coverage.group(role).scored for role in "XYAB"}
    first_row = 0 if cell[0] == "X" else len(used["X"])
    first_column = 0 if cell[1] == "A" else len(used["A"])
    for i, target_term in enumerate(used[cell[0]]):
        for j, attribute_term in enumerate(used[cell[1]]):
            value = result.similarities[first_row + i][first_column + j]
            yield target_term, attribute_term, value
