"""Who does the jobs: this process, or several. Anything that maps jobs to outcomes will do."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Protocol

from eatlas.engine.perform import Conditions, failure, killed, perform
from eatlas.engine.plan import Job
from eatlas.errors import EatlasWarning
from eatlas.processors import may_have_no_children, processors, require_workers
from eatlas.results import AssociationResult, Failure

Outcome = AssociationResult | Failure
Outcomes = Generator[tuple[int, Outcome], None, None]
WORTH_A_PROCESS = 1.0
"""Seconds of work for each process. A process takes 0.7 s to import what it needs; on two
hyperthreads, two overtake one at about 300 jobs of 8 v 8 terms, which one does in 2 s."""
FEW = 5
"""Jobs that show how long the others will take."""
PATIENCE = 3
"""Kills before a job runs alone, and kills while it is alone before it is given up."""


class Executor(Protocol):
    """Does jobs in any order and hands out each outcome with the job's position."""

    def __call__(self, jobs: Sequence[Job], conditions: Conditions) -> Outcomes:
        """Yield (position, outcome) once for every job."""
        ...


def here(jobs: Sequence[Job], conditions: Conditions) -> Outcomes:
    """Do the jobs one after the other in this process."""
    for position, job in enumerate(jobs):
        yield position, perform(job, conditions)


class Processes:
    """Do the jobs in several processes of this machine.

    A worker that is killed costs nothing but time: its job is done again. A job whose worker is
    killed three times waits until it can run alone; if it is killed three times then, it is a
    failure.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(self, jobs: Sequence[Job], conditions: Conditions) -> Outcomes:
        """Yield (position, outcome) once for every job, as they end.

        Raises
        ------
        EatlasError
            If processes cannot be started, or the jobs not be handed to them.
        """
        # imported here since most runs stay in one process and need not wait for it
        from eatlas.engine.crew import Crew, not_pickled  # noqa: PLC0415

        try:
            shared = pickle.dumps((tuple(jobs), conditions))
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise not_pickled(str(error)) from error
        alone: list[int] = []
        with closing(Crew(self.workers, shared, range(len(jobs)), PATIENCE).outcomes()) as together:
            for position, outcome in together:
                if outcome is None:
                    alone.append(position)
                else:
                    yield position, outcome
        with closing(Crew(1, shared, alone, PATIENCE).outcomes()) as one_by_one:
            for position, outcome in one_by_one:
                job = jobs[position]
                given_up = failure(job, killed(job, 2 * PATIENCE))
                yield position, given_up if outcome is None else outcome


def as_needed(jobs: Sequence[Job], conditions: Conditions) -> Outcomes:
    """Do jobs here until it shows how long they take, then the rest in as many processes as pay."""
    most, begun, workers, done = processors(), time.monotonic(), 1, 0
    for done, job in enumerate(jobs, start=1):
        yield done - 1, perform(job, conditions)
        if done == 1:  # the first job also imports and compiles what all jobs need
            begun = time.monotonic()
            continue
        left = (time.monotonic() - begun) / (done - 1) * (len(jobs) - done)
        workers = min(most, int(left / WORTH_A_PROCESS))
        if workers > 1 and done > FEW:
            break
    else:
        return
    with closing(Processes(workers)(jobs[done:], conditions)) as rest:
        for position, outcome in rest:
            yield done + position, outcome


def choose(workers: int | None, jobs: int) -> Executor:
    """Return an executor that suits the number of jobs.

    Parameters
    ----------
    workers : int or None
        Number of processes; None takes as many as the jobs are worth, up to the processors.
    jobs : int

    Raises
    ------
    EatlasError
        If `workers` is neither None nor a whole number from 1.
    """
    require_workers(workers)
    if may_have_no_children():
        if workers is not None and workers > 1:
            warnings.warn(
                "this process is a daemonic child of multiprocessing, which may start no others; "
                "it does all jobs itself",
                EatlasWarning,
                stacklevel=3,
            )
        return here
    if workers is None:
        return as_needed if jobs > FEW and processors() > 1 else here
    return here if workers == 1 else Processes(workers)
