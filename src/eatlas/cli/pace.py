"""Progress in lines, for a file or a pipe: seldom enough to be read, soon enough to be believed."""

from __future__ import annotations

import time

from eatlas.cli.say import remark

PAUSES = (2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
"""Seconds between two lines; the last one from then on."""
MINUTE, HOUR = 60.0, 3600.0
EXACT_MINUTES = 10
"""Below so many minutes, halves are said."""


def duration(seconds: float) -> str:
    """A time as a person says it.

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
