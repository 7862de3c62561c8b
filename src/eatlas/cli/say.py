"""Messages to a person, always on standard error."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from eatlas.errors import EatlasWarning, ResultsError


def complain(error: Exception | str) -> None:
    """Say what is wrong."""
    sys.stderr.write(f"error: {error}\n")


def remark(text: str) -> None:
    """Say something worth knowing."""
    sys.stderr.write(f"{text}\n")


@contextmanager
def warnings_in_words() -> Iterator[None]:
    """Say the warnings of eatlas as they are, without the line of code that gave them."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, EatlasWarning):
                remark(f"warning: {message}")
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


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
