"""Progress on standard error: bars on a terminal; beside a pipe, lines now and then."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import typer

from eatlas.cli.messages import plain_line, remark
from eatlas.errors import EatlasError
from eatlas.executors import Tick

if TYPE_CHECKING:
    from eatlas.engine import Store

PAUSE = 30.0
"""Seconds between two lines."""


PATIENCE = 1.0
"""Seconds after which a bar is shown."""

BLINK = 0.2
"""Seconds between two states of a line in a notebook."""


@contextmanager
def bar_of(what: str, *, size: bool = False) -> Iterator[Tick | None]:
    """A progress bar of jobs or, with `size`, of bytes; None if it would not be visible."""
    with bars(size=size) as watch:
        yield None if watch is None else watch(what, "")


@contextmanager
def bars(*, size: bool = False) -> Iterator[Callable[[str, str], Tick] | None]:
    """Bars one after the other: each with what a source is read for, and the name of the source."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import console, progress  # noqa: PLC0415  (most output goes to files)

    shown = progress.Progress(
        progress.BarColumn(),
        progress.DownloadColumn() if size else progress.MofNCompleteColumn(),
        progress.TextColumn("{task.description}, left:", markup=False),  # a name may hold brackets
        progress.TimeRemainingColumn(),
        console=console.Console(stderr=True),
        transient=True,
    )
    begun = time.monotonic()

    def watch(what: str, name: str) -> Tick:
        text, bar = plain_line(f"{what} {name[-40:]}".rstrip()), None

        def tick(done: int, total: int | None) -> None:
            nonlocal bar
            if bar is None:  # what was taken over took no time
                for before in shown.task_ids:
                    shown.remove_task(before)
                bar = shown.add_task(text)
                shown.reset(bar, total=total, completed=done)
            shown.update(bar, completed=done, total=total)
            if time.monotonic() - begun > PATIENCE:
                shown.start()

        return tick

    try:
        yield watch
    finally:
        shown.stop()


@contextmanager
def visible_progress() -> Iterator[Callable[[str, str], Tick]]:
    """Bars on a terminal; in a notebook lines that change; elsewhere a line now and then."""
    with bars() as watch:
        if watch is None:
            with _notebook_lines() if _is_in_notebook() else nullcontext(_lines_of) as lines:
                yield lines
        else:
            yield watch


def _is_in_notebook() -> bool:
    """Whether output goes to the page of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _lines_of(what: str, name: str) -> Tick:
    return Lines(f"{what} {name}".rstrip(), PAUSE)


@contextmanager
def _notebook_lines() -> Iterator[Callable[[str, str], Tick]]:
    """Lines that a notebook writes again at their beginning: each kind of work has its own."""
    unfinished: tuple[str, int] | None = None  # the text of the line and its length

    def end_line() -> None:
        nonlocal unfinished
        if unfinished is not None:
            unfinished = None
            sys.stderr.write("\n")

    def watch(what: str, name: str) -> Tick:
        text, written = plain_line(f"{what} {name[-40:]}".rstrip()), -math.inf

        def tick(done: int, total: int | None) -> None:
            nonlocal unfinished, written
            is_last, now = done == total, time.monotonic()
            if not is_last and now - written <= BLINK:
                return
            if unfinished is not None and unfinished[0] != text:
                end_line()
            length, written = 0 if unfinished is None else unfinished[1], now
            line = f"{text}: {done:,}" + ("" if total is None else f" of {total:,}")
            sys.stderr.write("\r" + line.ljust(length))  # blanks over what was longer
            unfinished = text, len(line)
            if is_last:
                end_line()
            sys.stderr.flush()

        return tick

    try:
        yield watch
    finally:
        end_line()


@contextmanager
def what_is_kept(done: Callable[[], int], kept: str, nothing: str) -> Iterator[None]:
    """If a command is interrupted, print what is done and how to continue.

    `done` returns how much is stored; `kept` describes that, `nothing` describes none.
    """
    try:
        yield
    except (KeyboardInterrupt, EatlasError) as stop:
        begin = "interrupted; " * isinstance(stop, KeyboardInterrupt)
        if number := done():
            remark(f"{begin}{number:,} {kept} and kept; repeat the command to continue")
        elif begin:
            remark(f"{begin}{nothing}")
        if begin:
            raise typer.Exit(130) from stop
        raise


@contextmanager
def progress_of_jobs(jobs: int, task: str) -> Iterator[dict[str, Any]]:
    """Show how many jobs of a folder are done, and say at an interruption what is stored.

    Yields what :func:`carry_out` of an application is told; `task` is what was interrupted.
    """
    stores: list[Store] = []

    def begun(store: Store) -> None:
        stores.append(store)
        if store.done:
            remark(f"jobs taken over from an interrupted {task}: {len(store.done):,}")

    kept = what_is_kept(
        lambda: sum(len(store.done) for store in stores),
        f"of {jobs:,} jobs are done",
        "no job is kept",
    )
    with bars() as watch, bar_of("jobs") as tick, kept:
        yield {"progress": tick, "watch": watch, "begun": begun}


class Lines:
    """Says now and then how far some work is: `what` is done, `done` of it before."""

    def __init__(self, what: str, quiet: float, *, done: int = 0) -> None:
        self._what, self._before, self._begun = what, done, time.monotonic()
        self._next = self._begun + quiet

    def __call__(self, done: int, total: int | None) -> None:
        """Say a line if it is time for one."""
        now = time.monotonic()
        if now < self._next or done == total:
            return
        self._next = now + PAUSE
        rate, share = (done - self._before) / max(now - self._begun, 1e-9), ""
        if total is not None:
            left = f", about {(total - done) / rate / 60:.1f} min left" if rate else ""
            share = f" of {total:,} ({100 * done // max(total, 1)}%){left}"
        remark(f"{self._what}: {done:,}{share}")
