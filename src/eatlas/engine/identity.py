"""What makes a job that job and no other, and the seed that follows from it."""

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


def derived_seed(
    seed: int, test_id: str, source: str, signature: str, period: int | None = None
) -> int:
    """Seed of one job, from the run's seed and what the job is called.

    It depends neither on the order of jobs nor on who does them, so that sharding cannot change a
    number, and not on the version or the vectors, so that a change of those is seen for itself.

    Returns
    -------
    int
        Below 2^63.
    """
    called = [seed, test_id, source, signature, *([] if period is None else [period])]
    text = json.dumps(called, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
