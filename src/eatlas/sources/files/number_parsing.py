"""Numbers of a text file in compiled code, for whole matrices. Import only where a file is large.

Libraries take five to ten times as long for the same numbers: pyarrow 13 s/GB, pandas 11, numpy 23.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

_TENS = 10.0 ** np.arange(23)  # exact in float64
_EXACT = 1 << 53
# float64 has 29 bits more than float32. A result off by a few units in its last place rounds to
# the same float32 unless those bits lie that close to one half; measured errors are below 3.
_HALF, _SPARE, _NEAR = 1 << 28, (1 << 29) - 1, 8
_SMALLEST, _LARGEST = 1.2e-38, 3.4e38  # normal numbers of float32
_QUOTE, _RETURN, _SPACE, _TAB = 34, 13, 32, 9


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def parse(
    buffer: NDArray[np.uint8],
    newlines: NDArray[np.int64],
    separator: np.uint8,
    table: bool,  # noqa: FBT001  (a compiled function takes no keywords)
    word_ends: NDArray[np.int64],
    out: NDArray[np.float32],
    done: NDArray[np.bool_],
) -> None:
    """Find the word of each line and read its numbers; `done` is False for a line of another form.

    Gives what rounding to float64 and then to float32 gives, bit for bit. A number of at most 15
    digits and a small exponent is one exact integer over one exact power of ten, so the quotient is
    rounded correctly (Clinger 1990); for longer ones see ``_NEAR``.
    """
    start = 0
    for k in range(len(newlines)):
        end = newlines[k]
        while end > start and (
            buffer[end - 1] == _RETURN or (not table and buffer[end - 1] in (_SPACE, _TAB))
        ):
            end -= 1
        i = start
        while i < end and buffer[i] != separator:
            i += 1
        word_ends[k] = i
        i += 1
        good = not (table and buffer[start] == _QUOTE)
        for column in range(out.shape[1]):
            if not good:
                break
            i, out[k, column], good = _number(buffer, i, end, separator)
        done[k] = good and i == end + 1
        start = newlines[k] + 1


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
