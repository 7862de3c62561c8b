"""Work on a Ray cluster: the executor of ``--engine ray``."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import secrets
import socket
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from eatlas.errors import EatlasError, EatlasWarning
from eatlas.executors import (
    KEPT,
    Item,
    Outcomes,
    Result,
    pickle_object,
    processors,
    require_workers,
)
from eatlas_workbench.ray_watch import watch_process

RETRIES = 3
"""How often an item is done again whose worker or node was lost."""
REACH, BEGIN = 5.0, 120.0
"""Seconds in which a cluster must answer, and in which a first worker must have begun."""
START = (
    "start Ray on the first machine by ray start --head --port=6379, on every other one by "
    "ray start --address=FIRST:6379, and name it: --engine ray=FIRST:6379; with --engine ray a "
    "cluster of this machine alone is started and ended"
)


_work: dict[str, Any] = {}
"""Of a worker: the function and the items that it was given last."""


class OnRay:
    """Run jobs on a Ray cluster (an executor, as :class:`eatlas.executors.Executor`).

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
        self._ray = _connect(address, workers)

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
    work = ray.put((str(Path.cwd()), list(sys.path), settings, pickle_object(function, dumps)))
    groups = [tuple(items)] if isinstance(items, Sized) else ((item,) for item in items)
    position = 0
    for group in groups:
        # in a list, or Ray would hand over a copy for each
        together = [work, ray.put(pickle_object(group, dumps))]
        for place in range(len(group)):
            yield do.remote(together, place), position
            position += 1


def _do_on_ray(group: list[Any], position: int) -> tuple[bytes, list[Any]]:
    """Do one item; return its pickled outcome and the warnings."""
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
        outcome = pickle_object(_work["function"](_work["items"][position]))
    return outcome, [w.message for w in caught if isinstance(w.message, EatlasWarning)]


def _connect(address: str | None, workers: int | None = None) -> Any:
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
            "Ray is not installed", got=str(error), remedy="pip install ray"
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
        "the command was interrupted",
        got="the command, or Ray on this machine, was killed",
        remedy=KEPT,
    )
    watch_process(f"error: {ended}", own=address is None)
    return ray


def _require_reachable(address: str) -> None:
    """Refuse an address without a server: Ray itself would try for minutes."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, getattr(error, "strerror", None) or str(error)) from error


def _unreachable(address: str, reason: str) -> EatlasError:
    return EatlasError(f"there is no Ray cluster at {address}", got=reason, remedy=START)
