"""Whole lines of a file, some megabytes at a time, in flat memory."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.reading import fill

BLOCK = 4 << 20
"""Bytes that are looked through at once; more are no faster."""
_NEWLINE = b"\n"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Lines:
    """Some lines of a file; `data` is good until the next are read."""

    data: NDArray[np.uint8]
    number: int
    """Number of the first line in the file, from 1."""
    whole: bool = True
    """Whether the last line ends here; a line longer than a block comes in several."""


def read_lines(
    file: BinaryIO,
    label: str,
    *,
    ends: tuple[bytes, ...] = (_NEWLINE,),
    block: int = BLOCK,
    longest: int = BLOCK,
) -> Iterator[Lines]:
    """Read a file as blocks of whole lines.

    Parameters
    ----------
    file : binary file
    label : str
        Its name in messages.
    ends : tuple of bytes
        Where a block may end, such as at blank lines; at any newline if there is none.
    block, longest : int
        Bytes of a block; it grows for a longer line, which is parted at white space beyond
        `longest` bytes.

    Raises
    ------
    SourceError
        If the file is UTF-16.
    """
    from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

    buffer = np.empty(block, np.uint8)
    kept, number, first = 0, 1, True
    while True:
        size = kept + fill(file, buffer, kept)
        begin = _after_mark(buffer[:size], label) if first else 0
        at_end = size < len(buffer)
        cut, whole = (size, True) if at_end else _cut(buffer.tobytes(), ends)
        if not whole and len(buffer) < longest:
            buffer, kept = np.concatenate([buffer, np.empty_like(buffer)]), size
            continue
        if cut > begin:
            yield Lines(buffer[begin:cut], number, whole)
        if at_end:
            return
        number += int(_kernels.count_lines(buffer[:cut])[0])
        kept, first = size - cut, False
        buffer[:kept] = buffer[cut:size].copy()


def _cut(data: bytes, ends: tuple[bytes, ...]) -> tuple[int, bool]:
    """Return where the last whole line ends, or else the last word."""
    for end in (*ends, _NEWLINE):
        if at := data.rfind(end) + 1:
            return at + len(end) - 1, True
    if space := max(data.rfind(b" "), data.rfind(b"\t")) + 1:
        return space, False
    at = len(data)
    while at > 1 and data[at - 1] & 0xC0 == 0x80:
        at -= 1
    return at - 1 or len(data), False  # a character is not cut


def _after_mark(head: NDArray[np.uint8], label: str) -> int:
    """Return the length of a byte order mark of UTF-8."""
    mark = head[:4].tobytes()
    if mark.startswith(_UTF16):
        raise SourceError(
            f"{label}: the file is not UTF-8",
            got="UTF-16, to judge by its first bytes",
            remedy="save it as UTF-8",
        )
    return len(codecs.BOM_UTF8) if mark.startswith(codecs.BOM_UTF8) else 0
