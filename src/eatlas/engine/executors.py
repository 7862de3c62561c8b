"""Who does the jobs: this process, or several. Anything that maps jobs to outcomes will do."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Protocol

from eatlas.engine.perform import Conditions, failure, out_of_memory, perform
from eatlas.engine.plan import Job
from eatlas.results import AssociationResult, Failure

Outcome = AssociationResult | Failure
WORTH_A_PROCESS = 25
"""Jobs for each further process: starting one takes as long as about 25 jobs of 8 v 8 terms."""
PATIENCE = 3
"""Kills before a job runs alone, and kills while it is alone before it is given up."""
_ORPHAN_CHECK = 0.5


class Executor(Protocol):
    """Does jobs in any order and hands out each outcome with the job's position."""

    def __call__(
        self, jobs: Sequence[Job], conditions: Conditions
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield (position, outcome) once for every job."""
        ...


def here(jobs: Sequence[Job], conditions: Conditions) -> Iterator[tuple[int, Outcome]]:
    """Do the jobs one after the other in this process."""
    for position, job in enumerate(jobs):
        yield position, perform(job, conditions)


class Processes:
    """Do the jobs in several processes of this machine.

    A worker that is killed costs nothing but time: its job is done again. After three kills the
    next job runs alone; if its worker is killed three times then, it is a failure.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(
        self, jobs: Sequence[Job], conditions: Conditions
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield (position, outcome) once for every job, as they end."""
        left = dict.fromkeys(range(len(jobs)))
        breaks = 0
        while left:
            alone = breaks >= PATIENCE
            first = next(iter(left))
            for position, outcome in self._try(jobs, [first] if alone else list(left), conditions):
                del left[position]
                yield position, outcome
            breaks += 1
            if alone and first not in left:
                breaks = PATIENCE - 1  # not this one: all together again, until the next break
            elif breaks == 2 * PATIENCE:
                del left[first]
                yield first, failure(jobs[first], out_of_memory(jobs[first]))
                breaks = 0

    def _try(
        self, jobs: Sequence[Job], positions: list[int], conditions: Conditions
    ) -> Iterator[tuple[int, Outcome]]:
        """Do jobs until all are done or the pool breaks."""
        workers = min(self.workers, len(positions))
        context = get_context("spawn")  # numba's and BLAS' threads do not survive a fork
        with ProcessPoolExecutor(
            workers,
            mp_context=context,
            initializer=_begin,
            initargs=(os.getpid(), tuple(jobs), conditions),
        ) as pool:
            waiting = iter(positions)
            running: dict[Future[Outcome], int] = {}
            while True:
                try:
                    for position in waiting:
                        running[pool.submit(_do, position)] = position
                        if len(running) >= 2 * workers:
                            break
                except BrokenProcessPool:
                    return
                if not running:
                    return
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    position = running.pop(future)
                    try:
                        outcome = future.result()
                    except BrokenProcessPool:
                        continue
                    yield position, outcome


def choose(workers: int | None, jobs: int) -> Executor:
    """Return an executor that suits the number of jobs.

    Parameters
    ----------
    workers : int or None
        Number of processes; None takes as many as the jobs are worth, up to the processors.
    jobs : int
    """
    if workers is None:
        workers = min(_processors(), jobs // WORTH_A_PROCESS)
    return here if workers <= 1 else Processes(workers)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_state: tuple[tuple[Job, ...], Conditions]


def _begin(parent: int, jobs: tuple[Job, ...], conditions: Conditions) -> None:
    """Set up a worker; it ends when its parent does, however that ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends us
    global _state  # noqa: PLW0603  (a worker has no other place to keep what all its jobs share)
    _state = (jobs, conditions)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHAN_CHECK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _do(position: int) -> Outcome:
    jobs, conditions = _state
    return perform(jobs[position], conditions)
