"""Certain lower and upper bounds of a tail: round to a coarse lattice, count there in doubles.

With scores w = w_0 + step v + e, every sum is n w_0 + step V + E with E between the sums of the n
least and the n greatest residuals e. So T >= t follows from a high V and requires a lower one.
V is counted for the low and the high half apart, by how far a sum falls short of the greatest one
of its size; what falls short by more than the threshold allows is left out, so that a far tail
gets a fine lattice. All terms are positive: rounding errors are relative and are bounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.inversion import log_chernoff
from eatlas.stats.permutation.question import SMALLEST, Tail

LARGEST = 1000
"""Beyond so many scores counts overflow a double: C(1000, 500) is 2.7e299."""
WORK = 4e8
"""Additions to spend on one tail, about a second."""
CELLS = 6e6
"""Doubles to keep for both halves, 48 MB."""
MOST_STEPS = 1 << 22
"""Steps of the lattice at most: more would not narrow the bracket noticeably."""
LEAST_STEPS = 8
"""A coarser lattice says less than Chernoff's bound."""
ROW_COST = 500
"""Additions in the time of starting one vector operation."""
EPS = 2.0**-52


def bracket(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail]:
    """[low, high] around #{T >= t} / C(N, n) for each threshold t.

    `values` ascend and are not all equal. Large designs fall back on Chernoff's bound
    p <= exp(log Z - mu n - lam t) / C(N, n), and on 1 / C(N, n) below.
    """
    steps = _affordable(values, n, min(thresholds))
    if steps < LEAST_STEPS:
        return [_chernoff(values, n, t) for t in thresholds]
    return _rounded(values, n, thresholds, steps)


class _Shortfalls:
    """How far k items of one half may fall short of its k greatest, for a sum to matter."""

    def __init__(
        self, mine: NDArray[np.int64], other: NDArray[np.int64], n: int, threshold: int
    ) -> None:
        self.items = mine[::-1]
        self.best = _greatest(mine)
        theirs = _greatest(other)
        k = np.arange(max(0, n - other.size), min(mine.size, n) + 1)
        slack = np.full(k[-1] + 1, -1, np.int64)
        slack[k] = self.best[k] + theirs[n - k] - threshold
        self.reach = np.maximum.accumulate(slack[::-1])[::-1]
        """reach[k]: with k chosen so far, the largest shortfall that can still matter."""

    def widths(self) -> NDArray[np.int64]:
        """The shortfalls kept for each k: none beyond the least sum of k items."""
        k = np.arange(self.reach.size)
        least = self.best[-1] - self.best[self.items.size - k]
        kept: NDArray[np.int64] = np.minimum(self.best[k] - least, self.reach) + 1
        return np.maximum(kept, 0)


def _greatest(ascending: NDArray[np.int64]) -> NDArray[np.int64]:
    """[k]: the sum of the k greatest."""
    return np.concatenate([[0], np.cumsum(ascending[::-1])])


def _halves(v: NDArray[np.int64], n: int, threshold: int) -> tuple[_Shortfalls, _Shortfalls]:
    low, high = np.split(v, [v.size // 2])
    return _Shortfalls(low, high, n, threshold), _Shortfalls(high, low, n, threshold)


def _affordable(values: NDArray[np.int64], n: int, threshold: int) -> int:
    """Lattice steps for which the work and the memory stay in bounds; 0 for none."""
    if values.size > LARGEST:
        return 0
    # the median keeps every sum of n offsets and the threshold within 64 bits, however far out
    # the least score lies
    middle = int(values[values.size // 2])
    work = cells = rows = 0.0
    for half in _halves(values - middle, n, threshold - n * middle):
        width = half.widths() / float(values[-1] - values[0])
        turns = half.items.size - np.arange(width.size)
        cells += float(width.sum())
        work += float(width @ turns)
        rows += float(turns[width > 0].sum())
    left = max(0.0, WORK - ROW_COST * rows)
    return int(min(left / max(work, 1e-9), CELLS / max(cells, 1e-9), MOST_STEPS))


def _rounded(
    values: NDArray[np.int64], n: int, thresholds: Sequence[int], steps: int
) -> list[Tail]:
    """V >= ceil((t - n w_0 - E) / step) for the least and for the greatest E."""
    offsets = values - values[0]
    step = -(-int(offsets[-1]) // steps)
    v = (offsets + step // 2) // step
    residuals = np.sort(offsets - v * step)
    least, greatest = int(residuals[:n].sum()), int(residuals[values.size - n :].sum())
    wanted = []
    for t in thresholds:
        above = t - n * int(values[0])
        wanted += [-((least - above) // step), -((greatest - above) // step)]
    counts, slack = _count(v, n, wanted)
    total = math.comb(values.size, n)
    return [
        Tail.bracketed(inner / total * (1 - slack), outer / total * (1 + slack))
        for inner, outer in zip(counts[0::2], counts[1::2], strict=True)
    ]


def _count(v: NDArray[np.int64], n: int, wanted: list[int]) -> tuple[list[float], float]:
    """#{V >= y} in doubles for each y, and a bound of their relative error."""
    low, high = _halves(v, n, min(wanted))
    below, above = _rows(low), _rows(high)
    counts = [0.0] * len(wanted)
    for k, a in enumerate(below):
        if not 0 <= n - k < len(above) or a.size == 0 or above[n - k].size == 0:
            continue
        within = np.concatenate([[0.0], np.cumsum(above[n - k])])
        room = int(low.best[k] + high.best[n - k]) + 1 - np.arange(a.size)
        for i, y in enumerate(wanted):
            counts[i] += float(a @ within[np.clip(room - y, 0, within.size - 1)])
    longest = max(x.size for x in below + above)
    return counts, 2 * EPS * (2 * v.size + 2 * longest + n + 16)


def _rows(half: _Shortfalls) -> list[NDArray[np.float64]]:
    """[k][x]: the number of k-subsets whose sum falls short of the greatest by x.

    Items come greatest first, so a shortfall never shrinks: one more item that stands in place
    of the k-th greatest adds their difference.
    """
    rows = [np.zeros(int(w)) for w in half.widths()]
    if rows[0].size:
        rows[0][0] = 1.0
    for j, item in enumerate(half.items.tolist()):
        for k in range(min(j + 1, len(rows) - 1), 0, -1):
            shift = int(half.items[k - 1]) - item
            if shift < rows[k].size:
                source = rows[k - 1][: rows[k].size - shift]
                rows[k][shift : shift + source.size] += source
    return rows


def _chernoff(values: NDArray[np.int64], n: int, t: int) -> Tail:
    """Chernoff: p <= exp(log Z - mu n - lam t) / total for any tilt, here the best."""
    total = math.comb(values.size, n)
    if t > int(values[values.size - n :].sum()):
        return Tail.exact(0, total)
    high = log_chernoff(values, n, t) - math.log(total)
    return Tail.bracketed(max(1 / total, SMALLEST), math.exp(min(0.0, high)))
