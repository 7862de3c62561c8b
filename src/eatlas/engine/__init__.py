"""Many jobs, one run: each test on each source by each measure."""

from eatlas.engine.execution import execute, run
from eatlas.engine.plan import Job, Plan, make_plan

__all__ = ["Job", "Plan", "execute", "make_plan", "run"]
