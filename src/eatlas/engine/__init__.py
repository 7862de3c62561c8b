"""Many jobs, one run: each test on each source by each measure.

A :mod:`plan` resolves and checks what is to be done, :mod:`execution` does its jobs,
:mod:`measuring` is one of them, and a :mod:`store` keeps what is done. :mod:`frequency` adds what
random words show, :mod:`references` what groups are compared with, :mod:`trends` what a series
shows. :mod:`verify` computes old results again. Scans of a vocabulary and counts of texts have
rooms of their own.
"""

from eatlas.engine.execution import execute, results_of, run
from eatlas.engine.measuring import AnySource, open_for
from eatlas.engine.plan import (
    Job,
    SourceLike,
    SourcesLike,
    Watch,
    in_contexts,
    make_plan,
    open_as,
    read,
)
from eatlas.engine.store import Store, open_store
from eatlas.executors import Executor, Processes, choose, here

__all__ = [
    "AnySource",
    "Executor",
    "Job",
    "Processes",
    "SourceLike",
    "SourcesLike",
    "Store",
    "Watch",
    "choose",
    "execute",
    "here",
    "in_contexts",
    "make_plan",
    "open_as",
    "open_for",
    "open_store",
    "read",
    "results_of",
    "run",
]
