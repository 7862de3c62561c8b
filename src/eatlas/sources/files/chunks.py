"""What a file offers besides single words: every word, and every vector, in the file's order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.sources.protocol import CHUNK
from eatlas.sources.whole import ListedSource


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


__all__ = ["CHUNK", "Chunk", "WholeSource", "regroup"]
