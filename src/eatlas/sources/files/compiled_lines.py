"""Compiled loops over lines ``word number number ...``. Import only where a file is large."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.sources.files.hashing import FNV_PRIME, FNV_START

BLANK, FINE, WIDE, ODD = 0, 1, 2, 3  # WIDE: fine, but the word has bytes beyond ASCII

_TENS = 10.0 ** np.arange(23)  # exact in float64
_EXACT = 1 << 53
_BLOCK = 128  # fits a count in uint8, and makes the loop one of whole vector registers
# float64 has 29 bits more than float32. A result off by a few units in its last place rounds to
# the same float32 unless those bits lie that close to one half; measured errors are below 3.
_HALF, _SPARE, _NEAR = 1 << 28, (1 << 29) - 1, 8
_SMALLEST, _LARGEST = 1.2e-38, 3.4e38  # normal numbers of float32


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _look(
    buffer: NDArray[np.uint8], start: int, end: int, separator: np.uint8
) -> tuple[Any, np.uint8]:
    """Count separators; 0 or 1 whether a byte is no part of numbers (``0-9 + , - . / e E``)."""
    odd = np.uint8(0)
    count = np.int64(0)
    i = start
    while i + _BLOCK <= end:
        block = buffer[i : i + _BLOCK]
        some, bad = np.uint8(0), np.uint8(0)
        for j in range(_BLOCK):
            c = block[j]
            is_separator = c == separator
            some = np.uint8(some + np.uint8(is_separator))
            beyond = np.uint8(c - np.uint8(43)) > np.uint8(14)
            letter = np.uint8(c | np.uint8(32)) != np.uint8(101)
            slash = c == np.uint8(47)
            comma = c == np.uint8(44)
            bad = np.uint8(bad | (((beyond & letter) | slash | comma) & (not is_separator)))
        count += some
        odd |= bad
        i += _BLOCK
    while i < end:
        c = buffer[i]
        is_separator = c == separator
        count += is_separator
        number = (43 <= c <= 57 and c not in (44, 47)) or c in (69, 101)
        odd |= np.uint8(not (number or is_separator))
        i += 1
    return count, odd


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def mark(
    buffer: NDArray[np.uint8],
    newlines: NDArray[np.int64],
    separator: np.uint8,
    dim: int,
    word_ends: NDArray[np.int64],
    line_ends: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    kinds: NDArray[np.uint8],
) -> None:
    """Find word and numbers of each line, hash the word (FNV-1a), and check the line's shape."""
    start = 0
    for k in range(len(newlines)):
        end = newlines[k]
        while end > start and buffer[end - 1] in (9, 13, 32):
            end -= 1
        line_ends[k] = end
        h = np.uint64(FNV_START)
        high = np.uint8(0)
        i = start
        while i < end and buffer[i] != separator:
            h = (h ^ np.uint64(buffer[i])) * np.uint64(FNV_PRIME)
            high |= buffer[i]
            i += 1
        word_ends[k] = i
        hashes[k] = h
        count, odd = _look(buffer, i, end, separator)
        if end == start:
            kinds[k] = BLANK
        elif count != dim or odd or buffer[start] == 34:  # a quotation mark
            kinds[k] = ODD
        else:
            kinds[k] = WIDE if high > 127 else FINE
        start = newlines[k] + 1


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def parse(
    buffer: NDArray[np.uint8],
    word_ends: NDArray[np.int64],
    line_ends: NDArray[np.int64],
    separator: np.uint8,
    out: NDArray[np.float32],
    done: NDArray[np.bool_],
) -> None:
    """Read the numbers of those lines for which ``done`` is True.

    It becomes False for a line that a slower way must read.

    Gives what rounding to float64 and then to float32 gives, bit for bit. A number of at most 15
    digits and a small exponent is one exact integer over one exact power of ten, so the quotient is
    rounded correctly (Clinger 1990); for longer ones see ``_NEAR``.
    """
    for k in range(len(word_ends)):
        if not done[k]:
            continue
        i, end = word_ends[k] + 1, line_ends[k]
        for column in range(out.shape[1]):
            i, value, good = _number(buffer, i, end, separator)
            if not good:
                done[k] = False
                break
            out[k, column] = value
        if i != end + 1:
            done[k] = False


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _number(
    buffer: NDArray[np.uint8], i: int, end: int, separator: np.uint8
) -> tuple[int, np.float32, bool]:
    """One number from `i` on; where the next begins, its value, and whether that can be trusted."""
    nothing = np.float32(0.0)
    negative = i < end and buffer[i] == 45
    if i < end and buffer[i] in (43, 45):
        i += 1
    mantissa, digits, seen, point, exponent = np.uint64(0), 0, 0, False, 0
    while i < end:
        c = buffer[i]
        if 48 <= c <= 57:
            mantissa = mantissa * np.uint64(10) + np.uint64(c - 48)
            seen += 1
            digits += mantissa != 0
            exponent -= point
        elif c == 46 and not point:
            point = True
        else:
            break
        i += 1
    if seen == 0 or digits > 18:
        return i, nothing, False
    if i < end and buffer[i] in (69, 101):
        i, power, good = _power(buffer, i + 1, end)
        if not good:
            return i, nothing, False
        exponent += power
    if i < end and buffer[i] != separator:
        return i, nothing, False
    value, good = _scaled(mantissa, exponent)
    return i + 1, np.float32(-value if negative else value), good


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _power(buffer: NDArray[np.uint8], i: int, end: int) -> tuple[int, int, bool]:
    """The power of ten after ``e``."""
    negative = i < end and buffer[i] == 45
    if i < end and buffer[i] in (43, 45):
        i += 1
    power, seen = 0, 0
    while i < end and 48 <= buffer[i] <= 57:
        power = power * 10 + (buffer[i] - 48)
        seen += 1
        i += 1
    return i, -power if negative else power, 0 < seen < 5


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _scaled(mantissa: np.uint64, exponent: int) -> tuple[float, Any]:
    """``mantissa * 10**exponent``, and whether its float32 is sure."""
    if mantissa == 0:
        return 0.0, True
    if exponent < -44 or exponent > 22:
        return 0.0, False
    value = float(mantissa)
    exact = mantissa <= _EXACT and exponent >= -22
    if exponent > 0:
        value *= _TENS[exponent]
    elif exponent >= -22:
        value /= _TENS[-exponent]
    else:
        value = value / _TENS[22] / _TENS[-22 - exponent]
    if exact and value <= _LARGEST:
        return value, True
    spare = np.float64(value).view(np.int64) & _SPARE
    return value, abs(spare - _HALF) > _NEAR and _SMALLEST < value < _LARGEST
