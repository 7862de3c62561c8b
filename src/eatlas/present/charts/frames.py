"""What the frames of all charts share: which results, what distinguishes them, plain records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import rows
from eatlas.present.text import clean
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.json_lines import record_types
from eatlas.results.parts import at
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

Records = list[dict[str, Any]]
"""Rows of a frame as plain Python values."""

HEAD = ("test", "title", "source", "signature", "period", "series", "subject")
"""First columns of every frame that has a row for each result; `series` distinguishes the results
of one test, `subject` is what all results are about."""
SIZES = ("effect_size", "low", "high")
"""Columns of an effect size and of the ends of its interval."""


def frame(rows: Iterable[dict[str, Any]], columns: Iterable[str] | None = None) -> pd.DataFrame:
    """Make a frame with these columns, also of no rows; with those of the rows unless given."""
    import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

    return pd.DataFrame(list(rows), columns=None if columns is None else list(columns))


def records(given: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain Python values; what is missing is None, texts are fit for XML."""
    plain = given.astype(object)
    return [
        {str(k): clean(value) if isinstance(value, str) else value for k, value in row.items()}
        for row in plain.where(plain.notna(), None).to_dict("records")
    ]


def grouped(
    rows: Iterable[dict[str, Any]], *columns: str
) -> list[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
    """Gather rows that are alike in some columns, in the order of their first ones."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return list(groups.items())


def by_result(given: pd.DataFrame) -> list[list[dict[str, Any]]]:
    """Rows of each result, as :func:`records` has them."""
    return [rows for _, rows in grouped(records(given), "test", "series")]


def series_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """What distinguishes the results of one test, each name once."""
    return list(dict.fromkeys(row["series"] for row in rows))


def some_results(given: object, kind: str, part: str, why: str) -> tuple[AssociationResult, ...]:
    """Take one result or several, all of which have the part that a chart shows."""
    found = listed(given, kind)
    for result in found:
        if not (result.effects() if part == "effects" else at(result, part)):
            names = [name for name, one in record_types().items() if _declares(one, part)]
            allowed = f"results of the measure {' or '.join(names)}" if names else "effect sizes"
            some = f"r.measure == {names[0]!r}" if names else "r.effects()"
            raise ResultsError(
                why,
                got=f"the result of {result.signature} for {result.test}",
                allowed=allowed,
                remedy=f"leave the others out: [r for r in results if {some}]",
            )
    return found


def _declares(record: type[AssociationResult], part: str) -> bool:
    """Whether a record says more of a part than that it may be None."""
    own = record.mro()[: record.mro().index(AssociationResult)]
    return any(part in vars(one) or part in vars(one).get("__annotations__", {}) for one in own)


def tidy(
    results: object,
    kind: str,
    part: str,
    why: str,
    rows_of: Callable[[AssociationResult], Iterable[dict[str, Any]]],
    columns: Iterable[str],
) -> pd.DataFrame:
    """Make the frame of a chart: the rows of each result behind the columns that name it."""
    found = some_results(results, kind, part, why)
    named = zip(heads(found), found, strict=True)
    return frame((head | row for head, result in named for row in rows_of(result)), columns)


def listed(given: object, kind: str) -> tuple[AssociationResult, ...]:
    """Take one result or several of any measure; there must be one."""
    if is_result(given):
        return (given,)
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for one in found:
        if not is_result(one):
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
    """The first columns of each result, with a series that distinguishes it from its neighbours."""
    found = tuple(results)
    settings = Settings.among(found)
    names = [settings.of(result) or settings.subject for result in found]
    alike, seen = Counter(zip((r.test for r in found), names, strict=True)), Counter[Any]()
    rows = []
    for result, name in zip(found, names, strict=True):
        pair = result.test, name
        seen[pair] += 1
        series = f"{name} ({seen[pair]})" if alike[pair] > 1 else name
        row = {column: getattr(result, column) for column in HEAD[:5]}
        rows.append(row | {"series": series, "subject": settings.subject})
    return rows


def lines_by_period(
    found: tuple[AssociationResult, ...],
) -> dict[tuple[str, str, str], list[AssociationResult]]:
    """Results of one test, source and measure by year; files of one period each are one source."""
    pairs = {(result.source, result.period) for result in found}
    sources, periods = map(set, zip(*pairs, strict=True))
    one_file_a_period = 1 < len(pairs) == len(sources) == len(periods)
    lines: dict[tuple[str, str, str], dict[int, AssociationResult]] = {}
    for result in found:
        source = "" if one_file_a_period else result.source
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


def rows_by_period(
    head: dict[str, Any], line: list[AssociationResult], grid: list[int]
) -> Iterator[dict[str, Any]]:
    """Rows of one line of results, each with its period; `head` says which line it is."""
    by_year = {result.period or 0: result for result in line}
    head = head | {"title": line[0].title}
    kept = (*"XYAB", "level", "role", "name")
    missing = [{name: row[name] for name in kept} for row in rows.effects(line[0])]
    for year in sorted({*grid, *by_year}):
        result = by_year.get(year)
        place = head | {"period": year, "source": result and result.source}
        for row in rows.effects(result) if result else missing:
            undefined = result and row["effect_size"] is None
            state = "undefined" if undefined else "found" if result else "missing"
            pattern = result.primary.label if result and result.pattern else None
            yield place | {"state": state, "significant": False, "pattern": pattern} | row
