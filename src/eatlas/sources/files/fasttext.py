"""fastText's ``.bin``: options, dictionary, one matrix of words and n-grams, mapped."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.files.dialects import MAX_DIM, decode
from eatlas.sources.files.matrix import ArrayMatrix, MatrixSource, check_matrix
from eatlas.sources.files.reading import Stamp, open_binary, unreadable
from eatlas.sources.files.subwords import Ngrams, SubwordSource, subword_matrix

MAGIC = struct.pack("<i", 793712314)
_OPTIONS = struct.Struct("<14id")  # magic, version, twelve options, one more
_SIZES = struct.Struct("<3i2q")  # entries, words, labels; tokens, pruned n-grams
_SHAPE = struct.Struct("<2q")
_ENTRY_TAIL = 9  # count (int64) and kind (int8) after the word's zero byte
_MAX_WORD = 1 << 16
_AGAIN = "get it again, or write it anew with words in UTF-8"


@dataclass(frozen=True)
class FastTextHead:
    """What stands before the matrix: options, and where words and numbers begin."""

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


def open_fasttext(path: Path, name: str, *, oov: str) -> MatrixSource:
    """Open a model of fastText.

    Raises
    ------
    SourceError
        If it is damaged, ends early, or is quantised.
    """
    head = read_head(path)
    rows, dim = head.matrix_shape
    have = Stamp.of(path).size - head.matrix_start
    if have < 4 * rows * dim:
        raise _ends_early(path, f"{have:,} bytes of numbers, {4 * rows * dim:,} announced")
    try:
        array = np.memmap(path, "<f4", "r", head.matrix_start, (rows, dim))
    except OSError as error:  # a process that may not have so much address space
        raise unreadable(path, error) from error
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
    """Read what stands before the matrix.

    Raises
    ------
    SourceError
        If it is no model of fastText's present form.
    """
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
            f"{path}: this is no model of fastText that can be read",
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
    return SourceError(
        f"{path}: the model ends early, or is damaged",
        got=got,
        remedy="get it again; the copy is probably incomplete",
    )


def _quantised(path: Path) -> SourceError:
    return SourceError(
        f"{path}: this model is quantised",
        allowed="models with whole vectors (.bin, not .ftz)",
        remedy="use the model from which it was made",
    )
