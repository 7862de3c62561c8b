"""``eatlas replicate``: the published tables of a paper beside one's own numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from eatlas.cli.messages import complain, output_of_a_command, print_json, print_line
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.apps.replication.page import Grid
    from eatlas.apps.replication.replicate import Replication

FEW = 12
"""Checks that fail and are printed one by one."""


def replicate(
    paper: str,
    *,
    vectors: list[str] | None = None,
    out: Path | None = None,
    as_json: bool = False,
    seed: int = 0,
    workers: int | None = None,
) -> None:
    """Compare a paper's published numbers with those of your vectors.

    A model of the paper is measured if its vectors are available: named by --vectors, downloaded by
    eatlas vectors fetch, or replaced by the bundled sample where possible. The printed numbers are
    always checked against each other.

    Parameters
    ----------
    paper : ml-eat|seat|divdist|mind-your-bias
        Wolfe, Hiniker and Howe (2024); May et al. (2019); Bommasani and Liang (2022); Husse and
        Spitz (2022).
    vectors : --vectors MODEL=SOURCE
        Vectors of one of the paper's models, such as glove-840b=glove.840B.300d.txt; may be
        repeated. The output lists the models.
    out : -o, --out DIR
        Folder for replication.html, replication.csv, results.jsonl and report.html. [default: no
        files]
    as_json : --json
        Print only JSON, one object for each published cell.
    seed : N >= 0
        Seed of every random draw. Recorded with every result.
    workers : N >= 1
        Number of processes. [default: one]
    """
    from eatlas.apps.replication.page import PAGE, write_replication  # noqa: PLC0415
    from eatlas.apps.replication.replicate import compared  # noqa: PLC0415
    from eatlas.writing import require_writable  # noqa: PLC0415

    if out is not None:
        require_writable(out / PAGE)
    found = compared(paper, _named(vectors or []), seed=seed, workers=workers or 1)
    written = () if out is None else write_replication(found, out)
    with output_of_a_command():
        if as_json:
            print_json(one.columns() for one in found)
        else:
            _show(found)
            for path in written:
                print_line(f"written: {path}")
    for failure in found.results.failures:
        complain(failure.error)
    raise typer.Exit(1 if found.results.failures else 0)


def _named(vectors: list[str]) -> dict[str, str]:
    """Sources by model.

    Raises
    ------
    EatlasError
        If one has no name, or a name comes twice.
    """
    found: dict[str, str] = {}
    for one in vectors:
        name, equals, source = one.partition("=")
        if not equals or not name or not source:
            raise EatlasError(
                "--vectors names a model of the paper and its source",
                got=one,
                allowed="MODEL=SOURCE, such as glove-840b=glove.840B.300d.txt",
            )
        if name in found:
            raise EatlasError(f"--vectors names the model {name!r} twice", got=one)
        found[name] = source
    return found


def _show(found: Replication) -> None:
    """Print what was compared, what does not hold, what is missing, and why numbers differ."""
    from eatlas.apps.replication.page import grids  # noqa: PLC0415

    print_line(f"{found.paper.title}: {' '.join(found.paper.citation.split())}")
    for use in found.models:
        if use.stand_in_is:
            print_line("")
            print_line(
                f"Other vectors: {use.source} replaces {use.id}; it is {use.stand_in_is}. "
                "Differences are expected."
            )
    for grid in grids(found):
        if grid.computed:
            print_line("")
            _print_grid(grid)
    _print_checks(found)
    missing = [use for use in found.models if use.missing]
    if missing:
        print_line("")
        print_line("Not available:")
        for use in missing:
            print_line(f"  {use.id}: {use.missing}")
    for heading, texts in (
        ("Why numbers differ", found.paper.reasons),
        ("Left out", found.paper.left_out),
    ):
        print_line("")
        print_line(f"{heading}:")
        for text in texts:
            print_line(f"  - {' '.join(text.split())}")


def _print_grid(grid: Grid) -> None:
    """One published table, each column with one's own beside it."""
    from eatlas.apps.replication.page import computed, published  # noqa: PLC0415
    from eatlas.cli.console import new_console, show, table_of  # noqa: PLC0415

    sources = ", ".join(
        f"{source}{' (other vectors)' if other else ''}" for source, other in grid.sources
    )
    says = f"; {grid.table.says}" if grid.table.says else ""
    print_line(f"{grid.table.title}, beside {sources}{says}")
    shown = {name: row for name, row in grid.rows.items() if any(c.source for c in row.values())}
    heads, align, rows = ["Row"], "l", []
    for name in grid.computed:
        words = any(isinstance(row[name].value, str) for row in shown.values() if name in row)
        heads += [name, "ours"]
        align += "ll" if words else "rr"
    for name, row in shown.items():
        cells: list[Any] = [row.get(column) for column in grid.computed]
        texts = [(published(c.printed), computed(c)) if c else ("", "") for c in cells]
        rows.append((name, *(text for pair in texts for text in pair)))
    show(new_console(), table_of(heads, rows, align))
    if grid.agree:
        print_line(
            f"{sum(grid.agree):,} of {len(grid.agree):,} cells are the same to the last digit"
        )


def _print_checks(found: Replication) -> None:
    """Print how many consistency checks of the published numbers fail, and the first of them."""
    if not found.checks:
        return
    print_line("")
    failed = found.failed_checks
    print_line(
        f"Printed numbers, checked against each other: {len(found.checks):,} checks, "
        f"{len(failed):,} {'fails' if len(failed) == 1 else 'fail'}"
    )
    for check in failed[:FEW]:
        print_line(f"  {check.name}, {check.where}: {check.finding}")
    if len(failed) > FEW:
        print_line(f"  and {len(failed) - FEW} more")
