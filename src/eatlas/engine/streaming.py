"""A run into a store: sources are opened, measured and forgotten, and workers write the results.

The work is divided by sources, so that no process holds more than the jobs of a few sources, and
the process that divides it holds no result. A single source is divided by jobs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout, UnixFileLock

from eatlas.engine.execution import perform
from eatlas.engine.plan import DEFAULT_VECTORS, Prepared, Watch, read, rename_source
from eatlas.engine.readers import reader_of
from eatlas.errors import EatlasError, ResultsError
from eatlas.executors import Executor, choose, here, reading_of
from eatlas.numbers import number_of
from eatlas.paths import is_folder, is_there
from eatlas.results import Failure
from eatlas.results.collection import STORE_ENDING
from eatlas.results.parquet import (
    FAILURES,
    RESULTS_OF_A_PART,
    RUN,
    SCHEMA,
    PartsWriter,
    Written,
    arrow,
    parts_in,
)
from eatlas.results.parts import Run
from eatlas.results.scan import ResultsScan
from eatlas.sources.opening import NamedSpec, specs_of
from eatlas.writing import atomic_file, unwritable

LOCK = ".eatlas.lock"
_NUMBER = re.compile(r"part-(\d+)-")
"""Of the run that wrote a part, which begins its name."""
SHARES = 64
"""Pieces into which the work of several workers is divided, if there are as many sources."""


@dataclass(frozen=True)
class StoreRun:
    """What a run into a store came to."""

    scan: ResultsScan
    taken_over: int
    """Results that were there before."""
    failed: int
    first_failure: Failure | None


def require_store(path: Path) -> None:
    """Refuse a path that could not become, or be, a store."""
    if path.suffix.lower() != STORE_ENDING:
        raise ResultsError(
            f"{path}: a store has a name that ends in {STORE_ENDING}",
            got=path.suffix or "a name without an ending",
            remedy=f"{path.with_suffix(STORE_ENDING)}",
        )
    arrow(path)
    if is_there(path) and not is_folder(path):
        raise ResultsError(f"{path}: a store is a folder, and this is a file")
    if is_there(path) and any(path.iterdir()) and not (parts_in(path) or is_there(path / RUN)):
        raise ResultsError(
            f"{path}: this folder has other files", remedy="choose another name with --store"
        )


def run_into_store(
    path: Path,
    plan: Prepared,
    vectors: Any,
    *,
    workers: int | None = 1,
    executor: Executor | None = None,
    watch: Watch | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StoreRun:
    """Measure tests on sources one after the other, and write the results into a store.

    Jobs whose result is there already are not done again.

    Raises
    ------
    EatlasError
        If the first source cannot be opened, or the store cannot be written. What is wrong with
        other sources is a failure.
    """
    require_store(path)
    specs = specs_of(vectors, DEFAULT_VECTORS)
    jobs, _ = plan.open(specs[:1])
    plan.warn_of_left_out()
    if progress is None and watch is not None:
        progress = watch("sources" if len(specs) > 1 else "jobs", "")
    chosen = executor or choose(workers, len(jobs) if len(specs) == 1 else len(specs))
    with _open_store(path) as number:
        done = ResultsScan(path).identities()
        work = partial(_measure_sources, path=path.absolute(), run=number, plan=plan, done=done)
        account = _Account(path)
        if len(specs) == 1:
            account.add(work((0, specs), watch=watch, executor=chosen, progress=progress))
        else:
            if any(reader_of(job.measure.needs.source).computes(job.source) for job in jobs):
                chosen = reading_of(executor) if executor else chosen
            groups = _divide(specs, len(jobs), chosen)
            measured = 0
            with closing(chosen(work, [*enumerate(groups)])) as ended:
                for position, written in ended:
                    account.add(written)
                    measured += len(groups[position])
                    if progress is not None:
                        progress(measured, len(specs))
        _write_run(path, ResultsScan(path).make_run())
    return StoreRun(ResultsScan(path), account.taken_over, account.failed, account.first)


class _Account:
    """Counts what workers report, and writes the failures down."""

    def __init__(self, path: Path) -> None:
        self._path = path / FAILURES
        self._path.unlink(missing_ok=True)
        self.taken_over = self.failed = 0
        self.first: Failure | None = None

    def add(self, written: Written) -> None:
        """Count a report."""
        self.taken_over += written.taken_over
        self.failed += written.failed
        if not written.failures:
            return
        self.first = self.first or written.failures[0]
        with self._path.open("a", encoding="utf-8") as file:
            for failure in written.failures:
                facts = {"test": failure.test, "source": failure.source}
                facts |= {"signature": failure.signature, "error": str(failure.error)}
                file.write(json.dumps(facts, ensure_ascii=False) + "\n")


def _divide(specs: Sequence[NamedSpec], jobs: int, executor: Executor) -> list[Sequence[NamedSpec]]:
    """Sources that are measured together: they fill a part, or less if workers share them."""
    size = RESULTS_OF_A_PART // max(jobs, 1)
    if executor is not here:
        size = min(size, len(specs) // SHARES)
    size = max(size, 1)
    return [specs[i : i + size] for i in range(0, len(specs), size)]


def _measure_sources(
    item: tuple[int, Sequence[NamedSpec]],
    *,
    path: Path,
    run: int,
    plan: Prepared,
    done: np.ndarray[Any, Any],
    watch: Watch | None = None,
    executor: Executor = here,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Measure some sources, one after the other, and write their results; report numbers."""
    number, specs = item
    written = Written()
    with PartsWriter(path, f"{run:03d}-{number:06d}") as parts:
        for spec in specs:
            try:
                jobs, names = plan.open([spec])
                pairs = zip(jobs, names, strict=True)
                identities = [job.identity_as(name) for job, name in pairs]
                left = [i for i, identity in enumerate(identities) if not _is_done(identity, done)]
                written.taken_over += len(jobs) - len(left)
                answered = read([jobs[i] for i in left], watch) if left else []
            except Exception as error:  # noqa: BLE001  (one source must not cost the others)
                written.failures.append(_failure_of_source(spec, plan, error))
                written.failed += plan.size
                continue
            ready = [rename_source(job, names[i]) for job, i in zip(answered, left, strict=True)]
            with closing(executor(perform, ready)) as ended:
                for count, (position, outcome) in enumerate(ended, start=1):
                    if isinstance(outcome, Failure):
                        written.failures.append(outcome)
                        written.failed += 1
                    else:
                        parts.add(outcome, identities[left[position]])
                        written.results += 1
                    if progress is not None:
                        progress(count, len(ready))
    return written


def _is_done(identity: str, done: np.ndarray[Any, Any]) -> bool:
    """Whether the result of a job is in the store."""
    found = np.bytes_(bytes.fromhex(identity[:32]))
    at = int(np.searchsorted(done, found))
    return at < len(done) and bool(done[at] == found)


def _failure_of_source(spec: NamedSpec, plan: Prepared, error: Exception) -> Failure:
    """The failure of all jobs on a source."""
    if not isinstance(error, EatlasError):
        error = EatlasError(
            "the source cannot be read", got=f"{type(error).__name__}: {str(error)[:300]}"
        )
    source = spec.name or (spec.spec if isinstance(spec.spec, str) else type(spec.spec).__name__)
    test, measure = next(iter(plan.questions.values()))[0]
    others = f" and {number_of(plan.size - 1, 'other job')}" * (plan.size > 1)
    return Failure(f"{test.id}{others}", str(source), measure.signature, error)


@contextmanager
def _open_store(path: Path) -> Iterator[int]:
    """Make a store, or open one, under a lock; the number of this run in it."""
    lock = FileLock(path / LOCK, timeout=0)
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise ResultsError(
            f"{path}: another run is writing here",
            remedy="wait until it ends, or choose another name with --store",
        ) from error
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        found = [_NUMBER.match(part.name) for part in parts_in(path)]
        numbers = [int(match[1]) for match in found if match]
        for left in path.glob(".part-*"):
            with suppress(OSError):
                left.unlink()
        _write_run(path, None)
        yield 1 + max(numbers, default=0)
    finally:
        if isinstance(lock, UnixFileLock):
            with suppress(OSError):
                (path / LOCK).unlink()
        lock.release()


def _write_run(path: Path, run: Run | None) -> None:
    """Write which run all results of a store are; None while it has not ended."""
    values = {"schema": SCHEMA, "run": run.model_dump() if run else None}
    with atomic_file(path / RUN) as file:
        file.write(json.dumps(values) + "\n")
