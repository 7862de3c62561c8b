"""Compiled loops over records ``word, space, numbers``. Import only where a file is large."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.sources.files.hashing import FNV_PRIME, FNV_START

_NEWLINE, _SPACE = 10, 32


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def walk(
    buffer: NDArray[np.uint8],
    size: int,
    longest: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    wide: NDArray[np.bool_],
) -> int:
    """Find the words of whole records from the buffer's beginning; how many there are.

    `size` is that of a vector in bytes, `longest` that of a word with the line breaks before it.
    """
    at = 0
    for k in range(len(starts)):
        stop = min(len(buffer), at + longest)
        i = at
        while i < stop and buffer[i] == _NEWLINE:
            i += 1
        starts[k] = i
        h = np.uint64(FNV_START)
        high = np.uint8(0)
        while i < stop and buffer[i] != _SPACE:
            h = (h ^ np.uint64(buffer[i])) * np.uint64(FNV_PRIME)
            high |= buffer[i]
            i += 1
        if i == stop or i + 1 + size > len(buffer):
            return k
        ends[k] = i
        hashes[k] = h
        wide[k] = high > 127
        at = i + 1 + size
    return len(starts)
