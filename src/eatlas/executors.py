"""Who does the work: this process, threads of it, or processes beside it.

Everything that takes long passes through one seam: an executor maps a function over items and
yields each outcome with the position of its item, in whatever order they end. Encoding, files of a
corpus, chunks of a scan and the jobs of a run go through it; any callable of that kind will do.

Each process has a pipe of its own. A pool with one queue for all, such as that of
`concurrent.futures` or `loky`, waits for ever for the rest of a message whose sender was killed; a
pipe of two ends when either ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent import futures
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from eatlas.errors import EatlasError, EatlasWarning

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext

WORTH_A_PROCESS = 1.0
"""Seconds of work for each process. A process takes 0.7 s to import what it needs; on two
hyperthreads, two overtake one at about 300 jobs of 8 v 8 terms, which one does in 2 s."""
FEW = 5
"""Items that show how long the others will take."""
PATIENCE = 3
"""Kills before an item is done alone, and kills while it is alone before it is given up."""
AHEAD = 2
"""Items that a process holds while many wait: it need not pause until its parent has read."""
LAST_BREATH = 5.0
"""Seconds that a process has between the end of its pipe and its own."""
ORPHAN_CHECK = 0.5
"""Seconds between two looks at whether the parent is still there."""

Item = TypeVar("Item")
Result = TypeVar("Result")
Outcomes = Generator[tuple[int, "Result | LostItem"], None, None]
"""Positions of items, each with what came of it."""


@dataclass(frozen=True)
class LostItem:
    """The outcome of an item that another process did and could not hand over."""

    reason: str = ""
    """Why its result cannot be pickled; empty where the process was killed."""
    kills: int = 0
    """How often the process was killed while it did this item."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_workers(workers: object) -> None:
    """Refuse what is not a number of processes."""
    if workers is None or (type(workers) is int and workers >= 1):
        return
    raise EatlasError(
        "the number of workers is not usable",
        got=repr(workers),
        allowed="a whole number from 1, or None for as many as are useful",
    )


def may_have_no_children() -> bool:
    """Whether this is a daemonic child of multiprocessing, such as the worker of a Pool."""
    process = sys.modules.get("multiprocessing.process")  # such a child has it
    return process is not None and bool(process.current_process().daemon)


class Executor(Protocol):
    """Maps a function over items, and yields (position, outcome) once for each, in any order."""

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item; what the function raises is raised."""
        ...


def reading_of(executor: Executor | None) -> Executor:
    """Who reads and encodes for an executor: this process, unless it has one for that."""
    found: Executor = getattr(executor, "reading", here)
    return found


def here(function: Callable[[Item], Result], items: Iterable[Item], /) -> Outcomes[Result]:
    """Do the items one after the other in this process."""
    for position, item in enumerate(items):
        yield position, function(item)


class Threads:
    """Do the items in threads of this process; items are taken from their iterator as needed."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._ended = threading.Event()

    def stop(self) -> None:
        """End a function that calls this now and then, once nobody waits for its result."""
        if self._ended.is_set():
            raise futures.CancelledError

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Generator[tuple[int, Result], None, None]:
        """Yield (position, outcome) once for every item, as they end."""
        running: dict[futures.Future[Result], int] = {}

        def done() -> Iterator[tuple[int, Result]]:
            for future in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                yield running.pop(future), future.result()

        with futures.ThreadPoolExecutor(self.workers) as pool:
            try:
                for position, item in enumerate(items):
                    running[pool.submit(function, item)] = position
                    # one more than are at work, so that none waits for the reader
                    while len(running) > self.workers:
                        yield from done()
                while running:
                    yield from done()
            finally:
                self._ended.set()
                for future in running:
                    future.cancel()


class Processes:
    """Do the items in several processes of this machine.

    A process that is killed costs nothing but time: its item is done again. An item whose process
    is killed three times waits until it can be done alone; after three more kills it is lost.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item, as they end."""
        items = tuple(items)
        try:
            shared = pickle.dumps((function, items))
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise not_pickled(str(error)) from error
        left: list[int] = list(range(len(items)))
        for size in (self.workers, 1):
            given_up: list[int] = []
            with closing(_Pool(size, shared, left).outcomes()) as outcomes:
                for position, outcome in outcomes:
                    if outcome is None:
                        given_up.append(position)
                    else:
                        yield position, outcome
            left = given_up
        for position in left:
            yield position, LostItem(kills=2 * PATIENCE)


def as_needed(function: Callable[[Item], Result], items: Iterable[Item], /) -> Outcomes[Result]:
    """Do items here until it shows how long they take, the rest in as many processes as pay."""
    items = tuple(items)
    most, begun, workers, done = processors(), time.monotonic(), 1, 0
    for done, item in enumerate(items, start=1):
        yield done - 1, function(item)
        if done == 1:  # the first also imports and compiles what all need
            begun = time.monotonic()
            continue
        left = (time.monotonic() - begun) / (done - 1) * (len(items) - done)
        workers = min(most, int(left / WORTH_A_PROCESS))
        if workers > 1 and done > FEW:
            break
    else:
        return
    with closing(Processes(workers)(function, items[done:])) as rest:
        for position, outcome in rest:
            yield done + position, outcome


def choose(workers: int | None, items: int) -> Executor:
    """Return an executor that suits the number of items."""
    require_workers(workers)
    if may_have_no_children():
        if workers is not None and workers > 1:
            warnings.warn(
                "this process is a daemonic child of multiprocessing, which may start no others; "
                "it does all jobs itself",
                EatlasWarning,
                stacklevel=3,
            )
        return here
    if workers is None:
        return as_needed if items > FEW and processors() > 1 else here
    return here if workers == 1 else Processes(workers)


class _Worker:
    """A process, the pipe to it, and the positions of the items it holds; it does the first."""

    def __init__(self, context: SpawnContext) -> None:
        self.held: deque[int] = deque()
        self.ready = False
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, os.getpid()), daemon=True, name="eatlas worker"
        )
        with _interrupts_wait(), _deaf_to_interrupts():
            self._process.start()
        theirs.close()  # or this end would not hear that the other has ended

    def send(self, message: Any) -> None:
        """Send a message; of a worker that has ended its pipe says so when it is next read."""
        with suppress(OSError):
            self.pipe.send(message)

    def receive(self) -> tuple[str, Any]:
        """Take its next message; "ended" if there is none, be it in the middle of a message."""
        try:
            message: tuple[str, Any] = self.pipe.recv()
        except (EOFError, OSError):
            return "ended", None
        return message

    def was_killed(self) -> bool:
        """Whether a worker whose pipe has ended was killed, and did not end by itself."""
        self._process.join(LAST_BREATH)
        self.end()
        return (self._process.exitcode or 0) < 0

    def end(self) -> None:
        """Stop it, whatever it does."""
        self.pipe.close()
        self._process.kill()
        self._process.join()


class _Pool:
    """So many workers, and the items that they have yet to do."""

    def __init__(self, size: int, shared: bytes, positions: Sequence[int]) -> None:
        self._size, self._shared = size, shared
        self._waiting, self._left = deque(positions), len(positions)
        self._kills: Counter[int] = Counter()
        self._false_starts = 0
        self._workers: list[_Worker] = []

    def outcomes(self) -> Generator[tuple[int, Any], None, None]:
        """Yield (position, outcome) once for each item; None for one that was killed too often."""
        import multiprocessing  # noqa: PLC0415  (most runs stay in one process)
        from multiprocessing.connection import wait  # noqa: PLC0415

        context = multiprocessing.get_context("spawn")  # threads of numba and BLAS survive no fork
        try:
            while self._left:
                while len(self._workers) < min(self._size, self._left):
                    self._workers.append(_started(context))
                for worker in self._workers:
                    self._supply(worker)
                heard = wait([worker.pipe for worker in self._workers])
                for worker in [worker for worker in self._workers if worker.pipe in heard]:
                    for position, outcome in self._read(worker):
                        self._left -= 1
                        yield position, outcome
        finally:
            for worker in self._workers:
                worker.end()

    def _supply(self, worker: _Worker) -> None:
        """Give a second item only while many wait, or it might be behind a long one."""
        while worker.ready and self._waiting and len(worker.held) < AHEAD:
            if worker.held and len(self._waiting) < self._size:
                return
            worker.held.append(self._waiting.popleft())
            worker.send(worker.held[-1])

    def _read(self, worker: _Worker) -> Iterator[tuple[int, Any]]:
        """Take one message, and yield what was done or given up."""
        kind, content = worker.receive()
        if kind == "done":
            yield worker.held.popleft(), content
        elif kind == "ended":
            yield from self._bury(worker)
        elif kind == "raised":
            raise content
        elif kind == "unusable":
            raise not_pickled(content)
        else:
            worker.ready, self._false_starts = True, 0
            worker.send(self._shared)

    def _bury(self, worker: _Worker) -> Iterator[tuple[int, None]]:
        """Take back the items of a worker that has ended, and count the kill of the first."""
        self._workers.remove(worker)
        was_killed = worker.was_killed()
        if not worker.ready:
            self._false_starts += 1
            if not was_killed or self._false_starts >= PATIENCE * self._size:
                raise _no_workers()
        self._waiting.extendleft(reversed(worker.held))
        if worker.held:
            suspect = worker.held[0]
            self._kills[suspect] += 1
            if self._kills[suspect] >= PATIENCE:
                self._waiting.remove(suspect)
                yield suspect, None


def _started(context: SpawnContext) -> _Worker:
    """Start a process; one that comes here itself runs a script that lacks a guard.

    A worker runs the script of its parent, to know what is defined there. Without a guard the
    script starts workers in turn; it then ends in silence, and the parent says what is wrong.
    """
    import multiprocessing  # noqa: PLC0415

    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)
    try:
        return _Worker(context)
    except OSError as error:
        raise EatlasError(
            "no further process can be started",
            got=error.strerror or str(error),
            remedy="ask for fewer workers",
        ) from error


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hear Ctrl-C only when a new process has received all that it needs to begin.

    It would print a traceback if it received half. To block the signal is not enough: another
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


def _serve(pipe: Connection[Any, Any], parent: int) -> None:
    """Be a worker: take the function and the items, then do each whose position comes in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends us
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with suppress(EOFError, OSError):  # the parent has ended, or needs this worker no more
        pipe.send(("ready", None))
        data = pipe.recv()
        try:
            function, items = pickle.loads(data)  # noqa: S301  (the parent made it a moment ago)
        except Exception as error:  # noqa: BLE001  (unpickling runs code of any kind)
            pipe.send(("unusable", f"{type(error).__name__}: {error}"))
            return
        while True:
            item = items[pipe.recv()]
            try:
                answer = "done", function(item)
            except Exception as error:  # noqa: BLE001  (it is raised in the parent)
                answer = "raised", error
            try:
                pipe.send(answer)
            except (pickle.PicklingError, TypeError, AttributeError) as error:
                # nothing was sent yet: pickling comes first
                pipe.send(("done", LostItem(str(error))))


def _end_with(parent: int) -> None:
    """End this process when its parent has ended, also in the middle of a long item."""
    while os.getppid() == parent:
        time.sleep(ORPHAN_CHECK)
    os._exit(1)


def not_pickled(reason: str, alone: str = "workers=1") -> EatlasError:
    """Say that pickling failed, here or at the other end, and how to do without it."""
    return EatlasError(
        "the jobs cannot be handed to other processes",
        got=reason,
        remedy=f"define measures in a module that can be imported, or use {alone}",
    )


def _no_workers() -> EatlasError:
    return EatlasError(
        "the worker processes end before they have begun",
        remedy='a script guards what it runs with: if __name__ == "__main__": (or use workers=1)',
    )
