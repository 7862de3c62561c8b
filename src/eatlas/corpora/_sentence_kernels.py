"""Compiled: the sentence around a place in UTF-8. Import only where texts are searched."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.corpora._kernels import is_space, point
from eatlas.corpora.characters import FNV_PRIME, FNV_START, LOWER

_START, _PRIME = np.uint64(FNV_START), np.uint64(FNV_PRIME)
_NEWLINE, _DOT = 10, 46
_MARKS = (0x21, 0x3F, 0x2026, 0x203D, 0x3002, 0xFF01, 0xFF1F)  # ! ? … ‽ 。 ！ ？
_CLOSING = (0x22, 0x27, 0x29, 0x5D, 0x7D, 0x2019, 0x201D, 0xBB, 0x2A)  # " ' ) ] } ’ ” » *
_OPENING = (0x22, 0x27, 0x28, 0x5B, 0x7B, 0x2018, 0x201C, 0xAB, 0x2A)  # " ' ( [ { ‘ “ « *
_LONGEST = 12
"""Bytes of the longest abbreviation that is looked for."""


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _before(data: NDArray[np.uint8], i: int) -> Any:
    """Return where the character before `i` begins."""
    i -= 1
    while i > 0 and (data[i] & 0xC0) == 0x80:
        i -= 1
    return i


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _goes_on(data: NDArray[np.uint8], i: int, table: NDArray[np.uint8]) -> Any:
    """Whether what begins at `i` begins no sentence: lower case, or dots alone."""
    size = len(data)
    while i < size:
        code, width = point(data, i, size)
        if code not in _OPENING:
            return code == _DOT or table[code] & LOWER != 0
        i += width
    return False


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _abbreviated(
    data: NDArray[np.uint8], dot: int, separator: int, known: NDArray[np.uint64]
) -> Any:
    """Whether the word before a full stop is an abbreviation or an initial."""
    first = dot
    while first > 0 and dot - first <= _LONGEST and data[first - 1] != separator:
        byte = data[first - 1]
        if not (byte == _DOT or 65 <= byte <= 90 or 97 <= byte <= 122):
            break
        first -= 1
    size = dot - first
    if size == 0 or size > _LONGEST:
        return False
    last = data[dot - 1]
    if (size == 1 or data[dot - 2] == _DOT) and 65 <= last <= 90:
        return size == 1 and last != 73  # an initial, but not the word I; U.S. may end a sentence
    key = _START
    for i in range(first, dot):
        byte = data[i] | 32 if 65 <= data[i] <= 90 else data[i]
        key = (key ^ np.uint64(byte)) * _PRIME
    place = np.searchsorted(known, key)
    return place < len(known) and known[place] == key


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def begins(
    data: NDArray[np.uint8],
    i: int,
    separator: int,
    table: NDArray[np.uint8],
    known: NDArray[np.uint64],
) -> Any:
    """Whether a sentence begins at `i`, which follows white space."""
    at, newlines = i, 0
    while at > 0 and data[at - 1] != separator and is_space(data[at - 1]):
        at -= 1
        newlines += data[at] == _NEWLINE
    if newlines > 1 or at == 0 or data[at - 1] == separator:
        return True
    last = _before(data, at)
    code, _ = point(data, last, len(data))
    while code in _CLOSING and last > 0 and data[last - 1] != separator:
        last = _before(data, last)
        code, _ = point(data, last, len(data))
    if code != _DOT and code not in _MARKS:
        return False
    if _goes_on(data, i, table):
        return False
    if code != _DOT:
        return True
    return not _abbreviated(data, last, separator, known)


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def sentence_starts(
    data: NDArray[np.uint8], table: NDArray[np.uint8], known: NDArray[np.uint64]
) -> NDArray[np.uint8]:
    """Mark every byte with which a sentence begins, behind white space."""
    marked = np.zeros(len(data), np.uint8)
    for i in range(1, len(data)):
        if is_space(data[i - 1]) and not is_space(data[i]):
            marked[i] = begins(data, i, -1, table, known)
    return marked


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _from(
    data: NDArray[np.uint8],
    start: int,
    separator: int,
    most: int,
    table: NDArray[np.uint8],
    known: NDArray[np.uint64],
) -> Any:
    """Return where the sentence around `start` begins; the nearest word if it is too far away."""
    least, word, i = max(0, start - most), start, start
    while True:
        if i == 0 or data[i - 1] == separator:
            while i < start and is_space(data[i]):
                i += 1
            return i
        if is_space(data[i - 1]) and not is_space(data[i]):
            word = i
            if begins(data, i, separator, table, known):
                return i
        if i == least:
            return word
        i -= 1


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _to(
    data: NDArray[np.uint8],
    end: int,
    separator: int,
    most: int,
    table: NDArray[np.uint8],
    known: NDArray[np.uint64],
) -> Any:
    """Return where the sentence around `end` ends; the last word that is near enough."""
    size = len(data)
    last, stop, i = min(size, end + most), end, end
    while i < size and data[i] != separator:
        if i == last:
            return stop
        space = is_space(data[i])
        if space and not is_space(data[i - 1]):
            stop = i
        elif not space and is_space(data[i - 1]) and begins(data, i, separator, table, known):
            return stop
        i += 1
    return stop if is_space(data[i - 1]) else i


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def sentence_windows(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    separator: int,
    most: int,
    tables: tuple[NDArray[np.uint8], NDArray[np.uint64]],
    bounds: NDArray[np.int64],
) -> None:
    """Write the sentence of each match, within its text, to the two rows of `bounds`."""
    table, known = tables
    for k in range(len(starts)):
        bounds[0, k] = _from(data, starts[k], separator, most, table, known)
        bounds[1, k] = _to(data, ends[k], separator, most, table, known)
