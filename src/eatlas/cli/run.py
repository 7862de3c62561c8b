"""``eatlas run``: tests on vectors, as a table, a results file and a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from eatlas import sources as rooms
from eatlas.cli.messages import (
    exit_code,
    output_of_a_command,
    print_json,
    print_line,
    remark,
)
from eatlas.cli.options import number_or_word
from eatlas.cli.progress import bar_of, bars, what_is_kept
from eatlas.cli.table import print_results
from eatlas.engine import execute, make_plan, open_contexts, open_store, results_of
from eatlas.engine.execution import warn_of_failed
from eatlas.engine.jobs import Job
from eatlas.engine.plan import StimulusContexts, prepare
from eatlas.errors import EatlasError
from eatlas.executors import choose, executor_of, reading_of
from eatlas.present.findings import NAMES
from eatlas.present.report import write_run
from eatlas.results import Results, read_results, to_json_line
from eatlas.results.finding import VERDICTS
from eatlas.writing import require_writable

if TYPE_CHECKING:
    from eatlas.results.gates import Gate
    from eatlas.results.scan import ResultsScan

DEFAULT_OUT = Path("out")
RESULTS, REPORT = "results.jsonl", "report.html"
MOST_COUNTED = 1_000_000
"""Results of a store whose verdicts are counted; with more, memory would not stay small."""
GATE_FAILED = 3
"""Exit code of a run whose results do not pass its gate."""


def run(
    *,
    tests: list[str] | None = None,
    vectors: list[str] | None = None,
    measure: list[str] | None = None,
    prompt: list[str] | None = None,
    prompts_averaged: list[str] | None = None,
    out: Path | None = None,
    store: Path | None = None,
    as_json: bool = False,
    table: bool = False,
    full: bool = False,
    seed: int = 0,
    workers: int | None = None,
    engine: str = "local",
    contexts: Path | None = None,
    per_term: int | None = None,
    window: list[str] | None = None,
    reference: str | None = None,
    frequency: str = "auto",
    covariates: str | None = None,
    case: str = "auto",
    fail_if: list[str] | None = None,
    against: Path | None = None,
) -> None:
    """Run association tests, and tests of groups, on vectors.

    Without options: the ten Caliskan tests on the GloVe vectors that come with eatlas.
    Exit codes: 0 all done, 1 some tests could not be measured, 2 nothing could be run, 3 the
    results do not pass the gate, 130 interrupted.

    Parameters
    ----------
    tests : ID|BATTERY|FILE.toml
        Tests to run. May be repeated. [default: caliskan]
    vectors : [NAME=]SOURCE
        Vectors to measure: a file in any known format, a folder of years, or a name. Repeat to
        compare sources. 50d=glove.6B.50d.txt is called 50d in tables, charts and results.
        'w2v=run-*.txt' are training runs of w2v: claims then generalise to other runs.
        [default: glove-sample]
    measure : SIGNATURE
        ml-eat, weat, sc-eat, ceat, lpbs, lpbs-ceat, fmat or zero-shot; for tests of groups, and for
        X, Y, A and B as groups and targets, divdist, rnd, mac, ect, rnsb, semaxis, ripa,
        direct-bias, indirect-bias, same and generalised-weat, and pmi of counts; for pairs of
        sentences pll; or all. Parameters follow in brackets: 'ml-eat(alpha=0.01)'. May be repeated.
        [default: ml-eat; divdist for tests of groups]
    prompt : TEMPLATE
        Template around each word before a model encodes it, such as 'This is {}'; '{}' is the bare
        word. Repeat to compare templates. A file has one template per line. Images have no
        template.
    prompts_averaged : FILE|TEMPLATE|...
        Templates to average over: the vector of a word is the mean of its unit vectors in all of
        them. A file with one template per line, or 'a photo of {}|a picture of {}'. May be
        repeated.
    out : DIR
        Folder for results.jsonl and report.html. [default: out, or none with --json]
    store : NAME.parquet
        Write the results into this store instead, for very many results: each source is opened,
        measured and closed. Repeat the command to continue an interrupted run, or to add results.
    table : bool
        Print tables of all numbers instead of findings.
    full : bool
        Print every finding in a sentence, with all notes, and each period of a long series.
    contexts : FILE
        Measure the stimuli in the contexts of FILE, written by eatlas contexts (for lpbs and
        lpbs-ceat by eatlas contexts --pairs).
    per_term : N >= 1
        Number of contexts for each stimulus or pair, a random sample of the contexts in FILE.
        [default: all]
    window : N|sentence
        Shorten contexts to N words on either side of the stimulus. Repeat to compare windows.
        [default: not cut]
    reference : uniform|GROUP=SHARE,...|FILE
        Proportions to compare with in tests of groups: uniform; a proportion for each group; a CSV
        table of numbers by term and group, such as a census (FILE.csv?year=2010); or earlier
        results of divdist (FILE.jsonl). [default: the reference of each test]
    frequency : auto|on|off
        Whether to compare each test with pairs of random topics that are as coherent as its lists.
        This needs vectors in order of word frequency. auto: if reading all words takes less than a
        second. [default: auto]
    covariates : FILE[?columns=NAME,...]
        Numbers of words, such as valence or length: a CSV or TSV file with the words in its first
        column. Associations are adjusted for these and for word frequency.
    case : auto|exact
        How to look up terms. auto: as written, then in lower case, capitalised, in upper case.
        exact: only as written.
    fail_if : EXPRESSION
        Exit with code 3 if this is true of a result, such as 'level1.supported and abs(d) > 0.5',
        or cannot be computed. May be repeated.
    against : FILE.jsonl
        Earlier results to compare with. Exit with code 3 if an association is supported that was
        not, or is significantly larger than it was.
    """
    if store is not None:
        _require_alone(
            out=out, json=as_json, table=table, full=full, fail_if=fail_if, against=against
        )
    gate = _gate(fail_if, against, out or (None if as_json else DEFAULT_OUT))
    prompts: list[Any] = [*(prompt or ())]
    if prompts_averaged:
        prompts += map(rooms.PromptSet.read, prompts_averaged)
    choices: dict[str, Any] = {
        "prompts": prompts or None,
        "contexts": _contexts(contexts, per_term),
        "windows": [number_or_word(size) for size in window or ()] or None,
        "reference": reference,
        "frequency": frequency.lower(),
        "covariates": covariates,
        "case": case.lower(),  # the plan says which values there are
        "seed": seed,
    }
    if store is not None:
        _measure_into(store, tests, vectors, measure, workers=workers, engine=engine, **choices)
    measure_and_show(
        tests,
        vectors,
        measure,
        out=out,
        as_json=as_json,
        full=full,
        table=table,
        workers=workers,
        engine=engine,
        gate=gate,
        **choices,
    )


def _require_alone(**options: object) -> None:
    """Refuse options that a store has no use for."""
    if given := [name for name, value in options.items() if value]:
        raise EatlasError(
            "these options cannot be combined with --store",
            got=", ".join(f"--{name.replace('_', '-')}" for name in given),
            remedy="remove them, or --store; eatlas report shows the results of a store",
        )


def _measure_into(
    store: Path,
    tests: Any,
    sources: Any,
    measures: Any,
    *,
    workers: int | None,
    engine: str,
    **choices: Any,
) -> None:
    """Measure tests on sources into a store, and end with the exit code."""
    from eatlas.engine.streaming import (  # noqa: PLC0415  (few runs have a store)
        require_store,
        run_into_store,
    )

    require_store(store)
    on_cluster = executor_of(engine, workers)
    plan = prepare(tests, measures, **choices)
    how = "repeat the command to continue with what is not in the store"
    with (
        what_is_kept(lambda: 0, "", how),
        bar_of("sources" if len(sources or ()) > 1 else "jobs") as tick,
    ):
        ended = run_into_store(
            store, plan, sources, workers=workers, executor=on_cluster, progress=tick
        )
    if ended.taken_over:
        remark(f"results that were in the store before: {ended.taken_over:,}")
    if ended.first_failure is not None:
        if not len(ended.scan):
            raise ended.first_failure.error
        warn_of_failed(ended.first_failure, ended.failed, ended.failed + len(ended.scan))
    with output_of_a_command():
        print_line(f"results: {store} ({len(ended.scan):,})")
        if len(ended.scan) <= MOST_COUNTED and "verdict" in ended.scan.columns:
            print_line(_count_verdicts(ended.scan))
        if ended.failed:
            print_line(f"failures: {store / '_failures.jsonl'}")
        print_line(f"next: eatlas report {store} -o report.html")
    raise typer.Exit(1 if ended.failed else 0)


def _count_verdicts(scan: ResultsScan) -> str:
    """How many results have each verdict, adjusted over the tests of each setting."""
    counts = scan.first_rows(["verdict"])["verdict"].value_counts()
    return ", ".join(f"{NAMES[verdict]}: {counts.get(verdict, 0):,}" for verdict in VERDICTS)


def measure_and_show(
    tests: Any,
    sources: Any,
    measures: Any,
    *,
    out: Path | None,
    as_json: bool,
    full: bool = False,
    table: bool = False,
    workers: int | None,
    engine: str,
    planned: Callable[[Sequence[Job]], None] | None = None,
    gate: Callable[[Results], Gate] | None = None,
    **choices: Any,
) -> None:
    """Measure tests on sources, write and print the results, and end with the exit code.

    `planned` is told the jobs once their sources are read; `gate` checks the results once
    they are written; `choices` are those of :func:`eatlas.engine.make_plan`.
    """
    target = out or (None if as_json else DEFAULT_OUT)
    if target is not None:
        require_writable(target / RESULTS)  # before a model is asked
    on_cluster = executor_of(engine, workers)
    with bars() as watch:
        reading = reading_of(on_cluster)
        jobs = make_plan(tests, sources, measures, watch=watch, executor=reading, **choices)
    if planned is not None:
        planned(jobs)
    executor = on_cluster or choose(workers, len(jobs))
    with nullcontext() if target is None else open_store(target) as store:
        identities = [] if store is None else [job.identity for job in jobs]
        if store is not None and (taken := len(store.done.keys() & set(identities))):
            remark(f"jobs taken over from an interrupted run: {taken}")
        done, nothing = f"of {len(jobs)} jobs are done", "no job is kept"
        kept = what_is_kept(lambda: 0 if store is None else len(store.done), done, nothing)
        with kept, bar_of("jobs") as tick:
            results = results_of(execute(jobs, executor, store=store, progress=tick))
        if target is not None and len(results):
            write_run(results, target, {})
        if store is not None:
            store.discard(identities)
    with output_of_a_command():
        _show(results, target, as_json=as_json, full=full, table=table)
    code = exit_code(results)
    if gate is not None and len(results):
        found = gate(results)
        with output_of_a_command():
            for line in ("", *found.lines()):
                (remark if as_json else print_line)(line)
        code = code if found.passes else GATE_FAILED
    raise typer.Exit(code)


def _gate(
    fail_if: Sequence[str] | None, against: Path | None, target: Path | None
) -> Callable[[Results], Gate] | None:
    """The gate of a run, whose expressions and baseline are read before anything is measured."""
    if not fail_if and against is None:
        return None
    from eatlas.results.expressions import Expression  # noqa: PLC0415  (few runs have a gate)

    expressions = [Expression.parse(text) for text in fail_if or ()]
    if against and target and (target / RESULTS).absolute() == against.absolute():
        raise EatlasError(
            "a run does not replace the file that it is compared with",
            got=f"--against {against}, where the results of this run are written",
            remedy="keep the baseline in another place, or choose another folder: --out DIR",
        )
    baseline = None if against is None else read_results(against)
    return lambda results: results.gate(expressions, against=baseline)


def _contexts(path: Path | None, per_term: int | None) -> StimulusContexts | None:
    """Load the contexts that were requested."""
    if path is None:
        if per_term is not None:
            raise EatlasError(
                "--per-term needs a file of contexts",
                got=f"--per-term {per_term} alone",
                allowed="--contexts FILE --per-term N",
            )
        return None

    loaded = open_contexts(path)
    return loaded if per_term is None else loaded.first(per_term)


def _show(
    results: Results, directory: Path | None, *, as_json: bool, full: bool, table: bool
) -> None:
    """Print JSON and nothing else, or tables and where the files lie."""
    if as_json:
        print_json(map(to_json_line, (*results, *results.trends)))
    elif len(results):
        print_results(results, full=full, table=table)
        if directory is not None:
            print_line("")
            print_line(f"results: {directory / RESULTS}")
            print_line(f"report:  {directory / REPORT}")
