"""The worker's side: a process that does the jobs it is told to, until its parent ends."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from eatlas.engine.perform import Conditions, failure, our_fault, perform
from eatlas.engine.plan import Job
from eatlas.results import AssociationResult, Failure

Outcome = AssociationResult | Failure
READY = "ready"
_ORPHAN_CHECK = 0.5
"""Seconds between two looks at whether the parent is still there."""


def serve(pipe: Connection[Any, Any], parent: int) -> None:
    """Answer that all is imported, take the jobs, then do each whose position is told.

    Parameters
    ----------
    pipe : Connection
        To the parent: out goes ``READY``, or in words why the jobs cannot be taken; then outcomes
        in the order in which positions come in.
    parent : int
        Its process id.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends us
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with suppress(EOFError, OSError):  # the parent has ended, or needs this worker no more
        pipe.send(READY)
        jobs, conditions = _taken(pipe)
        while True:
            job = jobs[pipe.recv()]
            _send(pipe, job, perform(job, conditions))


def _taken(pipe: Connection[Any, Any]) -> tuple[Sequence[Job], Conditions]:
    data = pipe.recv_bytes()
    try:
        jobs, conditions = pickle.loads(data)  # noqa: S301  (the parent made it a moment ago)
    except Exception as error:  # unpickling runs code of any kind
        pipe.send(f"{type(error).__name__}: {error}")
        raise EOFError from error
    return jobs, conditions


def _send(pipe: Connection[Any, Any], job: Job, outcome: Outcome) -> None:
    try:
        pipe.send(outcome)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        # nothing was sent yet: pickling comes first, and a record of another package may refuse it
        pipe.send(failure(job, our_fault(job, f"its result cannot be handed over: {error}")))


def _end_with(parent: int) -> None:
    """End this process when its parent has ended, also in the middle of a long job."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_CHECK)
    os._exit(1)
