"""The files of a corpus, looked through here or shared out among processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eatlas.corpora.account import Account, Damage, Tell
from eatlas.corpora.collecting import Collector
from eatlas.corpora.files import Reading, read_texts
from eatlas.corpora.pairing import PairCollector
from eatlas.corpora.samples import Samples
from eatlas.errors import EatlasError
from eatlas.processors import may_have_no_children, processors

Progress = Callable[[int, int], None]
"""Called with the number of files read and the number of all."""
Make = Callable[[], Collector | PairCollector]
"""Makes a collector; handed to other processes, so pickled."""
WORTH = 100_000_000
"""Bytes for each process: it takes a second or two to begin, in which one reads as much."""
ROUNDS = 4
"""Shares that each process gets, one after the other: a large file at the end delays less."""


@dataclass(frozen=True)
class Part:
    """What some files of a corpus hold."""

    samples: Samples[Any]
    accounts: tuple[Account, ...]
    damages: tuple[Damage, ...] = ()
    """Damaged lines of which nobody has been told."""


def look_through(
    files: Sequence[Path],
    reading: Reading,
    make: Make,
    *,
    workers: int | None = 1,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> Part:
    """Look through files, in one process or several; which one, changes nothing in the samples.

    Parameters
    ----------
    files : sequence of paths
    reading : Reading
    make : callable
    workers : int or None
        Processes; None takes as many as the files are worth, up to the processors. There are never
        more than files.
    tell : callable, optional
        Called with every damaged line.
    progress : callable, optional

    Raises
    ------
    SourceError
        If a file cannot be read.
    EatlasError
        If a process ends before its work is done.
    """
    count = min(len(files), _worth(files) if workers is None else workers)
    if count <= 1 or may_have_no_children():
        return _here(files, reading, make, tell, progress)
    parts = _shared(shares(files, count * ROUNDS), reading, make, count, tell, progress)
    samples = make().samples
    for part in parts:
        samples.merge(part.samples)
    accounts = {one.file: one for part in parts for one in part.accounts}
    return Part(samples, tuple(accounts[str(path)] for path in files))


def shares(files: Sequence[Path], count: int) -> list[list[Path]]:
    """Share files out into at most `count` parts of about the same size, the largest first."""
    sizes = {path: path.stat().st_size for path in files}
    parts: list[list[Path]] = [[] for _ in range(min(count, len(files)))]
    weights = [0] * len(parts)
    for path in sorted(files, key=sizes.__getitem__, reverse=True):
        least = weights.index(min(weights))
        parts[least].append(path)
        weights[least] += max(sizes[path], 1)
    return sorted(parts, key=lambda part: sum(map(sizes.__getitem__, part)), reverse=True)


def _worth(files: Sequence[Path]) -> int:
    return min(processors(), sum(path.stat().st_size for path in files) // WORTH)


def _here(
    files: Sequence[Path],
    reading: Reading,
    make: Make,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> Part:
    collector, accounts = make(), []
    for done, path in enumerate(files):
        if progress is not None:
            progress(done, len(files))
        account = Account(str(path), tell)
        for batch in read_texts(path, reading, account):
            collector.take(batch)
        account.tell = None
        accounts.append(account)
    if progress is not None:
        progress(len(files), len(files))
    return Part(collector.samples, tuple(accounts))


def _apart(files: Sequence[Path], reading: Reading, make: Make) -> Part:
    """Do the work of another process: it tells of damage when it is done."""
    damages: list[Damage] = []
    part = _here(files, reading, make, damages.append)
    return Part(part.samples, part.accounts, tuple(damages))


def _shared(
    parts: Sequence[Sequence[Path]],
    reading: Reading,
    make: Make,
    workers: int,
    tell: Tell | None,
    progress: Progress | None,
) -> list[Part]:
    found: list[Part] = []
    done, total = 0, sum(map(len, parts))
    with _processes(workers) as pool:
        tasks = {pool.submit(_apart, files, reading, make): len(files) for files in parts}
        for task in as_completed(tasks):
            found.append(task.result())
            if tell is not None:
                for damage in found[-1].damages:
                    tell(damage)
            done += tasks[task]
            if progress is not None:
                progress(done, total)
    return found


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Hold processes; end them at once if anything goes wrong, Ctrl-C included."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # threads of numba survive no fork
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts)
    try:
        yield pool
    except BrokenProcessPool as error:
        raise EatlasError(
            "a process that read the corpus has ended before its work was done",
            got=str(error),
            allowed="processes that may run to the end, with 300 MB of memory each",
            remedy="use fewer workers; a script guards what it runs with: "
            'if __name__ == "__main__":',
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends us
