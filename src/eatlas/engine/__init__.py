"""Many jobs, one run: each test on each source by each measure."""

from eatlas.engine.execution import execute, run
from eatlas.engine.plan import Job, Plan, make_plan
from eatlas.engine.store import Store, open_store
from eatlas.executors import Executor, Processes, choose, here

__all__ = [
    "Executor",
    "Job",
    "Plan",
    "Processes",
    "Store",
    "choose",
    "execute",
    "here",
    "make_plan",
    "open_store",
    "run",
]
