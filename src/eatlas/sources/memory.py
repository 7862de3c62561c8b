"""Words with rows of an array: dict, gensim KeyedVectors, spaCy vectors, the bundled sample."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.source import CHUNK, Vector, VectorTable, as_numpy, require_usable

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
        self._vectors = matrix = as_numbers(vectors, name)
        if matrix.ndim != 2 or 0 in matrix.shape or matrix.shape[1] > MAX_COMPONENTS:
            raise SourceError(
                f"{name}: not an array of vectors",
                got=f"{matrix.dtype}, shape {matrix.shape}",
                allowed=f"shape (number of words, number of components), to {MAX_COMPONENTS:,}",
            )
        if len(words) != len(matrix):
            got = f"{len(words)} words, {len(matrix)} vectors"
            raise SourceError(f"{name}: the numbers of words and vectors differ", got=got)
        if odd := [(row, word) for row, word in enumerate(words) if not isinstance(word, str)]:
            row, word = odd[0]
            raise SourceError(
                f"{name}: word {row} is not a string", got=repr(word), allowed="strings"
            )
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
    named = ((f"dict: the vector of {word!r}", vector) for word, vector in vectors.items())
    return ArraySource(list(vectors), stack_vectors(named), name="dict")


def stack_vectors(vectors: Iterable[tuple[str, Any]]) -> NDArray[Any]:
    """An array of vectors of one length, each with what an error calls it."""
    labels, rows = zip(*((name, as_numbers(row, name)) for name, row in vectors), strict=True)
    odd = [i for i, row in enumerate(rows) if row.ndim != 1 or row.shape != rows[0].shape]
    if odd:
        raise SourceError(
            f"{labels[odd[0]]} has the wrong shape",
            got=f"shape {rows[odd[0]].shape}",
            allowed="a list of numbers, as many as the first vector has",
        )
    return np.stack(rows)


def from_keyed(keyed: Any) -> ArraySource:
    """Take gensim's KeyedVectors, or a model that has them; words alone, no n-grams."""
    keyed = getattr(keyed, "wv", keyed)
    return ArraySource(keyed.index_to_key, keyed.vectors, name="KeyedVectors", ordered=True)


def from_spacy(thing: Any) -> ArraySource:
    """Take the vectors of a spaCy pipeline or vocabulary, or vectors themselves."""
    vectors = getattr(getattr(thing, "vocab", thing), "vectors", thing)
    meta = getattr(thing, "meta", None) or {}
    name = f"{meta['lang']}_{meta['name']}" if meta.get("name") else vectors.name or "spaCy"
    remedy = (
        "a pipeline with vectors, such as en_core_web_md; or a function of texts: "
        "lambda texts: [nlp(text).vector for text in texts]"
    )
    if vectors.mode == "floret":
        fault = f"{name}: floret makes vectors of n-grams and has no list of words"
        raise SourceError(fault, remedy=remedy.partition("; or ")[2])
    if not len(vectors.key2row):
        raise SourceError(f"{name}: this pipeline has no word vectors", remedy=remedy)
    rows = {vectors.strings[k]: row for k, row in vectors.key2row.items() if k in vectors.strings}
    if not rows:
        fault = f"{name}: these vectors know their words by hashes alone"
        raise SourceError(fault, remedy="pass nlp or nlp.vocab")
    data = vectors.data.get() if hasattr(vectors.data, "get") else vectors.data  # from a GPU
    return ArraySource(list(rows), data[list(rows.values())], name=name)


def as_numbers(vectors: Any, name: str) -> NDArray[Any]:
    """An array of numbers in floating point."""
    remedy = "hand over vectors.toarray()" if hasattr(vectors, "toarray") else None
    try:
        array = as_numpy(vectors)
        array = array.astype(np.float64) if array.dtype.kind in "biuO" else array
        if array.dtype.kind == "f":
            return array
        got = str(array.dtype)
        remedy = "the words come first, then the vectors" if array.dtype.kind == "U" else remedy
    except (TypeError, ValueError, RuntimeError) as error:
        got = str(error)  # rows of several lengths, or a tensor that torch will not hand out
    allowed = "an array of real numbers"
    raise SourceError(f"{name}: not real numbers", got=got, allowed=allowed, remedy=remedy)


@cache
def sample_vocabulary(name: str = SAMPLE) -> tuple[str, ...]:
    """Words of bundled vectors, those of the sample in the order of GloVe 6B."""
    data = resources.files("eatlas.sources") / "data"
    return tuple((data / f"{name}.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1])


def bundled_tensors(name: str) -> dict[str, NDArray[Any]]:
    """Arrays of a file that comes with the package."""
    from safetensors.numpy import load  # noqa: PLC0415  (only bundled vectors and ranks need it)

    data = resources.files("eatlas.sources") / "data"
    tensors: dict[str, NDArray[Any]] = load((data / f"{name}.safetensors").read_bytes())
    return tensors


@cache
def open_bundled(name: str) -> ArraySource:
    """Open vectors that come with the package.

    The sample of GloVe 6B, 100 dimensions, has the 10,000 most frequent words and every word of the
    word lists that the papers print; of GloVe 840B, 300 dimensions, there are the words of the
    Caliskan tests alone.
    """
    vectors = bundled_tensors(name)["vectors"]
    return ArraySource(sample_vocabulary(name), vectors, name=name, ordered=name == SAMPLE)
