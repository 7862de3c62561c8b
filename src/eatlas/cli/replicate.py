"""``eatlas replicate``: the published tables of a paper beside one's own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eatlas.cli.messages import complain, output_of_a_command, print_line
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.apps.replication.replicate import Replication

FEW = 12
"""Checks that fail and are printed one by one."""


def replicate(paper: str, *, vectors: list[str] | None = None, out: Path | None = None) -> None:
    """Compare a paper's published numbers with those of your vectors.

    A model of the paper is measured if its vectors are available: named by --vectors, downloaded by
    eatlas vectors fetch, or replaced by the bundled sample where possible. The printed numbers are
    always checked against each other.

    Parameters
    ----------
    paper : caliskan|ml-eat|seat|divdist|mind-your-bias
        Caliskan et al. (2017); Wolfe, Hiniker and Howe (2024); May et al. (2019); Bommasani and
        Liang (2022); Husse and Spitz (2022).
    vectors : --vectors MODEL=SOURCE
        Vectors of one of the paper's models, such as glove-840b=glove.840B.300d.txt; may be
        repeated. The output lists the models.
    out : -o, --out DIR
        Folder for replication.html, replication.csv, results.jsonl and report.html. [default: no
        files]
    """
    from eatlas.apps.replication.replicate import PAGE, compared, write_replication  # noqa: PLC0415
    from eatlas.writing import require_writable  # noqa: PLC0415

    if out is not None:
        require_writable(out / PAGE)
    sources: dict[str, str] = {}
    for text in vectors or []:
        name, _, source = text.partition("=")
        if not name or not source or name in sources:
            raise EatlasError(
                "--vectors names a model of the paper and its source, each model once",
                got=text,
                allowed="MODEL=SOURCE, such as glove-840b=glove.840B.300d.txt",
            )
        sources[name] = source
    replication = compared(paper, sources)
    written = () if out is None else write_replication(replication, out)
    with output_of_a_command():
        _print_numbers(replication)
        _print_reasons(replication)
        for path in written:
            print_line(f"written: {path}")
    for failure in replication.results.failures:
        complain(failure.error)
    raise typer.Exit(1 if replication.results.failures else 0)


def _print_numbers(replication: Replication) -> None:
    """Print what was compared: each column of a published table with one's own beside it."""
    from eatlas.apps.replication.replicate import computed, grids, published  # noqa: PLC0415
    from eatlas.cli.console import new_console, say, show, table_of  # noqa: PLC0415

    console = new_console()
    say(console, replication.headline, "bold", hang=2)
    say(console, " ".join(replication.paper.citation.split()), hang=2)
    for model in replication.models:
        if model.stand_in_is:
            say(console, "")
            say(
                console,
                f"Other vectors: {model.source} replaces {model.id}; it is {model.stand_in_is}. "
                "Differences are expected.",
                hang=2,
            )
    for grid in grids(replication):
        if not grid["computed"]:
            continue
        table, sources = grid["table"], grid["sources"]
        sources = (f"{name}{' (other vectors)' if other else ''}" for name, other in sources)
        says = f"; {table.says}" if table.says else ""
        say(console, "")
        say(console, f"{table.title}, beside {', '.join(sources)}{says}", hang=2)
        heads, align = ["Row"], "l"
        rows = [[name] for name, row in grid["rows"].items() if any(c.source for c in row.values())]
        for column in grid["computed"]:
            cells = [grid["rows"][row[0]].get(column) for row in rows]
            heads += [f"{column}\npaper", f"{column}\nours"]
            align += "ll" if any(c and isinstance(c.value, str) for c in cells) else "rr"
            for row, cell in zip(rows, cells, strict=True):
                row.extend((published(cell), computed(cell)) if cell else ("", ""))
        show(console, table_of(heads, rows, align))
        if grid["agree"]:
            same, every = sum(grid["agree"]), len(grid["agree"])
            say(console, f"{same:,} of {every:,} cells are the same to the last digit")


def _print_reasons(replication: Replication) -> None:
    """Print what does not hold, what is missing, and why numbers differ."""
    from eatlas.cli.console import new_console, say  # noqa: PLC0415

    console = new_console()
    failed, checks = replication.failed_checks, len(replication.checks)
    finds = [f"{check.name}, {check.where}: {check.finding}" for check in failed[:FEW]]
    if len(failed) > FEW:
        finds.append(f"and {len(failed) - FEW} more")
    fail = f"{len(failed):,} {'fails' if len(failed) == 1 else 'fail'}"
    missing = [f"{model.id}: {model.missing}" for model in replication.models if model.missing]
    reasons, left_out = (
        [f"- {' '.join(text.split())}" for text in texts]
        for texts in (replication.paper.reasons, replication.paper.left_out)
    )
    for heading, lines, is_shown in (
        (f"Printed numbers, checked against each other: {checks:,} checks, {fail}", finds, checks),
        ("Not available:", missing, missing),
        ("Why numbers differ:", reasons, True),
        ("Left out:", left_out, True),
    ):
        if is_shown:
            say(console, "")
            say(console, heading)
            for line in lines:
                say(console, f"  {line}", hang=4)
