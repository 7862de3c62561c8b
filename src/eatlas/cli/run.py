"""``eatlas run``: tests on vectors, as a table, a results file and a report."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eatlas.cli.progress import bar_of, bars
from eatlas.cli.say import complain, output_of_a_command, print_line, remark
from eatlas.errors import EatlasError, ResultsError

if TYPE_CHECKING:
    from eatlas.corpora import Contexts, Pairs
    from eatlas.engine import Store
    from eatlas.results import Results

DEFAULT_OUT = Path("out")
RESULTS, REPORT = "results.jsonl", "report.html"


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
            help="Vectors: a file in any known format, a folder of years, or a name; may be "
            "repeated. [default: glove-sample]",
            show_default=False,
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNATURE",
            help="ml-eat, weat, sc-eat, ceat, lpbs, lpbs-ceat, with parameters such as "
            "'ml-eat(alpha=0.01)'; may be repeated. [default: ml-eat]",
            show_default=False,
        ),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEMPLATE",
            help="Text that words are put into before a model encodes them, such as "
            "'This is {}'; may be repeated, to see how findings move with it.",
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
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Processes that share the work. [default: as many as it is worth]",
            show_default=False,
            min=1,
        ),
    ] = None,
    contexts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Measure the stimuli of the tests in their contexts, which eatlas contexts "
            "wrote to FILE; for lpbs and lpbs-ceat, a file of eatlas contexts --pairs.",
            show_default=False,
        ),
    ] = None,
    per_term: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Contexts of each stimulus or pair, a random sample of those in FILE. "
            "[default: all]",
            show_default=False,
            min=1,
        ),
    ] = None,
    window: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|sentence",
            help="Words on either side of a stimulus to which the contexts are cut; may be "
            "repeated, to see how findings move with it. [default: as they are]",
            show_default=False,
        ),
    ] = None,
    distance: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="For lpbs: most words between the two of a pair; may be repeated. "
            "[default: as they are]",
            show_default=False,
        ),
    ] = None,
    family: Annotated[
        str,
        typer.Option(
            metavar="level1|level2|both|none[,settings]",
            help="The p-values that are adjusted together (Holm): of the tests of each setting "
            "(source, measure, period, window), or with ,settings of all results.",
        ),
    ] = "level1",
    frequency: Annotated[
        str | None,
        typer.Option(
            metavar="off|N",
            help="Compare each test with N lists of random words that are as frequent as its own, "
            "or with none. [default: 2000, where the vectors have their words in order of "
            "frequency]",
            show_default=False,
        ),
    ] = None,
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
    Exit codes: 0 all done, 1 some tests failed, 2 nothing could be run,
    130 interrupted.
    """
    from eatlas.engine import choose, execute, make_plan  # noqa: PLC0415  (--help waits for none)

    _check_family(family)
    with bars() as watch:
        plan = make_plan(
            tests,
            vectors,
            measure,
            prompts=prompt or None,
            contexts=_contexts(contexts, per_term),
            windows=[int(one) if one.isdecimal() else one for one in window or ()] or None,
            distances=distance or None,
            frequency=_lists(frequency),
            case=_case(case),
            seed=seed,
            watch=watch,
        )
    executor = choose(workers, len(plan.jobs))
    target = out if out is not None else None if as_json else DEFAULT_OUT
    with _store(target) as store:
        names = [] if store is None else plan.identities()
        _say_what_is_taken_over(store, names)
        try:
            with bar_of("jobs") as tick:
                results = execute(plan, executor, store=store, progress=tick)
        except KeyboardInterrupt as interruption:
            kept = 0 if store is None else len(store.done)
            remark(
                f"interrupted; {kept} of {len(plan.jobs)} jobs are done and kept"
                + ("; the same command does the rest" if kept else "")
            )
            raise typer.Exit(130) from interruption
        if target is not None and len(results):
            _write(results, target, family)
        if store is not None:
            store.discard(names)
    with output_of_a_command():
        _show(results, target, family, as_json=as_json)
    raise typer.Exit(_exit_code(results))


def _contexts(path: Path | None, per_term: int | None) -> Contexts | Pairs | None:
    """Load the contexts that were asked for."""
    if path is None:
        if per_term is not None:
            raise EatlasError(
                "--per-term says how many contexts are taken of a file of contexts",
                got=f"--per-term {per_term} alone",
                allowed="--contexts FILE --per-term N",
            )
        return None
    from eatlas.corpora import load_either  # noqa: PLC0415

    loaded = load_either(path)
    return loaded if per_term is None else loaded.first(per_term)


def _check_family(text: str) -> None:
    """Refuse a family that there is not before any work; the default needs no check."""
    if text != "level1":
        from eatlas.present.family import declared  # noqa: PLC0415

        declared(text)


def _lists(text: str | None) -> int | str | None:
    """A number of lists, or a word; the measure says which there are."""
    if text is None:
        return None
    return int(text) if text.isdecimal() else text.lower()


def _case(text: str) -> Any:
    return text.lower()  # the plan says which values there are


@contextmanager
def _store(directory: Path | None) -> Iterator[Store | None]:
    """Hold the store of a directory, where there is one, from before the first job."""
    if directory is None:
        yield None
        return
    from eatlas.engine import Store  # noqa: PLC0415

    _require_writable(directory)
    with Store(directory) as store:
        yield store


def _say_what_is_taken_over(store: Store | None, names: list[str]) -> None:
    taken = 0 if store is None else len(store.done.keys() & set(names))
    if taken:
        remark(f"jobs of a run that was cut off and are taken over: {taken}")


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


def _write(results: Results, directory: Path, family: str) -> None:
    from eatlas.present import write_report  # noqa: PLC0415
    from eatlas.results.files import keep_others  # noqa: PLC0415

    lines = (*results, *results.trends)
    kept = keep_others(lines, directory / RESULTS, directory / REPORT)
    if kept:
        remark(f"{directory} held results of another run; kept as {', '.join(map(str, kept))}")
    results.write(directory / RESULTS)
    write_report(results, directory / REPORT, family=family)


def _show(results: Results, directory: Path | None, family: str, *, as_json: bool) -> None:
    """Print JSON and nothing else, or tables and where the files lie."""
    if as_json:
        from eatlas.results import to_json_line  # noqa: PLC0415

        lines = "".join(to_json_line(result) + "\n" for result in (*results, *results.trends))
        sys.stdout.flush()
        sys.stdout.buffer.write(lines.encode())  # JSON is UTF-8, whatever the terminal
    elif len(results):
        from eatlas.cli.table import print_results  # noqa: PLC0415  (only a person sees tables)

        print_results(results, family)
        if directory is not None:
            print_line("")
            print_line(f"results: {directory / RESULTS}")
            print_line(f"report:  {directory / REPORT}")


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
