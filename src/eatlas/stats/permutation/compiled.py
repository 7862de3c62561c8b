"""Compiled loops of the meet-in-the-middle count. Import only where a problem is large."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

NEVER = np.iinfo(np.int64).max


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _first_at_least(x: NDArray[np.int64], start: int, end: int, value: int) -> int:
    """Where ascending x[start:end] reaches `value`."""
    while start < end:
        middle = (start + end) >> 1
        if x[middle] < value:
            start = middle + 1
        else:
            end = middle
    return start


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def merge(
    x: NDArray[np.int64], i: int, i_end: int, j: int, j_end: int, item: int, out: NDArray[np.int64]
) -> None:
    """Merge ascending x[i:i_end] and x[j:j_end] + item into `out`; no branch on the data."""
    o = 0
    while i < i_end and j < j_end:
        a = x[i]
        b = x[j] + item
        left = a <= b
        out[o] = min(a, b)
        i += left
        j += not left
        o += 1
    while i < i_end:
        out[o] = x[i]
        i += 1
        o += 1
    while j < j_end:
        out[o] = x[j] + item
        j += 1
        o += 1


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def build(
    items: NDArray[np.int64],
    need: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Sorted sums of k of the items, for each k, each at least ``need[j, k]`` after j items.

    The two buffers take turns. List k ends up in ``buffer[starts[k]:ends[k]]``; returns 0 for
    `source`, 1 for `target`, -1 when a buffer is too small.
    """
    n = need.shape[1] - 1
    new_starts, new_ends = np.zeros_like(starts), np.zeros_like(ends)
    starts[:] = 0
    ends[:] = 0
    source[0] = 0
    ends[0] = 1
    turn = 0
    for j in range(1, items.size + 1):
        item = items[j - 1]
        used = 0
        for k in range(min(j, n) + 1):
            new_starts[k] = used
            least = need[j, k]
            if least != NEVER:
                i = _first_at_least(source, starts[k], ends[k], least)
                i_end = ends[k]
                m = 0
                m_end = 0
                if k > 0:
                    m = _first_at_least(source, starts[k - 1], ends[k - 1], least - item)
                    m_end = ends[k - 1]
                size = (i_end - i) + (m_end - m)
                if used + size > target.size:
                    return -1
                merge(source, i, i_end, m, m_end, item, target[used : used + size])
                used += size
            new_ends[k] = used
        starts[:] = new_starts
        ends[:] = new_ends
        source, target = target, source
        turn ^= 1
    return turn


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def pairs(
    a: NDArray[np.int64], b: NDArray[np.int64], thresholds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The number of pairs with a[i] + b[j] >= t, for each t; both ascending."""
    counts = np.zeros(thresholds.size, np.int64)
    for i in range(thresholds.size):
        j = b.size
        for x in a:
            need = thresholds[i] - x
            while j > 0 and b[j - 1] >= need:
                j -= 1
            counts[i] += b.size - j
    return counts
