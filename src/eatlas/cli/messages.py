"""Messages to a person, and foreign text in them: what would command a terminal is shown as text.

Names of tests, concepts and files, words of a vocabulary, answers of servers and lines of results
come from others. All that the command line prints goes through this module.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TextIO

from eatlas.errors import EatlasError, EatlasWarning, ResultsError, listing

if TYPE_CHECKING:
    from eatlas.results import Failure, Results

# control characters but tab and the end of a line; DEL and C1; what turns the direction of all that
# follows; separators of lines; halves of characters; tags, which cannot be seen
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u202a-\u202e\u2028\u2029\ud800-\udfff\ufeff\ufff9-\uffff"
    "\U000e0000-\U000e007f]"
)
MOST_ERRORS = 20
"""Failures of jobs that are said one by one."""
INDENT = "    "
"""Before further lines of what an error got: none of them looks like another message."""


def plain(text: str) -> str:
    r"""A text in which nothing commands a terminal; lines stay lines.

    Examples
    --------
    >>> plain("weat-6\x1b[2J \u202e")
    'weat-6\\x1b[2J \\u202e'
    """
    return _UNSAFE.sub(_escape_character, text)


def plain_line(text: str) -> str:
    r"""The same on one line.

    Examples
    --------
    >>> plain_line("weat-6\n5 of 5 results are the same")
    'weat-6\\n5 of 5 results are the same'
    """
    return plain(text).replace("\n", "\\n").replace("\t", " ")


def plain_error(error: Exception | str) -> str:
    r"""A message, whose parts cannot pass for other messages.

    Examples
    --------
    >>> print(plain_error(EatlasError("bad id", got="\x1b]0;x\x07\nremedy: none")))
    bad id
      got: \x1b]0;x\x07
        remedy: none
    """
    if not isinstance(error, EatlasError):
        return plain(str(error))
    parts = (("got", error.got), ("allowed", error.allowed), ("remedy", error.remedy))
    lines = [plain(error.what)]
    for name, text in parts:
        if text is not None:
            lines.append(f"  {name}: " + plain(text).replace("\n", f"\n{INDENT}"))
    lines += [f"  {plain_line(note)}" for note in getattr(error, "__notes__", ())]
    return "\n".join(lines)


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def complain(error: Exception | str) -> None:
    """Say what is wrong."""
    _write(sys.stderr, f"error: {plain_error(error)}\n")


def exit_code(results: Results) -> int:
    """Say what failed, each kind once; 0 where nothing did, 1 for some of the jobs, 2 for all."""
    kinds: dict[str, list[Failure]] = {}
    for failure in results.failures:  # the end says what, the beginning of which test and group
        kinds.setdefault(failure.error.what.rpartition("): ")[2], []).append(failure)
    for first, *others in list(kinds.values())[:MOST_ERRORS]:
        complain(first.error)
        if tests := dict.fromkeys(each.test for each in others if each.test != first.test):
            remark(f"  the same of {listing(tests)}")
    failed, done = len(results.failures), len(results)
    if failed and done:
        remark(f"{failed:,} of {done + failed:,} jobs failed; the others are done")
    return (1 if done else 2) if failed else 0


def remark(text: str) -> None:
    """Say something worth knowing."""
    _write(sys.stderr, f"{plain(text)}\n")


def print_line(line: str) -> None:
    """Print a line to standard output; foreign text in it cannot begin another."""
    _write(sys.stdout, f"{plain_line(line)}\n")


def print_rows(rows: Iterable[Sequence[str]], align: str = "l", least: Sequence[int] = ()) -> None:
    """Print rows as lines whose columns are below each other, for people and for ``cut``.

    `align` has ``l`` for a column of words, ``r`` for one of numbers, as which those count that it
    does not reach; `least` are least widths of the first columns.
    """
    lines = list(rows)
    sizes = [max(map(len, column)) for column in zip(*lines, strict=True)]
    widths = [max(pair) for pair in zip_longest(sizes, least, fillvalue=0)]
    for row in lines:
        cells = zip(row, widths, align.ljust(len(row), "r"), strict=True)
        padded = (one.ljust(w) if side == "l" else one.rjust(w) for one, w, side in cells)
        print_line("  ".join(padded).rstrip())


def print_data(text: str) -> None:
    """Print TOML to standard output: to the letter, unless a person reads it."""
    _write(sys.stdout, plain(text) if sys.stdout.isatty() else text)


def print_json(values: Iterable[object]) -> None:
    """Print values as JSON, or lines that are JSON, one a line; in UTF-8 whatever the terminal."""
    lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in values]
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())


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

        def show(message: Any, category: type[Warning], *place: Any) -> None:
            if issubclass(category, EatlasWarning):
                remark(f"warning: {message}")
            else:
                usual(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


@contextmanager
def output_of_a_command() -> Iterator[None]:
    """Print to standard output; a full disk is an error, a reader that left is not."""
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
