"""Many jobs, one run: each test on each source by each measure."""

from eatlas.engine.execution import execute, run
from eatlas.engine.executors import Executor, Processes, choose, here
from eatlas.engine.identity import identities
from eatlas.engine.plan import Job, Plan, make_plan
from eatlas.engine.store import Store

__all__ = [
    "Executor",
    "Job",
    "Plan",
    "Processes",
    "Store",
    "choose",
    "execute",
    "here",
    "identities",
    "make_plan",
    "run",
]
