"""Exact counts for scores in few whole steps: one big integer holds a whole distribution.

The number of k-subsets with sum x is the coefficient of z**x in a polynomial G_k. Put z = 2**B
with B large enough that coefficients cannot meet (Kronecker substitution): adding an item v is
then ``G_k += G_(k-1) << B v``, one shift and one addition of Python integers, exact at any size.
The low and the high half are built apart, which narrows both, and joined by suffix sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul

import numpy as np
from numpy.typing import NDArray

DIGIT_BITS = 30
"""Bits in one digit of a Python integer: the unit of work."""
SHIFT_COST = 150
"""Digits that could be added in the time of starting one shift and one addition."""


def lattice_cost(values: NDArray[np.int64], n: int) -> float:
    """Digits to be added, about 1.2 ns each."""
    return sum(_half_cost(half, n) for half in np.split(values, [values.size // 2]))


def _half_cost(half: NDArray[np.int64], n: int) -> float:
    k = np.arange(min(half.size, n) + 1)
    up = np.concatenate([[0.0], np.cumsum(half, dtype=np.float64)])
    width = (up[-1] - up[half.size - k]) - up[k] + 1
    digits = width * (half.size + 8) / DIGIT_BITS
    return float(((digits + SHIFT_COST) * (half.size - k)).sum())


def count_on_lattice(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[int]:
    """The number of n-subsets of ascending whole numbers with sum >= t, for each threshold t.

    Examples
    --------
    >>> count_on_lattice(np.array([0, 1, 1, 2]), 2, [2, 3])
    [4, 2]
    """
    low, high = ([int(x) for x in half] for half in np.split(values, [values.size // 2]))
    below, above = _packed(low, n), _packed(high, n)
    sizes = _width(low) // 8, _width(high) // 8
    first_low, first_high = ([0, *accumulate(half)] for half in (low, high))
    counts = [0] * len(thresholds)
    for k in range(max(0, n - len(high)), min(len(low), n) + 1):
        weights = _unpacked(below[k], sizes[0])
        reach = [0, *accumulate(reversed(_unpacked(above[n - k], sizes[1])))]
        top = first_low[k] + first_high[n - k] + len(reach) - 1
        for i, t in enumerate(thresholds):
            counts[i] += _joined(weights, reach, top - t)
    return counts


def _joined(weights: list[int], reach: list[int], room: int) -> int:
    """Sum over x of weights[x] * reach[room + x].

    reach[m] counts the m greatest sums: 0 below its first entry, and its last one above it.
    """
    last = len(reach) - 1
    start = min(max(0, -room), len(weights))
    stop = min(max(start, last - room), len(weights))
    part = sum(map(mul, weights[start:stop], reach[room + start : room + stop]))
    return int(part) + reach[last] * sum(weights[stop:])


def _width(items: list[int]) -> int:
    """Bits kept for one coefficient: whole bytes, more than any count of subsets needs."""
    return 8 * (len(items) // 8 + 1)


def _packed(items: list[int], n: int) -> list[int]:
    """[k]: the polynomial of k-subsets of ascending items, by how far a sum exceeds the least."""
    width, most = _width(items), min(len(items), n)
    packed = [1] + [0] * most
    for j, item in enumerate(items):
        for k in range(min(j + 1, most), 0, -1):
            packed[k] += packed[k - 1] << (width * (item - items[k - 1]))
    return packed


def _unpacked(packed: int, size: int) -> list[int]:
    """The coefficients of a packed polynomial, `size` bytes each."""
    raw = packed.to_bytes((packed.bit_length() // 8 // size + 1) * size, "little")
    return [int.from_bytes(raw[i : i + size], "little") for i in range(0, len(raw), size)]
