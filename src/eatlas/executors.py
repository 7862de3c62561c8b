"""Who does the work: this process, threads of it, processes beside it, or a Ray cluster.

Everything that takes long passes through one seam: an executor maps a function over items and
yields each outcome with the position of its item, in whatever order they end. Encoding, files of a
corpus, chunks of a scan and the jobs of a run go through it; any callable of that kind will do.
"""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from concurrent import futures
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from eatlas.errors import EatlasError, EatlasWarning

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WORTH_A_PROCESS = 1.0
"""Seconds of work for each process. A process takes 0.7 s to import what it needs; on two
hyperthreads, two overtake one at about 300 jobs of 8 v 8 terms, which one does in 2 s."""
FEW = 6
"""Items that show how long the others will take."""
KEPT = "finished jobs are kept; repeat the command to continue"

Item = TypeVar("Item")
Result = TypeVar("Result")
Outcomes = Generator[tuple[int, Result], None, None]
"""Positions of items, each with what came of it."""


class Executor(Protocol):
    """Maps a function over items, and yields (position, outcome) once for each, in any order."""

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
    """Who reads and encodes for an executor: this process, unless it has one for that."""
    return executor.reading if isinstance(executor, OnRay) else here


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
    """Do a few items here, which shows how long they take, and the rest in processes that pay."""
    items, begun = tuple(items), time.monotonic()
    for position, item in enumerate(items[:FEW]):
        if position == 1:  # the first also imports and compiles what all need
            begun = time.monotonic()
        yield position, function(item)
    rest = items[FEW:]
    seconds = (time.monotonic() - begun) / (FEW - 1) * len(rest)
    workers = min(processors(), int(seconds / WORTH_A_PROCESS))
    executor = Processes(workers) if workers > 1 and not _is_daemon() else here
    with closing(executor(function, rest)) as outcomes:
        for position, outcome in outcomes:
            yield FEW + position, outcome


def _is_daemon() -> bool:
    """Whether this process may have no children."""
    import multiprocessing  # noqa: PLC0415  (most runs stay in one process)

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
        import multiprocessing  # noqa: PLC0415  (most runs stay in one process)
        from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

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
        shared = _dumped((function, items))
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
        except BrokenProcessPool:
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
    """Do one item, and pickle what came of it."""
    try:
        if "items" not in _work:
            _work["function"], _work["items"] = pickle.loads(_work["path"].read_bytes())  # noqa: S301
    except Exception as error:
        raise _not_pickled(error) from error
    return _dumped(_work["function"](_work["items"][position]))


def _dumped(what: Any, dumps: Callable[[Any], bytes] = pickle.dumps) -> bytes:
    """Pickle what is handed to other processes, or comes of it."""
    try:
        return dumps(what)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise _not_pickled(error) from error


def _not_pickled(error: Exception) -> EatlasError:
    """Say that pickling failed, here or at the other end, and how to do without it."""
    return EatlasError(
        "the jobs, or what comes of them, cannot be handed to other processes",
        got=f"{type(error).__name__}: {error}",
        remedy="define measures in a module that can be imported, or use workers=1",
    )


# --- Ray ------------------------------------------------------------------------------------------

RETRIES = 3
"""How often an item is done again whose worker or node was lost."""
REACH, BEGIN = 5.0, 120.0
"""Seconds in which a cluster must answer, and in which a first worker must have begun."""
START = (
    "start Ray on the first machine by ray start --head --port=6379, on every other one by "
    "ray start --address=FIRST:6379, and name it: --engine ray=FIRST:6379; with --engine ray a "
    "cluster of this machine alone is started and ended"
)


class OnRay:
    """Run jobs on a Ray cluster (an executor like those in :mod:`eatlas.executors`).

    An item whose worker or node is lost is done again, at most three times.

    Parameters
    ----------
    address : str, optional
        Of a cluster: ``HOST:PORT``, ``ray://HOST:PORT``, or ``auto`` for one that runs on this
        machine. Without it a cluster of this machine is started, and ended with the process.
    workers : int, optional
        Number of items at a time; by default as many as the cluster has processors.
    encodes : bool
        Whether items are encoded: each then takes one GPU, where the cluster has any.

    Raises
    ------
    EatlasError
        If Ray is not installed, or the cluster does not answer; says how to start it.

    Examples
    --------
    >>> OnRay("127.0.0.1:1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    eatlas.errors.EatlasError: there is no Ray cluster at 127.0.0.1:1
    ...
    """

    def __init__(
        self, address: str | None = None, workers: int | None = None, *, encodes: bool = False
    ) -> None:
        require_workers(workers)
        self.address, self.workers, self.encodes = address, workers, encodes
        self._ray = _connected(address, workers)

    @property
    def reading(self) -> OnRay:
        """The same for items that are encoded."""
        return OnRay(self.address, self.workers, encodes=True)

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item, as they end."""
        ray = self._ray
        if isinstance(items, Sized) and not len(items):
            return
        resources = ray.cluster_resources()
        gpus = int(resources.get("GPU", 0)) if self.encodes else 0
        count = gpus or int(resources.get("CPU", 1))
        most = min(count, self.workers) if self.workers else 2 * count
        remote = ray.remote(num_cpus=1, num_gpus=int(gpus > 0), max_retries=RETRIES)
        running: dict[Any, int] = {}
        try:
            ray.get(remote(processors).remote(), timeout=BEGIN)
            tasks = _ray_tasks(ray, remote(_do_on_ray), function, items)
            running.update(islice(tasks, most))
            while running:
                (ended,), _ = ray.wait(list(running), num_returns=1)
                position = running.pop(ended)
                data, caught = ray.get(ended)
                for warning in caught:
                    warnings.warn(warning, stacklevel=2)
                yield position, pickle.loads(data)  # noqa: S301  (of a worker)
                running.update(islice(tasks, 1))
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise EatlasError(
                "the Ray cluster could not do the work",
                got=str(error).strip().splitlines()[0],
                allowed="nodes with a free processor, on which this version of eatlas is installed",
                remedy=f"{KEPT}; ray status shows what the nodes do",
            ) from error
        finally:
            for task in running:
                with suppress(Exception):  # it has ended
                    ray.cancel(task, force=True)


def _ray_tasks(
    ray: Any, do: Any, function: Callable[[Item], Any], items: Iterable[Item]
) -> Iterator[tuple[Any, int]]:
    """Start a task for each item, when the next is wanted; a list is handed over as a whole."""
    dumps = importlib.import_module("ray.cloudpickle").dumps  # functions of a script by their code
    settings = {name: v for name, v in os.environ.items() if name.startswith("EATLAS_")}
    work = ray.put((str(Path.cwd()), list(sys.path), settings, _dumped(function, dumps)))
    groups = [tuple(items)] if isinstance(items, Sized) else ((item,) for item in items)
    position = 0
    for group in groups:
        # in a list, or Ray would hand over a copy for each
        together = [work, ray.put(_dumped(group, dumps))]
        for place in range(len(group)):
            yield do.remote(together, place), position
            position += 1


def _do_on_ray(group: list[Any], position: int) -> tuple[bytes, list[Any]]:
    """Do one item; what came of it, pickled, and the warnings."""
    ray: Any = importlib.import_module("ray")
    work, items = group
    if _work.get("work") != work:
        folder, path, settings, function = ray.get(work)
        os.environ.update(settings)
        sys.path.extend(part for part in path if part not in sys.path)
        if Path(folder).is_dir():  # relative paths mean the same as for who asks
            os.chdir(folder)
        _work.update(work=work, function=pickle.loads(function))  # noqa: S301
    if _work.get("group") != items:
        _work.update(group=items, items=pickle.loads(ray.get(items)))  # noqa: S301
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EatlasWarning)
        outcome = _dumped(_work["function"](_work["items"][position]))
    return outcome, [w.message for w in caught if isinstance(w.message, EatlasWarning)]


def _connected(address: str | None, workers: int | None = None) -> Any:
    """Import Ray and connect to a cluster, or start one of this machine.

    Nothing is sent to anybody, there is no dashboard, and workers print nothing here. A cluster of
    this machine listens at the loopback address alone, and asks for a token that only its own
    processes have.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns of the future
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise EatlasError(
            "Ray is not installed", got=str(error), remedy="pip install 'eatlas[ray]'"
        ) from error
    if ray.is_initialized():
        return ray
    # what becomes of workers is ours to say; Ray has no switch for it, and would print it to
    # standard output, among the results
    internal: Any = importlib.import_module("ray._private.worker")
    internal.print_to_stdstream = lambda *_, **__: None
    options: dict[str, Any] = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    constants: Any = importlib.import_module("ray._private.ray_constants")
    several = constants.ENABLE_RAY_CLUSTER
    if address is None:
        options |= {"num_cpus": max(workers or 0, processors()), "include_dashboard": False}
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # or Ray writes it to a file
        # its parameter for the address of a node takes no loopback address
        constants.ENABLE_RAY_CLUSTER = False
    else:
        _require_reachable(address)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Ray's own
            ray.init(address=address or "local", **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _unreachable(address or "local", str(error).splitlines()[0]) from error
    finally:
        constants.ENABLE_RAY_CLUSTER = several
    ended = EatlasError(
        "the command ended before it was done",
        got="it was killed, or Ray on this machine was",
        remedy=KEPT,
    )
    from eatlas.ray_watch import watched  # noqa: PLC0415  (of Ray alone)

    watched(f"error: {ended}", own=address is None)
    return ray


def _require_reachable(address: str) -> None:
    """Refuse an address at which nobody listens: Ray itself would try for minutes."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, getattr(error, "strerror", None) or str(error)) from error


def _unreachable(address: str, reason: str) -> EatlasError:
    return EatlasError(f"there is no Ray cluster at {address}", got=reason, remedy=START)
