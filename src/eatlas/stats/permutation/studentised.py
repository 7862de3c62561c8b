"""The permutation test of a studentised difference: valid where groups differ in spread.

The difference of two means, permuted, tests that both groups come from one distribution. Where
they have one mean and different spreads, and the groups differ in size, it rejects too often or
too seldom, in large groups as in small ones. Divided by its standard error,

    T = (mean_1 - mean_2) / sqrt(s_1**2 / n_1 + s_2**2 / n_2),

computed anew for each relabelling, it is exact under exchangeability and, as the groups grow,
right for equal means whatever the spreads (Janssen 1997; Chung and Romano 2013).

In small groups T has heavier tails where the wide group is the small one than where labels are
mixed. So each T is carried to the normal scale by its own degrees of freedom f, those of Welch
(1947) and Satterthwaite, with the approximation of Wallace (1959),

    Z = sign(T) (8 f + 1) / (8 f + 3) sqrt(f log(1 + T**2 / f)),

and Z is relabelled: prepivoting (Beran 1988). As groups grow Z tends to T.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.inputs import (
    checked_precision,
    checked_scale,
    generator,
    least_spread,
    numbers,
    relative_tolerance,
    whole,
)
from eatlas.stats.permutation.engine import STUDENTISED_METHODS
from eatlas.stats.permutation.problem import SMALLEST, PermutationResult, Tail
from eatlas.stats.permutation.solvers import ALWAYS_EXACT
from eatlas.stats.relabelling import random_subsets

Array = NDArray[np.float64]

STUDENTISED_DRAWS = 100_000
"""Relabellings drawn where there are too many to visit all."""
CELLS = 1 << 18
"""Labels in a block: 2 MB."""
TIE = 1e-9
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
    draws: int = STUDENTISED_DRAWS,
    precision: float | None = None,
) -> PermutationResult:
    """Test whether two groups differ in their means, allowing for unequal spreads.

    Parameters
    ----------
    scores : array_like, shape (N,)
        Finite scores of both groups, the first group's first.
    n : int
        Size of the first group, 2 <= n <= N - 2.
    method : {"auto", "exact", "sampled"}
        ``auto`` visits all C(N, n) relabellings if there are at most 1,000,000, and draws some at
        random otherwise; ``exact`` visits all or raises; ``sampled`` always draws.
    scale : float, optional
        Magnitude of what was added up to make one score (1.0 for cosines), by which rounding is
        judged; by default the greatest magnitude among the scores.
    strict : bool
        Count only what exceeds the observed statistic.
    rng : numpy.random.Generator, optional
        Required where relabellings are drawn.
    draws : int
        How many, 1 or more.
    precision : float, optional
        Unit roundoff of the vectors behind the scores; by default they are exact.

    Returns
    -------
    PermutationResult
        Tails ``greater`` (Z >= z), ``less`` (Z <= z) and ``two_sided`` (abs(Z) >= abs(z)): exact
        counts where all relabellings are visited, else (b + 1) / (B + 1) with Clopper and
        Pearson's 95% interval.

    Raises
    ------
    EatlasError
        For input outside these ranges, and for a count of more than 1,000,000 relabellings.

    References
    ----------
    Janssen, A. (1997). Studentized permutation tests for non-i.i.d. hypotheses and the
    generalized Behrens-Fisher problem. Statistics and Probability Letters 36, 9-21.
    Chung, E. and Romano, J. P. (2013). Exact and asymptotically robust permutation tests. Annals
    of Statistics 41, 484-507.
    Beran, R. (1988). Prepivoting test statistics: a bootstrap view of asymptotic refinements.
    Journal of the American Statistical Association 83, 687-697.
    Wallace, D. L. (1959). Bounds on normal approximations to Student's and the chi-square
    distributions. Annals of Mathematical Statistics 30, 1121-1130.

    Examples
    --------
    >>> result = studentised_test([0.9, 0.7, 0.8, 0.1, 0.2, 0.3], 3)
    >>> result.greater, result.two_sided.count
    (Tail(p=0.05, method='exact', count=1), 2)
    """
    array = numbers(scores, "scores", 1)
    n = _checked(array.size, n, method)
    total = math.comb(array.size, n)
    every = method == "exact" or (method == "auto" and total <= ALWAYS_EXACT)
    if every and total > ALWAYS_EXACT:
        raise _too_many(array.size, n, total)
    draws, least = whole(draws, "draws", 1), max(1 / total, SMALLEST)
    checked = checked_scale(scale)
    scale = float(np.abs(array).max()) if checked is None else checked
    precision = checked_precision(precision)
    if float(np.ptp(array)) <= least_spread(scale, precision):
        tied = Tail.exact(total, total)
        return PermutationResult(tied, tied, tied, total)
    groups = Groups.of(array, n)
    noise = relative_tolerance(precision) * array.size * scale
    if every:
        counts = _counts(groups, noise, groups.all_sums(), strict=strict)
        upper, lower, both = (Tail.exact(b, total) for b in counts)
        return PermutationResult(upper, lower, both, total)
    rows, chance = max(1, CELLS // array.size), generator(rng)
    sums = (
        labels @ groups.columns for labels in random_subsets(array.size, n, draws, rows, chance)
    )
    counts = _counts(groups, noise, sums, strict=strict)
    upper, lower, both = (
        Tail.estimated("sampled", (b + 1) / (draws + 1), clopper_pearson(b, draws), draws, least)
        for b in counts
    )
    return PermutationResult(upper, lower, both, total)


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
        found: Array = np.where(level, 0.0, apart)
        return found

    def all_sums(self) -> Iterator[Array]:
        """Both sums of every subset of n scores: those of k of one half and n - k of the other."""
        middle = len(self.columns) // 2
        low, high = _sums_by_size(self.columns[:middle]), _sums_by_size(self.columns[middle:])
        for k, some in enumerate(low):
            if 0 <= self.n - k < len(high):
                rest = high[self.n - k]
                rows = max(1, CELLS // len(rest))
                for start in range(0, len(some), rows):
                    block = some[start : start + rows, None] + rest[None]
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
        return (TIE + 4 * squares) * max(1.0, abs(t)) + noise / self.unit / min(n, m) / math.sqrt(
            square
        )


def _sums_by_size(columns: Array) -> list[Array]:
    """[k]: both sums of every subset of k rows."""
    sums = [np.zeros((1, 2))] + [np.empty((0, 2))] * len(columns)
    for row in columns:
        for k in range(len(columns), 0, -1):
            sums[k] = np.concatenate([sums[k], sums[k - 1] + row])
    return sums


def _counts(groups: Groups, noise: float, blocks: Iterable[Array], *, strict: bool) -> list[int]:
    """How many relabellings are as extreme: greater, less, two-sided."""
    t = groups.observed
    tie = groups.tie(t, noise)
    counts = np.zeros(3, np.int64)
    for sums in blocks:
        values = groups.statistics(sums)
        if strict:
            found = values > t + tie, values < t - tie, np.abs(values) > abs(t) + tie
        else:
            found = values >= t - tie, values <= t + tie, np.abs(values) >= abs(t) - tie
        counts += [np.count_nonzero(tail) for tail in found]
    return [int(b) for b in counts]


def _checked(size: int, n: int, method: str) -> int:
    """Size of the first group; both groups need two scores or more."""
    if method not in STUDENTISED_METHODS:
        raise EatlasError(
            "a studentised statistic is counted or drawn at random",
            got=f"method={method!r}",
            allowed=", ".join(STUDENTISED_METHODS),
        )
    n = whole(n, "n", 1, max(size - 1, 1))
    if min(n, size - n) < 2:
        raise EatlasError(
            "a studentised statistic needs the spread of both groups",
            got=f"groups of {n} and {size - n} scores",
            allowed="2 or more in each",
            remedy="use the difference of means, which needs none",
        )
    return n


def _too_many(size: int, n: int, total: int) -> EatlasError:
    return EatlasError(
        "a studentised statistic is counted by visiting every relabelling",
        got=f"{n} of {size} scores, {total:,} relabellings",
        allowed=f"at most {ALWAYS_EXACT:,}",
        remedy="use method='auto', which draws relabellings at random beyond that",
    )
