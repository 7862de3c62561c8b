"""Sources that can be read from end to end, and the check of what they yield."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.protocol import ChunkedSource, VectorSource

LARGEST = 1e100
"""Squares of larger components, summed over a vocabulary, would leave the range of float64."""


@runtime_checkable
class ListedSource(VectorSource, ChunkedSource, Protocol):
    """A source that answers for single words and can also be read from end to end."""


def require_whole(source: VectorSource, why: str) -> ListedSource:
    """Return the source, if all its vectors can be had.

    Raises
    ------
    SourceError
        If it only answers for words that are asked for; `why` says what all vectors are for.
    """
    if isinstance(source, ListedSource):
        return source
    raise SourceError(
        f"{source.name}: {why}, and this source cannot list its vectors",
        got=type(source).__name__,
        allowed="files and arrays, or a source that has iter_chunks()",
    )


def usable(vectors: NDArray[np.floating], words: Sequence[str], name: str) -> NDArray[np.floating]:
    """Return the vectors, if all their components are finite and can be squared.

    Raises
    ------
    SourceError
        Naming the first word whose vector is not.
    """
    largest = min(LARGEST, float(np.finfo(vectors.dtype).max))
    finite = np.abs(vectors) <= largest  # neither NaN nor an infinity is
    if finite.all():
        return vectors
    row = int(np.argmin(finite.all(axis=1)))
    raise SourceError(
        f"{name}: the vector of {words[row]!r} has a component that is not usable",
        got=str(vectors[row][~finite[row]][0]),
        allowed=f"finite numbers up to {LARGEST:g}",
    )
