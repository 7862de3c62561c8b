"""Exact tests of many rows of scores with one design: a vocabulary's SC-EAT, simulated tests.

Every row gets the counts that `permutation_test` gives it: the same fixed-point integers, the
same tie tolerance, the same three tails. Rows are prepared together in array operations, and
counted by meet-in-the-middle without pruning, whose lists have the same length in every row. Where
floating point could decide otherwise than `math.fsum` does, a row is prepared by itself.

Rows of more than 32 scores are inverted, each with its stated error: in a fraction of a millisecond
where `permutation_test` takes tens. What misses the wanted error is left to the caller.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.executors import processors
from eatlas.stats.inputs import (
    DOUBLE,
    checked_precision,
    checked_scale,
    numbers,
    relative_tolerance,
    whole,
)
from eatlas.stats.permutation.engine import permutation_test
from eatlas.stats.permutation.problem import (
    SMALLEST,
    SUM_BITS,
    TAILS,
    PermutationResult,
    Tail,
    TailName,
    tie_tolerance,
)

Array = NDArray[np.float64]

MOST_SCORES = 512
"""Scores in a row: the fixed-point arithmetic of `ask_rows` has room for so many."""
CELLS = 400_000
"""Factors to multiply for one row: 256 nodes of 25 v 25, about half a millisecond."""
NODES = (48, 512)
"""Least and greatest number of nodes that are evaluated."""
LATTICE = 1e-7
"""Distances are multiples of a common step when no more than this is left of the range."""
STEPS = 500_000
"""Lattices with up to so many steps over the range are left to `permutation_test`."""
ROUNDING = 2.0**-52


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
    asked = ask_rows(scores, n, scale)
    size = scores.shape[1]
    n = min(n, size - n)
    x, unit = _standardised(asked.values)
    good = ~asked.degenerate & (unit > 0) & ~_on_lattice(x)
    most = min(max(CELLS // (n * (size - n)), NODES[0]), NODES[1])
    log_total = _log_binomial(size, n)
    near = _solved(asked, x, unit, n, [asked.at_least, asked.below], good, most, log_total)
    upper, upper_err = near[0]
    lower, lower_err = _complement(*near[1])
    if asked.balanced:
        both, both_err = 2 * upper, upper_err + ROUNDING
    else:
        mirrored = Questions(
            **{**vars(asked), "values": np.ascontiguousarray(-asked.values[:, ::-1])}
        )
        turned = np.ascontiguousarray(-x[:, ::-1])
        # the sums below the mirror image are those of the negative scores above it
        far = _solved(mirrored, turned, unit, n, [1 - asked.mirror], good, most, log_total)
        ((other, other_err),) = far
        both = upper + other
        both_err = (upper * upper_err + other * other_err) / both + ROUNDING
    both = np.where(asked.central, 1.0, both)
    both_err = np.where(asked.central, 0.0, both_err)
    p = np.stack([upper, lower, both])
    error = np.stack([upper_err, lower_err, both_err])
    p[:2, asked.mirrored], error[:2, asked.mirrored] = (
        p[1::-1, asked.mirrored],
        error[1::-1, asked.mirrored],
    )
    p[:, asked.degenerate], error[:, asked.degenerate] = 1.0, 0.0
    return InvertedRows(np.minimum(p, 1.0), error)


def _standardised(values: NDArray[np.int64]) -> tuple[Array, Array]:
    """`standard.standardised` and `standard.unit_of` of each row."""
    values = np.ascontiguousarray(values)  # the order of sums is that of memory
    size = values.shape[1]
    middle, rest = np.divmod(values.sum(axis=1), size)
    unit = np.std((values - values[:, size // 2, None]).astype(np.float64), axis=1)
    centred = (values - middle[:, None]).astype(np.float64) - (rest / size)[:, None]
    return centred / np.where(unit > 0, unit, 1.0)[:, None], unit


def _distances(values: NDArray[np.int64], n: int, thresholds: NDArray[np.int64]) -> Array:
    """Thresholds as distances from the mean of the sums, in lattice units."""
    size = values.shape[1]
    quotient, rest = np.divmod(values.sum(axis=1), size)
    more, part = np.divmod(n * rest, size)
    distances: Array = (thresholds - n * quotient - more).astype(np.float64) - part / size
    return distances


def _solved(
    asked: Questions,
    x: Array,
    unit: Array,
    n: int,
    thresholds: list[NDArray[np.int64]],
    good: NDArray[np.bool_],
    most: int,
    log_total: float,
) -> list[tuple[Array, Array]]:
    """The share of subsets that reach each threshold, and its stated error."""
    # heavy, and seldom needed
    from eatlas.stats.permutation import compiled_batch  # noqa: PLC0415

    targets = np.stack(
        [_distances(asked.values, n, t) / np.where(unit > 0, unit, 1.0) for t in thresholds], axis=1
    )
    found = np.full((len(x), len(thresholds), 2), np.inf)
    some = np.empty((int(good.sum()), len(thresholds), 2))
    compiled_batch.invert_rows(x[good], n, targets[good], most, some)
    found[good] = some
    log_count, error = found[..., 0], found[..., 1]
    p = np.exp(np.minimum(0.0, np.where(np.isfinite(error), log_count - log_total, 0.0)))
    return [(p[:, i], error[:, i]) for i in range(len(thresholds))]


def _complement(p: Array, error: Array) -> tuple[Array, Array]:
    rest = np.maximum(1.0 - p, np.finfo(np.float64).tiny)
    return rest, error * p / rest + ROUNDING


def _on_lattice(x: Array) -> NDArray[np.bool_]:
    """Whether all distances of a row are multiples of one step, by Euclid's algorithm."""
    reach = x[:, -1] - x[:, 0]
    noise = LATTICE * reach
    step = reach.copy()
    for j in range(1, x.shape[1] - 1):
        other = x[:, j] - x[:, 0]
        while True:
            going = other > noise
            if not going.any():
                break
            left = np.where(going, np.mod(step, np.where(going, other, 1.0)), step)
            # a remainder just below the divisor is none
            left = np.where(going & (other - left < noise), 0.0, left)
            step, other = np.where(going, other, step), np.where(going, left, other)
    return np.asarray(step * STEPS > reach)


def _log_binomial(size: int, n: int) -> float:
    return math.log(math.comb(size, n))


Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]

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
class Questions:
    """Which subset sums count as extreme in each of R rows; see `Question`."""

    values: Integers
    """Ascending, shape (R, N)."""
    at_least: Integers
    """The upper tail is T >= this."""
    below: Integers
    """The lower tail is T < this."""
    mirror: Integers
    """The far side is T < this."""
    balanced: bool
    central: Flags
    mirrored: Flags
    degenerate: Flags


def ask_rows(
    scores: NDArray[np.float64], n: int, scale: float | None, precision: float | None = None
) -> Questions:
    """State the question of each row for its first `n` scores; at most 64 scores in a row."""
    w, q, peak = _to_fixed(scores)
    scales = peak if scale is None else np.full_like(peak, scale)
    relative = relative_tolerance(precision)
    if relative == DOUBLE:
        return _orient(w, n, _tolerances(scores.shape[1], scales, q))
    tolerances = [
        min(tie_tolerance(scores.shape[1], one, lattice, relative), 1 << SUM_BITS + 1)
        for one, lattice in zip(scales.tolist(), q.tolist(), strict=True)
    ]
    return _orient(w, n, np.array(tolerances, np.int64))


def _to_fixed(
    scores: NDArray[np.float64],
) -> tuple[Integers, Integers, NDArray[np.float64]]:
    """`to_fixed` of each row, and the greatest magnitudes."""
    peak = np.abs(scores).max(axis=1)
    shift = np.frexp(peak)[1].astype(np.int64)
    unit = np.ldexp(scores, -shift[:, None])
    magnitudes = np.abs(unit)
    total, size = magnitudes.sum(axis=1), scores.shape[1]
    slack = size * 2.0**-52
    exponent = np.frexp(total * (1 - slack))[1].astype(np.int64)
    # a sum this near a power of two may have been rounded across it
    near = np.flatnonzero(exponent != np.frexp(total * (1 + slack))[1])
    for row in near.tolist():
        exponent[row] = math.frexp(math.fsum(magnitudes[row]))[1]
    bits = SUM_BITS - exponent
    w = np.rint(np.ldexp(unit, bits[:, None])).astype(np.int64)
    return w, np.where(peak > 0, bits - shift, 0), peak


def _tolerances(size: int, scales: NDArray[np.float64], q: Integers) -> Integers:
    """`tie_tolerance` of each row, cut off where it exceeds every sum.

    16 N 2^-53 scale 2^q with scale = m 2^(e - 53), m a whole number: m N shifted to the right.
    """
    fraction, e = np.frexp(scales)
    m = np.ldexp(fraction, 53).astype(np.int64)
    right = 102 - e - q
    tolerance: Integers = ((m * size) >> np.clip(right, 0, 63)) + 1
    for row in np.flatnonzero(right < 0).tolist():
        exact = tie_tolerance(size, float(scales[row]), int(q[row]))
        tolerance[row] = min(exact, 1 << SUM_BITS + 1)
    return tolerance


def _orient(w: Integers, n: int, tolerance: Integers) -> Questions:
    """Turn each question to the smaller group and to the upper tail."""
    size, whole = w.shape[1], w.sum(axis=1)
    observed = w[:, :n].sum(axis=1)
    other = 2 * n > size
    if other:
        n, observed = size - n, whole - observed
    turned = observed < -_floor_share(-whole, n, size)
    sign = np.where(turned, -1, 1)
    w, observed, whole = w * sign[:, None], observed * sign, whole * sign
    ordered = np.sort(w, axis=1)
    spread = ordered[:, size - n :].sum(axis=1) - ordered[:, :n].sum(axis=1)
    return Questions(
        values=ordered,
        at_least=observed - tolerance,
        below=observed + tolerance + 1,
        mirror=_floor_share(whole, 2 * n, size) - observed + tolerance + 1,
        balanced=2 * n == size,
        central=observed - tolerance <= _floor_share(whole, n, size),
        mirrored=turned ^ other,
        degenerate=spread <= tolerance,
    )


def _floor_share(whole: Integers, n: int, size: int) -> Integers:
    """floor(n whole / size) without overflow, for n up to `size`."""
    quotient, rest = np.divmod(whole, size)
    share: Integers = n * quotient + n * rest // size
    return share


@dataclass(frozen=True)
class BatchResult:
    """Counts of many permutation tests with one design, a row each."""

    greater: Counts
    """Subsets with T >= t, shape (V,)."""
    less: Counts
    """Subsets with T <= t."""
    two_sided: Counts
    """Subsets with abs(T - E T) >= abs(t - E T)."""
    total: int
    """C(N, n), the number of subsets."""

    def p(self, tail: TailName) -> NDArray[np.float64]:
        """The p-values of one tail, ``count / total``, shape (V,)."""
        if tail not in TAILS:
            raise EatlasError("no such tail", got=repr(tail), allowed=", ".join(TAILS))
        counts = getattr(self, tail)
        if counts.dtype == object:
            return np.array([max(c / self.total, SMALLEST) for c in counts], np.float64)
        shares: NDArray[np.float64] = counts / self.total
        return shares

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
    rows = numbers(scores, "scores", 2)
    size = rows.shape[1]
    if size < 2:
        raise EatlasError(
            "a permutation test compares two groups",
            got=f"rows of {size} scores",
            allowed="2 or more",
        )
    n = whole(n, "n", 1, size - 1)
    scale, precision = checked_scale(scale), checked_precision(precision)
    total = math.comb(size, n)
    if size > LARGEST:
        return _one_by_one(rows, n, scale, precision, total)
    tails = np.empty((3, len(rows)), np.int64)
    count = _counter(len(rows) * total, size, min(n, size - n))

    def work(start: int) -> None:
        part = slice(start, start + BLOCK)
        tails[:, part] = _tails(ask_rows(rows[part], n, scale, precision), total, count)

    starts = range(0, len(rows), BLOCK)
    with ThreadPoolExecutor(min(THREADS, processors())) as pool:
        list(pool.map(work, starts))
    return BatchResult(tails[0], tails[1], tails[2], total)


def _one_by_one(
    rows: NDArray[np.float64], n: int, scale: float | None, precision: float | None, total: int
) -> BatchResult:
    """Test each row by itself, where a batch cannot be counted at once."""
    results = [
        permutation_test(row, n, method="exact", scale=scale, precision=precision) for row in rows
    ]
    kind = np.int64 if total < 1 << 63 else object
    counts = [np.array([getattr(one, tail).count for one in results], kind) for tail in TAILS]
    return BatchResult(counts[0], counts[1], counts[2], total)


Counter = Callable[[NDArray[np.int64], NDArray[np.int64]], Counts]
"""From rows (R, N) and thresholds (R, m) to the number of subsets that reach them, (R, m)."""


def _tails(asked: Questions, total: int, count: Counter) -> Counts:
    """Counts of the three tails of each row, shape (3, R)."""
    thresholds = [asked.at_least, asked.below]
    if not asked.balanced:
        thresholds += [asked.mirror, asked.mirror]
    found = count(asked.values, np.stack(thresholds, axis=1)).T
    upper, lower = found[0], total - found[1]
    far = found[0] if asked.balanced else total - found[2]
    both = np.where(asked.central, total, upper + far)
    tails = np.stack(
        [np.where(asked.mirrored, lower, upper), np.where(asked.mirrored, upper, lower), both]
    )
    return np.where(asked.degenerate, total, tails)


def _counter(pairs: int, size: int, n: int) -> Counter:
    """Numpy for few pairs, else compiled code."""
    if pairs <= NUMPY_PAIRS:
        return _Broadcast(size, n)
    # heavy, and seldom needed
    from eatlas.stats.permutation.compiled_batch import count_rows  # noqa: PLC0415

    limits = _limits(size - size // 2)

    def count(values: NDArray[np.int64], thresholds: NDArray[np.int64]) -> Counts:
        counts = np.zeros(thresholds.shape, np.int64)
        count_rows(values, n, thresholds, limits, counts)
        return counts

    return count


def _limits(most: int) -> NDArray[np.int64]:
    """[j, k]: how many subsets of j items have fewer than k."""
    sizes = [[math.comb(j, k) for k in range(most + 1)] for j in range(most + 1)]
    return np.concatenate(
        [np.zeros((most + 1, 1), np.int64), np.cumsum(np.array(sizes, np.int64), axis=1)], axis=1
    )


class _Broadcast:
    """All pairs of a k-sum of the low half and an (n - k)-sum of the high half, in numpy."""

    def __init__(self, size: int, n: int) -> None:
        low, high = size // 2, size - size // 2
        self.low = low
        self.members = [
            (_members(low, k), _members(high, n - k))
            for k in range(max(0, n - high), min(low, n) + 1)
        ]

    def __call__(self, values: NDArray[np.int64], thresholds: NDArray[np.int64]) -> Counts:
        counts = np.zeros(thresholds.shape, np.int64)
        for mine, other in self.members:
            low, high = values[:, : self.low] @ mine, values[:, self.low :] @ other
            # numpy counts a whole array ten times as fast as along an axis
            for a, b, ts, row in zip(low, high, thresholds, counts, strict=True):
                sums = a[:, None] + b
                for i, t in enumerate(ts):
                    row[i] += np.count_nonzero(sums >= t)
        return counts


def _members(size: int, k: int) -> NDArray[np.int64]:
    """0/1 columns, shape (size, C(size, k)): every k-subset once."""
    chosen = np.array(list(combinations(range(size), k)), np.intp)
    members = np.zeros((size, len(chosen)), np.int64)
    members[chosen.T, np.arange(len(chosen))] = 1
    return members
