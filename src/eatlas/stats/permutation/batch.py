"""Exact tests of many rows of scores with one design: a vocabulary's SC-EAT, simulated tests.

Rows of up to 32 scores get the counts that `permutation_test` gives them, from the same questions,
by meet-in-the-middle without pruning, whose lists have the same length in every row.

Longer rows are inverted, each with its stated error: in a fraction of a millisecond where
`permutation_test` takes tens. What misses the wanted error is left to the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import EatlasError
from eatlas.executors import processors
from eatlas.stats import permutation
from eatlas.stats.inputs import check_noise
from eatlas.stats.permutation.inversion import contours, on_lattice, period, stated
from eatlas.stats.permutation.problem import (
    LARGEST,
    ROUNDING,
    Array,
    Flags,
    Integers,
    Question,
    ask,
    subsets,
    two_groups,
)
from eatlas.stats.subsets import every

NUMPY_PAIRS = 40_000_000
"""Up to so many pairs of partial sums in all, numpy (10 ns each) is quicker than loading compiled
code (half a second, and several the first time)."""
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
            "rows are counted together up to a length",
            got=f"{size} scores in a row",
            allowed=f"up to {LARGEST}",
            remedy="permutation_test takes rows of any length",
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
    if not question.balanced:
        thresholds += [question.far, question.far]
    counts = count(question.values, np.stack(thresholds, axis=1)).T
    upper, lower = counts[0], total - counts[1]
    far = counts[0] if question.balanced else total - counts[2]
    both = np.where(question.central, total, upper + far)
    tails = np.stack([*_turned(question, upper, lower), both])
    return np.where(question.degenerate, total, tails)


def _turned(question: Question, upper: Array, lower: Array) -> tuple[Array, Array]:
    """The greater and the less tail."""
    mirrored = question.mirrored
    return np.where(mirrored, lower, upper), np.where(mirrored, upper, lower)


def _counter(pairs: int, size: int, n: int) -> Counter:
    """Numpy for few pairs, else compiled code."""
    if pairs <= NUMPY_PAIRS:
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
        [every(size, k).T.astype(np.int64) for size, k in ((low, k), (high, n - k))]
        for k in range(max(0, n - high), min(low, n) + 1)
    ]

    def count(values: Integers, thresholds: Integers) -> Integers:
        counts = np.zeros(thresholds.shape, np.int64)
        for of_low, of_high in members:
            sums = values[:, :low] @ of_low, values[:, low:] @ of_high
            # numpy counts a whole array ten times as fast as along an axis
            for a, b, ts, row in zip(*sums, thresholds, counts, strict=True):
                both = a[:, None] + b
                for i, t in enumerate(ts):
                    row[i] += np.count_nonzero(both >= t)
        return counts

    return count


CELLS = 400_000
"""Factors to multiply for one row: 256 nodes of 25 v 25, about half a millisecond."""
NODES = (48, 512)
"""Least and greatest number of nodes that are evaluated."""


def invert_rows(scores: Array, n: int, *, scale: float | None = None) -> tuple[Array, Array]:
    """Test each row's first `n` scores against its others, by inversion: p and error, (3, R) each.

    Ties, tails and orientation are those of `permutation_test`. An error is 0 where every subset
    belongs to the tail, and infinite where p could not be found, as on a lattice of scores. A
    lattice of more than 256 steps that is blurred by noise is not recognised: its ties are split,
    so the error may exceed the stated one. Cosines of real vectors are on no lattice.
    """
    question = ask(scores, n, scale)
    values, n = question.values, question.n
    ends = _shares(values, n, [question.at_least, question.below], question.degenerate)
    (upper, upper_err), (beyond, beyond_err) = ends
    lower = np.maximum(1.0 - beyond, np.finfo(np.float64).tiny)
    lower_err = beyond_err * beyond / lower + ROUNDING
    far, far_err = upper, upper_err
    if not question.balanced:
        # the sums below the mirror image are those of the negative scores above it
        turned = -values[:, ::-1]
        ((far, far_err),) = _shares(turned, n, [1 - question.far], question.degenerate)
    both = upper + far
    both_err = (upper * upper_err + far * far_err) / both + ROUNDING
    p = np.stack([*_turned(question, upper, lower), both])
    error = np.stack([*_turned(question, upper_err, lower_err), both_err])
    p[2, question.central], error[2, question.central] = 1.0, 0.0
    p[:, question.degenerate], error[:, question.degenerate] = 1.0, 0.0
    return np.minimum(p, 1.0), error


def _shares(
    values: Integers, n: int, thresholds: list[Integers], degenerate: Flags
) -> list[tuple[Array, Array]]:
    """The share of subsets that reach each threshold, and its stated error."""
    size = values.shape[1]
    p, error = (np.full((len(values), len(thresholds)), x) for x in (1.0, np.inf))
    with np.errstate(divide="ignore", invalid="ignore"):
        every = contours(values, n, thresholds)
    good = np.flatnonzero(~degenerate & (every.lam > 0) & ~on_lattice(every.x))
    c, v = every.rows(good), every.v[good]
    # two equal scores make one atom
    atoms = np.log1p(-2 * v).sum(axis=1) + math.log(1.5) * (np.diff(c.x) == 0).sum(axis=1)
    theory = np.exp(np.minimum(0.0, atoms - np.log(np.maximum(1.0, c.sd_size))))
    most = min(max(CELLS // (n * (size - n)), NODES[0]), NODES[1])
    value, sizes = np.zeros((2, *c.targets.shape))
    lost = np.zeros(len(good))
    numbers = c.lam, 2 * math.pi / period(c), theory
    permutation.compiled_batch.integrate_rows(
        c.x, c.chance, n, c.targets, *numbers, most, value, sizes, lost
    )
    log_count, error[good] = stated(c, value, lost[:, None], sizes)
    p[good] = np.exp(np.minimum(0.0, log_count - math.log(subsets(size, n))))
    p[np.isinf(error)] = 1.0
    return [(p[:, i], error[:, i]) for i in range(len(thresholds))]
