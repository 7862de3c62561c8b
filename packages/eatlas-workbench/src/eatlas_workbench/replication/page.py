"""A replication as a page, as a flat table, and as a folder of files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from eatlas.present.rendering import page_files, render
from eatlas.present.report import REPORT, write_run
from eatlas.present.tables import csv_text
from eatlas.results.json_lines import USUAL_NAME as LINES
from eatlas.version import __version__
from eatlas_workbench.replication.cells import Cell
from eatlas_workbench.replication.drawing import strip
from eatlas_workbench.replication.replicate import Replication
from eatlas_workbench.replication.tables import difference, grids, text_in_print, value_text

PAGE, TABLE = "replication.html", "replication.csv"
"""Files of a replication, next to the results with their report."""


def replication_html(replication: Replication) -> str:
    """A replication as one self-contained page."""
    return render(
        "replication",
        r=replication,
        grids=grids(replication),
        choices=replication.choices,
        published=text_in_print,
        computed=value_text,
        difference=difference,
        strip=lambda grid: Markup(strip(grid)),  # noqa: S704  (escaped where it is drawn)
        version=__version__,
        kinds=list(dict.fromkeys(check.name for check in replication.checks)),
        **page_files("cards.js"),
        table=TABLE,
        lines=LINES,
        report=REPORT,
    )


def replication_csv(replication: Iterable[Cell]) -> str:
    """A replication as a flat table, one line for each cell."""
    return csv_text([cell.columns() for cell in replication])


def write_replication(replication: Replication, folder: str | Path) -> tuple[Path, ...]:
    """Write a replication into a folder.

    Parameters
    ----------
    replication : Replication
    folder : path
        Gets ``replication.html`` and ``replication.csv`` and, where something was measured,
        ``results.jsonl`` and ``report.html``. Files of another replication or run that are there
        are retained under another name.

    Returns
    -------
    tuple of Path
        The files that were written.

    Raises
    ------
    ResultsError
        If a file cannot be written.

    Warns
    -----
    EatlasWarning
        Under which names other files are retained.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_replication(eatlas.replicate("divdist"), folder)]
    ['replication.html', 'replication.csv']
    """
    directory = Path(folder)
    pages = {PAGE: replication_html(replication), TABLE: replication_csv(replication)}
    write_run(replication.results, directory, pages)
    of_results = (LINES, REPORT) if len(replication.results) else ()
    return tuple(directory / name for name in (*pages, *of_results))
