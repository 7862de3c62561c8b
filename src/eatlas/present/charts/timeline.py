"""How associations change: effect sizes of levels 1 and 2 by year (Figure 3 of the paper).

Wolfe, Hiniker and Howe (2024), Figure 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import timeline_drawing
from eatlas.present.charts.forest import effect_rows
from eatlas.present.charts.frames import frame, some_results
from eatlas.present.series import steps
from eatlas.results import AssociationResult, MLEATResult, WEATResult

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Panels

COLUMNS = (
    "test", "source", "signature", "series", "title", *"XYAB", "period", "state", "level", "role",
    "name", "effect_size", "low", "high", "confidence", "p", "p_low", "alpha", "tail",
    "significant",
)  # fmt: skip
ACCEPTED = (MLEATResult, WEATResult)


def prepare(results: object, *, periods: Iterable[int] | None = None) -> pd.DataFrame:
    """Make a row of each effect size in each period, also of periods without a result.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT (three lines) or WEAT (one), each with its `period`.
    periods : iterable of int, optional
        All years that there should be. Without it: those of the results and, where their
        distances are multiples of the smallest and half of the steps are there, the steps between.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``series`` (one panel each), ``title``; ``X``, ``Y``,
        ``A``, ``B`` (names of the groups); ``period``; ``state`` ("found", "undefined" without
        an effect size, "missing" without a result); ``level`` ("level 1", "level 2"), ``role``
        ("XY", "X", "Y"), ``name`` (of the targets); ``effect_size``, ``low``, ``high``,
        ``confidence``, ``p``, ``p_low``, ``alpha``, ``tail``, ``significant``; in the order of the
        periods.

    Raises
    ------
    ResultsError
        If there is no result, one of another measure, one without a period, or two of one test,
        source, measure and period.

    Examples
    --------
    >>> import eatlas
    >>> (result,) = eatlas.run(tests="weat-7")
    >>> series = [result.model_copy(update={"period": year}) for year in (1970, 1980, 2000)]
    >>> prepare(series).query("role == 'XY'")["state"].tolist()
    ['found', 'found', 'missing', 'found']
    """
    why = "a timeline shows effect sizes of levels 1 and 2"
    found = some_results(results, "timeline", ACCEPTED, why)
    _require_periods(found)
    grid = sorted(set(periods)) if periods is not None else steps(_years(found))
    lines = _lines(found)
    rows = (row for key, line in lines.items() for row in rows_of(_head(key, line), line, grid))
    return frame(rows, COLUMNS)


def draw(given: pd.DataFrame) -> Panels:
    """Draw a panel for each test and source; periods without a result are marked.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some panels of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return timeline_drawing.draw(given)


def _years(found: Iterable[AssociationResult]) -> list[int]:
    return [result.period for result in found if result.period is not None]


def _require_periods(found: tuple[AssociationResult, ...]) -> None:
    bare = [result for result in found if result.period is None]
    if bare:
        raise ResultsError(
            "a timeline needs the period of every result",
            got=f"{len(bare)} of {len(found)} results without one, the first of them of "
            f"{bare[0].test} on {bare[0].source}",
            allowed="results of vectors of a year or decade",
            remedy="leave the others out: [r for r in results if r.period is not None]",
        )


Key = tuple[str, str, str]


def _lines(found: tuple[AssociationResult, ...]) -> dict[Key, list[AssociationResult]]:
    """Results of one test, measure and source; one file a period makes one source of all files."""
    several = _one_source_a_period(found)
    lines: dict[Key, dict[int, AssociationResult]] = {}
    for result in found:
        source = "" if several else result.source
        line = lines.setdefault((result.test, source, result.signature), {})
        if result.period in line:
            raise ResultsError(
                f"two results of {result.test} for the period {result.period}",
                got=f"twice {result.signature} on {result.source}",
                allowed="one result for each test, source, measure and period",
                remedy="leave one of them out",
            )
        line[result.period or 0] = result
    return {key: [line[year] for year in sorted(line)] for key, line in lines.items()}


def _one_source_a_period(found: tuple[AssociationResult, ...]) -> bool:
    years: dict[str, set[int | None]] = {}
    for result in found:
        years.setdefault(result.source, set()).add(result.period)
    taken = [year for of_source in years.values() for year in of_source]
    return (
        len(years) > 1
        and all(len(y) == 1 for y in years.values())
        and len(set(taken)) == len(taken)
    )


def _head(key: Key, line: list[AssociationResult]) -> dict[str, Any]:
    test, source, signature = key
    sources = dict.fromkeys(result.source for result in line)
    series = source or (next(iter(sources)) if len(sources) == 1 else f"{len(sources)} sources")
    return {"test": test, "signature": signature, "series": series}


def rows_of(
    head: dict[str, Any], line: list[AssociationResult], grid: list[int]
) -> Iterator[dict[str, Any]]:
    """Rows of one line of results, each with its period; `head` says which line it is."""
    by_year = {result.period: result for result in line}
    names = line[0].concepts
    head = head | {"title": line[0].title, **{role: names.name(role) for role in "XYAB"}}
    labels = [{k: row[k] for k in ("level", "role", "name")} for row in effect_rows(line[0])]
    for year in sorted({*grid, *_years(line)}):
        result = by_year.get(year)
        if result is None:
            place = {"source": None, "period": year, "state": "missing", "significant": False}
            yield from (head | place | label for label in labels)
            continue
        for row in effect_rows(result):
            state = "undefined" if row["effect_size"] is None else "found"
            yield head | {"source": result.source, "period": year, "state": state} | row
