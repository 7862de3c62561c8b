"""Exact counts for scores that take few distinct values, on a lattice or not.

Subsets with equally many members of each value have one sum, so each such composition is listed
once and weighs a product of binomials. The values are divided in two halves with about equally
many compositions, and these are joined as in the meet-in-the-middle count, with integer weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul

import numpy as np
from numpy.typing import NDArray

Level = tuple[int, int]
"""A value and how many scores have it."""


MOST_LEVELS = 128
"""Distinct values of which one half alone has 2**64 compositions or more."""
HOPELESS = 1 << 64


@dataclass(frozen=True)
class _Compositions:
    """All ways to choose from some levels, at most n items."""

    chosen: NDArray[np.int64]
    sums: NDArray[np.int64]
    ways: NDArray[np.object_]

    def of_size(self, k: int) -> tuple[NDArray[np.int64], list[int]]:
        """Sums of k items, ascending, and in how many ways each arises."""
        here = np.flatnonzero(self.chosen == k)
        here = here[np.argsort(self.sums[here], kind="stable")]
        return self.sums[here], self.ways[here].tolist()


def level_states(values: NDArray[np.int64]) -> int:
    """Compositions of the larger half: the work to be done, about 1 microsecond each.

    Where there are more distinct values than can ever be worked off, a large number.
    """
    if np.unique(values).size > MOST_LEVELS:
        return HOPELESS
    return max(math.prod(m + 1 for _, m in half) for half in _split(values))


def count_by_levels(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[int]:
    """The number of n-subsets of ascending integers with sum >= t, for each threshold t.

    Examples
    --------
    >>> count_by_levels(np.array([0, 0, 3, 3, 3]), 2, [3, 6])
    [9, 3]
    """
    small, large = (_compositions(half, n) for half in _split(values))
    ts = [_within(values, n, t) for t in thresholds]
    counts = [0] * len(ts)
    for k in np.unique(small.chosen).tolist():
        sums, ways = small.of_size(k)
        others, weights = large.of_size(n - k)
        reach = [*reversed(list(accumulate(reversed(weights)))), 0]
        for i, t in enumerate(ts):
            places = np.searchsorted(others, t - sums).tolist()
            counts[i] += sum(map(mul, ways, map(reach.__getitem__, places)))
    return counts


def _within(values: NDArray[np.int64], n: int, t: int) -> int:
    """A threshold of any size as one that fits into 64 bits and means the same."""
    least, greatest = int(values[:n].sum()), int(values[values.size - n :].sum())
    return min(max(t, least), greatest + 1)


def _split(values: NDArray[np.int64]) -> tuple[list[Level], list[Level]]:
    """Two halves with about equally many compositions: the most frequent values first."""
    distinct, frequency = np.unique(values, return_counts=True)
    levels = sorted(
        zip(distinct.tolist(), frequency.tolist(), strict=True), key=lambda x: (-x[1], x[0])
    )
    halves: tuple[list[Level], list[Level]] = ([], [])
    sizes = [1, 1]
    for level in levels:
        side = int(sizes[1] < sizes[0])
        halves[side].append(level)
        sizes[side] *= level[1] + 1
    return halves


def _compositions(levels: list[Level], n: int) -> _Compositions:
    chosen, sums = np.zeros(1, np.int64), np.zeros(1, np.int64)
    ways = np.array([1], object)
    for value, frequency in levels:
        c = np.arange(min(frequency, n) + 1)
        binomials = np.array([math.comb(frequency, int(x)) for x in c], object)
        k = (chosen[:, None] + c).ravel()
        fits = np.flatnonzero(k <= n)
        chosen = k[fits]
        sums = (sums[:, None] + c * value).ravel()[fits]
        ways = (ways[:, None] * binomials).ravel()[fits]
    return _Compositions(chosen, sums, ways)
