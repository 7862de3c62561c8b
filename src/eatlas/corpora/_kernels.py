"""Compiled loops over UTF-8: whole-word matches, the words around them, pairs, keyed hashes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import FNV_PRIME, FNV_START, WORD

_START, _PRIME = np.uint64(FNV_START), np.uint64(FNV_PRIME)
_SLOT_BITS = 14  # the table stays in the fastest cache; with more or fewer slots it is slower
SLOTS = 1 << _SLOT_BITS
_SPREAD = np.uint32(2654435761)  # 2^32 over the golden ratio, as Knuth advises
_SPACE = 32
_ASCII = 128
_SOFT_HYPHEN = (0xC2, 0xAD)


class Tables(NamedTuple):
    """What a loop through texts looks up."""

    next: NDArray[np.int32]
    """The state after a byte, shape (states, 256)."""
    final: NDArray[np.int32]
    """What ends in a state, or -1."""
    characters: NDArray[np.uint8]
    """Bits of each code point."""
    beginnings: NDArray[np.uint8]
    """Whether a spelling may begin with the three bytes of a slot."""


@nb.njit(cache=True, nogil=True, inline="always")  # type: ignore[misc, unused-ignore]
def is_space(byte: Any) -> Any:
    """Whether a byte is white space of ASCII."""
    return byte == 32 or 9 <= byte <= 13


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def point(data: NDArray[np.uint8], i: int, end: int) -> tuple[Any, Any]:
    """Return the code point that begins at `i`, and its length; the bytes are valid UTF-8."""
    byte = np.int64(data[i])
    size = 1 if byte < 128 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    if size == 1:
        return byte, 1
    if i + size > end:
        return np.int64(0), end - i
    point = byte & (0x7F >> size)
    for k in range(1, size):
        point = (point << 6) | (np.int64(data[i + k]) & 0x3F)
    return point, size


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _is_soft_hyphen(data: NDArray[np.uint8], i: int, end: int) -> Any:
    """Whether a soft hyphen begins at `i`."""
    return i + 1 < end and data[i] == _SOFT_HYPHEN[0] and data[i + 1] == _SOFT_HYPHEN[1]


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _behind_soft_hyphens(data: NDArray[np.uint8], i: int, end: int) -> int:
    """Return where the soft hyphens at `i` end, or `i`."""
    while _is_soft_hyphen(data, i, end):
        i += 2
    return i


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _in_word(data: NDArray[np.uint8], i: int, end: int, table: NDArray[np.uint8]) -> Any:
    """Whether a character of a word begins at `i`, or behind soft hyphens there."""
    if i < end and data[i] >= _ASCII:
        i = _behind_soft_hyphens(data, i, end)
    if i >= end:
        return False
    if data[i] < _ASCII:
        return table[data[i]] & WORD != 0
    return table[point(data, i, end)[0]] & WORD != 0


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _ends_in_word(data: NDArray[np.uint8], i: int, table: NDArray[np.uint8]) -> Any:
    """Whether the character before `i`, soft hyphens passed over, is one of a word."""
    end = len(data)
    while i > 0:
        i -= 1
        while i > 0 and (data[i] & 0xC0) == 0x80:
            i -= 1
        if not _is_soft_hyphen(data, i, end):
            return table[point(data, i, end)[0]] & WORD != 0
    return False


@nb.njit(cache=True, nogil=True, inline="always")  # type: ignore[misc, unused-ignore]
def slot(first: Any, second: Any, third: Any) -> Any:
    """Return the place of three bytes in a table of SLOTS places."""
    three = (np.uint32(first) << 16) | (np.uint32(second) << 8) | np.uint32(third)
    return np.uint32(three * _SPREAD) >> (32 - _SLOT_BITS)


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def beginnings(
    following: NDArray[np.int32], final: NDArray[np.int32], table: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Mark the slots of the three bytes with which a spelling and what follows it may begin.

    A soft hyphen may be behind every character.
    """
    marked = np.zeros(SLOTS, np.uint8)
    for a in range(256):
        one = following[0, a]
        if one < 0:
            continue
        marked[slot(a, _SOFT_HYPHEN[0], _SOFT_HYPHEN[1])] = 1
        for b in range(256):
            two = following[one, b]
            over = final[one] >= 0 and (b >= _ASCII or table[b] & WORD == 0)
            if two < 0 and not over:
                continue
            for c in range(256):
                ends = over or (two >= 0 and (final[two] >= 0 or c == _SOFT_HYPHEN[0]))
                if ends or (two >= 0 and following[two, c] >= 0):
                    marked[slot(a, b, c)] = 1
    return marked


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _past_soft_hyphen(data: NDArray[np.uint8], i: int, state: int, before: int) -> tuple[Any, Any]:
    """Return where to go on behind a soft hyphen, and in which state; -1 if there is none.

    One that begins at `i` leaves the state as it is; of one that `i` is the second byte of, the
    first could have begun something else.
    """
    if state != 0 and _is_soft_hyphen(data, i, len(data)):
        return i + 2, state
    if before != 0 and _is_soft_hyphen(data, i - 1, len(data)):
        return i + 1, before
    return -1, state


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _walk(
    data: NDArray[np.uint8], i: int, end: int, separator: int, tables: Tables
) -> tuple[Any, Any]:
    """Return where the longest spelling from `i` on ends, and which it is; -1 if there is none."""
    following, final, table = tables.next, tables.final, tables.characters
    before, state, at, ending = 0, 0, -1, -1
    while i < end and data[i] != separator:
        after = following[state, data[i]]
        if after < 0:
            if data[i] < _ASCII:
                break
            i, state = _past_soft_hyphen(data, i, state, before)
            if i < 0:
                break
            continue
        before, state = state, after
        i += 1
        if final[state] >= 0 and not _in_word(data, i, end, table):
            at, ending = i, final[state]
    return at, ending


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def find(
    data: NDArray[np.uint8],
    begin: int,
    separator: int,
    tables: Tables,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    endings: NDArray[np.int32],
) -> tuple[Any, Any]:
    """Find spellings as whole words: from the left, the longest first, none within another.

    Three bytes and the one before tell nearly everywhere that no spelling begins; the loop that
    looks at them has no branch that is hard to foresee.
    """
    size, table, marked = len(data), tables.characters, tables.beginnings
    outside = np.empty(256, np.uint8)  # bytes that may precede a word
    for byte in range(256):
        outside[byte] = byte >= _ASCII or table[byte] & WORD == 0
    i, count = begin, 0
    while i < size and count < len(starts):
        while 0 < i < size - 2 and not (
            outside[data[i - 1]] & marked[slot(data[i], data[i + 1], data[i + 2])]
        ):
            i += 1
        before = data[i - 1] if i > 0 else separator
        if not outside[before] or (before >= _ASCII and _ends_in_word(data, i, table)):
            i += 1
            continue
        at, ending = _walk(data, i, size, separator, tables)
        if at < 0:
            i += 1
            continue
        starts[count], ends[count], endings[count] = i, at, ending
        count += 1
        i = at
    return count, i


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _words_before(data: NDArray[np.uint8], start: int, separator: int, n: int, most: int) -> int:
    """Return where the `n` words before the word that holds `start` begin."""
    least = max(0, start - most)
    i = start
    while i > least and data[i - 1] != separator and not is_space(data[i - 1]):
        i -= 1
    if i == least and i > 0 and data[i - 1] != separator and not is_space(data[i - 1]):
        return start
    begin = i
    for _ in range(n):
        while i > least and data[i - 1] != separator and is_space(data[i - 1]):
            i -= 1
        word = i
        while i > least and data[i - 1] != separator and not is_space(data[i - 1]):
            i -= 1
        if i == word:
            break
        if i == least and i > 0 and data[i - 1] != separator and not is_space(data[i - 1]):
            break
        begin = i
    return begin


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _words_behind(data: NDArray[np.uint8], end: int, separator: int, n: int, most: int) -> int:
    """Return where the `n` words behind the word that `end` closes end."""
    size = len(data)
    last = min(size, end + most)
    i = end
    while i < last and data[i] != separator and not is_space(data[i]):
        i += 1
    if i == last and i < size and data[i] != separator and not is_space(data[i]):
        return end
    stop = i
    for _ in range(n):
        while i < last and data[i] != separator and is_space(data[i]):
            i += 1
        word = i
        while i < last and data[i] != separator and not is_space(data[i]):
            i += 1
        if i == word:
            break
        if i == last and i < size and data[i] != separator and not is_space(data[i]):
            break
        stop = i
    return stop


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def word_windows(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    separator: int,
    n: int,
    most: int,
    bounds: NDArray[np.int64],
) -> None:
    """Write where `n` words on either side of each match begin and end to the rows of `bounds`.

    They are within its text, and at most `most` bytes away.
    """
    for k in range(len(starts)):
        bounds[0, k] = _words_before(data, starts[k], separator, n, most)
        bounds[1, k] = _words_behind(data, ends[k], separator, n, most)


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def keys(
    data: NDArray[np.uint8],
    begins: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    found: NDArray[np.uint64],
    offsets: NDArray[np.int64],
) -> None:
    """Hash each context with its seed, any white space as one space; where its match begins.

    FNV-1a, then the finaliser of MurmurHash3, so that all bits of the key depend on all bytes.
    """
    for k in range(len(begins)):
        key = _START ^ seeds[k]
        size, spaced = 0, False
        for i in range(begins[k], stops[k]):
            if i == starts[k]:
                offsets[k] = size
            byte = data[i]
            space = is_space(byte)
            if space and spaced:
                continue
            spaced = space
            key = (key ^ np.uint64(_SPACE if space else byte)) * _PRIME
            size += 1
        key ^= key >> np.uint64(33)
        key *= np.uint64(0xFF51AFD7ED558CCD)
        key ^= key >> np.uint64(33)
        key *= np.uint64(0xC4CEB9FE1A85EC53)
        found[k] = key ^ (key >> np.uint64(33))


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def part_paragraphs(data: NDArray[np.uint8]) -> None:
    """Turn the newline before every blank line into a zero, in place."""
    size = len(data)
    for i in range(size):
        if data[i] == 10:
            j = i + 1
            while j < size and data[j] != 10 and is_space(data[j]):
                j += 1
            if j < size and data[j] == 10:
                data[i] = 0


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def count_lines(data: NDArray[np.uint8]) -> tuple[Any, Any]:
    """Count newlines, and lines that are not empty."""
    size = len(data)
    if size == 0:
        return 0, 0
    newlines, filled = np.int64(data[0] == 10), np.int64(data[size - 1] != 10)
    for i in range(1, size):
        ends = data[i] == 10
        newlines += ends
        filled += ends & (data[i - 1] != 10)
    return newlines, filled


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def near(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    stimuli: NDArray[np.int64],
    separator: int,
    distance: int,
    numbers: NDArray[np.int32],
) -> Any:
    """Find two matches of one text with at most `distance` words between them."""
    found = np.empty((1024, 3), np.int64)
    count = 0
    for k in range(len(starts)):
        at, gaps = ends[k], 0
        for j in range(k + 1, len(starts)):
            while at < starts[j] and gaps <= distance + 1 and data[at] != separator:
                gaps += is_space(data[at]) and not is_space(data[at + 1])
                at += 1
            if at < starts[j] or gaps > distance + 1:
                break
            for target, attribute in ((k, j), (j, k)):
                number = numbers[stimuli[target], stimuli[attribute]]
                if number >= 0:
                    if count == len(found):
                        found = np.concatenate((found, np.empty_like(found)))
                    found[count, 0], found[count, 1], found[count, 2] = target, attribute, number
                    count += 1
    return found[:count]
