"""What a file offers besides single words: every word, and every vector, in the file's order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.sources.protocol import CHUNK
from eatlas.sources.whole import ListedSource

_LARGEST = 1 << 30
_BLOCK = 1 << 28


class Chunk(NamedTuple):
    """Some rows of a source as they stand: words, and vectors of shape (len(words), dim)."""

    words: list[str]
    vectors: NDArray[np.floating]


@runtime_checkable
class WholeSource(ListedSource, Protocol):
    """A source whose every word can be had, in the order of the file, duplicates as they stand."""

    def vocabulary(self) -> Iterator[str]:
        """Every word; memory does not grow with their number where the format allows it."""
        ...


class Part(Protocol):
    """Some rows of a file, known to stand there and not read yet."""

    def __len__(self) -> int: ...

    def read(self, first: int, out: NDArray[np.float32]) -> list[str]:
        """Read rows from the row `first` on into `out`, and return their words."""
        ...


def rows_at_once(rows: int, dim: int) -> int:
    """How many rows of a block are read at once: `rows`, fewer where they would be long."""
    return max(1, min(rows, _BLOCK // (8 * max(1, dim))))


def fill_chunks(parts: Iterable[Part], rows: int, dim: int) -> Iterator[Chunk]:
    """Read parts of any length as chunks of `rows` rows, of fewer if they were beyond 1 GiB."""
    rows = max(1, min(rows, _LARGEST // (4 * dim)))
    words: list[str] = []
    vectors = np.empty((rows, dim), np.float32)
    for part in parts:
        done = 0
        while done < len(part):
            at = len(words)
            words += part.read(done, vectors[at : at + len(part) - done])
            done += len(words) - at
            if len(words) == rows:
                yield Chunk(words, vectors)
                words, vectors = [], np.empty((rows, dim), np.float32)
    if words:
        yield Chunk(words, vectors[: len(words)])


def regroup(pieces: Iterable[Chunk], rows: int) -> Iterator[Chunk]:
    """Cut chunks anew, so that each but the last has `rows` rows."""
    kept: list[Chunk] = []
    count = 0
    for piece in pieces:
        kept.append(piece)
        count += len(piece.words)
        if count >= rows:
            whole = _joined(kept)
            for start in range(0, count - rows + 1, rows):
                yield Chunk(whole.words[start : start + rows], whole.vectors[start : start + rows])
            cut = count - count % rows
            kept, count = [Chunk(whole.words[cut:], whole.vectors[cut:])], count - cut
    if count:
        yield _joined(kept)


def _joined(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    words = [word for chunk in chunks for word in chunk.words]
    return Chunk(words, np.concatenate([chunk.vectors for chunk in chunks]))


__all__ = ["CHUNK", "Chunk", "WholeSource", "regroup", "rows_at_once"]
