"""What a source of vectors offers; anything that offers it is a source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError

Vector = NDArray[np.floating]
CHUNK = 8192
"""Rows of a chunk by default: 10 MB of 300 single-precision
components."""
LARGEST = 1e100
"""Squares of larger components, summed over a vocabulary, would leave the range of float64."""


@runtime_checkable
class VectorSource(Protocol):
    """Vectors by key.

    A source knows keys, not terms: the rule by which a term becomes a key is
    :func:`eatlas.sources.coverage.spellings`.
    """

    @property
    def name(self) -> str:
        """What names the source in results, such as ``glove-sample`` or a path."""
        ...

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identifies the source's whole content, for example ``sha256:...``."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the source, in whole sentences."""
        ...

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the source has, each of shape (dim,), finite.

        Raises
        ------
        SourceError
            If what is read on the way is not well formed.
        """
        ...


@runtime_checkable
class ChunkedSource(Protocol):
    """A source whose words can all be read, in its own order, without keeping all in memory."""

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """All words with their vectors, `rows` at a time.

        Parameters
        ----------
        rows : int
            Words in each chunk; the last may have fewer. How they are cut changes nothing else.

        Yields
        ------
        words : list of str
            In the order of the source; a word that occurs twice comes twice.
        vectors : array, shape (len(words), dim)
            float32, or float64 where the source holds that; zero vectors as they are.

        Raises
        ------
        SourceError
            If what is read on the way is not well formed.
        """
        ...


@runtime_checkable
class ListedSource(VectorSource, ChunkedSource, Protocol):
    """A source that answers for single words and can also be read from end to end."""


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
