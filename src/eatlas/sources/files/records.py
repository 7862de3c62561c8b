"""Records ``word, space, numbers`` of any file in blocks of constant size.

A loop in Python finds the words of small files, a compiled one those of large files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.dialects import decode, decode_all
from eatlas.sources.files.hashing import fnv64
from eatlas.sources.files.reading import fill

BLOCK = 4 << 20
MAX_WORD = 4096  # word2vec cuts words at 100 bytes; phrases of other tools are longer
_NO_WORD = (
    "if the header tells the right dimension, say what the words are: ?encoding=latin-1; "
    "else correct the header, or get the file again; words of this form cannot hold spaces"
)


@dataclass(frozen=True)
class Layout:
    """What the header tells about all records.

    Parameters
    ----------
    count, dim : int
    start : int
        Where the first record begins in the file.
    encoding : str
        Encoding of the words.
    label : str
        What names the file in messages.
    """

    count: int
    dim: int
    start: int
    encoding: str
    label: str

    @property
    def size(self) -> int:
        """Bytes of a vector."""
        return 4 * self.dim

    def ends_early(self, got: str) -> SourceError:
        """Say that there is less than the header announces."""
        return SourceError(
            f"{self.label}: the file ends early",
            got=got,
            allowed=f"{self.count} vectors of {self.dim} numbers, as its header announces",
            remedy="get it again; the copy is probably incomplete",
        )


@dataclass(frozen=True)
class Records:
    """Some whole records. The arrays have one entry a record; they are good until the next.

    ``offset`` is where the data begin in the file; a record's vector begins behind the end of its
    word and a space. ``wide``: words with bytes beyond ASCII.
    """

    layout: Layout
    data: NDArray[np.uint8]
    offset: int
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    wide: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.starts)

    def word(self, k: int) -> bytes:
        """Bytes of a word."""
        return self.data[self.starts[k] : self.ends[k]].tobytes()

    def text(self, k: int) -> str:
        """A word."""
        where = f"{self.layout.label}, byte {self.offset + int(self.starts[k])}"
        return decode(self.word(k), self.layout.encoding, where, _NO_WORD)

    def texts(self, first: int = 0, last: int | None = None) -> list[str]:
        """Words from the record `first` to before `last`."""
        some = slice(first, last)
        try:
            return decode_all(
                self.data, self.starts[some], self.ends[some], b" ", self.layout.encoding
            )
        except UnicodeDecodeError:
            return [self.text(k) for k in range(len(self))[some]]

    def read(self, first: int, out: NDArray[np.float32]) -> list[str]:
        """Copy vectors from the record `first` on, one for each row of `out`; their words."""
        windows = np.lib.stride_tricks.sliding_window_view(self.data, self.layout.size)
        out.view(np.uint8)[:] = windows[self.ends[first : first + len(out)] + 1]
        return self.texts(first, first + len(out))

    def vector(self, k: int) -> NDArray[np.float32]:
        """One vector."""
        start = int(self.ends[k]) + 1
        return self.data[start : start + self.layout.size].copy().view("<f4")


def read_records(file: BinaryIO, layout: Layout, *, compiled: bool) -> Iterator[Records]:
    """Read all records of a file that stands at the first.

    Raises
    ------
    SourceError
        If there are fewer or more than the header announces, or no word stands where one should.
    """
    buffer = np.empty(max(BLOCK, 2 * (MAX_WORD + layout.size)), np.uint8)
    kept, offset, done = 0, layout.start, 0
    while done < layout.count:
        size = kept + fill(file, buffer, kept)
        records = _records(buffer[:size], offset, layout, layout.count - done, compiled=compiled)
        if not len(records):
            raise _no_record(layout, buffer[:size], done)
        yield records
        done += len(records)
        used = int(records.ends[-1]) + 1 + layout.size
        kept, offset = size - used, offset + used
        buffer[:kept] = buffer[used:size].copy()
    if (buffer[:kept].tobytes() + file.read(2)).strip(b"\n"):
        raise SourceError(
            f"{layout.label}: the file goes on after the last vector",
            got=f"more than {layout.count} vectors of {layout.dim} numbers",
            allowed="what its header announces",
            remedy="correct the header, or get the file again",
        )


def _records(
    data: NDArray[np.uint8], offset: int, layout: Layout, left: int, *, compiled: bool
) -> Records:
    most = min(left, len(data) // (layout.size + 1) + 1)
    starts, ends = np.empty((2, most), np.int64)
    hashes, wide = np.empty(most, np.uint64), np.zeros(most, np.bool_)
    if compiled:
        from eatlas.sources.files import compiled_records  # noqa: PLC0415  (compiles on import)

        n = compiled_records.walk(data, layout.size, MAX_WORD, starts, ends, hashes, wide)
    else:
        n = _walk(data.tobytes(), layout.size, starts, ends, hashes, wide)
    return Records(layout, data, offset, starts[:n], ends[:n], hashes[:n], wide[:n])


def _walk(
    data: bytes,
    size: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    wide: NDArray[np.bool_],
) -> int:
    """As the compiled loop."""
    at = 0
    for k in range(len(starts)):
        space = data.find(b" ", at, at + MAX_WORD)
        if space < 0 or space + 1 + size > len(data):
            return k
        word = data[at:space].lstrip(b"\n")
        starts[k], ends[k] = space - len(word), space
        hashes[k], wide[k] = fnv64(word), not word.isascii()
        at = space + 1 + size
    return len(starts)


def _no_record(layout: Layout, data: NDArray[np.uint8], done: int) -> SourceError:
    if len(data) >= MAX_WORD and b" " not in data[:MAX_WORD].tobytes():
        return SourceError(
            f"{layout.label}, vector {done + 1}: no word stands here",
            got=repr(data[:20].tobytes()),
            allowed=f"a word of at most {MAX_WORD} bytes, a space, {layout.dim} numbers",
            remedy="the header's dimension may be wrong, or the file damaged",
        )
    return layout.ends_early(f"{done} vectors")
