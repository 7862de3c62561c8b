"""Tails from random subsets of a sum of scores, and of other statistics.

Each draw is a subset without replacement, and the p-value is (b + 1) / (B + 1): the
observed subset is one more draw (Phipson and Smyth 2010), so p is valid whatever B, and never 0.
A studentised statistic and others that are computed anew for each subset are counted where there
are few subsets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import EatlasError
from eatlas.stats.inputs import (
    checked_precision,
    checked_scale,
    clopper_pearson,
    generator,
    least_spread,
    relative_tolerance,
    whole,
)
from eatlas.stats.permutation.problem import (
    ALWAYS_EXACT,
    SMALLEST,
    STUDENTISED_METHODS,
    Array,
    Flags,
    Integers,
    PermutationResult,
    Question,
    Tail,
    Tails,
    subsets,
    two_groups,
)
from eatlas.stats.subsets import every_subset, random_subsets

DRAWS = 100_000
"""Relabellings drawn by default: p near 0.05 is known within 3%."""
CELLS = 1 << 18
"""Scores shuffled, or labels, at once: 2 MB, which stay in the second-level cache."""
LONG = 512
"""Of so many scores a shuffle of all takes as long as choosing some, 23 microseconds; of 50 it
takes 1, and choosing 30."""


def sampled(question: Question, draws: int, rng: np.random.Generator) -> Tails:
    """Tails from the same `draws` subsets."""
    reached = np.zeros(3, np.int64)
    for sums in _sums(question.values, question.n, draws, rng):
        in_upper, in_lower = sums >= question.at_least, sums < question.below
        tails = in_upper, in_lower, in_upper | (sums < question.far)
        reached += [np.count_nonzero(tail) for tail in tails]
    least = SMALLEST if question.strict else max(1 / question.total, SMALLEST)
    upper, lower, both = (drawn_tail(b, draws, least) for b in reached.tolist())
    if question.central:
        both = Tail.exact(question.total, question.total)
    return upper, lower, both


def drawn_tail(b: int, draws: int, least: float) -> Tail:
    """A tail from random subsets, cut off at `least`, which is certain: the observed one is in it.

    Clopper and Pearson's interval is exact: the draws are independent.
    """
    low, high = clopper_pearson(b, draws)
    p, low, high = (min(max(x, least), 1.0) for x in ((b + 1) / (draws + 1), low, high))
    return Tail(p, "sampled", interval=(low, high), draws=draws)


def _result(counts: Iterable[int], total: int, draws: int | None) -> PermutationResult:
    """Three tails from counts of all subsets, or of those drawn."""
    least = max(1 / total, SMALLEST)
    upper, lower, both = (
        Tail.exact(b, total) if draws is None else drawn_tail(b, draws, least) for b in counts
    )
    return PermutationResult(upper, lower, both, total)


def _sums(values: Integers, n: int, draws: int, rng: np.random.Generator) -> Iterator[Integers]:
    """Sums of `draws` random subsets of size n, in blocks, whose size does not change them."""
    rows = max(1, CELLS // values.size)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        if values.size < LONG:
            shuffled = np.repeat(values[None], count, axis=0)
            # numpy's Fisher-Yates shuffle of each row
            yield rng.permuted(shuffled, axis=1, out=shuffled)[:, :n].sum(axis=1)
        else:
            picks = (rng.choice(values, n, replace=False, shuffle=False) for _ in range(count))
            yield np.array([pick.sum() for pick in picks])


Statistic = Callable[[Flags], Array]
"""From memberships of the first group, shape (relabellings, N), to values, shape (relabellings,).
A value may depend on its own row alone."""

LISTED = 20_000
"""Designs with no more relabellings are counted: 8 against 8 has 12,870."""
ROWS = 1024
"""Relabellings handed over at once."""
TIE = 1e-9
"""Statistics tie when they differ by less than this, relative to the greatest magnitude seen: an
eigenvector's rounding error stays below it by far, real differences are above."""
ROUNDED = 32
"""The same in units of roundoff of computed vectors."""


def recomputed_test(
    statistic: Statistic,
    size: int,
    n: int,
    *,
    draws: int,
    rng: np.random.Generator | None = None,
    precision: float | None = None,
) -> PermutationResult:
    """Test a statistic of two groups, computed anew for each relabelling."""
    total = math.comb(size, n)
    every = total <= LISTED
    observed = float(statistic((np.arange(size) < n)[None])[0])
    blocks = (
        every_subset(size, n, ROWS)
        if every
        else random_subsets(size, n, draws, ROWS, generator(rng))
    )
    values = np.concatenate([statistic(block > 0) for block in blocks])
    relative = max(TIE, ROUNDED * (precision or 0.0))
    tie = relative * max(abs(observed), float(np.abs(values).max()))
    centre = float(values.mean())
    distance = abs(observed - centre)
    tails = (
        values >= observed - tie,
        values <= observed + tie,
        np.abs(values - centre) >= distance - 2 * tie,
    )
    return _result(map(int, map(np.count_nonzero, tails)), total, None if every else draws)


TIE_OF_T = 1e-9
"""Statistics that differ by less than this, relative to their magnitude, tie: rounding errors stay
below it by far."""
ROUNDING = 8 * 2.0**-52
"""Rounding error of a sum of squares, for each score and relative to the sum over all scores: less
within a group is a group of equal scores."""


def studentised_test(
    scores: ArrayLike,
    n: int,
    *,
    method: str = "auto",
    scale: float | None = None,
    strict: bool = False,
    rng: np.random.Generator | None = None,
    draws: int = DRAWS,
    precision: float | None = None,
) -> PermutationResult:
    """Test whether two groups differ in their means, allowing for unequal spreads."""
    array, n = two_groups(scores, n)
    size, draws = array.size, whole(draws, "draws", 1)
    total = subsets(size, n)
    every = method == "exact" or (method == "auto" and total <= ALWAYS_EXACT)
    _require(method, n, size, too_many=every and total > ALWAYS_EXACT)
    scale, precision = checked_scale(scale), checked_precision(precision)
    scale = float(np.abs(array).max()) if scale is None else scale
    if float(np.ptp(array)) <= least_spread(scale, precision):
        return _result([total] * 3, total, None)
    groups = Groups.of(array, n)
    if every:
        sums = groups.all_sums()
    else:
        blocks = random_subsets(size, n, draws, max(1, CELLS // size), generator(rng))
        sums = (labels @ groups.columns for labels in blocks)
    z = groups.observed
    tie = groups.tie(z, relative_tolerance(precision) * size * scale) * (-1 if strict else 1)
    above, below = (np.greater, np.less) if strict else (np.greater_equal, np.less_equal)
    counts = np.zeros(3, np.int64)
    for block in sums:
        values = groups.statistics(block)
        upper, lower = above(values, z - tie), below(values, z + tie)
        both = above(np.abs(values), abs(z) - tie)
        counts += [np.count_nonzero(tail) for tail in (upper, lower, both)]
    return _result(counts.tolist(), total, None if every else draws)


def _require(method: str, n: int, size: int, *, too_many: bool) -> None:
    """Refuse what a studentised statistic cannot do."""
    if method not in STUDENTISED_METHODS:
        raise EatlasError(
            "a studentised statistic is counted or drawn at random",
            got=f"method={method!r}",
            allowed=", ".join(STUDENTISED_METHODS),
        )
    if min(n, size - n) < 2:
        raise EatlasError(
            "a studentised statistic needs the spread of both groups",
            got=f"groups of {n} and {size - n} scores",
            allowed="2 or more in each",
            remedy="use the difference of means, which needs none",
        )
    if too_many:
        raise EatlasError(
            "a studentised statistic is counted by visiting every relabelling",
            got=f"{n} of {size} scores, {subsets(size, n):,} relabellings",
            allowed=f"at most {ALWAYS_EXACT:,}",
            remedy="use method='auto', which draws relabellings at random beyond that",
        )


@dataclass(frozen=True)
class Groups:
    """Scores of two groups; only sums and sums of squares of the first change with the labels."""

    columns: Array
    """Standardised scores and their squares, shape (N, 2)."""
    n: int
    """Size of the first group."""
    unit: float
    """Standard deviation of the scores."""

    @classmethod
    def of(cls, scores: Array, n: int) -> Groups:
        """Standardise scores, which must not all be equal."""
        unit = float(scores.std())
        standard = (scores - scores.mean()) / unit
        return cls(np.stack([standard, standard * standard], axis=1), n, unit)

    @property
    def rounding(self) -> float:
        """Rounding error of a sum of squares."""
        return ROUNDING * len(self.columns) * float(self.columns[:, 1].sum())

    @property
    def observed(self) -> float:
        """The statistic of the given labels."""
        return float(self.statistics(self.columns[: self.n].sum(axis=0)[None])[0])

    def statistics(self, sums: Array) -> Array:
        """Statistics Z, from sums of scores and of squares, shape (relabellings, 2).

        Infinite where both groups are constant and differ, 0 where their means are equal.
        """
        n, m = self.n, len(self.columns) - self.n
        whole_sum, whole_square = self.columns.sum(axis=0).tolist()
        first, second = sums[:, 0] / n, (whole_sum - sums[:, 0]) / m
        least = self.rounding
        squares = sums[:, 1] - n * first**2, whole_square - sums[:, 1] - m * second**2
        parts = [
            np.where(square > least, square, 0.0) / ((size - 1) * size)
            for square, size in zip(squares, (n, m), strict=True)
        ]
        error = parts[0] + parts[1]
        difference = first - second
        level = np.abs(difference) <= ROUNDING * len(self.columns) * math.sqrt(whole_square)
        with np.errstate(divide="ignore", invalid="ignore"):
            free = error**2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1))
            z = np.sqrt(free * np.log1p(difference**2 / (error * free)))
            z *= np.sign(difference) * (8 * free + 1) / (8 * free + 3)
        # both groups constant: no error at all
        apart = np.where(error > 0, z, np.copysign(np.inf, difference))
        return np.asarray(np.where(level, 0.0, apart))

    def all_sums(self) -> Iterator[Array]:
        """Both sums of every subset of n scores: those of k of one half and n - k of the other."""
        middle = len(self.columns) // 2
        low, high = _sums_by_size(self.columns[:middle]), _sums_by_size(self.columns[middle:])
        for k, sums in enumerate(low):
            if 0 <= self.n - k < len(high):
                rest = high[self.n - k]
                rows = max(1, CELLS // len(rest))
                for start in range(0, len(sums), rows):
                    block = sums[start : start + rows, None] + rest[None]
                    yield block.reshape(-1, 2)

    def tie(self, t: float, noise: float) -> float:
        """How near a statistic may be to the observed one and tie with it.

        `noise` is the rounding error of a sum of scores.
        """
        if not math.isfinite(t):
            return 0.0
        n, m = self.n, len(self.columns) - self.n
        first, second = self.columns[:n, 0], self.columns[n:, 0]
        square = float(first.var(ddof=1) / n + second.var(ddof=1) / m)
        if not square:
            return 0.0
        squares = self.rounding * (1 / ((n - 1) * n) + 1 / ((m - 1) * m)) / (2 * square)
        return (TIE_OF_T + 4 * squares) * max(1.0, abs(t)) + noise / self.unit / min(
            n, m
        ) / math.sqrt(square)


def _sums_by_size(columns: Array) -> list[Array]:
    """[k]: both sums of every subset of k rows."""
    sums = [np.zeros((1, 2))] + [np.empty((0, 2))] * len(columns)
    for row in columns:
        for k in range(len(columns), 0, -1):
            sums[k] = np.concatenate([sums[k], sums[k - 1] + row])
    return sums
