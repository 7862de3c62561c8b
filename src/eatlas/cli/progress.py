"""Progress, shown on standard error to a person who has waited long enough; nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds after which a person who waits is shown progress."""
SHOWN = 40
"""Characters of a source's name."""

Tick = Callable[[int, int], None]
"""Called with the number done and the number of all."""


@contextmanager
def jobs_done(total: int) -> Iterator[Tick | None]:
    """A bar of jobs."""
    if not sys.stderr.isatty():
        yield None
        return
    with _bar() as bar:
        task = bar.add_task("", total=total)
        begun = time.monotonic()

        def tick(done: int, total: int) -> None:
            spent = time.monotonic() - begun
            rate = f"{done / spent:.1f} jobs a second, left:"
            bar.update(task, completed=done, total=total, description=rate)
            if spent > PATIENCE:
                bar.start()

        yield tick


@contextmanager
def texts_encoded() -> Iterator[Callable[[str], Tick] | None]:
    """A bar of texts for each source that encodes them, one after the other."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as bars:
        yield lambda name: _Encoding(bars, name)


class _Encoding:
    """What is told of one source; its bar takes the place of the one before."""

    def __init__(self, bars: ExitStack, name: str) -> None:
        self._bars = bars
        self._name = name if len(name) <= SHOWN else f"...{name[-SHOWN:]}"
        self._begun = time.monotonic()
        self._first: int | None = None
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._first is None:
            self._bars.close()
            self._bar, self._first = self._bars.enter_context(_bar()), done  # those that were kept
            self._task = self._bar.add_task("", total=total, completed=done)
        spent = time.monotonic() - self._begun
        rate = (done - self._first) / max(spent, 1e-9)
        said = f"texts by {self._name}, {rate:,.0f} a second, left:" if done > self._first else ""
        self._bar.update(self._task, completed=done, total=total, description=said)
        if spent > PATIENCE:
            self._bar.start()


@contextmanager
def _bar() -> Iterator[Any]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),  # a name may hold brackets
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    try:
        yield bar
    finally:
        bar.stop()
