"""The parent's side: processes that share jobs, and what happens when one of them is killed.

Each worker has a pipe of its own. A pool with one queue for all can wait for ever for the rest of
a message whose sender was killed; a pipe of two ends when either ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from multiprocessing.context import SpawnContext

from eatlas.engine.worker import READY, Outcome, serve
from eatlas.errors import EatlasError

AHEAD = 2
"""Jobs that a worker holds while many wait: it need not pause until its parent has heard it."""

LAST_BREATH = 5.0
"""Seconds that a process has between the end of its pipe and its own."""


class Worker:
    """A process and the pipe to it."""

    def __init__(self, context: SpawnContext) -> None:
        self.given: deque[int] = deque()
        """Positions of the jobs it holds; it does the first of them."""
        self.ready = False
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, os.getpid()), daemon=True, name="eatlas worker"
        )
        with _interrupts_wait(), _deaf_to_interrupts():
            self._process.start()
        theirs.close()  # or this end would not hear that the other has ended

    def give(self, position: int) -> None:
        """Tell it to do one more job."""
        self.given.append(position)
        with suppress(OSError):  # it has ended; its pipe says so when it is next heard
            self.pipe.send(position)

    def share(self, data: bytes) -> None:
        """Hand over what all jobs need."""
        with suppress(OSError):
            self.pipe.send_bytes(data)

    def hear(self) -> Outcome | str | None:
        """Take its next message; None if it has ended, be it in the middle of a message."""
        try:
            message: Outcome | str = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return message

    def end(self) -> None:
        """Stop it, whatever it does."""
        self.pipe.close()
        self._process.kill()
        self._process.join()

    def exit_code(self) -> int:
        """Return how it ended, once its pipe has; after a kill that is a negative number."""
        self._process.join(LAST_BREATH)
        self.end()
        return self._process.exitcode or 0


class Crew:
    """So many workers, and the jobs they have yet to do.

    Parameters
    ----------
    size : int
        Number of workers.
    shared : bytes
        The pickled jobs and conditions, which each worker gets once.
    positions : iterable of int
        The jobs to be done.
    patience : int
        Kills of its worker after which a job is given up.
    """

    def __init__(self, size: int, shared: bytes, positions: Iterable[int], patience: int) -> None:
        self._size, self._shared, self._patience = size, shared, patience
        self._waiting = deque(positions)
        self._left = len(self._waiting)
        self._kills: Counter[int] = Counter()
        self._false_starts = 0
        self._workers: list[Worker] = []

    def outcomes(self) -> Generator[tuple[int, Outcome | None], None, None]:
        """Yield (position, outcome) once for each job; None for one that was given up."""
        context = multiprocessing.get_context("spawn")  # threads of numba and BLAS survive no fork
        try:
            while self._left:
                while len(self._workers) < min(self._size, self._left):
                    self._workers.append(_started(context))
                for worker in self._workers:
                    self._supply(worker)
                for position, outcome in self._heard():
                    self._left -= 1
                    yield position, outcome
        finally:
            for worker in self._workers:
                worker.end()

    def _heard(self) -> Iterator[tuple[int, Outcome | None]]:
        """Wait for messages, and hand out what was done or given up."""
        heard = connection.wait([worker.pipe for worker in self._workers])
        for worker in [worker for worker in self._workers if worker.pipe in heard]:
            message = worker.hear()
            if message is None:
                yield from self._bury(worker)
            elif isinstance(message, str):
                self._welcome(worker, message)
            else:
                yield worker.given.popleft(), message

    def _welcome(self, worker: Worker, message: str) -> None:
        if message != READY:
            raise not_pickled(message)
        worker.ready, self._false_starts = True, 0
        worker.share(self._shared)

    def _supply(self, worker: Worker) -> None:
        """Give a second job only while many wait, or it might lie behind a long one."""
        while worker.ready and self._waiting and len(worker.given) < AHEAD:
            if worker.given and len(self._waiting) < self._size:
                return
            worker.give(self._waiting.popleft())

    def _bury(self, worker: Worker) -> Iterator[tuple[int, None]]:
        """Take back the jobs of a worker that has ended, and count the kill of the first."""
        self._workers.remove(worker)
        was_killed = worker.exit_code() < 0
        if not worker.ready:
            self._false_starts += 1
            if not was_killed or self._false_starts >= self._patience * self._size:
                raise _no_workers()
        self._waiting.extendleft(reversed(worker.given))
        if worker.given:
            suspect = worker.given[0]
            self._kills[suspect] += 1
            if self._kills[suspect] >= self._patience:
                self._waiting.remove(suspect)
                yield suspect, None


def _started(context: SpawnContext) -> Worker:
    # A worker runs the script of its parent, to know what is defined there. Where the script lacks
    # a guard it comes here; it then ends in silence, and the parent says what is wrong.
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)
    try:
        return Worker(context)
    except OSError as error:
        raise EatlasError(
            "no further process can be started",
            got=error.strerror or str(error),
            remedy="ask for fewer workers",
        ) from error


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hear Ctrl-C only when a new process has been told all that it needs to begin.

    It would print a traceback if it were told half. To block the signal is not enough: another
    thread may take it, and Python then interrupts this one.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start a process that never hears Ctrl-C: blocked signals are inherited.

    It would print a traceback while it still imports what it needs to ignore the signal.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415  (there is none on Windows)

    resource_tracker.ensure_running()  # starting it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def not_pickled(reason: str) -> EatlasError:
    """Say that pickling failed, here or at the other end."""
    return EatlasError(
        "the jobs cannot be handed to other processes",
        got=reason,
        remedy="define measures in a module that can be imported, or use workers=1",
    )


def _no_workers() -> EatlasError:
    return EatlasError(
        "the worker processes end before they have begun",
        remedy='a script guards what it runs with: if __name__ == "__main__": (or use workers=1)',
    )
