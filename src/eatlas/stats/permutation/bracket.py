"""Certain lower and upper bounds of a tail: round to a coarse lattice, count there in doubles.

With scores w = w_0 + step v + e, every sum is n w_0 + step V + E with E between the sums of the n
least and the n greatest residuals e. So T >= t follows from a high V and requires a lower one.
The distribution of V is built for the low and the high half apart and joined by suffix sums. All
terms are positive, so rounding errors are relative and bounded by the number of additions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.inversion import log_chernoff
from eatlas.stats.permutation.result import SMALLEST, Tail

LARGEST = 1000
"""Beyond so many scores counts overflow a double: C(1000, 500) is 2.7e299."""
WORK = 3e8
"""Additions to spend on one tail, about a second."""
CELLS = 6e6
"""Doubles to keep for both halves, 48 MB."""
MOST_STEPS = 1 << 20
"""Steps of the lattice at most: more would not narrow the bracket noticeably."""
LEAST_STEPS = 8
"""A coarser lattice says less than Chernoff's bound."""
ROW_COST = 2000
"""Additions in the time of starting one vector operation."""
EPS = 2.0**-52


def bracket(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[Tail]:
    """[low, high] around #{T >= t} / C(N, n) for each threshold t.

    `values` ascend and are not all equal. Large designs fall back on Chernoff's bound
    p <= exp(log Z - mu n - lam t) / C(N, n), and on 1 / C(N, n) below.
    """
    steps = _affordable(values, n)
    if steps < LEAST_STEPS:
        return [_chernoff(values, n, t) for t in thresholds]
    return _rounded(values, n, thresholds, steps)


def _affordable(values: NDArray[np.int64], n: int) -> int:
    """Lattice steps for which the work and the memory stay in bounds; 0 for none."""
    if values.size > LARGEST:
        return 0
    reach = float(values[-1] - values[0])
    work = cells = rows = 0.0
    for half in np.split(values, [values.size // 2]):
        k = np.arange(min(half.size, n) + 1)
        width = _widths((half - values[0]).astype(np.float64), k) / reach
        cells += float(width.sum())
        work += float((width * (half.size - k)).sum())
        rows += float((half.size - k).sum())
    left = WORK - ROW_COST * rows
    return int(min(left / max(work, 1e-9), CELLS / max(cells, 1e-9), MOST_STEPS)) if left > 0 else 0


def _widths(half: NDArray[np.float64], k: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distance of the greatest and the least sum of k ascending items."""
    up = np.concatenate([[0.0], np.cumsum(half)])
    return (up[-1] - up[half.size - k]) - up[k]


def _rounded(
    values: NDArray[np.int64], n: int, thresholds: Sequence[int], steps: int
) -> list[Tail]:
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
    inner, outer = counts[0::2], counts[1::2]
    return [
        Tail.bracketed(a / total * (1 - slack), b / total * (1 + slack))
        for a, b in zip(inner, outer, strict=True)
    ]


def _count(v: NDArray[np.int64], n: int, wanted: list[int]) -> tuple[list[float], float]:
    """#{V >= y} in doubles for each y, and a bound of their relative error."""
    low, high = np.split(v, [v.size // 2])
    below, above = _rows(low, n), _rows(high, n)
    first_low, first_high = (np.concatenate([[0], np.cumsum(x)]) for x in (low, high))
    counts = [0.0] * len(wanted)
    for k in range(max(0, n - high.size), min(low.size, n) + 1):
        a, b = below[k], above[n - k]
        reach = np.concatenate([np.cumsum(b[::-1])[::-1], [0.0]])
        start = int(first_low[k] + first_high[n - k])
        place = np.arange(a.size)
        for i, y in enumerate(wanted):
            counts[i] += float(a @ reach[np.clip(y - start - place, 0, b.size)])
    longest = max(x.size for x in below + above)
    return counts, 2 * EPS * (2 * v.size + 2 * longest + n + 16)


def _rows(items: NDArray[np.int64], n: int) -> list[NDArray[np.float64]]:
    """[k][x]: the number of k-subsets of ascending items whose sum exceeds the least by x."""
    most = min(items.size, n)
    width = _widths(items.astype(np.float64), np.arange(most + 1)).astype(np.int64) + 1
    rows = [np.zeros(int(w)) for w in width]
    rows[0][0] = 1.0
    for j, item in enumerate(items):
        for k in range(min(j + 1, most), 0, -1):
            shift = int(item - items[k - 1])
            source = rows[k - 1][: rows[k].size - shift]
            rows[k][shift : shift + source.size] += source
    return rows


def _chernoff(values: NDArray[np.int64], n: int, t: int) -> Tail:
    """p <= exp(log Z - mu n - lam t) / total for any tilt; the best one is the saddlepoint's."""
    total = math.comb(values.size, n)
    high = log_chernoff(values, n, t) - math.log(total)
    return Tail.bracketed(max(1 / total, SMALLEST), math.exp(min(0.0, high)))
