"""Messages to a person, always on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from eatlas.errors import ResultsError


def complain(error: Exception | str) -> None:
    """Say what is wrong."""
    sys.stderr.write(f"error: {error}\n")


def remark(text: str) -> None:
    """Say something worth knowing."""
    sys.stderr.write(f"{text}\n")


@contextmanager
def output_of_a_command() -> Iterator[None]:
    """Print to standard output; a reader that left is no fault, a full disk is one.

    Raises
    ------
    ResultsError
        If standard output takes no more.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # what is left in the buffer would fail again when the process ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise ResultsError(
                "standard output cannot be written", got=error.strerror or str(error)
            ) from error
