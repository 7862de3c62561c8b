"""From results to the text of their tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from eatlas.errors import ResultsError
from eatlas.nearest import did_you_mean
from eatlas.present.family import DeclaredFamily
from eatlas.present.tables.content import tables
from eatlas.present.tables.csv import csv
from eatlas.present.tables.html import html
from eatlas.present.tables.latex import latex
from eatlas.present.tables.markdown import markdown
from eatlas.results import AssociationResult

Format = Literal["latex", "markdown", "html-table", "csv"]
FORMATS: tuple[str, ...] = get_args(Format)
_MARKUP = {"latex": latex, "markdown": markdown, "html-table": html}


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
        return csv(given, declared)
    return _MARKUP[format](tables(given, declared))
