"""Doing the jobs of a plan; a job that fails costs no other."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from eatlas.engine.plan import Job, Plan, make_plan
from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.results import AssociationResult, Failure, Results
from eatlas.sources import CaseRule


def run(
    tests: Any = None,
    vectors: Any = None,
    measures: Any = None,
    *,
    case: CaseRule = "auto",
    seed: int = 0,
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
    case : {"auto", "exact"}
        Rule by which terms are looked up: as written, then lower, capitalised and upper case;
        or only as written.
    seed : int
        Recorded with each result; exact p-values do not depend on it.

    Returns
    -------
    Results
        In the order sources, measures, tests; ``.failures`` lists the jobs that could not be done.

    Raises
    ------
    EatlasError
        If a test, source or measure is not usable, before any job is done.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="weat-6", vectors="glove-sample", measures="ml-eat")
    >>> results["weat-6"].pattern.label
    'BY-Singular'
    """
    return execute(make_plan(tests, vectors, measures, case=case, seed=seed))


def execute(plan: Plan, progress: Callable[[int, Job], None] | None = None) -> Results:
    """Do the jobs of a plan in order.

    Parameters
    ----------
    plan : Plan
    progress : callable, optional
        Called with the number of jobs done and the job about to be done.
    """
    results: list[AssociationResult] = []
    failures: list[Failure] = []
    for number, job in enumerate(plan.jobs):
        if progress is not None:
            progress(number, job)
        try:
            results.append(_do(job, plan))
        except EatlasError as error:
            failures.append(Failure(job.test.id, job.source.name, job.measure.signature, error))
    return Results(results, failures)


def _do(job: Job, plan: Plan) -> AssociationResult:
    with warnings.catch_warnings():
        # the result carries the same remark, and a table or report shows it
        warnings.simplefilter("ignore", UndefinedWarning)
        return job.measure(job.test, job.source, case=plan.case, seed=plan.seed)
