"""``eatlas run``: tests on vectors, as a table, a results file and a report."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eatlas.cli.say import complain, remark
from eatlas.errors import ResultsError

if TYPE_CHECKING:
    from eatlas.engine import Plan
    from eatlas.results import Results

DEFAULT_OUT = Path("out")
PATIENCE = 1.0
"""Seconds after which a person who waits is shown progress."""


def run(
    tests: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID|BATTERY|FILE.toml",
            help="Tests to run; may be repeated. [default: caliskan]",
            show_default=False,
        ),
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE",
            help="Vectors: a file (.txt, .vec, .csv, .tsv) or a name; may be repeated. "
            "[default: glove-sample]",
            show_default=False,
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNATURE",
            help="ml-eat, weat, sc-eat, with parameters such as 'ml-eat(alpha=0.01)'; "
            "may be repeated. [default: ml-eat]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where results.jsonl and report.html go. [default: out, or none with --json]",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, and nothing else.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Recorded with every result.", min=0)] = 0,
    case: Annotated[
        str,
        typer.Option(
            metavar="auto|exact",
            help="auto: a term as written, then lower, capitalised, upper case; "
            "exact: only as written.",
        ),
    ] = "auto",
) -> None:
    """Run association tests on vectors.

    Without options: the ten Caliskan tests on the GloVe vectors that come with eatlas.
    Exit codes: 0 all done, 1 some tests failed, 2 nothing could be run.
    """
    from eatlas.engine import execute, make_plan  # noqa: PLC0415  (--help need not wait for numpy)

    plan = make_plan(tests, vectors, measure, case=_case(case), seed=seed)
    target = out if out is not None else None if as_json else DEFAULT_OUT
    if target is not None:
        _require_writable(target)
    with _progress(plan) as tick:
        results = execute(plan, tick)
    if as_json:
        _print_json(results)
    elif len(results):
        _print_tables(results)
    if target is not None and len(results):
        _write(results, target, quiet=as_json)
    raise typer.Exit(_exit_code(results))


def _case(text: str) -> Any:
    return text.lower()  # the plan says which values there are


def _require_writable(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise ResultsError(
            f"--out {directory}: cannot be written to",
            got=error.strerror or str(error),
            allowed="a directory that exists or can be made",
            remedy="choose another with --out",
        ) from error


@contextmanager
def _progress(plan: Plan) -> Iterator[Any]:
    """Show progress to a person who has waited long enough; say nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    import time  # noqa: PLC0415

    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=len(plan.jobs))
    begun = time.monotonic()

    def tick(done: int, job: Any) -> None:
        if time.monotonic() - begun > PATIENCE:
            bar.start()
        bar.update(task, completed=done, description=f"{job.test.id} on {job.source.name}")

    try:
        yield tick
    finally:
        bar.stop()


def _print_json(results: Results) -> None:
    from eatlas.results import to_json_line  # noqa: PLC0415

    for result in results:
        sys.stdout.write(to_json_line(result) + "\n")
    sys.stdout.flush()


def _print_tables(results: Results) -> None:
    from eatlas.cli.table import print_results  # noqa: PLC0415  (only a person sees tables)

    print_results(results)


def _write(results: Results, directory: Path, *, quiet: bool) -> None:
    from eatlas.report import write_report  # noqa: PLC0415

    results.write(directory / "results.jsonl")
    write_report(results, directory / "report.html")
    if not quiet:
        typer.echo(f"\nresults: {directory / 'results.jsonl'}")
        typer.echo(f"report:  {directory / 'report.html'}")


def _exit_code(results: Results) -> int:
    for failure in results.failures:
        complain(failure.error)
    if not results.failures:
        return 0
    if not len(results):
        return 2
    failed, total = len(results.failures), len(results) + len(results.failures)
    remark(f"{failed} of {total} jobs failed; the others are done")
    return 1
