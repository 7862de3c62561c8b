"""Results into a file: the page, or tables for a manuscript."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from eatlas.errors import ResultsError
from eatlas.nearest import did_you_mean
from eatlas.present.page import report_html
from eatlas.present.tables import FORMATS as TABLES
from eatlas.present.tables import report_table
from eatlas.results.files import atomic_file

if TYPE_CHECKING:
    from eatlas.results import AssociationResult

FORMATS = ("html", *TABLES)
"""The page, and the tables."""


def report_text(
    results: Iterable[AssociationResult],
    format: str = "html",  # noqa: A002  (as the command line calls it)
    *,
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
) -> str:
    """Write results as text in one of the formats; :func:`write_report` explains them.

    Raises
    ------
    ResultsError
        If an option has no such value, or there is nothing to put in a table.
    """
    if format == "html":
        return report_html(results, damage=damage, family=family, adjust=adjust)
    if format not in FORMATS:
        raise ResultsError(
            f"there is no report in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    return report_table(results, format, family=family, adjust=adjust)


def write_report(
    results: Iterable[AssociationResult],
    path: str | Path,
    *,
    format: str = "html",  # noqa: A002
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
) -> None:
    """Write results as one file, whole or not at all.

    Parameters
    ----------
    results : Results or iterable of results
        In a page, the jobs of ``Results`` that failed are listed too.
    path : path
    format : {"html", "latex", "markdown", "html-table", "csv"}
        One self-contained page, or tables for a manuscript: see
        :func:`eatlas.present.report_table`.
    damage : iterable of ResultsError
        What :func:`eatlas.results.salvage_results` could not read; a page names it.
    family : str, default "level1"
        Which p-values are adjusted together, "level1", "level2", "both" or "none", over the tests
        of each setting; with ",settings" over all results. :meth:`eatlas.Results.family` explains
        them.
    adjust : {"holm", "bh", "by"}
        The procedure.

    Raises
    ------
    ResultsError
        If the file cannot be written, an option has no such value, or there is nothing to put in
        a table.

    Examples
    --------
    >>> import eatlas, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "report.html"
    ...     write_report(eatlas.run(tests="weat-6"), path)
    ...     "weat-6" in path.read_text(encoding="utf-8")
    True
    """
    text = report_text(results, format, damage=damage, family=family, adjust=adjust)
    with atomic_file(Path(path)) as file:
        file.write(text)
