"""Doing a scan: chunks are read in order, measured by threads, and kept."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.chunk import Chunk, measure_chunk
from eatlas.engine.scan.chunks import Chunks
from eatlas.engine.scan.plan import ScanPlan
from eatlas.errors import ResultsError
from eatlas.processors import processors

THREADS = 4
"""At most; almost all the work is done outside of the interpreter's lock."""
Progress = Callable[[int], None]
"""Called with the number of words that are done."""


def measure_all(plan: ScanPlan, chunks: Chunks, progress: Progress | None = None) -> None:
    """Measure every chunk of the source that is not among `chunks`, and keep it there.

    However it ends, the chunks that were finished before are kept.

    Raises
    ------
    SourceError
        If what is read on the way is not well formed.
    ResultsError
        If a chunk cannot be kept.
    """
    threads = min(THREADS, processors())
    halted = threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        work = _Work(plan, chunks, pool, halted, progress)
        try:
            for index, (words, vectors) in enumerate(plan.chunks()):
                if index in chunks:
                    work.done += len(words)
                    continue
                work.begin(index, words, vectors)
                # one more than are at work, so that none waits for the reader
                work.keep(waiting=threads)
            work.keep(waiting=0)
        finally:
            halted.set()
            work.cancel()
            work.save()
    if progress is not None:
        progress(work.done)


@dataclass
class _Work:
    """Chunks that are being measured, in the order of the source."""

    plan: ScanPlan
    chunks: Chunks
    pool: ThreadPoolExecutor
    halted: threading.Event
    progress: Progress | None
    done: int = 0
    waiting: deque[Future[Chunk]] = field(default_factory=deque)

    def begin(self, index: int, words: list[str], vectors: NDArray[np.floating]) -> None:
        """Let a thread measure a chunk."""
        future = self.pool.submit(measure_chunk, self.plan, index, words, vectors, self._stop)
        self.waiting.append(future)

    def keep(self, *, waiting: int) -> None:
        """Keep finished chunks until no more than so many are waited for."""
        while len(self.waiting) > waiting:
            chunk = self.waiting.popleft().result()
            self.chunks.append(chunk)
            self.done += chunk.read
            if self.progress is not None:
                self.progress(self.done)

    def cancel(self) -> None:
        """Begin no more."""
        for future in self.waiting:
            future.cancel()

    def save(self) -> None:
        """Keep what is finished already, when the work ends before its time."""
        for future in self.waiting:
            if future.done() and not future.cancelled() and future.exception() is None:
                with suppress(ResultsError):  # a full disk has been said
                    self.chunks.append(future.result())

    def _stop(self) -> None:
        if self.halted.is_set():
            raise CancelledError
