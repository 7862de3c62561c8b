"""Words with rows of an array: dict, pandas frame, gensim KeyedVectors, the bundled sample."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.source import CHUNK, Vector, VectorTable, require_usable

SAMPLE, OF_PAPER = BUNDLED = "glove-sample", "glove-840b-words"
"""Real GloVe vectors that come with the package."""
MAX_COMPONENTS = 1 << 20
Chunk = tuple[list[str], NDArray[np.floating]]
"""Some consecutive rows of a source: words, and vectors of shape (len(words), dim)."""


class ArraySource(VectorTable):
    """Rows of an array, each with a word.

    Parameters
    ----------
    words : sequence of str, length n
        The first of two equal words wins.
    vectors : array, shape (n, d)
    name : str
        What names the source in results.
    ordered : bool, default False
        Whether words are in order of frequency, the most frequent first. Results then have the
        rank of each term, and are compared with random topics of the same frequencies.

    Raises
    ------
    SourceError
        If the lengths differ, or the array is not two-dimensional or not of numbers.

    Examples
    --------
    >>> source = ArraySource(["up", "down"], [[1.0, 0.0], [0.0, 1.0]])
    >>> source.lookup({"up", "left"})
    {'up': array([1., 0.])}
    """

    def __init__(
        self, words: Sequence[str], vectors: Any, *, name: str = "array", ordered: bool = False
    ) -> None:
        super().__init__(name)
        self._vectors = matrix = _as_numbers(vectors, name)
        if matrix.ndim != 2 or 0 in matrix.shape or matrix.shape[1] > MAX_COMPONENTS:
            raise SourceError(
                f"{name}: this is not an array of vectors",
                got=f"{matrix.dtype}, shape {matrix.shape}",
                allowed=f"shape (number of words, number of components), to {MAX_COMPONENTS:,}",
            )
        if len(words) != len(matrix):
            got = f"{len(words)} words, {len(matrix)} vectors"
            raise SourceError(f"{name}: words and vectors differ in number", got=got)
        if odd := [(row, word) for row, word in enumerate(words) if not isinstance(word, str)]:
            row, word = odd[0]
            raise SourceError(f"{name}: word {row} is not text", got=repr(word), allowed="strings")
        self._words, self.ordered = words, ordered

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The row of each word; of equal words the first."""
        last = len(self._words) - 1
        return {word: last - row for row, word in enumerate(reversed(self._words))}

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return int(self._vectors.shape[1])

    @property
    def duplicates(self) -> int:
        """Number of words that occur again."""
        return len(self._words) - len(self._rows)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all words and all vectors."""
        digest = hashlib.sha256("\n".join(self._words).encode())
        for start in range(0, len(self._vectors), 65_536):
            digest.update(np.ascontiguousarray(self._vectors[start : start + 65_536]).data)
        return f"sha256:{digest.hexdigest()}"

    def floats(self, rows: Any) -> NDArray[np.floating]:
        """Some rows as float32, or as float64 where numbers are wider."""
        part = self._vectors[rows]
        return np.ascontiguousarray(part, np.float64 if part.dtype.itemsize > 4 else np.float32)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one."""
        rows = {key: self._rows[key] for key in keys if key in self._rows}
        vectors = self.floats(list(rows.values()))
        require_usable(vectors, self.name, [*rows])
        return dict(zip(rows, vectors, strict=True))

    @property
    def expected(self) -> int:
        """How many words there are."""
        return len(self._words)

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the rows."""
        return iter(self._words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """All words with their vectors, `rows` at a time."""
        for start in range(0, len(self._words), rows):
            part = slice(start, start + rows)
            yield list(self._words[part]), self.floats(part)


def from_mapping(vectors: Mapping[str, Any]) -> ArraySource:
    """Take a mapping from words to vectors of one length."""
    if not vectors:
        raise SourceError("dict: there are no vectors", got="an empty mapping")
    shapes = {word: _as_numbers(vector, "dict").shape for word, vector in vectors.items()}
    first = next(iter(shapes.values()))
    odd = [word for word, shape in shapes.items() if len(shape) != 1 or shape != first]
    if odd:
        raise SourceError(
            f"dict: the vector of {odd[0]!r} has the wrong shape",
            got=f"shape {shapes[odd[0]]}",
            allowed="a list of numbers, as many as the first vector has",
        )
    return ArraySource(list(vectors), list(vectors.values()), name="dict")


def from_frame(frame: Any) -> ArraySource:
    """Take a pandas frame: words in the index, or in a first column of text; numbers elsewhere."""
    if 0 in frame.shape:
        raise SourceError("frame: there are no vectors", got=f"a frame of shape {frame.shape}")
    frame = by_word(frame)
    return ArraySource([str(word) for word in frame.index], frame.to_numpy(), name="frame")


def by_word(frame: Any) -> Any:
    """A frame whose index has the words, which may be in a first column of text."""
    if len(frame.columns) and frame.iloc[:, 0].dtype.kind not in "fiu":
        frame = frame.set_index(frame.columns[0])
    if frame.index.dtype.kind in "iuf":
        allowed = "words in the index or the first column, numbers in all others"
        raise SourceError("frame: the frame has no words, only numbers", allowed=allowed)
    return frame


def _as_numbers(vectors: Any, name: str) -> NDArray[Any]:
    """An array of numbers in floating point."""
    try:
        array = np.asarray(vectors)
        array = array.astype(np.float64) if array.dtype.kind in "biuO" else array
        got = str(array.dtype)
    except (TypeError, ValueError, RuntimeError) as error:
        # rows of several lengths, what is not a number, a tensor that torch will not hand out
        array, got = np.array(""), str(error)
    if array.dtype.kind == "f":
        return array
    remedy = "the words come first, then the vectors" if array.dtype.kind == "U" else None
    raise SourceError(
        f"{name}: the vectors are not an array of numbers",
        got=got,
        allowed="real numbers",
        remedy="hand over vectors.toarray()" if hasattr(vectors, "toarray") else remedy,
    )


@cache
def bundled_words(name: str = SAMPLE) -> tuple[str, ...]:
    """Words of bundled vectors, those of the sample in the order of GloVe 6B."""
    data = resources.files("eatlas.sources") / "data"
    return tuple((data / f"{name}.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1])


@cache
def open_bundled(name: str) -> ArraySource:
    """Open vectors that come with the package.

    The sample of GloVe 6B, 100 dimensions, has the 10,000 most frequent words and every word of the
    word lists that the papers print; of GloVe 840B, 300 dimensions, there are the words of the
    Caliskan tests alone.
    """
    from safetensors.numpy import load  # noqa: PLC0415  (only these sources need it)

    data = resources.files("eatlas.sources") / "data"
    vectors = load((data / f"{name}.safetensors").read_bytes())["vectors"]
    return ArraySource(bundled_words(name), vectors, name=name, ordered=name == SAMPLE)
