"""Messages to a person, always on standard error."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from eatlas.cli.plain import plain, plain_error, plain_line
from eatlas.errors import EatlasWarning, ResultsError


def complain(error: Exception | str) -> None:
    """Say what is wrong."""
    _write(sys.stderr, f"error: {plain_error(error)}\n")


def remark(text: str) -> None:
    """Say something worth knowing."""
    _write(sys.stderr, f"{plain(text)}\n")


def print_line(line: str) -> None:
    """Print a line to standard output; foreign text in it cannot begin another."""
    _write(sys.stdout, f"{plain_line(line)}\n")


def print_data(text: str) -> None:
    """Print TOML or JSON to standard output: to the letter, unless a person reads it."""
    _write(sys.stdout, plain(text) if sys.stdout.isatty() else text)


def _write(stream: TextIO, text: str) -> None:
    """Write to a stream; letters that it does not know are shown as their numbers."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text)


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
