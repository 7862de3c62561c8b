"""Compiled loops that count subsets of many rows. Import only where a batch is large."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def merge(x: Integers, i: int, i_end: int, j: int, j_end: int, item: int, out: Integers) -> None:
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
def _sums(items: Integers, limits: Integers, source: Integers, target: Integers) -> Integers:
    """Ascending sums of k of the items in [limits[j, k]:limits[j, k + 1]], with j all items.

    The two buffers take turns, one item at a time; returns the one written last.
    """
    source[0] = 0
    for j in range(1, items.size + 1):
        item = items[j - 1]
        target[0] = 0
        for k in range(1, j):
            merge(
                source,
                limits[j - 1, k],
                limits[j - 1, k + 1],
                limits[j - 1, k - 1],
                limits[j - 1, k],
                item,
                target[limits[j, k] : limits[j, k + 1]],
            )
        target[limits[j, j]] = source[limits[j - 1, j - 1]] + item
        source, target = target, source
    return source


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def _pairs(a: Integers, b: Integers, first: int, second: int) -> tuple[int, int]:
    """The number of pairs with a[i] + b[j] >= first, and >= second; both ascending.

    The thresholds mostly differ by the tie tolerance: side by side, the second loop takes the
    turns of the first and is foreseen by the processor.
    """
    first_count, second_count = 0, 0
    i, j = b.size, b.size
    for x in a:
        while i > 0 and b[i - 1] >= first - x:
            i -= 1
        while j > 0 and b[j - 1] >= second - x:
            j -= 1
        first_count += b.size - i
        second_count += b.size - j
    return first_count, second_count


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def count_rows(
    rows: Integers, n: int, thresholds: Integers, limits: Integers, counts: Integers
) -> None:
    """counts[r, i] = #{n-subsets of rows[r] with sum >= thresholds[r, i]}.

    `limits` has the first place of the sums of k of j items in [j, k]. Thresholds come in pairs.
    """
    size = rows.shape[1]
    low = size // 2
    high = size - low
    buffers = np.empty((4, 1 << high), np.int64)
    for r in range(rows.shape[0]):
        a = _sums(rows[r, :low], limits, buffers[0], buffers[1])
        b = _sums(rows[r, low:], limits, buffers[2], buffers[3])
        for k in range(max(0, n - high), min(low, n) + 1):
            mine = a[limits[low, k] : limits[low, k + 1]]
            other = b[limits[high, n - k] : limits[high, n - k + 1]]
            for i in range(0, thresholds.shape[1], 2):
                first, second = _pairs(mine, other, thresholds[r, i], thresholds[r, i + 1])
                counts[r, i] += first
                counts[r, i + 1] += second
