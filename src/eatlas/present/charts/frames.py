"""What the frames of all charts share: which results, what tells them apart, plain records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.results import AssociationResult
from eatlas.results.records import record_types

if TYPE_CHECKING:
    import pandas as pd

HEAD = ("test", "source", "signature", "period", "series")
"""First columns of every frame that has a row for each result; `series` tells apart the results
of one test."""


def frame(rows: Iterable[dict[str, Any]], columns: Iterable[str]) -> pd.DataFrame:
    """Make a frame with these columns, also of no rows."""
    import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

    return pd.DataFrame(list(rows), columns=list(columns))


def records(given: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain Python values; what is missing is None."""
    plain = given.astype(object)
    return [
        {str(key): value for key, value in row.items()}
        for row in plain.where(plain.notna(), None).to_dict("records")
    ]


def some_results(
    given: object, kind: str, accepted: tuple[type[AssociationResult], ...], why: str
) -> tuple[AssociationResult, ...]:
    """Take one result or several, all of measures that a chart can show.

    Parameters
    ----------
    given : result or iterable of results
    kind : str
        Name of the chart.
    accepted : tuple of record types
    why : str
        What the chart shows of them, the start of the error.

    Raises
    ------
    ResultsError
        If there are none, or others than results, or results of other measures.
    """
    found = listed(given, kind)
    for result in found:
        if not isinstance(result, accepted):
            names = [
                name for name, record in record_types().items() if issubclass(record, accepted)
            ]
            raise ResultsError(
                why,
                got=f"the result of {result.signature} for {result.test}",
                allowed=f"results of the measure {' or '.join(names)}",
                remedy=f"leave the others out: [r for r in results if r.measure == {names[0]!r}]",
            )
    return found


def listed(given: object, kind: str) -> tuple[AssociationResult, ...]:
    """Take one result or several of any measure; there must be one."""
    if isinstance(given, AssociationResult):
        return (given,)
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for one in found:
        if not isinstance(one, AssociationResult):
            raise ResultsError(
                f"a chart of the kind {kind} is drawn from results",
                got=type(one).__name__,
                allowed="a result, Results or a list of results",
                remedy="results = eatlas.run(...) or eatlas.read_results(...)",
            )
    if not found:
        failures = getattr(given, "failures", ())
        first = f"; the first failed job: {failures[0].error.what}" if failures else ""
        raise ResultsError(
            f"there is no result for a chart of the kind {kind}", got=f"0 results{first}"
        )
    return found


def heads(results: Iterable[AssociationResult]) -> list[dict[str, Any]]:
    """Give each result its first columns, with a series that tells it from its neighbours."""
    found = list(results)
    names = _told_apart(found)
    return [
        {
            "test": result.test,
            "source": result.source,
            "signature": result.signature,
            "period": result.period,
            "series": name,
        }
        for result, name in zip(found, names, strict=True)
    ]


def _told_apart(results: list[AssociationResult]) -> list[str]:
    """Source of each result, with what else is needed so that no two of a test are alike."""
    names = [result.source for result in results]
    sizes = [(r.contexts and r.contexts.size) or None for r in results]
    for more in ([r.period for r in results], sizes, [r.signature for r in results]):
        if not _twins(results, names):
            break
        if len(set(more)) > 1:
            names = [_with(name, one) for name, one in zip(names, more, strict=True)]
    twins = _twins(results, names)
    seen: Counter[tuple[str, str]] = Counter()
    for place, (result, name) in enumerate(zip(results, names, strict=True)):
        seen[result.test, name] += 1
        if (result.test, name) in twins:
            names[place] = f"{name} ({seen[result.test, name]})"
    return names


def _with(name: str, more: object) -> str:
    return name if more is None else f"{name}, {more}"


def _twins(results: list[AssociationResult], names: list[str]) -> set[tuple[str, str]]:
    count = Counter(zip((result.test for result in results), names, strict=True))
    return {pair for pair, times in count.items() if times > 1}
