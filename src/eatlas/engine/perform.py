"""Doing one job; whatever goes wrong is that job's failure and no other's."""

from __future__ import annotations

import errno
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from eatlas.engine.plan import Job
from eatlas.errors import AnisotropyWarning, EatlasError, UndefinedWarning
from eatlas.results import AssociationResult, Failure
from eatlas.sources import CaseRule, period_of

MORE_MEMORY = (
    "fewer workers leave more memory to each: --workers 1; or raise the limit of the system "
    "(ulimit -v, a container's)"
)
_NO_MEMORY = (
    "failed to map segment", "annot allocate memory", "nable to allocate", "std::bad_alloc",
    "can't start new thread",
)  # fmt: skip
"""What the loader, numpy, LLVM and threads say where there is no memory."""


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
    except Exception as error:  # noqa: BLE001  (a fault of ours must not cost the other jobs)
        if lacks_memory(error):
            return failure(job, out_of_memory(job))
        return failure(job, our_fault(job, traceback.format_exc()))


def _measured(job: Job, conditions: Conditions) -> AssociationResult:
    """Measure; the seed and the stimuli decide all random numbers, whoever does it and when."""
    case, seed, rounding = conditions.case, conditions.seed, conditions.rounding
    measure: Callable[..., AssociationResult] = job.measure  # of the kind of test that it takes
    if rounding == 1:  # measures of other packages may know no other
        return measure(job.test, job.source, case=case, seed=seed)
    return measure(job.test, job.source, case=case, seed=seed, rounding=rounding)


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
        remedy=MORE_MEMORY,
    )


def lacks_memory(error: BaseException | None) -> bool:
    """Whether an error, or what led to it, is that the system gave no memory.

    Under a limit of address space (``ulimit -v``) libraries cannot be loaded and threads not be
    started, which has errors of other kinds.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        texts = str(error)
        if isinstance(error, MemoryError) or any(text in texts for text in _NO_MEMORY):
            return True
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


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
