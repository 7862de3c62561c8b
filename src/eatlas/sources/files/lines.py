"""Lines of any file in blocks of constant size, each line checked in compiled code.

The compiled loop finds word, numbers and faults of a whole block at some 3 GB/s; lines that it does
not pass go through :class:`eatlas.sources.files.dialects.Dialect`, as all lines of small files do,
for which compiling would take longer than reading.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.dialects import Dialect, Fields, decode
from eatlas.sources.files.reading import fill

BLOCK = 2 << 20
MAX_LINE = 1 << 26  # 2.5 million numbers of 25 characters
_COMPILE_FROM_LINES = 200_000  # in Python these take half a second
_NEWLINE = 10
_BLANK, _FINE, _WIDE, _ODD = 0, 1, 2, 3  # as in compiled_lines


@dataclass(frozen=True)
class Block:
    """Some whole lines. The arrays have one entry a line; they are views, good until the next.

    ``offset`` is where the block begins in the file, ``number`` the number of its first line.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    word_ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    kinds: NDArray[np.uint8]
    offset: int
    number: int
    label: str
    dialect: Dialect

    def where(self, k: int) -> str:
        """Name a line in a message."""
        return f"{self.label}, line {self.number + k}"

    def line(self, k: int) -> bytes:
        """Bytes of a line, without its end."""
        return self.data[self.starts[k] : self.ends[k]].tobytes()

    def word(self, k: int) -> bytes:
        """Bytes of the word of a line that the compiled loop passed."""
        return self.data[self.starts[k] : self.word_ends[k]].tobytes()

    def split(self, k: int) -> tuple[bytes, Fields]:
        """Word and numbers of any line."""
        return self.dialect.split(self.line(k), self.where(k))

    def odd(self) -> NDArray[np.int64]:
        """Lines that only :meth:`split` can read."""
        return np.flatnonzero(self.kinds == _ODD)

    def rows(self) -> NDArray[np.int64]:
        """Lines that hold a vector."""
        return np.flatnonzero(self.kinds != _BLANK)

    def check_words(self) -> None:
        """Refuse words that are none of the file's encoding."""
        for k in np.flatnonzero(self.kinds == _WIDE).tolist():
            decode(self.word(k), self.dialect.encoding, self.where(k))


def read_blocks(
    file: BinaryIO, dialect: Dialect, label: str, *, compiled: bool, block: int = BLOCK
) -> Iterator[Block]:
    """Read a file as blocks of lines, from its beginning.

    Raises
    ------
    SourceError
        If a line is longer than any vector could make it.
    """
    buffer = np.empty(block, np.uint8)
    kept, offset, number = 0, 0, 1
    while True:
        size = kept + fill(file, buffer, kept)
        at_end = size < len(buffer)
        if at_end and size and buffer[size - 1] != _NEWLINE:
            buffer[size] = _NEWLINE
            size += 1
        newlines = np.flatnonzero(buffer[:size] == _NEWLINE)
        if not len(newlines) and not at_end:
            buffer, kept = _longer(buffer, label, number), size
            continue
        if len(newlines):
            compiled = compiled or number > _COMPILE_FROM_LINES
            yield _block(buffer, newlines, dialect, (label, offset, number), compiled=compiled)
            used = int(newlines[-1]) + 1
            kept, offset, number = size - used, offset + used, number + len(newlines)
            buffer[:kept] = buffer[used:size].copy()
        if at_end:
            return


def _longer(buffer: NDArray[np.uint8], label: str, number: int) -> NDArray[np.uint8]:
    if len(buffer) >= MAX_LINE:
        raise SourceError(
            f"{label}, line {number}: this line is too long for a vector",
            got=f"more than {len(buffer):,} bytes",
            allowed="a word and its numbers on a line",
        )
    longer = np.empty(2 * len(buffer), np.uint8)
    longer[: len(buffer)] = buffer
    return longer


def _block(
    buffer: NDArray[np.uint8],
    newlines: NDArray[np.int64],
    dialect: Dialect,
    place: tuple[str, int, int],
    *,
    compiled: bool,
) -> Block:
    label, offset, number = place
    count = len(newlines)
    starts = np.concatenate([[0], newlines[:-1] + 1])
    word_ends, ends = np.empty((2, count), np.int64)
    hashes, kinds = np.zeros(count, np.uint64), np.full(count, _ODD, np.uint8)
    if compiled:
        from eatlas.sources.files import compiled_lines  # noqa: PLC0415  (compiles on import)

        separator = np.uint8(dialect.separator[0])
        compiled_lines.mark(
            buffer, newlines, separator, dialect.dim, word_ends, ends, hashes, kinds
        )
    else:
        ends = newlines
        kinds[[not buffer[a:b].tobytes().strip() for a, b in zip(starts, ends, strict=True)]] = (
            _BLANK
        )
    if offset == 0 and buffer[: ends[0]].tobytes().startswith(codecs.BOM_UTF8):
        starts[0] += len(codecs.BOM_UTF8)
        kinds[0] = _ODD if ends[0] > starts[0] else _BLANK
    kinds[: max(0, dialect.first_line - number)] = _BLANK
    return Block(buffer, starts, ends, word_ends, hashes, kinds, offset, number, label, dialect)
