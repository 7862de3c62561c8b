"""Exact tests of many rows of scores with one design: a vocabulary's SC-EAT, simulated tests.

Every row gets the counts that `permutation_test` gives it, from the same questions. Rows are
counted by meet-in-the-middle without pruning, whose lists have the same length in every row.

Rows of more than 32 scores are inverted, each with its stated error: in a fraction of a millisecond
where `permutation_test` takes tens. What misses the wanted error is left to the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.executors import processors
from eatlas.stats.inputs import checked_precision, checked_scale
from eatlas.stats.permutation.problem import (
    ROUNDING,
    SMALLEST,
    TAILS,
    Array,
    Flags,
    Integers,
    PermutationResult,
    Questions,
    Tail,
    TailName,
    ask,
    subsets,
    two_groups,
)
from eatlas.stats.permutation.two_sample import permutation_test
from eatlas.stats.subsets import every

LARGEST = 32
"""Scores in a row: 2**16 partial sums for each half, 0.5 MB, stay in the second-level cache."""
NUMPY_PAIRS = 40_000_000
"""Up to so many pairs of partial sums in all, numpy (10 ns each) is quicker than loading compiled
code (half a second, and several the first time)."""
BLOCK = 8192
"""Rows handled by one thread at a time: 1 MB at 16 scores. With 2048 two threads are hardly quicker
than one (153,000 rows a second against 133,000), with 8192 they are (253,000)."""
THREADS = 4
"""At most; the counting releases the interpreter, and rows do not depend on one another."""


@dataclass(frozen=True)
class BatchResult:
    """Counts of many permutation tests with one design, a row each."""

    greater: Integers
    """Subsets with T >= t, shape (V,)."""
    less: Integers
    """Subsets with T <= t."""
    two_sided: Integers
    """Subsets with abs(T - E T) >= abs(t - E T)."""
    total: int
    """C(N, n), the number of subsets."""

    def p(self, tail: TailName) -> Array:
        """The p-values of one tail, ``count / total``, shape (V,)."""
        if tail not in TAILS:
            raise EatlasError("no such tail", got=repr(tail), allowed=", ".join(TAILS))
        counts = getattr(self, tail)
        if counts.dtype == object:
            return np.array([max(c / self.total, SMALLEST) for c in counts], np.float64)
        return np.asarray(counts / self.total)

    def row(self, i: int) -> PermutationResult:
        """One row's three tails, as `permutation_test` gives them."""
        greater, less, both = (
            Tail.exact(int(getattr(self, name)[i]), self.total) for name in TAILS
        )
        return PermutationResult(greater, less, both, self.total)


def permutation_tests(
    scores: ArrayLike, n: int, *, scale: float | None = None, precision: float | None = None
) -> BatchResult:
    """Test each row's first `n` scores against its others, over all C(N, n) subsets.

    Rows of more than 32 scores are counted one by one, with ``method="exact"``. Their counts are
    Python integers in arrays of objects where C(N, n) does not fit into 64 bits.
    """
    rows, n = two_groups(scores, n, 2)
    scale, precision = checked_scale(scale), checked_precision(precision)
    size = rows.shape[1]
    total = subsets(size, n)
    if size > LARGEST:
        results = [
            permutation_test(row, n, method="exact", scale=scale, precision=precision)
            for row in rows
        ]
        kind = np.int64 if total < 1 << 63 else object
        counts = [np.array([getattr(r, tail).count for r in results], kind) for tail in TAILS]
        return BatchResult(counts[0], counts[1], counts[2], total)
    tails = np.empty((3, len(rows)), np.int64)
    count = _counter(len(rows) * total, size, min(n, size - n))

    def work(start: int) -> None:
        part = slice(start, start + BLOCK)
        tails[:, part] = _tails(ask(rows[part], n, scale, precision=precision), total, count)

    with ThreadPoolExecutor(min(THREADS, processors())) as pool:
        list(pool.map(work, range(0, len(rows), BLOCK)))
    return BatchResult(tails[0], tails[1], tails[2], total)


Counter = Callable[[Integers, Integers], Integers]
"""From rows (R, N) and thresholds (R, m) to the number of subsets that reach them, (R, m)."""


def _tails(questions: Questions, total: int, count: Counter) -> Integers:
    """Counts of the three tails of each row, shape (3, R)."""
    thresholds = [questions.at_least, questions.below]
    if not questions.balanced:
        thresholds += [questions.far, questions.far]
    counts = count(questions.values, np.stack(thresholds, axis=1)).T
    upper, lower = counts[0], total - counts[1]
    far = counts[0] if questions.balanced else total - counts[2]
    both = np.where(questions.central, total, upper + far)
    tails = np.stack([*_turned(questions, upper, lower), both])
    return np.where(questions.degenerate, total, tails)


def _turned(questions: Questions, upper: Array, lower: Array) -> tuple[Array, Array]:
    """The greater and the less tail."""
    mirrored = questions.mirrored
    return np.where(mirrored, lower, upper), np.where(mirrored, upper, lower)


def _counter(pairs: int, size: int, n: int) -> Counter:
    """Numpy for few pairs, else compiled code."""
    if pairs <= NUMPY_PAIRS:
        return _broadcast(size, n)
    # heavy, and seldom needed
    from eatlas.stats.permutation.compiled_batch import count_rows  # noqa: PLC0415

    # [j, k]: how many subsets of j items have fewer than k
    sides = range(size - size // 2 + 1)
    sizes = np.array([[math.comb(j, k) for k in sides] for j in sides], np.int64)
    limits = np.hstack([np.zeros((len(sides), 1), np.int64), np.cumsum(sizes, axis=1)])

    def count(values: Integers, thresholds: Integers) -> Integers:
        counts = np.zeros(thresholds.shape, np.int64)
        count_rows(values, n, thresholds, limits, counts)
        return counts

    return count


def _broadcast(size: int, n: int) -> Counter:
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


MOST_SCORES = 512
"""Scores in a row that is inverted together with others."""
CELLS = 400_000
"""Factors to multiply for one row: 256 nodes of 25 v 25, about half a millisecond."""
NODES = (48, 512)
"""Least and greatest number of nodes that are evaluated."""
LATTICE = 1e-7
"""Distances are multiples of a common step when no more than this is left of the range."""
STEPS = 500_000
"""Lattices with up to so many steps over the range are left to `permutation_test`."""


@dataclass(frozen=True)
class InvertedRows:
    """Three tails of many tests, shape (3, R) each, in the order greater, less, two_sided."""

    p: Array
    rel_err: Array
    """Stated relative error; 0 where every subset belongs to the tail, infinite where p could not
    be found."""


def invert_rows(scores: Array, n: int, *, scale: float | None = None) -> InvertedRows:
    """Test each row's first `n` scores against its others, by inversion.

    Ties, tails and orientation are those of `permutation_test`. Rows on a lattice of up to some
    hundred thousand steps are found by Euclid's algorithm and have no p here. A lattice of more
    than 256 steps that is blurred by noise, or that is too fine to be found, is not recognised: its
    ties are split, so the error may exceed the stated one. Cosines of real vectors are on no
    lattice.
    """
    questions = ask(scores, n, scale)
    values, n = questions.values, questions.n
    (upper, upper_err), (beyond, beyond_err) = _shares(
        values, n, [questions.at_least, questions.below], questions.degenerate
    )
    lower = np.maximum(1.0 - beyond, np.finfo(np.float64).tiny)
    lower_err = beyond_err * beyond / lower + ROUNDING
    far, far_err = upper, upper_err
    if not questions.balanced:
        # the sums below the mirror image are those of the negative scores above it
        turned = np.ascontiguousarray(-values[:, ::-1])
        ((far, far_err),) = _shares(turned, n, [1 - questions.far], questions.degenerate)
    both = upper + far
    both_err = (upper * upper_err + far * far_err) / both + ROUNDING
    p = np.stack([*_turned(questions, upper, lower), both])
    error = np.stack([*_turned(questions, upper_err, lower_err), both_err])
    p[2, questions.central], error[2, questions.central] = 1.0, 0.0
    p[:, questions.degenerate], error[:, questions.degenerate] = 1.0, 0.0
    return InvertedRows(np.minimum(p, 1.0), error)


def _shares(
    values: Integers, n: int, thresholds: list[Integers], degenerate: Flags
) -> list[tuple[Array, Array]]:
    """The share of subsets that reach each threshold, and its stated error."""
    # heavy, and seldom needed
    from eatlas.stats.permutation import compiled_batch  # noqa: PLC0415

    size = values.shape[1]
    values = np.ascontiguousarray(values)  # the order of sums is that of memory
    middle, rest = np.divmod(values.sum(axis=1), size)
    unit = np.std((values - values[:, size // 2, None]).astype(np.float64), axis=1)
    spread = np.where(unit > 0, unit, 1.0)[:, None]
    x = ((values - middle[:, None]).astype(np.float64) - (rest / size)[:, None]) / spread
    # thresholds as distances from the mean of the sums
    more, part = np.divmod(n * rest, size)
    targets = [(t - n * middle - more).astype(np.float64) - part / size for t in thresholds]
    good = ~degenerate & (unit > 0) & ~_on_lattice(x)
    answer = np.full((len(x), len(thresholds), 2), np.inf)
    solved = np.empty((int(good.sum()), len(thresholds), 2))
    most = min(max(CELLS // (n * (size - n)), NODES[0]), NODES[1])
    compiled_batch.invert_rows(x[good], n, (np.stack(targets, axis=1) / spread)[good], most, solved)
    answer[good] = solved
    log_count, error = answer[..., 0], answer[..., 1]
    log_share = np.where(np.isfinite(error), log_count - math.log(subsets(size, n)), 0.0)
    p = np.exp(np.minimum(0.0, log_share))
    return [(p[:, i], error[:, i]) for i in range(len(thresholds))]


def _on_lattice(x: Array) -> NDArray[np.bool_]:
    """Whether all distances of a row are multiples of one step, by Euclid's algorithm."""
    reach = x[:, -1] - x[:, 0]
    noise = LATTICE * reach
    step = reach.copy()
    for j in range(1, x.shape[1] - 1):
        distance = x[:, j] - x[:, 0]
        while True:
            going = distance > noise
            if not going.any():
                break
            left = np.where(going, np.mod(step, np.where(going, distance, 1.0)), step)
            # a remainder just below the divisor is none
            left = np.where(going & (distance - left < noise), 0.0, left)
            step, distance = np.where(going, distance, step), np.where(going, left, distance)
    return np.asarray(step * STEPS > reach)
