"""Exact tests of many rows of scores with one design: a vocabulary's SC-EAT, simulated tests.

Rows of up to 32 scores get the counts that `permutation_test` gives them, from the same questions,
by meet-in-the-middle without pruning, whose lists have the same length in every row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import EatlasError
from eatlas.executors import processors
from eatlas.stats import permutation
from eatlas.stats.inputs import check_noise
from eatlas.stats.permutation.problem import (
    LARGEST,
    Integers,
    Question,
    ask,
    subsets,
    two_groups,
)
from eatlas.stats.subsets import subset_matrix

NUMPY_PAIRS = 40_000_000
"""Up to so many pairs of partial sums in all, numpy (10 ns each) is quicker than loading compiled
code (half a second, and several the first time)."""
PAIRS = 1 << 17
"""Pairs of partial sums that numpy compares at once; if one row has more, one row."""
BLOCK = 8192
"""Rows handled by one thread at a time: 1 MB at 16 scores. With 2048 two threads are hardly quicker
than one (153,000 rows a second against 133,000), with 8192 they are (253,000)."""
THREADS = 4
"""At most; the counting releases the interpreter, and rows do not depend on one another."""


def permutation_tests(
    scores: ArrayLike, n: int, *, scale: float | None = None, precision: float | None = None
) -> Integers:
    """Counts of the three tails of each row, of its first `n` scores against its others: (3, V).

    Subsets with T >= t, with T <= t, and with abs(T - E T) >= abs(t - E T), of all C(N, n).
    """
    rows, n = two_groups(scores, n, 2)
    check_noise(scale, precision)
    size = rows.shape[1]
    if size > LARGEST:
        raise EatlasError(
            "rows of this length cannot be counted together",
            got=f"{size} scores in a row",
            allowed=f"up to {LARGEST}",
            remedy="use permutation_test, which takes rows of any length",
        )
    total = subsets(size, n)
    tails = np.empty((3, len(rows)), np.int64)
    count = _counter(len(rows) * total, size, min(n, size - n))

    def work(start: int) -> None:
        part = slice(start, start + BLOCK)
        tails[:, part] = _tails(ask(rows[part], n, scale, precision=precision), total, count)

    with ThreadPoolExecutor(min(THREADS, processors())) as pool:
        list(pool.map(work, range(0, len(rows), BLOCK)))
    return tails


Counter = Callable[[Integers, Integers], Integers]
"""From rows (R, N) and thresholds (R, m) to the number of subsets that reach them, (R, m)."""


def _tails(question: Question, total: int, count: Counter) -> Integers:
    """Counts of the three tails of each row, shape (3, R)."""
    thresholds = [question.at_least, question.below]
    if not question.is_balanced:
        thresholds += [question.far, question.far]
    counts = count(question.values, np.stack(thresholds, axis=1)).T
    upper, lower = counts[0], total - counts[1]
    far = counts[0] if question.is_balanced else total - counts[2]
    both = np.where(question.central, total, upper + far)
    tails = np.stack([*question.orient(upper, lower), both])
    return np.where(question.degenerate, total, tails)


def _counter(pairs: int, size: int, n: int) -> Counter:
    """Numpy for few pairs and where numba is not installed, else compiled code."""
    if pairs <= NUMPY_PAIRS or find_spec("numba") is None:
        return broadcast(size, n)
    # [j, k]: how many subsets of j items have fewer than k
    sides = range(size - size // 2 + 1)
    sizes = np.array([[math.comb(j, k) for k in sides] for j in sides], np.int64)
    limits = np.hstack([np.zeros((len(sides), 1), np.int64), np.cumsum(sizes, axis=1)])

    def count(values: Integers, thresholds: Integers) -> Integers:
        counts = np.zeros(thresholds.shape, np.int64)
        permutation.compiled_batch.count_rows(values, n, thresholds, limits, counts)
        return counts

    return count


def broadcast(size: int, n: int) -> Counter:
    """All pairs of a k-sum of the low half and an (n - k)-sum of the high half, in numpy."""
    low, high = size // 2, size - size // 2
    members = [
        [subset_matrix(size, k).T.astype(np.int64) for size, k in ((low, k), (high, n - k))]
        for k in range(max(0, n - high), min(low, n) + 1)
    ]

    def count(values: Integers, thresholds: Integers) -> Integers:
        counts = np.zeros(thresholds.shape, np.int64)
        for of_low, of_high in members:
            sums = values[:, :low] @ of_low, values[:, low:] @ of_high
            rows = max(1, PAIRS // (of_low.shape[1] * of_high.shape[1]))
            for start in range(0, len(values), rows):
                a, b = (part[start : start + rows] for part in sums)
                for i, t in enumerate(thresholds[start : start + rows].T):
                    reached = b[:, None] >= (t[:, None] - a)[:, :, None]
                    # numpy counts a whole array ten times as fast as along an axis
                    counts[start : start + rows, i] += [np.count_nonzero(row) for row in reached]
        return counts

    return count
