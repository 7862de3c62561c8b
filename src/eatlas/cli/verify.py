"""``eatlas verify``: compute results again and say what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eatlas.cli.say import complain


def verify(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="results.jsonl of eatlas run.")
    ],
) -> None:
    """Compute each result again from its provenance, and say whether it is the same.

    Exit codes: 0 all the same, 1 something differs or could not be computed again, 2 nothing
    could be read.
    """
    from eatlas.engine.verify import verify as check  # noqa: PLC0415  (--help need not wait)
    from eatlas.errors import ResultsError  # noqa: PLC0415
    from eatlas.results import salvage_results  # noqa: PLC0415

    good, damage = salvage_results(results)
    for error in damage:
        complain(error)
    if not len(good):
        raise ResultsError("there are no results to verify")
    verdicts = check(good)
    for verdict in verdicts:
        result = verdict.result
        place = result.source if result.period is None else f"{result.source}, {result.period},"
        typer.echo(f"{result.test} on {place} by {result.signature}: {verdict.status}")
        for detail in verdict.details:
            typer.echo(f"  {detail}")
    same = sum(verdict.status == "same" for verdict in verdicts)
    typer.echo(f"{same} of {len(verdicts)} results are the same")
    raise typer.Exit(0 if same == len(verdicts) and not damage else 1)
