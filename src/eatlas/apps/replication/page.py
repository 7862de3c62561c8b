"""A replication as a page, as a flat table, and as the grids that terminal and page show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from eatlas.apps.replication.replicate import Compared, PaperTable, Printed, Replication
from eatlas.notes import Note, warn
from eatlas.present.numbers import MINUS, effect
from eatlas.present.page import write_report
from eatlas.present.rendering import page_files, render
from eatlas.present.tables import csv_text
from eatlas.results.json_lines import keep_others, to_json_line
from eatlas.version import __version__
from eatlas.writing import atomic_files

PAGE, TABLE, LINES, REPORT = "replication.html", "replication.csv", "results.jsonl", "report.html"
"""Files of a replication: its page and table, and the results with their report."""


@dataclass(frozen=True)
class Grid:
    """One published table: rows and columns as printed, each cell with what was computed."""

    table: PaperTable
    rows: dict[str, dict[str, Compared]]

    @cached_property
    def columns(self) -> list[str]:
        """All columns, in the order of the fullest row."""
        rows = sorted(self.rows.values(), key=len, reverse=True)
        return list(dict.fromkeys(name for row in rows for name in row))

    @cached_property
    def cells(self) -> list[Compared]:
        """Every cell."""
        return [cell for row in self.rows.values() for cell in row.values()]

    @property
    def computed(self) -> list[str]:
        """Columns with something of one's own, without details."""
        own = {c.printed.column for c in self.cells if c.source and not c.printed.is_detail}
        return [name for name in self.columns if name in own]

    @property
    def agree(self) -> list[bool]:
        """Whether each cell with a published and a computed number is the same."""
        return [cell.agrees for cell in self.cells if cell.agrees is not None]

    @property
    def sources(self) -> list[tuple[str, bool]]:
        """What was measured, and whether it stands in for another."""
        return list(dict.fromkeys((c.source, c.stand_in) for c in self.cells if c.source))


def grids(replication: Replication) -> list[Grid]:
    """The published tables of a replication, in their order."""
    rows: dict[str, dict[str, dict[str, Compared]]] = {}
    for cell in replication:
        table = rows.setdefault(cell.printed.table, {})
        table.setdefault(cell.printed.row, {})[cell.printed.column] = cell
    tables = replication.paper.table
    return [Grid(table, rows[table.id]) for table in tables if table.id in rows]


def published(cell: Printed) -> str:
    """A published cell as printed, with its star; a dash where it is missing."""
    if cell.number is None:
        return cell.text or "–"
    return cell.text.replace("-", MINUS) + ("*" if cell.star else "")


def computed(cell: Compared) -> str:
    """What was computed, with as many decimals as are printed; empty where nothing was."""
    if not cell.source:
        return ""
    if cell.value is None or isinstance(cell.value, str):
        return cell.value or "undefined"
    decimals = cell.printed.decimals
    if 0.0 < abs(cell.value) < 0.5 * 10.0**-decimals:  # a small p would round to 0
        return f"{cell.value:.1g}"
    return effect(cell.value, decimals) + ("*" if cell.star else "")


def difference(cell: Compared) -> str:
    """What was computed less what is published, with its sign; empty without both."""
    if cell.difference is None:
        return ""
    text = effect(cell.difference, cell.printed.decimals)
    return text if text.startswith(MINUS) else f"+{text}"


def replication_html(replication: Replication) -> str:
    """A replication as one self-contained page."""
    return render(
        "replication",
        r=replication,
        grids=grids(replication),
        published=published,
        computed=computed,
        difference=difference,
        version=__version__,
        kinds=list(dict.fromkeys(check.name for check in replication.checks)),
        **page_files("cards.js"),
        table=TABLE,
        lines=LINES,
        report=REPORT,
    )


def replication_csv(replication: Iterable[Compared]) -> str:
    """A replication as a flat table, one line for each published cell."""
    return csv_text([cell.columns() for cell in replication])


def write_replication(replication: Replication, folder: str | Path) -> tuple[Path, ...]:
    """Write a replication into a folder.

    Parameters
    ----------
    replication : Replication
    folder : path
        Gets ``replication.html`` and ``replication.csv`` and, where something was measured,
        ``results.jsonl`` and ``report.html``. Files of another replication or run that are there
        are kept under another name.

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
        Under which names other files are kept.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_replication(eatlas.replicate("divdist"), folder)]
    ['replication.html', 'replication.csv', 'results.jsonl', 'report.html']
    """
    directory, results = Path(folder), replication.results
    page, table = replication_html(replication), replication_csv(replication)
    written = [directory / PAGE, directory / TABLE]
    lines: dict[Path, Iterable[bytes]] = {directory / TABLE: table.encode().split(b"\n")}
    if len(results):
        lines[directory / LINES] = (
            to_json_line(result).encode() for result in (*results, *results.trends)
        )
        written += [directory / LINES, directory / REPORT]
    if kept := keep_others(lines, *(path for path in written if path not in lines)):
        values = {"folder": str(directory), "files": list(map(str, kept))}
        warn(Note("run.files-moved", values=values))
    with atomic_files() as new:
        new(directory / PAGE).write(page)
        new(directory / TABLE).write(table)
    if len(results):
        results.write(directory / LINES)
        write_report(results, directory / REPORT)
    return tuple(written)
