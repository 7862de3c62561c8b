"""``eatlas report``: results files to one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eatlas.cli.say import complain
from eatlas.errors import ResultsError


def report(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="results.jsonl of eatlas run.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page to write.")
    ] = Path("report.html"),
) -> None:
    """Make a report of results files: one self-contained HTML page.

    A damaged file's good results are shown and its bad lines named; the exit code is then 1.
    """
    from eatlas.report import write_report  # noqa: PLC0415  (--help need not wait for it)
    from eatlas.results import salvage_results  # noqa: PLC0415
    from eatlas.results.files import require_other_file  # noqa: PLC0415

    require_other_file(output, results)
    good, damage = salvage_results(results)
    for error in damage:
        complain(error)
    if damage and not len(good):
        raise ResultsError("no results could be read, so no report was written")
    write_report(good, output, damage=damage)
    typer.echo(f"report: {output}")
    raise typer.Exit(1 if damage else 0)
