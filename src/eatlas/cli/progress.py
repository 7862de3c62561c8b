"""Progress on standard error: bars for a person who has waited long enough, or lines.

Beside a pipe or a file there is nothing, or lines where a command takes long: seldom enough to be
read, soon enough to be believed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

from eatlas.cli.messages import plain_line, remark
from eatlas.errors import EatlasError

PAUSES = (2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
"""Seconds between two lines; the last one from then on."""
MINUTE, HOUR = 60.0, 3600.0
EXACT_MINUTES = 10
"""Below so many minutes, halves are shown."""
PATIENCE = 1.0
"""Seconds after which progress is shown."""
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
    """Bars one after the other: each with what a source is read for, and the name of the source."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as open_bars:
        yield lambda what, name: _Bar(open_bars, f"{what} {_short(name)}".rstrip())


@contextmanager
def what_is_kept(done: Callable[[], int], kept: str, nothing: str) -> Iterator[None]:
    """Say, when a command ends before its time, what is done and how to go on.

    Parameters
    ----------
    done : callable
        Returns how much is kept.
    kept, nothing : str
        What is said of that, such as "words are done", and of none.

    Raises
    ------
    typer.Exit
        With the code 130, when it is interrupted.
    """
    try:
        yield
    except (KeyboardInterrupt, EatlasError) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt)
        begin = "interrupted; " if interrupted else ""
        if number := done():
            remark(f"{begin}{number:,} {kept} and kept; repeat the command to continue")
        elif interrupted:
            remark(f"{begin}{nothing}")
        if interrupted:
            raise typer.Exit(130) from stop
        raise


class _Bar:
    """The bar of one piece of work; it takes the place of the one before.

    The rate counts from the first call on: what was taken over took no time, and loading a model
    or compiling is no part of it.
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
            self._bar, self._first = self._bars.enter_context(_new_bar()), (now, done)
            self._task = self._bar.add_task("", total=total, completed=done)
        begun, before = self._first
        rate = (done - before) / (now - begun) if now > begun else 0.0
        shown = f"{rate:,.0f}" if rate >= SLOW else f"{rate:.1f}"
        text = f"{self._what}, {shown} a second, left:" if rate else self._what
        self._bar.update(self._task, completed=done, total=total, description=text)
        if now - self._begun > PATIENCE:
            self._bar.start()


def _short(name: str) -> str:
    return name if len(name) <= SHOWN else f"...{name[-SHOWN:]}"


@contextmanager
def _new_bar() -> Iterator[Any]:
    """A bar of rich on standard error; it stops where the block ends."""
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


def duration(seconds: float) -> str:
    """A time in the unit that suits it.

    Examples
    --------
    >>> [duration(s) for s in (0.4, 42, 80, 260, 3000, 40_000)]
    ['1 s', '42 s', '1.5 min', '4.5 min', '50 min', '11 h']
    """
    if seconds < MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < HOUR:
        minutes = seconds / MINUTE
        return f"{round(2 * minutes) / 2 if minutes < EXACT_MINUTES else round(minutes):g} min"
    hours = seconds / HOUR
    return f"{round(2 * hours) / 2 if hours < EXACT_MINUTES else round(hours):g} h"


class Lines:
    """Says now and then how far some work is.

    Parameters
    ----------
    what : str
        Things that are done, such as words.
    quiet : float
        Seconds before the first line.
    done : int
        What was done before and took no time.
    """

    def __init__(self, what: str, quiet: float, *, done: int = 0) -> None:
        self._what, self._before = what, done
        self._begun = time.monotonic()
        self._next, self._said = self._begun + quiet, 0

    def __call__(self, done: int, total: int | None) -> None:
        """Say a line if it is time for one."""
        now = time.monotonic()
        if now < self._next or done == total:
            return
        self._next = now + PAUSES[min(self._said, len(PAUSES) - 1)]
        self._said += 1
        rate = (done - self._before) / max(now - self._begun, 1e-9)
        remark(line(self._what, done, total, rate))


def line(what: str, done: int, total: int | None, rate: float) -> str:
    """How far some work is.

    Examples
    --------
    >>> line("words", 20_480, 400_000, 2048.0)
    'words: 20,480 of 400,000 (5%), 2,048 a second, about 3 min left'
    >>> line("words", 20_480, None, 2048.0)
    'words: 20,480, 2,048 a second'
    """
    if total is None:
        return f"{what}: {done:,}, {rate:,.0f} a second"
    left = "" if not rate else f", about {duration((total - done) / rate)} left"
    share = f"{100 * done // max(total, 1)}%"
    return f"{what}: {done:,} of {total:,} ({share}), {rate:,.0f} a second{left}"
