"""Tables for a manuscript: LaTeX, Markdown, HTML and CSV, in the manner of the papers' Table 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from eatlas.cells import cell
from eatlas.errors import ResultsError, did_you_mean
from eatlas.present.effects import about_terms
from eatlas.present.family import DeclaredFamily
from eatlas.present.tables.content import tables
from eatlas.present.tables.markup import html, latex, markdown
from eatlas.present.text import clean
from eatlas.results import AssociationResult

_MARKUP = {"latex": latex, "markdown": markdown, "html-table": html}
FORMATS = (*_MARKUP, "csv")


def report_table(
    results: Iterable[AssociationResult],
    format: str = "markdown",  # noqa: A002  (as the command line calls it)
    *,
    family: str = "level1",
    adjust: str = "holm",
) -> str:
    """Write results as tables for a manuscript.

    One table for each signature: effect sizes with intervals and p-values in both readings, mean
    cosines, EAT pattern. CSV has one row for each result, at full precision.

    Parameters
    ----------
    results : Results or iterable of results
    format : {"latex", "markdown", "html-table", "csv"}
        LaTeX needs the packages booktabs and array; Markdown is GitHub's.
    family : str, default "level1"
        Which p-values are adjusted together, "level1", "level2", "both" or "none", over the tests
        of each setting; with ",settings" over all results. :meth:`eatlas.Results.family` explains
        them.
    adjust : {"holm", "bh", "by"}
        The procedure.

    Raises
    ------
    ResultsError
        If there is no result, or an option has no such value.

    Examples
    --------
    >>> import eatlas
    >>> print(report_table(eatlas.run(tests="weat-6", measures="weat"), "csv").split(",")[0])
    test
    """
    if format not in FORMATS:
        raise ResultsError(
            f"there is no table in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    given = list(results)
    if not given:
        raise ResultsError("there are no results to put in a table")
    declared = DeclaredFamily.of(given, family, adjust)
    if format == "csv":
        return _csv(given, declared)
    return _MARKUP[format](tables(given, declared))


def _csv(results: Iterable[AssociationResult], family: DeclaredFamily) -> str:
    """Write the rows of :meth:`eatlas.Results.to_frame` and the adjusted p-values.

    Undefined values are empty cells; texts that a spreadsheet would run begin with a backslash, as
    `eatlas.cells` says.
    """
    rows = [row for result in results for row in _rows(result, family)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([_written(row.get(name)) for name in names] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def _rows(result: AssociationResult, family: DeclaredFamily) -> Iterator[dict[str, Any]]:
    """The rows of a result, each with the adjusted p-values of its effect sizes."""
    effects, terms = result.effects(), about_terms(result)
    name = f"p_two_sided_{family.family.method}" if family.family else ""
    for number, row in enumerate(result.rows()):
        for one in (effects[number],) if terms else effects:
            if family.has(one.place):
                p, low = family.adjusted(result, one)
                row[f"{name}{one.suffix}"] = p
                if low is not None:
                    row[f"{name}_low{one.suffix}"] = low
        yield row


def _written(value: Any) -> str:
    if isinstance(value, str):
        return cell(clean(value)) if value else ""
    return "" if value is None else str(value)
