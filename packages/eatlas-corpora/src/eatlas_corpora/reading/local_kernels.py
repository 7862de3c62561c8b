"""Compiled loops: words of a text as rows of a table of vectors, and sums of contexts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas_corpora.reading.kernels import WORD, Bytes, Hashes, Ints, compiled, point

Table = tuple[NDArray[np.uint64], NDArray[np.int32]]
"""Hashes of spellings, and the row of each: open addressing, of a size that is a power of 2."""
_START, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # of FNV
_ASCII = 128
NO_WORD, STOP_WORD = -1, -2


def hashes_of(data: Bytes, ends: Ints) -> Hashes:
    """Hash of each of several spellings, one behind the other, `ends` saying where."""
    hashes = np.empty(len(ends), np.uint64)
    _write_hashes(data, ends, hashes)
    return hashes


@compiled  # type: ignore[misc, unused-ignore]
def _write_hashes(data: Bytes, ends: Ints, hashes: Hashes) -> None:
    start = 0
    for k in range(len(ends)):
        value = _START
        for i in range(start, ends[k]):
            value = (value ^ np.uint64(data[i])) * _PRIME
        hashes[k] = value
        start = ends[k]


def hashes_of_documents(data: Bytes, separator: int) -> Any:
    """Hash of each of some documents, and of an empty one behind the last separator."""
    padded = np.insert(data, 0, separator)  # so that each document begins with one
    return hashes_of(padded, np.append(np.flatnonzero(data == separator) + 1, len(padded)))


@compiled  # type: ignore[misc, unused-ignore]
def table_of(hashes: NDArray[np.uint64], rows: NDArray[np.int32], size: int) -> Any:
    """A table of spellings; the first of equal ones counts."""
    keys, values = np.zeros(size, np.uint64), np.full(size, NO_WORD, np.int32)
    mask = np.uint64(size - 1)
    for k in range(len(hashes)):
        place = hashes[k] & mask
        while values[place] != NO_WORD and keys[place] != hashes[k]:
            place = (place + np.uint64(1)) & mask
        if values[place] == NO_WORD:
            keys[place], values[place] = hashes[k], rows[k]
    return keys, values


@compiled  # type: ignore[misc, unused-ignore]
def words(data: Bytes, separator: int, characters: Bytes, table: Table) -> tuple[Any, Any, Any]:
    """Where each word of a text begins, its row in the table or below 0, and its document."""
    keys, values = table
    mask = np.uint64(len(keys) - 1)
    capacity = len(data) // 2 + 2
    starts = np.empty(capacity, np.int64)
    rows, documents = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    size, i, count, document = len(data), 0, 0, 0
    while i < size:
        byte = data[i]
        if byte == separator:
            document += 1
            i += 1
            continue
        start, value = i, _START
        while i < size and data[i] != separator:
            if data[i] < _ASCII:
                if characters[data[i]] & WORD == 0:
                    break
                value = (value ^ np.uint64(data[i])) * _PRIME
                i += 1
                continue
            character, length = point(data, i, size)
            if characters[character] & WORD == 0:
                break
            for _ in range(length):
                value = (value ^ np.uint64(data[i])) * _PRIME
                i += 1
        if i > start:
            place = value & mask
            while values[place] != NO_WORD and keys[place] != value:
                place = (place + np.uint64(1)) & mask
            starts[count], rows[count], documents[count] = start, values[place], document
            count += 1
        else:
            i += 1 if byte < _ASCII else point(data, i, size)[1]
    return starts[:count].copy(), rows[:count].copy(), documents[:count].copy()


@compiled  # type: ignore[misc, unused-ignore]
def _mean(
    rows: NDArray[np.int32],
    documents: NDArray[np.int32],
    first: int,
    last: int,
    vectors: NDArray[np.float32],
    window: int,
    mean: NDArray[np.float32],
) -> Any:
    """Mean vector of the words next to the words first to last; how many have a vector."""
    mean[:] = 0
    count = 0
    document = documents[first]
    for k in range(max(0, first - window), min(len(rows), last + 1 + window)):
        if (first <= k <= last) or rows[k] < 0 or documents[k] != document:
            continue
        vector = vectors[rows[k]]
        for j in range(len(mean)):
            mean[j] += vector[j]
        count += 1
    if count:
        for j in range(len(mean)):
            mean[j] /= count
    return count


@compiled  # type: ignore[misc, unused-ignore]
def add_contexts(  # noqa: PLR0913, PLR0917
    rows: NDArray[np.int32],
    documents: NDArray[np.int32],
    firsts: Ints,
    lasts: Ints,
    into: Ints,
    vectors: NDArray[np.float32],
    window: int,
    sums: NDArray[np.float64],
    counts: Ints,
) -> None:
    """Add the mean vector of the context of each occurrence to the sum that it belongs to.

    An occurrence is words first to last. It counts only if a neighbouring word has a vector.
    """
    mean = np.empty(vectors.shape[1], np.float32)
    for k in range(len(firsts)):
        if _mean(rows, documents, firsts[k], lasts[k], vectors, window, mean):
            counts[into[k]] += 1
            for j in range(len(mean)):
                sums[into[k], j] += mean[j]


@compiled  # type: ignore[misc, unused-ignore]
def add_words(
    rows: NDArray[np.int32],
    documents: NDArray[np.int32],
    most: int,
    vectors: NDArray[np.float32],
    window: int,
    sums: NDArray[np.float32],
    counts: Ints,
) -> None:
    """The same for the first words of the table, which have a sum each, up to `most` contexts."""
    mean = np.empty(vectors.shape[1], np.float32)
    for k in range(len(rows)):
        row = rows[k]
        if row < 0 or row >= len(sums) or counts[row] >= most:
            continue
        if _mean(rows, documents, k, k, vectors, window, mean):
            counts[row] += 1
            for j in range(len(mean)):
                sums[row, j] += mean[j]


@compiled  # type: ignore[misc, unused-ignore]
def add_rows(sums: NDArray[np.float64], into: Ints, rows: NDArray[np.float32]) -> None:
    """Add rows to the rows of another table that they belong to."""
    for k in range(len(into)):
        for j in range(rows.shape[1]):
            sums[into[k], j] += rows[k, j]
