"""Who does the work beyond one process: this machine, or the nodes of a Ray cluster.

On Ray each worker is an actor: a process that lives as long as the work, so that a model is loaded
once for each worker. What it is given and hands over is pickled here, and arrays are arrays
of its own, as in any process. A worker or a node that dies costs time alone: what it did is done
again elsewhere.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import pickle
import re
import secrets
import socket
import subprocess
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from eatlas import ray_watch
from eatlas.errors import EatlasError, EatlasWarning, did_you_mean
from eatlas.executors import (
    PATIENCE,
    Item,
    LostItem,
    Outcomes,
    Result,
    not_pickled,
    processors,
    require_workers,
)

ENGINES = ("local", "ray")
MOST_TOGETHER = 32
"""Items that are pickled together: jobs of one source share its vectors."""
AHEAD = 2
"""Items that a worker holds while many wait."""
REACH = 5.0
"""Seconds in which a cluster must answer."""
FALSE_STARTS = 10
"""Workers in a row, for each that there should be, that may end before they have begun."""
BEGIN = 120.0
"""Seconds in which the first worker must have begun."""
LOOK = 1.0
"""Seconds between two looks at who has begun."""
LOCAL = {"auto", "local"}
REMEDY = "finished jobs are kept; repeat the command to continue"
AGENT = re.compile(r"ray::\w*Agent|agent\.py|agent/main\.py")
"""In the command of an agent of a raylet."""
START = (
    "start Ray on the first machine by ray start --head --port=6379, on every other one by "
    "ray start --address=FIRST:6379, and name it: --engine ray --address FIRST:6379; without "
    "--address a cluster of this machine alone is started and ended"
)


def engine_of(name: str, address: str | None, workers: int | None) -> OnRay | None:
    """Return who does the work; None for the processes of this machine."""
    require_workers(workers)
    if name not in ENGINES:
        raise EatlasError(
            f"there is no engine {name!r}{did_you_mean(name, ENGINES)}",
            allowed=" or ".join(ENGINES),
        )
    if name == "ray":
        return OnRay(address, workers)
    if address is not None:
        raise EatlasError(
            "an address is that of a Ray cluster",
            got=f"{address}, and the engine is local",
            allowed="--engine ray --address HOST:PORT",
        )
    return None


class OnRay:
    """Do the items in actors of a Ray cluster; an executor as those of :mod:`eatlas.executors`.

    A worker or a node that is lost costs nothing but time: its item is done again by another.
    An item with which three workers were lost is lost too.

    Parameters
    ----------
    address : str, optional
        Of a cluster: ``HOST:PORT``, ``ray://HOST:PORT``, or ``auto`` for one that runs on this
        machine. Without it a cluster of this machine is started, and ended with the process.
    workers : int, optional
        Number of actors; by default one for each processor of the cluster.
    encodes : bool
        Whether items are encoded: each actor then takes one GPU, where the cluster has any, and
        there are as many actors as GPUs.

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
        self._ray = connected(address, workers)

    @property
    def reading(self) -> OnRay:
        """The same for items that are encoded."""
        return OnRay(self.address, self.workers, encodes=True)

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Outcomes[Result]:
        """Yield (position, outcome) once for every item, as they end."""
        known = len(items) if isinstance(items, Sized) else None
        if known == 0:
            return
        gpus = self._ray.cluster_resources().get("GPU", 0.0) if self.encodes else 0.0
        count = int(gpus) or self.workers or int(self._ray.cluster_resources().get("CPU", 1.0))
        count = max(1, count if known is None else min(count, known))
        together = 1 if known is None else max(1, min(MOST_TOGETHER, known // (4 * count)))
        with _line_to_raylet() as line:
            pool = _Pool(self._ray, count, bool(gpus), _pickled(function), line)
            try:
                yield from pool.outcomes(_tasks(self._ray, items, together))
            except self._ray.exceptions.RaySystemError as error:
                raise _lost(str(error).splitlines()[0]) from error
            finally:
                pool.end()


def connected(address: str | None, workers: int | None = None) -> Any:
    """Import Ray and connect to a cluster, or start one of this machine.

    Nothing is sent to anybody, there is no dashboard, and workers print nothing here. A cluster of
    this machine listens at the loopback address alone, and asks for a token that only its own
    processes have.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns of the future
    try:
        ray = importlib.import_module("ray")
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
    quiet = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Ray's own
        if address is None:
            count = max(workers or 0, processors())
            with _at_loopback():
                ray.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
            _watch(*_agents())
            return ray
        _require_reachable(address)
        try:
            ray.init(address=address, **quiet)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise _unreachable(address, str(error).splitlines()[0]) from error
    _watch()
    return ray


@contextmanager
def _at_loopback() -> Iterator[None]:
    """Start Ray as on systems where it knows no clusters: it listens for this machine alone.

    Its parameter for the address of a node takes no loopback address.
    """
    constants: Any = importlib.import_module("ray._private.ray_constants")
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # or Ray writes one to a file
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _watch(*agents: str) -> None:
    """Have it said if this process ends without a word; end the agents with their raylet."""
    node = _node()
    if node is None or not hasattr(socket, "AF_UNIX"):
        return
    message = EatlasError(
        "the command ended before it was done",
        got="it was killed, or Ray on this machine was",
        remedy=REMEDY,
    )
    raylet = [node.raylet_socket_name, *agents] if agents else []
    command = [sys.executable, "-I", "-S", ray_watch.__file__, f"error: {message}", *raylet]
    watcher = subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    )
    atexit.register(_tell, watcher)


def _tell(watcher: subprocess.Popen[bytes]) -> None:
    """Tell who watches that this process ends by itself."""
    if watcher.stdin is not None:
        with suppress(OSError):
            watcher.stdin.write(b"x")
            watcher.stdin.flush()


def _agents() -> Iterator[str]:
    """The agents of the raylet that this process has started."""
    processes: Any = importlib.import_module("psutil")  # Ray brings it
    raylet = _node().all_processes["raylet"][0].process
    for child in processes.Process(raylet.pid).children():
        with suppress(processes.Error):  # it has ended
            if AGENT.search(" ".join(child.cmdline())):
                yield str(child.pid)


def _node() -> Any:
    """The node of Ray on this machine; None for a client of a cluster elsewhere."""
    return importlib.import_module("ray._private.worker")._global_node


@contextmanager
def _line_to_raylet() -> Iterator[socket.socket | None]:
    """A connection to Ray on this machine that ends when it does; None where there is none."""
    node = _node()
    if node is None or not hasattr(socket, "AF_UNIX"):
        yield None
        return
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(node.raylet_socket_name)
        except OSError as error:
            raise _lost(error.strerror or str(error)) from error
        line.settimeout(0)
        yield line


def _lost(reason: str) -> EatlasError:
    return EatlasError(
        "the Ray cluster was lost",
        got=reason,
        remedy="finished jobs are kept; repeat the command to continue",
    )


def _require_reachable(address: str) -> None:
    """Refuse an address at which nobody listens: Ray itself would try for minutes."""
    if address in LOCAL:
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise EatlasError(
            "this is not an address of a Ray cluster",
            got=address,
            allowed="HOST:PORT, such as 10.0.0.1:6379, ray://HOST:PORT, or auto",
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, getattr(error, "strerror", None) or str(error)) from error


def _unreachable(address: str, reason: str) -> EatlasError:
    return EatlasError(f"there is no Ray cluster at {address}", got=reason, remedy=START)


@dataclass(frozen=True)
class _Task:
    """An item: where it is among those that were pickled together, and its position."""

    group: Any
    """Where the items are that were pickled together; in a list, or Ray would hand over a copy."""
    number: int
    """Of the group."""
    place: int
    position: int


def _tasks(ray: Any, items: Iterable[Item], together: int) -> Iterator[_Task]:
    """Items as tasks, some pickled together; they are taken from their iterator as needed."""
    left, first = iter(items), 0
    while some := list(islice(left, together)):
        group = [ray.put(_pickled(some))]
        for place in range(len(some)):
            yield _Task(group, first, place, first + place)
        first += len(some)


def _pickled(what: Any) -> bytes:
    """What is handed to workers; functions of a script are pickled by what they do."""
    cloudpickle: Any = importlib.import_module("ray.cloudpickle")
    try:
        data: bytes = cloudpickle.dumps(what)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise not_pickled(str(error), "--engine local") from error
    return data


@dataclass
class _Worker:
    """An actor, and the tasks it holds; it does the first."""

    actor: Any
    ready: bool = False
    held: deque[_Task] = field(default_factory=deque)


class _Pool:
    """So many actors, and what they have yet to do."""

    def __init__(
        self,
        ray: Any,
        count: int,
        gpu: bool,  # noqa: FBT001
        function: bytes,
        line: socket.socket | None,
    ) -> None:
        self._ray, self._count, self._line = ray, count, line
        self._function = ray.put(function)
        self._make = ray.remote(num_cpus=1, num_gpus=int(gpu), max_restarts=0)(_Actor)
        self._workers: list[_Worker] = []
        self._running: dict[Any, tuple[_Worker, _Task | None]] = {}
        """By what Ray will tell of: the task, or None for the beginning of a worker."""
        self._again: deque[_Task] = deque()
        self._kills: Counter[int] = Counter()
        self._lost = 0
        self._begun = time.monotonic()

    def outcomes(self, tasks: Iterator[_Task]) -> Iterator[tuple[int, Any]]:
        """Yield (position, outcome) once for each task."""
        for _ in range(self._count):
            self._start()
        while True:
            self._require_raylet()
            self._supply(tasks)
            if not any(worker.held for worker in self._workers) and self._is_over(tasks):
                return
            yield from self._heard()

    def end(self) -> None:
        """End every worker, whatever it does."""
        for worker in self._workers:
            with suppress(Exception):  # one that is gone already
                self._ray.kill(worker.actor)
        self._workers.clear()

    def _start(self) -> None:
        """Start a worker; it is given something when it has begun."""
        surroundings = str(Path.cwd()), list(sys.path), _settings()
        worker = _Worker(self._make.remote(self._function, *surroundings))
        self._workers.append(worker)
        self._running[worker.actor.begun.remote()] = worker, None

    def _is_over(self, tasks: Iterator[_Task]) -> bool:
        """Whether nothing is left; a task that is there is kept for who begins first."""
        if not self._again:
            self._again.extend(islice(tasks, 1))
        return not self._again

    def _supply(self, tasks: Iterator[_Task]) -> None:
        """Give every worker that has begun something to do, those that hold nothing first."""
        for depth in range(AHEAD):
            for worker in self._workers:
                if not worker.ready or len(worker.held) != depth:
                    continue
                task = self._again.popleft() if self._again else next(tasks, None)
                if task is None:
                    return
                worker.held.append(task)
                done = worker.actor.do.remote(task.group, task.number, task.place)
                self._running[done] = worker, task

    def _heard(self) -> Iterator[tuple[int, Any]]:
        """Wait for one message, and yield what was done or given up."""
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=LOOK)
        self._require_raylet()
        if not ended:
            self._require_a_beginning()
            return
        worker, task = self._running.pop(ended[0])
        if worker not in self._workers:
            return  # it was buried with the message before
        try:
            message = self._ray.get(ended[0])
        except (
            self._ray.exceptions.RayActorError,
            self._ray.exceptions.WorkerCrashedError,
            self._ray.exceptions.ObjectLostError,
            self._ray.exceptions.OutOfMemoryError,
            self._ray.exceptions.NodeDiedError,
        ):
            yield from self._bury(worker)
            return
        if task is None:
            worker.ready, self._lost = True, 0
            return
        kind, data, said = message
        worker.held.remove(task)  # of two that have ended, either may be told of first
        for text in said:
            warnings.warn(text, EatlasWarning, stacklevel=2)
        found = pickle.loads(data)  # noqa: S301  (a worker of ours made it a moment ago)
        if kind == "raised":
            raise found
        yield task.position, found

    def _bury(self, worker: _Worker) -> Iterator[tuple[int, LostItem]]:
        """Take back what a lost worker held, count the loss of the first, and start another."""
        self._workers.remove(worker)
        with suppress(Exception):
            self._ray.kill(worker.actor)
        if not worker.ready:
            self._lost += 1
            if self._lost >= FALSE_STARTS * self._count:
                raise self._no_workers("workers end before they have begun")
        suspects = list(worker.held)
        self._again.extendleft(reversed(suspects))
        if suspects:
            first = suspects[0].position
            self._kills[first] += 1
            if self._kills[first] >= PATIENCE:
                self._again.popleft()
                yield first, LostItem(kills=self._kills[first])
        self._start()

    def _require_raylet(self) -> None:
        """Refuse to go on without Ray on this machine: it would end this process without a word."""
        if self._line is None:
            return
        with suppress(BlockingIOError):  # there is nothing to read
            if not self._line.recv(1):
                raise _lost("Ray on this machine has ended (its raylet)")

    def _require_a_beginning(self) -> None:
        """Refuse to wait for ever for a cluster that has no place for a worker."""
        waited = time.monotonic() - self._begun
        if waited > BEGIN and not any(worker.ready for worker in self._workers):
            raise self._no_workers(f"no worker has begun in {BEGIN:g} s")

    def _no_workers(self, reason: str) -> EatlasError:
        free = self._ray.available_resources()
        return EatlasError(
            "the Ray cluster does no work",
            got=f"{reason}; free: {free.get('CPU', 0):g} processors, {free.get('GPU', 0):g} GPUs",
            allowed="nodes on which this version of eatlas is installed, with a free processor",
            remedy="ray status shows what the nodes do",
        )


def _settings() -> dict[str, str]:
    """Settings of eatlas that workers take over."""
    return {name: value for name, value in os.environ.items() if name.startswith("EATLAS_")}


class _Actor:
    """A worker: takes the function once, then does items."""

    def __init__(
        self, function: bytes, folder: str, path: list[str], settings: dict[str, str]
    ) -> None:
        os.environ.update(settings)
        sys.path.extend(place for place in path if place not in sys.path)
        if Path(folder).is_dir():  # relative paths mean the same as for who asks
            os.chdir(folder)
        self._function: Callable[[Any], Any] = pickle.loads(function)  # noqa: S301
        self._group: tuple[int, list[Any]] = -1, []

    def begun(self) -> None:
        """Say that the worker has begun."""

    def do(self, group: list[Any], number: int, place: int) -> tuple[str, bytes, list[str]]:
        """Do one item; hand over its outcome, or what was raised, and the warnings."""
        if self._group[0] != number:
            ray = importlib.import_module("ray")
            self._group = number, pickle.loads(ray.get(group[0]))  # noqa: S301
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", EatlasWarning)
            try:
                kind, found = "done", self._function(self._group[1][place])
            except Exception as error:  # noqa: BLE001  (it is raised where the work is wanted)
                kind, found = "raised", error
        said = [str(one.message) for one in heard if issubclass(one.category, EatlasWarning)]
        try:
            return kind, pickle.dumps(found), said
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            return "done", pickle.dumps(LostItem(str(error))), said
