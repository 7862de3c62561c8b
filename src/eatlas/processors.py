"""How many processors there are, and how many workers may be asked for."""

from __future__ import annotations

import os
import sys

from eatlas.errors import EatlasError


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_workers(workers: object) -> None:
    """Refuse what is no number of processes.

    Raises
    ------
    EatlasError
        If `workers` is neither None nor a whole number from 1.
    """
    if workers is None or (type(workers) is int and workers >= 1):
        return
    raise EatlasError(
        "the number of workers is not usable",
        got=repr(workers),
        allowed="a whole number from 1, or None for as many as the jobs are worth",
    )


def may_have_no_children() -> bool:
    """Whether this is a daemonic child of multiprocessing, such as the worker of a Pool."""
    process = sys.modules.get("multiprocessing.process")  # such a child has it
    return process is not None and bool(process.current_process().daemon)
