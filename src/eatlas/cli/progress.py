"""Progress, shown on standard error to a person who has waited long enough.

Beside a pipe or a file there is nothing, or lines where a command takes long: see `pace`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from eatlas.cli.plain import plain_line

PATIENCE = 1.0
"""Seconds after which a person who waits is shown progress."""
SHOWN = 40
"""Characters of a source's name."""
SLOW = 10
"""Below so many a second, a rate has a decimal."""

Tick = Callable[[int, int | None], None]
"""Called with the number done and the number of all; None where that is not known."""


@contextmanager
def bar_of(what: str) -> Iterator[Tick | None]:
    """A bar of what is done, such as jobs."""
    with bars() as watch:
        yield None if watch is None else watch(what, "")


@contextmanager
def bars() -> Iterator[Callable[[str, str], Tick] | None]:
    """Bars that come one after the other: of what each source is asked for, and of which source."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as open_bars:
        yield lambda what, name: _Told(open_bars, f"{what} {_short(name)}".rstrip())


class _Told:
    """What is told of one piece of work; its bar takes the place of the one before.

    The rate counts from the first that is told on: what was taken over took no time, and loading a
    model or compiling is no part of it.
    """

    def __init__(self, open_bars: ExitStack, what: str) -> None:
        self._bars, self._what = open_bars, plain_line(what)
        self._begun = time.monotonic()
        self._first: tuple[float, int] | None = None
        self._bar: Any = None

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if self._first is None:
            self._bars.close()
            self._bar, self._first = self._bars.enter_context(_bar()), (now, done)
            self._task = self._bar.add_task("", total=total, completed=done)
        begun, before = self._first
        rate = (done - before) / (now - begun) if now > begun else 0.0
        shown = f"{rate:,.0f}" if rate >= SLOW else f"{rate:.1f}"
        said = f"{self._what}, {shown} a second, left:" if rate else self._what
        self._bar.update(self._task, completed=done, total=total, description=said)
        if now - self._begun > PATIENCE:
            self._bar.start()


def _short(name: str) -> str:
    return name if len(name) <= SHOWN else f"...{name[-SHOWN:]}"


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
