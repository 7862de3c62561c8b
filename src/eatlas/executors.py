"""Who does the work: this process, threads of it, or processes next to it.

Everything that takes long passes through one seam: an executor maps a function over items and
yields each outcome with the position of its item, in whatever order they end. Encoding, files of a
corpus, chunks of a scan and the jobs of a run go through it; any callable of that kind will do.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent import futures
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from eatlas.errors import EatlasError, described
from eatlas.lazy import find_offer
from eatlas.plugins import call_point, points, require_point

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WORTH_A_PROCESS = 3.0
"""Work for each process, in units of what starting it takes. Two processes then take at most a
third more processor time than one, and on idle processors at most two thirds of its time."""
LONGEST_START = 2.0
"""Processor seconds that starting a process takes at most."""
LOCAL = "local"
"""The engine that is this machine."""
FEW = 6
"""Items that show how long the others will take."""
KEPT = "finished jobs are kept; repeat the command to continue"

Item = TypeVar("Item")
Result = TypeVar("Result")
Outcomes = Generator[tuple[int, Result], None, None]
"""Positions of items, each with its outcome."""


Tick = Callable[[int, int | None], None]
"""Called with the number done and the number of all; None where that is not known."""
Progress = bool | Callable[[int, int], None]
"""Whether progress is shown; or a function that is called with the numbers of a :data:`Tick`."""


@contextmanager
def watch_of(progress: Progress | None) -> Iterator[Callable[[str, str], Tick] | None]:
    """Show progress as a user chooses: what is called with the name of some work returns a tick.

    Raises
    ------
    EatlasError
        If `progress` is neither a truth value nor a function.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with find_offer("progress")() as watch:
            yield watch
    elif callable(progress):
        tick: Any = progress
        yield lambda _what, _name: tick
    else:
        raise EatlasError(
            "progress is not usable",
            got=described(progress),
            allowed="True, False, or a function of the number done and the number of all",
        )


class Executor(Protocol):
    """Maps a function over items, and yields (position, outcome) once for each, in any order.

    An executor may have an attribute ``reading``, another executor, which then reads and encodes
    what the jobs need; otherwise this process does.
    """

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item; what the function raises is raised."""
        ...


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


def choose(workers: int | None, items: int) -> Executor:
    """Return an executor that suits the number of items."""
    require_workers(workers)
    if workers == 1:
        return here
    if workers is None:
        return as_needed if items > FEW and processors() > 1 else here
    return Processes(workers)


def reading_of(executor: Executor | None) -> Executor:
    """Who reads and encodes for an executor: its ``reading`` if it has one, else this process."""
    reading: Executor = getattr(executor, "reading", here)
    return reading


def executor_of(engine: str, workers: int | None) -> Executor | None:
    """The executor that an engine names, as ``NAME`` or ``NAME=ADDRESS``; None for ``local``.

    Other packages add engines, as entry points of ``eatlas.executors``.
    """
    if engine == LOCAL:
        return None
    name, _, address = engine.partition("=")
    unknown = EatlasError(
        "unknown engine",
        got=engine,
        allowed=", ".join((LOCAL, *points("eatlas.executors", own=(LOCAL,)))),
        remedy="use local, or an engine and its address: NAME=ADDRESS",
    )
    point = require_point("executors", name, unknown, own=(LOCAL,))
    executor: Executor = call_point(point, Callable, address or None, workers)  # type: ignore[arg-type]
    return executor


def here(function: Callable[[Item], Result], items: Iterable[Item], /) -> Outcomes[Result]:
    """Do the items one after the other in this process."""
    for position, item in enumerate(items):
        yield position, function(item)


class Threads:
    """Do the items in threads of this process; items are taken from their iterator as needed."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item, in order."""
        with futures.ThreadPoolExecutor(self.workers) as pool:
            running: deque[futures.Future[Result]] = deque()
            try:
                position = 0
                for item in items:
                    running.append(pool.submit(function, item))
                    if len(running) > 2 * self.workers:
                        yield position, running.popleft().result()
                        position += 1
                while running:
                    yield position, running.popleft().result()
                    position += 1
            finally:
                for future in running:
                    future.cancel()


def as_needed(function: Callable[[Item], Result], items: Iterable[Item], /) -> Outcomes[Result]:
    """Do a few items here, which shows what they take, and the rest in processes that pay.

    Processor time is what counts: on a busy machine, time by the clock makes little work look like
    much. What starting a process takes is estimated by what this one has taken until now, mostly
    to import the same modules.
    """
    items, seconds = tuple(items), 0.0
    start = min(time.process_time(), LONGEST_START)
    for position, item in enumerate(items[:FEW]):
        begun = time.process_time()
        outcome = function(item)
        if position:  # the first also imports and compiles what all need
            seconds += time.process_time() - begun
        yield position, outcome
    rest = items[FEW:]
    work = seconds / (FEW - 1) * len(rest)
    workers = min(processors(), int(work / (WORTH_A_PROCESS * start)))
    executor = Processes(workers) if workers > 1 and not _is_daemon() else here
    with closing(executor(function, rest)) as outcomes:
        for position, outcome in outcomes:
            yield FEW + position, outcome


def _is_daemon() -> bool:
    """Whether this process may have no children."""
    return multiprocessing.current_process().daemon


# --- processes ------------------------------------------------------------------------------------


class Processes:
    """Do the items in several processes of this machine; one that is killed ends the work."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item, as they end."""
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise SystemExit(1)  # a worker runs a script that lacks a guard; its parent says so
        if _is_daemon():
            raise EatlasError(
                "this process may not start worker processes",
                got="a daemonic process of multiprocessing, such as one of a Pool",
                remedy="workers=1 here, or start this process with daemon=False",
            )
        items = tuple(items)
        if not items:
            return
        shared = pickle_object((function, items))
        # in a file: Python waits for ever where a process ends before it has read all of its start
        folder = tempfile.TemporaryDirectory(prefix="eatlas-")
        path = Path(folder.name) / "work"
        path.write_bytes(shared)
        context = multiprocessing.get_context("spawn")  # threads of numba and BLAS survive no fork
        theirs, ours = context.Pipe(duplex=False)
        size, begun = min(self.workers, len(items)), False
        pool = futures.ProcessPoolExecutor(size, context, _begin, (path, theirs))
        try:
            with _interrupts_wait():
                running = {pool.submit(_do, place): place for place in range(len(items))}
            for future in futures.as_completed(list(running)):
                outcome, begun = future.result(), True
                yield running.pop(future), pickle.loads(outcome)  # noqa: S301  (of a worker)
        except futures.BrokenExecutor:
            raise EatlasError(
                "a worker process ended before its work was done",
                got="it was killed, most likely because memory ran out"
                if begun
                else "memory ran out, or a script that has no guard starts it",
                remedy=f"{KEPT}, with fewer workers; a script needs the guard "
                'if __name__ == "__main__": before what it runs, or workers=1',
            ) from None
        finally:
            ours.close()  # ends the workers, whatever they do
            pool.shutdown(cancel_futures=True)
            theirs.close()
            folder.cleanup()


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Start processes that never hear Ctrl-C, of which their parent ends them: they inherit that.

    They would print a traceback while they still import what they need to ignore the signal.
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


_work: dict[str, Any] = {}
"""Of a worker: what its parent gave it."""


def _begin(work: Path, parent: Connection[Any, Any]) -> None:
    """Be a worker, which ends when its parent ends or needs it no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        with suppress(EOFError, OSError):
            parent.recv()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    _work["path"] = work


def _do(position: int) -> bytes:
    """Do one item, and pickle its outcome."""
    try:
        if "items" not in _work:
            _work["function"], _work["items"] = pickle.loads(_work["path"].read_bytes())  # noqa: S301
    except Exception as error:
        raise _not_pickled(error) from error
    return pickle_object(_work["function"](_work["items"][position]))


def pickle_object(what: Any, dumps: Callable[[Any], bytes] = pickle.dumps) -> bytes:
    """Pickle what is handed to other processes, or comes of it."""
    try:
        return dumps(what)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise _not_pickled(error) from error


def _not_pickled(error: Exception) -> EatlasError:
    """Say that pickling failed, here or at the other end, and how to do without it."""
    return EatlasError(
        "the jobs, or their results, cannot be passed to other processes",
        got=f"{type(error).__name__}: {error}",
        remedy="define measures in a module that can be imported, or use workers=1",
    )
