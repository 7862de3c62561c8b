"""How far a corpus is read, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from eatlas.cli.messages import remark
from eatlas.cli.progress import Lines, bar_of, what_is_kept

QUIET = 10.0
"""Seconds before the first line of subcorpora."""


@contextmanager
def progress_of_parts(verb: str, task: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many subcorpora are read, and say at an interruption what is stored.

    `verb` says what is done with parts, such as counted, and `task` what was interrupted.
    """
    finished = -1
    kept = what_is_kept(lambda: max(0, finished), f"subcorpora are {verb}", f"nothing is {verb}")
    with kept, bar_of("parts") as bar:
        tick = bar or Lines("parts", QUIET)

        def progress(done: int, parts: int) -> None:
            nonlocal finished
            if done and finished < 0:
                remark(f"parts taken over from an interrupted {task}: {done:,} of {parts:,}")
            finished = done
            tick(done, parts)

        yield progress
