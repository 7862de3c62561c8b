"""What makes a job that job and no other."""

from __future__ import annotations

import hashlib
import json

from eatlas.engine.plan import Job, Plan
from eatlas.sources import CaseRule, period_of
from eatlas.version import __version__


def identity(job: Job, case: CaseRule, seed: int) -> str:
    """Name a job by all that its result depends on; equal names mean equal results.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    test = job.test.model_dump(mode="json")
    source = [job.source.name, period_of(job.source), job.source.fingerprint]
    parts = [__version__, test, *source, job.measure.signature, case, seed]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def identities(plan: Plan) -> list[str]:
    """Name every job of a plan, in its order."""
    return [identity(job, plan.case, plan.seed) for job in plan.jobs]
