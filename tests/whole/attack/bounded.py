"""What an attack may take: it ends within a time that nobody waits for, or the test fails."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def ends_within(seconds: float = 120) -> Iterator[None]:
    """Fail if what follows is still busy then, which is far longer than it takes."""

    def stop(*_: Any) -> None:
        raise AssertionError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
