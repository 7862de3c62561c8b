"""Doing a scan: chunks are read in order, measured by threads, and kept; and how long it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import measure_chunk
from eatlas.engine.scan.chunks import Chunks
from eatlas.engine.scan.plan import ScanPlan
from eatlas.executors import Threads
from eatlas.processors import processors
from eatlas.stats.permutation.batch_inversion import MOST_SCORES

THREADS = 4
"""At most; almost all the work is done outside of the interpreter's lock."""
Progress = Callable[[int], None]
"""Called with the number of words that are done."""
TRIALS, ALONE = (128, 2048), (4,)
"""Words of a trial, together and one by one: of few that are measured together, time says little.
The next trial is larger while one takes no time to speak of."""
ENOUGH = 0.2
"""Seconds of a trial that tells the time."""


def threads() -> int:
    """Return the number of threads that measure chunks."""
    return min(THREADS, processors())


def measure_all(plan: ScanPlan, chunks: Chunks, progress: Progress | None = None) -> None:
    """Measure every chunk of the source that is not among `chunks`, and keep it there.

    However it ends, the chunks that were finished before are kept: each as soon as it is measured.

    Raises
    ------
    SourceError
        If what is read on the way is not well formed.
    ResultsError
        If a chunk cannot be kept.
    """
    keeping, done, executor = threading.Lock(), 0, Threads(threads())

    def measure(item: tuple[int, tuple[list[str], NDArray[np.floating]]]) -> int:
        index, (words, vectors) = item
        if index not in chunks:
            chunk = measure_chunk(plan, index, words, vectors, executor.stop)
            with keeping:
                chunks.keep(chunk)
        return len(words)

    with closing(executor(measure, enumerate(plan.chunks()))) as ended:
        for _, words in ended:
            done += words
            if progress is not None:
                progress(done)


@dataclass(frozen=True)
class Estimate:
    """The time that the words of a scan will take."""

    each: float
    """Seconds for a word, with all threads at work."""
    words: int | None
    """Words that will be read; None where the source does not know."""

    @property
    def seconds(self) -> float | None:
        """Seconds for all words; None where nobody knows how many there are."""
        return None if self.words is None else self.each * self.words


def estimate(plan: ScanPlan) -> Estimate:
    """Measure the first words of a scan, after compiled code has been loaded, and time it."""
    words, vectors = next(plan.chunks(), ([], None))
    if vectors is None or not words:
        return Estimate(0.0, plan.expected)
    trials = TRIALS if sum(plan.found.sizes) <= MOST_SCORES else ALONE

    def seconds(some: int) -> float:
        begun = time.perf_counter()
        measure_chunk(plan, 0, words[:some], vectors[:some], lambda: None)
        return time.perf_counter() - begun

    took, some = seconds(trials[0]), 1  # which also loads compiled code
    for some in (min(trial, len(words)) for trial in trials):
        took = seconds(some)
        if took > ENOUGH or some == len(words):
            break
    return Estimate(took / some / threads(), plan.expected)
