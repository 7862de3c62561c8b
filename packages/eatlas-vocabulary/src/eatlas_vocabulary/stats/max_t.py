"""Westfall and Young's maxT: rows that share their permutations are adjusted by their maximum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.inputs import ROUNDING_UNITS
from eatlas.stats.subsets import random_subsets, subset_matrix
from eatlas_vocabulary import stats

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

SUM_BITS = 52
"""Sums of abs(deviations) stay below 2**53 units: doubles add them without rounding, in any
order, also in a matrix product."""
NUMPY_PAIRS = 20_000_000
"""Up to so many pairs of a row and a permutation, numpy (3 ns each) is quicker than loading
compiled code (0.1 s, and a second the first time)."""
ROWS = 64
"""Rows whose partial sums are at hand together: 256 subsets of half of 16 terms are 128 kB."""


def lattice_deviations(rows: Array, scale: float | None) -> tuple[Array, Array]:
    """Each row less its mean, in standard deviations, and the tie tolerance of sums.

    All figures of a row come from its sorted scores, so that the order of terms changes nothing.
    A row without spread has deviations and tolerance 0.
    """
    size = rows.shape[1]
    peak = np.abs(rows).max(axis=1)
    # powers of two bring any finite row into range and change no digit
    shift = np.frexp(peak)[1]
    # numpy adds up in the order of the memory, which shall not matter
    rows = np.ldexp(np.ascontiguousarray(rows), -shift[:, None])
    with np.errstate(over="ignore"):  # scores far below their rounding error: infinitely many ties
        scales = np.ldexp(peak if scale is None else np.full_like(peak, scale), -shift)
    tolerance = ROUNDING_UNITS * size * 2.0**-53 * scales
    ordered = np.sort(rows, axis=1)
    mean = np.add.reduce(ordered, axis=1) / size
    deviations, ordered = rows - mean[:, None], ordered - mean[:, None]
    flat = np.add.reduce(ordered[:, size // 2 :], axis=1) * 2 <= tolerance
    deviations[flat] = ordered[flat] = tolerance[flat] = 0.0
    sd = np.sqrt(np.add.reduce(ordered**2, axis=1) / (size - 1))
    sd[flat] = 1.0
    deviations, ordered = deviations / sd[:, None], ordered / sd[:, None]
    tolerance = tolerance / sd
    unit = np.frexp(np.add.reduce(np.abs(ordered), axis=1))[1] - SUM_BITS
    lattice = np.ldexp(np.rint(np.ldexp(deviations, -unit[:, None])), unit[:, None])
    return lattice, np.where(flat, 0.0, tolerance + np.ldexp(float(size), unit))


@dataclass(frozen=True)
class _Pairs:
    """All permutations as pairs: a k-subset of the first terms, an (n - k)-subset of the others."""

    low: Array
    """Subsets of the first terms, by size: rows of 0 and 1."""
    high: Array
    spans: Integers
    """For each k: first and last row of `low`, of `high`, and the place of its first pair."""
    count: int

    @classmethod
    def of(cls, size: int, n: int) -> _Pairs:
        """Every n-subset once; of two groups of one size, one of each subset and its mirror."""
        middle = size // 2
        fixed = 1 if 2 * n == size else 0  # with the first term in, its mirror image is left out
        low: list[Array] = []
        high: list[Array] = []
        spans, ends, count = [], [0, 0], 0
        for k in range(max(fixed, n - (size - middle)), min(middle, n) + 1):
            mine = subset_matrix(middle - fixed, k - fixed)
            low.append(np.hstack([np.ones((len(mine), fixed)), mine]))
            high.append(subset_matrix(size - middle, n - k))
            more = len(low[-1]), len(high[-1])
            spans.append([ends[0], ends[0] + more[0], ends[1], ends[1] + more[1], count])
            ends = [ends[0] + more[0], ends[1] + more[1]]
            count += more[0] * more[1]
        return cls(np.vstack(low), np.vstack(high), np.array(spans, np.int64), count)

    def maxima(self, deviations: Array, *, compiled: bool) -> Array:
        """The greatest magnitude of each permutation's sum over the rows, shape (count,)."""
        best = np.zeros(self.count)
        fold = stats.compiled_maxima.fold if compiled else _fold
        middle = self.low.shape[1]
        for start in range(0, len(deviations), ROWS):
            part = deviations[start : start + ROWS].T
            fold(self.low @ part[:middle], self.high @ part[middle:], self.spans, best)
        return best


def _fold(low: Array, high: Array, spans: Integers, best: Array) -> None:
    """Raise `best` to the greatest magnitude of any column's sum, permutation by permutation."""
    low, high = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
    for first, last, start, stop, place in spans.tolist():
        # numpy takes half the time for a maximum over the first axis
        sums = np.abs(low[:, first:last, None] + high[:, None, start:stop]).max(axis=0).ravel()
        target = best[place : place + sums.size]
        np.maximum(target, sums, out=target)


class RunningMaxT:
    """The permutations of one design, shared by all rows that will come.

    The statistic is Westfall and Young's: the magnitude of the difference of means
    over the row's standard deviation. Single-step: the adjusted p of a row is the proportion of
    permutations whose maximum over *all* rows reaches the row's statistic (Westfall and Young
    1993, section 2.3). The step-down procedure leaves out rows of greater statistics, so its p is
    never larger; the difference shows only where a good part of all rows is rejected. Both hold
    the family-wise error rate under any dependence.
    """

    def __init__(
        self,
        size: int,
        n: int,
        *,
        rng: np.random.Generator,
        permutations: int = 10_000,
        scale: float | None = None,
    ) -> None:
        self.size, self.n, self._scale = size, n, scale
        self.total = math.comb(size, n)
        """C(N, n), the number of all permutations."""
        distinct = self.total // 2 if 2 * n == size else self.total
        self.enumerated = distinct <= permutations
        """Whether every permutation is looked at."""
        self.relabellings = distinct if self.enumerated else permutations
        """How many are looked at, mirror images as one."""
        self._pairs = _Pairs.of(size, n) if self.enumerated else None
        self._labels = np.empty((size, 0))
        if not self.enumerated:
            blocks = random_subsets(size, n, permutations, permutations, rng)
            self._labels = np.ascontiguousarray(next(blocks).T)

    @property
    def min_p(self) -> float:
        """The smallest adjusted p that is possible."""
        if self.enumerated:
            return 1 / self.relabellings
        return 1 / (self.relabellings + 1)

    def statistics(self, scores: ArrayLike) -> tuple[Array, Array]:
        """What a chunk of rows has reached, and what its permutations reach."""
        rows = np.asarray(scores, np.float64)
        if not len(rows):
            return np.zeros(0), np.zeros(self.relabellings)
        deviations, tolerance = lattice_deviations(rows, self._scale)
        reached = np.abs(np.add.reduce(deviations[:, : self.n], axis=1)) - tolerance
        if self._pairs is not None:
            compiled = len(rows) * self.relabellings > NUMPY_PAIRS
            return reached, self._pairs.maxima(deviations, compiled=compiled)
        return reached, self._random_maxima(deviations, self._labels)

    def p(self, reached: ArrayLike, maxima: ArrayLike) -> Array:
        """Two-sided p of each row, adjusted for the family of all rows behind `maxima`."""
        ordered = np.sort(np.asarray(maxima, dtype=np.float64))
        count = ordered.size - np.searchsorted(ordered, np.asarray(reached, np.float64), "left")
        if self.enumerated:
            return np.asarray(count / self.relabellings, dtype=np.float64)
        return np.asarray((count + 1) / (self.relabellings + 1), dtype=np.float64)

    def critical(self, maxima: ArrayLike, alpha: float) -> float:
        """The effect size beyond which an adjusted p is below alpha (N - 1 in the deviation)."""
        ordered = np.sort(np.asarray(maxima, dtype=np.float64))
        # what was observed is among all permutations, but may lie beyond those that were sampled
        seen = ordered if self.enumerated else np.append(ordered, np.inf)
        low = np.flatnonzero(self.p(seen, ordered) < alpha)
        if not low.size:
            return math.inf
        # just above the greatest maximum whose own p is not below alpha
        reach = ordered[low[0] - 1] if low[0] else 0.0
        return float(reach * self.size / (self.n * (self.size - self.n)))

    def _random_maxima(self, deviations: Array, labels: Array) -> Array:
        """Maxima over drawn permutations."""
        best = np.zeros(self.relabellings)
        for start in range(0, len(deviations), ROWS):
            sums = product(deviations[start : start + ROWS], labels)
            np.maximum(best, np.abs(sums, out=sums).max(axis=0), out=best)
        return best
