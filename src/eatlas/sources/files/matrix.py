"""Matrices whose rows are read when they are needed, and sources made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.dialects import check_finite
from eatlas.sources.files.on_disk import FileDigest, Stamp
from eatlas.sources.files.words import Words, find_rows
from eatlas.sources.interface import CHUNK, Vector
from eatlas.sources.source import VectorTable

MAX_COMPONENTS = 1 << 20
_LARGEST = 1 << 30
_BLOCK = 1 << 28


class Chunk(NamedTuple):
    """Some consecutive rows of a source: words, and vectors of shape (len(words), dim)."""

    words: list[str]
    vectors: NDArray[np.floating]


def rows_at_once(rows: int, dim: int) -> int:
    """How many rows of a block are read at once: `rows`, fewer where they would be long."""
    return max(1, min(rows, _BLOCK // (8 * max(1, dim))))


def regroup(pieces: Iterable[Chunk], rows: int, dim: int) -> Iterator[Chunk]:
    """Cut chunks anew, so that each but the last has `rows` rows, or as many as take 1 GiB."""
    rows = max(1, min(rows, _LARGEST // (4 * dim)))
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


class Matrix(ABC):
    """Rows of numbers, each of which can be read."""

    shape: tuple[int, int]
    """Rows and components."""

    @abstractmethod
    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time."""
        count, dim = self.shape
        size = rows_at_once(size, dim)
        for start in range(0, count, size):
            yield self.take(range(start, min(start + size, count)))


def picked(
    blocks: Iterable[NDArray[np.floating]], rows: NDArray[np.int64]
) -> list[NDArray[np.floating]]:
    """Rows, in ascending order, of consecutive blocks that begin with row 0."""
    parts, start = [], 0
    for block in blocks:
        parts.append(block[rows[(rows >= start) & (rows < start + len(block))] - start])
        start += len(block)
    return parts


def as_floats(rows: NDArray[Any]) -> NDArray[np.floating]:
    """Rows as float32, or as float64 where that is how they are stored."""
    wide = rows.dtype.kind == "f" and rows.dtype.itemsize > 4
    return np.ascontiguousarray(rows, np.float64 if wide or rows.dtype.kind in "iu" else np.float32)


@dataclass(frozen=True)
class ArrayMatrix(Matrix):
    """An array, in memory or mapped."""

    array: NDArray[Any]
    convert: Callable[[NDArray[Any]], NDArray[np.floating]] = as_floats
    places: NDArray[np.int64] | None = None

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # it follows from the array
        """Rows and components."""
        count = self.array.shape[0] if self.places is None else len(self.places)
        return count, self.array.shape[1]

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        # the rows of a range without copying
        which = slice(rows.start, rows.stop) if isinstance(rows, range) else list(rows)
        return self.convert(
            np.asarray(self.array[which if self.places is None else self.places[which]])
        )


@dataclass(frozen=True)
class StreamMatrix(Matrix):
    """Rows of a stream that cannot be jumped in, such as a member of a zip file."""

    content: Content
    start: int
    shape: tuple[int, int]
    dtype: np.dtype[np.generic]
    label: str

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim), by one pass."""
        return np.concatenate(picked(self.blocks(CHUNK), np.array(rows, np.int64)))

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time."""
        count, dim = self.shape
        size = rows_at_once(size, dim)
        with self.content.open() as stream:
            stream.read(self.start)
            for start in range(0, count, size):
                rows = min(size, count - start)
                raw = stream.read(rows * dim * self.dtype.itemsize)
                if len(raw) < rows * dim * self.dtype.itemsize:
                    raise SourceError(f"{self.label}: the array ends early")
                yield as_floats(np.frombuffer(raw, self.dtype).reshape(rows, dim))


class MatrixSource(VectorTable):
    """Words, and a row of a matrix for each."""

    def __init__(self, words: Words, matrix: Matrix, *, name: str, files: Sequence[Path]) -> None:
        if len(words) != matrix.shape[0]:
            raise SourceError(
                f"{name}: the vocabulary does not fit the vectors",
                got=f"{len(words)} words, {matrix.shape[0]} vectors",
                allowed="one word for each vector",
                remedy="check that both files belong together, one word a line and no header",
            )
        if not matrix.shape[1]:
            raise SourceError(f"{name}: the vectors have no components", got=str(matrix.shape))
        super().__init__(name)
        self.words, self.matrix = words, matrix
        self._stamps = [(path, Stamp.of(path)) for path in files]
        self._digest = FileDigest(files, [stamp for _, stamp in self._stamps])

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self.matrix.shape[1]

    @property
    def fingerprint(self) -> str:
        """Hash of the bytes of all files."""
        return f"sha256:{self._digest.result()}"

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one."""
        self._check_unchanged()
        rows, again = find_rows(self.words, keys)
        self._repeated |= again
        order = sorted(rows, key=rows.__getitem__)
        if not order:
            return {}
        vectors = self.matrix.take([rows[word] for word in order])
        self._check_unchanged()
        for word, vector in zip(order, vectors, strict=True):
            check_finite(vector, f"{self.name}, the vector of {word!r}")
        return dict(zip(order, vectors, strict=True))

    @property
    def expected(self) -> int:
        """How many words there are."""
        return self.matrix.shape[0]

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the rows."""
        return iter(self.words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        return regroup(self._pieces(rows), rows, self.dim)

    def _pieces(self, rows: int) -> Iterator[Chunk]:
        words = iter(self.words)
        for block in self.matrix.blocks(rows):
            these = list(islice(words, len(block)))
            check_finite(block, f"{self.name}, between {these[0]!r} and {these[-1]!r}")
            yield Chunk(these, block)
            # before the next block: to touch a mapped file that was cut would end the process
            self._check_unchanged()

    def _check_unchanged(self) -> None:
        for path, stamp in self._stamps:
            stamp.check(path)


def check_matrix(shape: Sequence[int], dtype: np.dtype[np.generic], label: str) -> tuple[int, int]:
    """The shape of a matrix of numbers."""
    if len(shape) != 2 or dtype.kind not in "fiu" or 0 in shape:
        raise SourceError(
            f"{label}: this is not an array of vectors",
            got=f"{dtype}, shape {tuple(shape)}",
            allowed="numbers, shape (words, components)",
        )
    if shape[1] > MAX_COMPONENTS:
        raise SourceError(
            f"{label}: these vectors are too long",
            got=f"{shape[1]:,} components",
            allowed=f"at most {MAX_COMPONENTS:,}",
            remedy="if rows are components and columns are words, store the array transposed",
        )
    return shape[0], shape[1]


def part_of(
    label: str,
    kind: str,
    what: str,
    parts: Mapping[str, object],
    fit: Collection[str],
    named: str | None,
    allowed: str | None = None,
) -> str:
    """The part of a file that holds something: the one that is named, or the only one that can."""
    listed = ", ".join(f"{name} ({facts})" for name, facts in list(parts.items())[:20])
    if named is not None and named not in parts:
        raise SourceError(f"{label}: there is no such {kind}", got=named, allowed=listed)
    chosen = [named] if named in fit else [what] if what in fit and named is None else list(fit)
    if len(chosen) == 1 and named in (None, chosen[0]):
        return str(chosen[0])
    raise SourceError(
        f"{label}: no single {kind} holds the {what}",
        got=listed or f"no {kind}s",
        allowed=allowed,
        remedy=f"name it: {label}?{what}=NAME",
    )
