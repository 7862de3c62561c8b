"""Doing the jobs of a plan; whatever goes wrong is one job's failure and costs no other."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from eatlas.engine.jobs import Job
from eatlas.engine.measuring import measure_job
from eatlas.engine.plan import Prepared, SourcesLike, Watch, make_plan, prepare
from eatlas.engine.store import Store
from eatlas.errors import AnisotropyWarning, EatlasError, UndefinedWarning
from eatlas.executors import (
    Executor,
    Progress,
    choose,
    here,
    reading_of,
    require_workers,
    watch_of,
)
from eatlas.lazy import find_offer
from eatlas.notes import Note, warn
from eatlas.results import AssociationResult, Failure, Results
from eatlas.sources import CaseRule, period_of

if TYPE_CHECKING:
    from eatlas.engine.plan import StimulusContexts
    from eatlas.engine.references import ReferenceLike
    from eatlas.measures.base import Topical
    from eatlas.measures.registry import MeasuresLike
    from eatlas.results.scan import ResultsScan
    from eatlas.sources.covariates import CovariatesLike
    from eatlas.stimuli.kinds import TestsLike

MORE_MEMORY = (
    "fewer workers leave more memory to each: --workers 1; or raise the limit of the system "
    "(ulimit -v, a container's)"
)
Outcome = AssociationResult | Failure


@overload
def run(
    tests: TestsLike | None = None,
    vectors: SourcesLike | None = None,
    measures: MeasuresLike | Sequence[MeasuresLike] | None = None,
    *,
    prompts: str | Iterable[str | Iterable[str]] | None = None,
    contexts: StimulusContexts | str | Path | None = None,
    windows: int | str | Iterable[int | str] | None = None,
    reference: ReferenceLike | None = None,
    frequency: Topical = "auto",
    covariates: CovariatesLike | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    workers: int | None = 1,
    executor: Executor | None = None,
    store: None = None,
    progress: Progress = False,
) -> Results: ...
@overload
def run(
    tests: TestsLike | None = None,
    vectors: SourcesLike | None = None,
    measures: MeasuresLike | Sequence[MeasuresLike] | None = None,
    *,
    prompts: str | Iterable[str | Iterable[str]] | None = None,
    contexts: StimulusContexts | str | Path | None = None,
    windows: int | str | Iterable[int | str] | None = None,
    reference: ReferenceLike | None = None,
    frequency: Topical = "auto",
    covariates: CovariatesLike | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    workers: int | None = 1,
    executor: Executor | None = None,
    store: str | Path,
    progress: Progress = False,
) -> ResultsScan: ...
def run(  # noqa: PLR0913  (each is a choice of the user's)
    tests: TestsLike | None = None,
    vectors: SourcesLike | None = None,
    measures: MeasuresLike | Sequence[MeasuresLike] | None = None,
    *,
    prompts: str | Iterable[str | Iterable[str]] | None = None,
    contexts: StimulusContexts | str | Path | None = None,
    windows: int | str | Iterable[int | str] | None = None,
    reference: ReferenceLike | None = None,
    frequency: Topical = "auto",
    covariates: CovariatesLike | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    workers: int | None = 1,
    executor: Executor | None = None,
    store: str | Path | None = None,
    progress: Progress = False,
) -> Results | ResultsScan:
    """Run every test on every source by every measure.

    Parameters
    ----------
    tests : str, path, AssociationTest, or list of them, default "caliskan"
        What :func:`eatlas.load_tests` takes.
    vectors : str, path, object, list or mapping of them, default "glove-sample"
        What :func:`eatlas.open_vectors` takes. A mapping, ``{"50d": "glove.6B.50d.txt"}``, or a
        text ``"50d=glove.6B.50d.txt"`` gives each the name that results call it by. A list under a
        name, ``{"w2v": ["run-1.txt", "run-2.txt"]}``, or a pattern with one asterisk,
        ``"w2v=run-*.txt"``, names training runs of one source: :meth:`eatlas.Results.pooled` and
        reports then make one claim of them, about other words and other runs.
    measures : str, measure, function, mapping, or list of them, optional
        Signatures such as ``"ml-eat(alpha=0.01)"``, or measures such as ``eatlas.MLEAT()``. By
        default ``"ml-eat"``, and ``"divdist"`` for tests of groups against a reference. Each takes
        the tests of its kind; measures of groups also take X, Y, A and B as groups and targets,
        unless a run has tests and measures of both kinds. ``"all"`` is every measure that takes the
        tests and the vectors; a warning names the others. A function with arguments named ``X``,
        ``Y``, ``A`` and ``B``, or some of them, gets the unit vectors of these groups, of shape
        (terms, dimensions), and returns a number. A mapping ``{"my-measure": function}`` names it.
    prompts : str or list, optional
        Prompts around words before they are encoded, such as ``"This is {}"``; each
        source is read with each of them, and ``Results.compare("prompt")`` compares. ``"{}"`` is
        the word alone. A list within the list is a set whose prompts are averaged: a word is the
        mean of its unit vectors in all of them. A name of a file stands for the prompts on its
        lines. Images have no prompt.
    contexts : Contexts, Pairs, str or path, optional
        Turns tests of words into tests of the sentences in which their words occur: what
        :func:`eatlas.find_contexts` returned, or a file of it. For LPBS and LPBSCEAT: the
        sentences that hold a target and an attribute, what :func:`eatlas.find_pairs` returned, or
        a file of it.
    windows : int, "sentence", or list of them, optional
        Words on either side to which the contexts are cut, at most what they have; each is measured
        by itself, and ``Results.compare("window")`` compares.
    reference : str, path, mapping, frame, result or Counts, optional
        What the proportions of tests of groups are compared with, in place of their own reference:
        ``"uniform"``; a proportion for each group, ``{"Female": 0.4, "Male": 0.6}``; a table of
        numbers by term and group, such as a census, ``"FILE.csv?year=2010"`` or a frame; or another
        measurement, a result of divdist or a file of them. Of the last two each target takes its
        own shares.
    frequency : {"auto", "on", "off"}, default "auto"
        Whether ML-EAT and WEAT compare a test with pairs of random topics, as near to one another
        as its lists, where the source has its words in order of frequency; "auto": if it takes less
        than a second to read all words.
    covariates : str, path, mapping or frame, optional
        Numbers of words, such as valence or length. Associations are adjusted for these, and for
        the frequency where the source knows it, in ``result.adjusted``. A CSV or TSV file
        with the words in its first column, ``"norms.csv"`` or
        ``"norms.csv?columns=valence,arousal"``; ``{"joy": 8.2, ...}``, or several such mappings by
        name, ``{"valence": {"joy": 8.2, ...}, ...}``; or a frame.
    case : {"auto", "exact"}
        Rule by which terms are looked up: as written, then lower, capitalised and upper case;
        or only as written.
    seed : int
        Recorded with each result; exact p-values do not depend on it.
    workers : int or None
        Number of processes. With more than one, a script must guard what it runs with
        ``if __name__ == "__main__":``. None: as many as are useful.
    executor : Executor, optional
        Who encodes and does the jobs instead, such as :class:`eatlas.OnRay`. Numbers do not depend
        on it.
    store : str or path, optional
        Write the results into a store, ``NAME.parquet``, and hold none of them: for very many
        results. Sources are opened and measured one after the other; one that cannot be opened is
        a failure, and costs no other. Jobs whose result is in the store are not done again. Needs
        pyarrow.
    progress : bool or callable
        Show how far the run is: of each source the terms that are read, the texts that a model
        encodes or the questions that it answers; then jobs. True shows bars on a terminal and lines
        in a notebook, as the command line does. A function is called with the number done and the
        number of all, first for what is read.

    Returns
    -------
    Results or ResultsScan
        In the order sources, windows, measures, tests; ``.failures`` lists the jobs that could not
        be done. With `store`, what :meth:`eatlas.Results.scan` returns. Trends of series are not
        stored.

    Raises
    ------
    EatlasError
        If a test, source or measure is not usable, before any job is done; or if no job could be
        done, which is the error of the first one.

    Warns
    -----
    EatlasWarning
        If some jobs failed.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="weat-6", vectors="glove-sample", measures="ml-eat")
    >>> results["weat-6"].pattern.label
    'BY-Singular'
    """
    require_workers(workers)  # before a large file is read
    choices: dict[str, Any] = {
        "prompts": prompts,
        "contexts": contexts,
        "windows": windows,
        "reference": reference,
        "frequency": frequency,
        "covariates": covariates,
        "case": case,
        "seed": seed,
    }
    with watch_of(progress) as watch:
        if store is not None:
            plan = prepare(tests, measures, **choices)
            return _run_into(Path(store), plan, vectors, workers, executor, watch)
        reading = reading_of(executor)
        jobs = make_plan(tests, vectors, measures, watch=watch, executor=reading, **choices)
        doing = executor or choose(workers, len(jobs))
        results = results_of(execute(jobs, doing, progress=watch and watch("jobs", "")))
    if not results.failures:
        return results
    first, count = results.failures[0], len(results.failures)
    error = first.error
    if count == len(jobs) == 1:
        raise error
    if count == len(jobs):
        what = f"none of {count} jobs could be done; the first, {first.test} on {first.source}: "
        raise type(error)(
            what + error.what, got=error.got, allowed=error.allowed, remedy=error.remedy
        )
    warn_of_failures(results)
    return results


def _run_into(
    store: Path,
    plan: Prepared,
    vectors: SourcesLike | None,
    workers: int | None,
    executor: Executor | None,
    watch: Watch | None,
) -> ResultsScan:
    """Measure into a store, and warn of failures; an error if there is nothing else."""
    run_into_store = find_offer("run_into_store")
    ended = run_into_store(store, plan, vectors, workers=workers, executor=executor, watch=watch)
    if ended.first_failure is not None:
        if not len(ended.scan):
            raise ended.first_failure.error
        warn_of_failed(ended.first_failure, ended.failed, ended.failed + len(ended.scan))
    scan: ResultsScan = ended.scan
    return scan


def warn_of_failures(results: Results) -> None:
    """Warn of jobs that failed, where there are any."""
    if failures := results.failures:
        warn_of_failed(failures[0], len(failures), len(failures) + len(results))


def warn_of_failed(first: Failure, count: int, of: int) -> None:
    """Warn of so many failures."""
    values = {"count": count, "of": of, "test": first.test}
    values |= {"source": first.source, "error": first.error.what, "remedy": first.error.remedy}
    warn(Note("run.failed", values=values))


def execute(
    jobs: Sequence[Job],
    executor: Executor = here,
    *,
    store: Store | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Run jobs and yield their outcomes in order; a store keeps what is done."""
    done = {} if store is None else store.done
    outcomes: dict[int, Outcome] = {
        i: done[job.identity] for i, job in enumerate(jobs) if done and job.identity in done
    }
    left = [i for i in range(len(jobs)) if i not in outcomes]
    with closing(executor(perform, [jobs[i] for i in left])) as ended:
        for position, outcome in ended:
            outcomes[left[position]] = outcome
            if store is not None and not isinstance(outcome, Failure):
                store.keep(jobs[left[position]].identity, outcome)
            if progress is not None:
                progress(len(outcomes), len(jobs))
    return [outcomes[i] for i in range(len(jobs))]


def results_of(outcomes: Sequence[Outcome]) -> Results:
    """Results, failures, and the trends of those on series."""
    results = Results.of(outcomes)
    if not len(results) or all(outcome.period is None for outcome in outcomes):
        return results
    from eatlas.engine.trends import trends  # noqa: PLC0415  (few sources are series)

    seed = results[0].provenance.seed
    return Results(results, results.failures, trends(results, results.failures, seed))


def perform(job: Job) -> Outcome:
    """Do one job and return its result, or why there is none.

    The seed and the stimuli decide all random numbers, in any process and at any time.
    """
    test, source, measure = job.test, job.source, job.measure
    what = f"test {test.id} by {measure.signature}"
    try:
        with warnings.catch_warnings():
            # the result carries the same remarks, and a table or report shows them
            warnings.simplefilter("ignore", UndefinedWarning)
            warnings.simplefilter("ignore", AnisotropyWarning)
            return measure_job(job)
    except EatlasError as error:
        reason = error
    except MemoryError:
        reason = EatlasError(f"{what}: the process ran out of memory", remedy=MORE_MEMORY)
    except Exception as error:  # noqa: BLE001  (a fault of ours must not cost the other jobs)
        reason = _fault(job, what, error)
    period = period_of(source)
    return Failure(test.id, source.name, measure.signature, reason, period, test.contexts)


def _fault(job: Job, what: str, error: Exception) -> EatlasError:
    """Name the package at fault: the measure or source whose code came last."""
    theirs = {type(part).__module__.partition(".")[0] for part in (job.measure, job.source)}
    modules = [str(f.f_globals.get("__name__")) for f, _ in traceback.walk_tb(error.__traceback__)]
    passed = [module.partition(".")[0] for module in reversed(modules)]
    package = next((name for name in passed if name in theirs - {"eatlas"}), "eatlas")
    report = "".join(traceback.format_exception(error))
    return EatlasError(
        f"{what}: an internal error of {package}",
        got=report.strip().replace("\n", "\n    "),
        remedy="please report it, with the lines above"
        if package == "eatlas"
        else "report it to the authors of that package, with the lines above; check_measure and "
        "check_source of eatlas.testing find what breaks the contract",
    )
