"""``eatlas multiverse``: every combination of the choices of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import typer

from eatlas.cli.messages import (
    exit_code,
    output_of_a_command,
    print_data,
    print_line,
    remark,
)
from eatlas.cli.progress import progress_of_jobs
from eatlas.errors import StudyError
from eatlas.executors import choose, executor_of
from eatlas.numbers import number_of
from eatlas_workbench.cli.study_tables import print_plan, print_study
from eatlas_workbench.studies import Study, carry_out, prepare
from eatlas_workbench.studies import example as plan_example
from eatlas_workbench.studies.study import FILES

DEFAULT_OUT = Path("study")
LISTED = 5
"""Reasons that are listed."""


def multiverse(
    plan: Path | None = None,
    *,
    out: Path = DEFAULT_OUT,
    dry_run: bool = False,
    skip_invalid: bool = False,
    trust: list[str] | None = None,
    example: bool = False,
    workers: int | None = None,
    engine: str = "local",
) -> None:
    """Measure every combination of the choices of a plan.

    Tests, vectors, measures and choices are in a TOML file; --example prints one. To continue an
    interrupted study, repeat the command. A source of the plan that would run code or send a
    request is refused unless --trust names it.
    Exit codes: 0 all done, 1 some specifications failed, 2 nothing could be done,
    130 interrupted.

    Parameters
    ----------
    plan : PLAN.toml
        The plan of the study.
    out : DIR
        Folder for the report, the results, the table of choices, the analysis and the resolved
        plan.
    dry_run : --dry-run
        Show the plan without computing anything.
    skip_invalid : --skip-invalid
        Skip and list combinations of choices that cannot be combined.
    trust : SOURCE
        Allow this source of the plan to run code or send texts. Others are refused. May be
        repeated.
    example : --example
        Print a commented plan to save, change and run.
    """
    if example:
        with output_of_a_command():
            print_data(plan_example())
        return
    if plan is None:
        raise StudyError(
            "no plan was given",
            allowed="eatlas multiverse PLAN.toml",
            remedy="eatlas multiverse --example prints a plan that runs",
        )
    prepared = prepare(plan, skip_invalid=skip_invalid, trust=trust or ())
    _say_why("skipped", (reason for _, reason in prepared.misfits))
    if dry_run:
        with output_of_a_command():
            print_plan(prepared)
        return
    on_cluster = executor_of(engine, workers)
    executor = on_cluster or choose(workers, len(prepared.jobs))
    with progress_of_jobs(len(prepared.jobs), "study") as shown:
        study = carry_out(prepared, executor, out, **shown)
    with output_of_a_command():
        _show(study, out)
    raise typer.Exit(exit_code(study.results))


def _say_why(status: str, reasons: Iterable[str]) -> None:
    """Say why specifications were skipped, or failed, and how many for each reason."""
    counts = Counter(reasons)
    for reason, number in list(counts.items())[:LISTED]:
        remark(f"{status}: {number_of(number, 'specification')}: {reason}")
    if len(counts) > LISTED:
        remark(f"{status} for {len(counts) - LISTED} more reasons, which the table of choices has")


def _show(study: Study, out: Path) -> None:
    """Print what the choices do and where the files lie."""
    if len(study.results):
        print_study(study.record)
        print_line("")
        for name, what in FILES.items():
            if (out / name).exists():
                print_line(f"{what + ':':<15} {out / name}")
        measured = (spec for spec in study.record.of("failed") if spec.line is not None)
        _say_why("failed", (spec.reason for spec in measured))
