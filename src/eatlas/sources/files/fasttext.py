"""fastText: its ``.bin``, mapped, and vectors of character n-grams (Bojanowski et al. 2017)."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content
from eatlas.sources.files.arrays import mapped
from eatlas.sources.files.dialects import MAX_DIM, check_finite, decode
from eatlas.sources.files.matrix import ArrayMatrix, Matrix, MatrixSource, as_floats, check_matrix
from eatlas.sources.files.on_disk import Stamp, incomplete, open_binary
from eatlas.sources.files.words import Words
from eatlas.sources.interface import Vector, cut
from eatlas.sources.spec import choice

_OPTIONS = struct.Struct("<14id")  # magic, version, twelve options, one more
_SIZES = struct.Struct("<3i2q")  # entries, words, labels; tokens, pruned n-grams
_SHAPE = struct.Struct("<2q")
_ENTRY_TAIL = 9  # count (int64) and kind (int8) after the word's zero byte
_MAX_WORD = 1 << 16
OOV = ("none", "subword")
_END_OF_SENTENCE = "</s>"  # fastText gives it no n-grams
_LISTED = 10
_AGAIN = "get it again, or write it anew with words in UTF-8"


@dataclass(frozen=True)
class FastTextHead:
    """The head of a model: options, and where words and numbers begin."""

    dim: int
    scheme: Ngrams
    entries: int
    words: int
    words_start: int
    matrix_start: int
    matrix_shape: tuple[int, int]


@dataclass(frozen=True)
class DictionaryWords:
    """The words of the dictionary, read anew each time."""

    path: Path
    head: FastTextHead

    def __len__(self) -> int:
        return self.head.words

    def __iter__(self) -> Iterator[str]:
        with open_binary(self.path) as file:
            file.seek(self.head.words_start)
            for row, (word, _) in enumerate(_entries(file, self.head.words, self.path)):
                yield decode(word, "utf-8", f"{self.path}, word {row + 1}", _AGAIN)


def oov_of(options: Mapping[str, str], label: str) -> str:
    """What the options say about words that are not in the vocabulary."""
    return choice(options.get("oov", "none"), OOV, "oov", label)


def open_fasttext(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a model of fastText."""
    path, oov = content.path, oov_of(options, content.label)
    head = read_head(path)
    rows, dim = head.matrix_shape
    have = Stamp.of(path).size - head.matrix_start
    if have < 4 * rows * dim:
        raise _ends_early(path, f"{have:,} bytes of numbers, {4 * rows * dim:,} announced")
    array = mapped(path, np.dtype("<f4"), head.matrix_start, (rows, dim))
    words = DictionaryWords(path, head)
    if not head.scheme.longest or not head.scheme.buckets:
        if oov != "none":
            raise SourceError(
                f"{path}: this model has no sub-words", got=f"oov={oov}", allowed="oov=none"
            )
        return MatrixSource(words, ArrayMatrix(array[: head.words]), name=name, files=(path,))
    own, ngrams = array[: head.words], array[head.words :]
    matrix = subword_matrix(words, own, ngrams, head.scheme, str(path))
    return SubwordSource(words, matrix, name=name, files=(path,), oov=oov)


def read_head(path: Path) -> FastTextHead:
    """Read the head of a model."""
    with open_binary(path) as file:
        options = _unpack(file, _OPTIONS, path)
        version, dim, bucket, shortest, longest = (options[i] for i in (1, 2, 10, 11, 12))
        sizes = _unpack(file, _SIZES, path)
        start = file.tell()
        _check_sizes(path, int(version), sizes)
        end = max(end for _, end in _entries(file, int(sizes[0]), path))
        file.seek(end + 8 * max(0, int(sizes[4])))
        quantised = file.read(1)
        if quantised != b"\x00":
            raise _quantised(path) if quantised == b"\x01" else _ends_early(path, "the dictionary")
        rows, columns = _unpack(file, _SHAPE, path)
        at = file.tell()
    if not 0 < columns <= MAX_DIM or columns != dim or rows < sizes[1]:
        raise SourceError(
            f"{path}: the matrix does not fit the dictionary",
            got=f"{rows} rows of {columns} numbers",
            allowed=f"at least {sizes[1]} rows of {dim}",
        )
    check_matrix((int(rows), int(columns)), np.dtype("<f4"), str(path))
    scheme = Ngrams(int(shortest), int(longest), min(int(bucket), int(rows - sizes[1])))
    words = int(sizes[1])
    return FastTextHead(
        int(dim), scheme, int(sizes[0]), words, start, at, (int(rows), int(columns))
    )


def _check_sizes(path: Path, version: int, sizes: tuple[float, ...]) -> None:
    entries, words, labels = sizes[:3]
    if version not in {11, 12} or not 0 < words <= entries or words + labels != entries:
        raise SourceError(
            f"{path}: this is not a model of fastText that can be read",
            got=f"version {version}, {words} words, {labels} labels, {entries} entries",
            allowed="version 11 or 12",
        )
    if sizes[4] > 0:
        raise _quantised(path)


def _entries(file: BinaryIO, count: int, path: Path) -> Iterator[tuple[bytes, int]]:
    """Words of the dictionary, and where each entry ends."""
    data, at, offset = b"", 0, file.tell()
    for row in range(count):
        zero = data.find(b"\x00", at)
        if zero < 0 or zero + 1 + _ENTRY_TAIL > len(data):
            data, offset = data[at:] + file.read(1 << 20), offset + at
            at, zero = 0, data.find(b"\x00", 0, _MAX_WORD)
            if zero < 0 or zero + 1 + _ENTRY_TAIL > len(data):
                raise _ends_early(path, f"{row} words")
        word = data[at:zero]
        at = zero + 1 + _ENTRY_TAIL
        yield word, offset + at


def _unpack(file: BinaryIO, form: struct.Struct, path: Path) -> tuple[float, ...]:
    raw = file.read(form.size)
    if len(raw) < form.size:
        raise _ends_early(path, "a part of the head")
    return form.unpack(raw)


def _ends_early(path: Path, got: str) -> SourceError:
    return incomplete(f"{path}: the model ends early, or is damaged", got)


def _quantised(path: Path) -> SourceError:
    return SourceError(
        f"{path}: this model is quantised",
        allowed="models with whole vectors (.bin, not .ftz)",
        remedy="use the model from which it was made",
    )


@dataclass(frozen=True)
class Ngrams:
    """Which character n-grams a model has, hashed into buckets."""

    shortest: int
    longest: int
    buckets: int

    def of(self, word: str) -> list[int]:
        """Buckets of a word's n-grams, in fastText's order."""
        if word == _END_OF_SENTENCE:
            return []
        letters = [letter.encode("utf-8", "surrogatepass") for letter in f"<{word}>"]
        found = []
        for start in range(len(letters)):
            for size in range(self.shortest, self.longest + 1):
                end = start + size
                if end > len(letters):
                    break
                if size == 1 and (start == 0 or end == len(letters)):
                    continue
                found.append(_hash(b"".join(letters[start:end])) % self.buckets)
        return found


def _hash(data: bytes) -> int:
    """FNV-1a, 32 bits, over signed bytes, as fastText's C++ code has it."""
    value = 2166136261
    for byte in data:
        signed = byte if byte < 128 else byte | 0xFFFFFF00
        value = ((value ^ signed) * 16777619) & 0xFFFFFFFF
    return value


@dataclass(frozen=True)
class SubwordMatrix(Matrix):
    """A word's vector is the mean of its own row and of the rows of its n-grams."""

    words: Words
    rows: NDArray[np.floating]
    ngrams: NDArray[np.floating]
    scheme: Ngrams

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # it follows from the rows
        """Rows and components."""
        return self.rows.shape[0], self.rows.shape[1]

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        wanted = set(rows)
        chosen = {row: word for row, word in enumerate(self.words) if row in wanted}
        return np.array([self._whole(self.rows[row], chosen[row]) for row in rows], np.float32)

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time."""
        for some in cut(zip(self.rows, self.words, strict=True), size):
            yield np.array([self._whole(row, word) for row, word in some], np.float32)

    def composed(self, word: str) -> Vector | None:
        """A vector for a word that has no row; None if it has no n-gram either."""
        buckets = self.scheme.of(word)
        if not buckets:
            return None
        with _unchecked():
            mean: Vector = as_floats(self.ngrams[buckets]).mean(axis=0, dtype=np.float64)
            return mean.astype(np.float32)

    def _whole(self, row: NDArray[np.floating], word: str) -> Vector:
        buckets = self.scheme.of(word)
        with _unchecked():
            total = as_floats(self.ngrams[buckets]).sum(axis=0, dtype=np.float64) + row
            vector: Vector = (total / (len(buckets) + 1)).astype(np.float32)
        return vector


def _unchecked() -> np.errstate:
    """Sums of damaged numbers may be anything: what is not finite is found later, and said."""
    return np.errstate(invalid="ignore", over="ignore")


def subword_matrix(
    words: Words,
    rows: NDArray[np.floating],
    ngrams: NDArray[np.floating],
    scheme: Ngrams,
    label: str,
) -> SubwordMatrix:
    """Put the parts together."""
    fits = rows.shape[1] == ngrams.shape[1] and ngrams.shape[0] >= scheme.buckets > 0
    if not fits or not 0 < scheme.shortest <= scheme.longest <= 64:
        raise SourceError(
            f"{label}: the n-grams do not fit the model",
            got=f"{ngrams.shape} for {scheme.buckets} buckets, n of {scheme.shortest} to "
            f"{scheme.longest}, words {rows.shape}",
        )
    return SubwordMatrix(words, rows, ngrams, scheme)


class SubwordSource(MatrixSource):
    """Words with n-grams."""

    def __init__(
        self, words: Words, matrix: SubwordMatrix, *, name: str, files: Sequence[Path], oov: str
    ) -> None:
        super().__init__(words, matrix, name=name, files=files)
        self._subwords = matrix
        self._oov = oov
        self._composed: set[str] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """Duplicates, and words whose vector was made of n-grams."""
        if not self._composed:
            return super().notes
        listed = sorted(self._composed)
        more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        note = (
            f"{self.name}: outside the vocabulary, with a vector from character n-grams (in some "
            f"spelling): {', '.join(listed[:_LISTED])}{more}."
        )
        return (*super().notes, note)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one, or can be given one."""
        found = dict(super().lookup(keys))
        if self._oov == "none":
            return found
        known = {key.casefold() for key in found}
        # what holds a space is a phrase or a sentence: no n-gram with a space was ever trained
        for key in (key for key in keys if not any(map(str.isspace, key))):
            if key.casefold() in known or (vector := self._subwords.composed(key)) is None:
                continue
            check_finite(vector, f"{self.name}, the n-grams of {key!r}")
            found[key] = vector
            self._composed.add(key.casefold())
        return found
