"""How often each EAT pattern appears when the terms are drawn again.

Shares of resamples are no probabilities that another study shows a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import stability_drawing
from eatlas.present.charts.frames import HEAD, frame, heads, some_results
from eatlas.present.charts.legend import PATTERNS
from eatlas.results import ThreeLevelResult

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (*HEAD, "pattern", "share", "observed", "resamples", "over")


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each of the nine patterns for each result.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the
        results of one test); ``pattern``; ``share`` of the ``resamples`` that show it, from 0 to
        1, missing where nothing was resampled; ``observed``, whether the terms as they are show
        it; ``over``, which terms were resampled.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure, or none was resampled.

    Examples
    --------
    >>> import eatlas
    >>> shares = prepare(eatlas.run(tests="weat-6"))
    >>> shares.loc[shares["observed"], "pattern"].item()
    'BY-Singular'
    """
    found = some_results(
        results, "stability", (ThreeLevelResult,), "EAT patterns are found by ML-EAT"
    )
    known = [r for r in found if isinstance(r, ThreeLevelResult)]
    if not any((u := r.primary.uncertainty) is not None and u.patterns for r in known):
        raise ResultsError(
            "no result says how often each pattern appears",
            got=f"{known[0].signature} for {known[0].test}, without resamples",
            allowed="results of an ML-EAT that resamples its terms",
            remedy='measure with resamples: eatlas.run(tests=..., measures="ml-eat")',
        )
    return frame(
        (
            head | row
            for head, result in zip(heads(known), known, strict=True)
            for row in _rows(result)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the shares of one result as bars, those of several as a table of bars.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return stability_drawing.draw(given)


def _rows(result: ThreeLevelResult) -> Iterator[dict[str, Any]]:
    read, drawn = result.primary, result.primary.uncertainty
    for pattern in PATTERNS:
        yield {
            "pattern": pattern,
            "share": drawn and drawn.share(pattern),
            "observed": pattern == read.label,
            "resamples": drawn and drawn.resamples,
            "over": drawn and drawn.over,
        }
