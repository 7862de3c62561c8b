"""Doing the jobs of a plan; a job that fails costs no other."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Any

from eatlas.engine.executors import Executor, Outcome, choose, here
from eatlas.engine.identity import identities
from eatlas.engine.perform import Conditions
from eatlas.engine.plan import Plan, make_plan
from eatlas.engine.store import Store
from eatlas.engine.trends import trends
from eatlas.errors import EatlasError, EatlasWarning
from eatlas.processors import require_workers
from eatlas.results import Failure, Results
from eatlas.sources import CaseRule


def run(  # noqa: PLR0913  (each is a choice of the user's)
    tests: Any = None,
    vectors: Any = None,
    measures: Any = None,
    *,
    prompts: str | Iterable[str] | None = None,
    contexts: Any = None,
    windows: int | str | Iterable[int | str] | None = None,
    distances: int | Iterable[int] | None = None,
    frequency: int | str | None = None,
    case: CaseRule = "auto",
    seed: int = 0,
    workers: int | None = 1,
) -> Results:
    """Run every test on every source by every measure.

    Parameters
    ----------
    tests : str, path, AssociationTest, or list of them, default "caliskan"
        What :func:`eatlas.load_tests` takes.
    vectors : str, path, object, or list of them, default "glove-sample"
        What :func:`eatlas.open_vectors` takes.
    measures : str, measure, or list of them, default "ml-eat"
        Signatures such as ``"ml-eat(alpha=0.01)"``, or measures such as ``eatlas.MLEAT()``.
    prompts : str or list of str, optional
        Texts that words are put into before they are encoded, such as ``"This is {}"``; each
        source is asked in each of them, and ``Results.sensitivity("prompt")`` compares.
    contexts : Contexts, Pairs, str or path, optional
        Turns tests of words into tests of the sentences in which their words stand: what
        :func:`eatlas.find_contexts` returned, or a file of it. For LPBS and LPBSCEAT: the
        sentences that hold a target and an attribute, what :func:`eatlas.find_pairs` returned, or
        a file of it.
    windows : int, "sentence", or list of them, optional
        Words on either side to which the contexts are cut, at most what they have; each is measured
        by itself, and ``Results.sensitivity("window")`` compares.
    distances : int or list of int, optional
        Of pairs: those with at most so many words between the two are measured, each distance by
        itself.
    frequency : {"auto", "off"} or int, optional
        Lists of random words, of the frequencies of a test's words, with which ML-EAT and WEAT
        compare it: 2,000 where the source has an order of frequency and it takes less than a
        second; none; or so many.
    case : {"auto", "exact"}
        Rule by which terms are looked up: as written, then lower, capitalised and upper case;
        or only as written.
    seed : int
        Recorded with each result; exact p-values do not depend on it.
    workers : int or None
        Number of processes. With more than one, a script must guard what it runs with
        ``if __name__ == "__main__":``. None takes as many as the jobs are worth.

    Returns
    -------
    Results
        In the order sources, windows, measures, tests; ``.failures`` lists the jobs that could not
        be done.

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
    plan = make_plan(
        tests,
        vectors,
        measures,
        prompts=prompts,
        contexts=contexts,
        windows=windows,
        distances=distances,
        frequency=frequency,
        case=case,
        seed=seed,
    )
    results = execute(plan, choose(workers, len(plan.jobs)))
    if results.failures and not len(results):
        raise _nothing_done(results.failures)
    if results.failures:
        first = results.failures[0]
        warnings.warn(
            f"{len(results.failures)} of {len(plan.jobs)} jobs failed: "
            f"{first.test} on {first.source}: {first.error.what}; see .failures",
            EatlasWarning,
            stacklevel=2,
        )
    return results


def _nothing_done(failures: Sequence[Failure]) -> EatlasError:
    """The error of the one job, or of the first of several."""
    first = failures[0]
    if len(failures) == 1:
        return first.error
    error = first.error
    return type(error)(
        f"none of {len(failures)} jobs could be done; the first, {first.test} on {first.source}: "
        f"{error.what}",
        got=error.got,
        allowed=error.allowed,
        remedy=error.remedy,
    )


def execute(
    plan: Plan,
    executor: Executor = here,
    *,
    store: Store | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Do the jobs of a plan, and hand out their results in the plan's order.

    Parameters
    ----------
    plan : Plan
    executor : Executor
        Who does them.
    store : Store, optional
        Entered; jobs that it has are not done again, and those done now are kept in it.
    progress : callable, optional
        Called with the number of jobs done and the number of all jobs.
    """
    conditions = Conditions(plan.case, plan.seed)
    outcomes: dict[int, Outcome] = {}
    names: dict[int, str] = {}
    if store is not None:
        names = dict(enumerate(identities(plan)))
        outcomes = {i: store.done[name] for i, name in names.items() if name in store.done}
    left = [i for i in range(len(plan.jobs)) if i not in outcomes]
    with closing(executor([plan.jobs[i] for i in left], conditions)) as ended:
        for position, outcome in ended:
            outcomes[left[position]] = outcome
            if store is not None and not isinstance(outcome, Failure):
                store.append(names[left[position]], outcome)
            if progress is not None:
                progress(len(outcomes), len(plan.jobs))
    ordered = [outcomes[i] for i in range(len(plan.jobs))]
    done = [outcome for outcome in ordered if not isinstance(outcome, Failure)]
    failed = [outcome for outcome in ordered if isinstance(outcome, Failure)]
    return Results(done, failed, trends(done, failed, plan.seed))
