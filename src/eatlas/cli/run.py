"""``eatlas run``: tests on vectors, as a table, a results file and a report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from eatlas.cli.messages import complain, output_of_a_command, print_json, print_line, remark
from eatlas.cli.options import executor_of, number_or_word
from eatlas.cli.progress import bar_of, bars
from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.corpora import Contexts, Pairs
    from eatlas.engine import Plan
    from eatlas.executors import Executor
    from eatlas.results import Results
    from eatlas.stimuli import Test

DEFAULT_OUT = Path("out")
RESULTS, REPORT = "results.jsonl", "report.html"


def run(
    *,
    tests: list[str] | None = None,
    vectors: list[str] | None = None,
    measure: list[str] | None = None,
    prompt: list[str] | None = None,
    prompts_averaged: list[str] | None = None,
    out: Path | None = None,
    as_json: bool = False,
    seed: int = 0,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    contexts: Path | None = None,
    per_term: int | None = None,
    window: list[str] | None = None,
    distance: list[int] | None = None,
    reference: str | None = None,
    family: str = "level1",
    frequency: str | None = None,
    case: str = "auto",
    no_thumbnails: bool = False,
) -> None:
    """Run association tests, and tests of groups, on vectors.

    Without options: the ten Caliskan tests on the GloVe vectors that come with eatlas.
    Exit codes: 0 all done, 1 some tests failed, 2 nothing could be run,
    130 interrupted.

    Parameters
    ----------
    tests : ID|BATTERY|FILE.toml
        Tests to run; may be repeated. [default: caliskan]
    vectors : SOURCE
        Vectors: a file in any known format, a folder of years, or a name; may be repeated.
        [default: glove-sample]
    measure : SIGNATURE
        ml-eat, weat, sc-eat, ceat, lpbs, lpbs-ceat, zero-shot; divdist and others for tests of
        groups; with parameters such as 'ml-eat(alpha=0.01)'; may be repeated. [default: ml-eat;
        divdist for tests of groups]
    prompt : TEMPLATE
        Text that words are put into before a model encodes them, such as 'This is {}'; may be
        repeated, to see how findings move with it: '{}' is the word alone. A file: the prompt on
        each of its lines. Images are put into none.
    prompts_averaged : FILE|TEMPLATE|...
        A set of prompts that are averaged: a word is the mean of its unit vectors in all of them.
        A file with a prompt on each line, or 'a photo of {}|a picture of {}'; may be repeated.
    out : DIR
        Where results.jsonl and report.html go. [default: out, or none with --json]
    as_json : --json
        Print one JSON object a line, and nothing else.
    seed : N >= 0
        Recorded with every result.
    workers : N >= 1
        Processes that share the work. [default: as many as it is worth]
    engine : local|ray
        Who does the work: processes of this machine, or the workers of a Ray cluster (needs
        eatlas[ray]). Numbers are the same.
    address : HOST:PORT
        Of the cluster: HOST:PORT, ray://HOST:PORT, or auto for one that runs on this machine.
        [default: one of this machine that ends with the command]
    contexts : FILE
        Measure the stimuli of the tests in their contexts, which eatlas contexts wrote to FILE;
        for lpbs and lpbs-ceat, a file of eatlas contexts --pairs.
    per_term : N >= 1
        Contexts of each stimulus or pair, a random sample of those in FILE. [default: all]
    window : N|sentence
        Words on either side of a stimulus to which the contexts are cut; may be repeated, to see
        how findings move with it. [default: as they are]
    distance : N
        For lpbs: most words between the two of a pair; may be repeated. [default: as they are]
    reference : uniform|GROUP=SHARE,...|FILE
        What the shares of tests of groups are compared with: equal shares; a share for each group;
        a CSV table of numbers by term and group, such as a census, FILE.csv?year=2010; or results
        of another measurement by divdist, FILE.jsonl. [default: as each test says]
    family : level1|level2|both|none[,settings]
        The p-values that are adjusted together (Holm): of the tests of each setting (source,
        measure, period, window), or with ,settings of all results.
    frequency : off|N
        Compare each test with N lists of random words that are as frequent as its own, or with
        none. [default: 2000, where the vectors have their words in order of frequency]
    case : auto|exact
        auto: a term as written, then lower, capitalised, upper case; exact: only as written.
    no_thumbnails : --no-thumbnails
        Leave small pictures of the image stimuli out of the report, as of people who agreed to
        research and not to publication.
    """
    from eatlas.engine import choose, make_plan  # noqa: PLC0415  (--help waits for none)
    from eatlas.executors import reading_of  # noqa: PLC0415

    if family != "level1":  # refused before any work
        from eatlas.present.family import declared  # noqa: PLC0415

        declared(family)
    on_cluster = executor_of(engine, address, workers)
    lookup: Any = case.lower()  # the plan says which values there are
    with bars() as watch:
        plan = make_plan(
            tests,
            vectors,
            measure,
            prompts=_prompts(prompt, prompts_averaged),
            contexts=_contexts(contexts, per_term),
            windows=[number_or_word(one) for one in window or ()] or None,
            distances=distance or None,
            reference=reference,
            frequency=None if frequency is None else number_or_word(frequency),
            case=lookup,
            seed=seed,
            watch=watch,
            executor=reading_of(on_cluster),
        )
    target = out or (None if as_json else DEFAULT_OUT)
    images = None if no_thumbnails else [job.test for job in plan.jobs]
    executor = on_cluster or choose(workers, len(plan.jobs))
    results = _executed(plan, executor, target, family, images)
    with output_of_a_command():
        _show(results, target, family, as_json=as_json)
    raise typer.Exit(_exit_code(results))


def _prompts(alone: list[str] | None, averaged: list[str] | None) -> list[Any] | None:
    """Prompts that are taken each alone, and sets that are averaged."""
    if not averaged:
        return alone
    from eatlas.sources.prompts import PromptSet  # noqa: PLC0415  (seldom needed)

    return [*(alone or ()), *map(PromptSet.read, averaged)]


def _executed(
    plan: Plan,
    executor: Executor,
    target: Path | None,
    family: str,
    images: Sequence[Test] | None,
) -> Results:
    """Do the jobs of a plan; write results and report where they have a folder."""
    from eatlas.engine import execute, open_store  # noqa: PLC0415

    with nullcontext() if target is None else open_store(target) as store:
        names = [] if store is None else plan.identities()
        taken = 0 if store is None else len(store.done.keys() & set(names))
        if taken:
            remark(f"jobs of a run that was cut off and are taken over: {taken}")
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
            _write(results, target, family, images)
        if store is not None:
            store.discard(names)
    return results


def _contexts(path: Path | None, per_term: int | None) -> Contexts | Pairs | None:
    """Load the contexts that were requested."""
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


def _write(results: Results, directory: Path, family: str, images: Sequence[Test] | None) -> None:
    """Write results and report; with `images`, thumbnails of those of these tests."""
    from eatlas.present import write_report  # noqa: PLC0415
    from eatlas.present.thumbnails import paths_of_tests  # noqa: PLC0415
    from eatlas.results.files import keep_others  # noqa: PLC0415

    lines = (*results, *results.trends)
    kept = keep_others(lines, directory / RESULTS, directory / REPORT)
    if kept:
        remark(f"{directory} held results of another run; kept as {', '.join(map(str, kept))}")
    results.write(directory / RESULTS)
    paths = paths_of_tests(images or ())
    write_report(results, directory / REPORT, family=family, images=paths)


def _show(results: Results, directory: Path | None, family: str, *, as_json: bool) -> None:
    """Print JSON and nothing else, or tables and where the files lie."""
    if as_json:
        from eatlas.results import to_json_line  # noqa: PLC0415

        print_json(map(to_json_line, (*results, *results.trends)))
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
