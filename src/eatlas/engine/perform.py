"""Doing one job; whatever goes wrong is that job's failure and no other's."""

from __future__ import annotations

import traceback
import warnings
from dataclasses import dataclass

from eatlas.engine.plan import Job
from eatlas.errors import AnisotropyWarning, EatlasError, UndefinedWarning
from eatlas.results import AssociationResult, Failure
from eatlas.sources import CaseRule, period_of


@dataclass(frozen=True)
class Conditions:
    """What all jobs of a run share."""

    case: CaseRule
    seed: int
    rounding: float = 1.0
    """Multiple of the precision of computed vectors by which sums tie."""


def perform(job: Job, conditions: Conditions) -> AssociationResult | Failure:
    """Do one job and return its result, or why there is none."""
    try:
        with warnings.catch_warnings():
            # the result carries the same remarks, and a table or report shows them
            warnings.simplefilter("ignore", UndefinedWarning)
            warnings.simplefilter("ignore", AnisotropyWarning)
            return _measured(job, conditions)
    except EatlasError as error:
        return failure(job, error)
    except MemoryError:
        return failure(job, out_of_memory(job))
    except Exception:  # noqa: BLE001  (a fault of ours must not cost the other jobs)
        return failure(job, our_fault(job, traceback.format_exc()))


def _measured(job: Job, conditions: Conditions) -> AssociationResult:
    """Measure; the seed and the stimuli decide all random numbers, whoever does it and when."""
    case, seed, rounding = conditions.case, conditions.seed, conditions.rounding
    if rounding == 1:  # measures of other packages may know no other
        return job.measure(job.test, job.source, case=case, seed=seed)
    return job.measure(job.test, job.source, case=case, seed=seed, rounding=rounding)


def failure(job: Job, error: EatlasError) -> Failure:
    """Say that a job could not be done."""
    return Failure(
        job.test.id,
        job.source.name,
        job.measure.signature,
        error,
        period_of(job.source),
        job.test.contexts,
    )


def out_of_memory(job: Job) -> EatlasError:
    """Say that a job needs more memory than there is."""
    return EatlasError(
        f"test {job.test.id} by {job.measure.signature}: the process ran out of memory",
        remedy="fewer workers leave more memory to each: --workers 1",
    )


def killed(job: Job, times: int) -> EatlasError:
    """Say that the process was killed whenever it did this job."""
    return EatlasError(
        f"test {job.test.id} by {job.measure.signature}: the process was killed {times} times "
        "while it did this job, most likely because memory ran out",
        remedy="fewer workers leave more memory to each: --workers 1",
    )


def our_fault(job: Job, report: str) -> EatlasError:
    """Say that eatlas, or a package that extends it, did not do what it should."""
    return EatlasError(
        f"test {job.test.id} by {job.measure.signature}: a fault of eatlas, not of the input",
        got=report.strip().replace("\n", "\n    "),
        remedy="please report it, with the lines above",
    )
