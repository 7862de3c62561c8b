"""Two lists of numbers of the same things: their correlation, and the change between them.

Lists such as numbers of occupations are tested by permuting one of them, changes by flipping their
signs. :mod:`eatlas.stats.trend` tests numbers of consecutive periods.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.bootstrap import central
from eatlas.stats.permutation.problem import PermutationResult

Array = NDArray[np.float64]
Orders = NDArray[np.intp]

ALL_SIGNS_TO = 16
"""Changes up to which all signs are listed: 2^16 = 65,536."""
ALL_ORDERS_TO = 8
"""Pairs up to which all permutations are listed: 8! = 40,320."""
FEWEST = 4
"""Pairs below which a rank correlation has nothing to say: of three, one order in three is
monotone."""
CONFIDENCE = 0.95
"""Of intervals."""
TIE_OF_SUMS = 1e-10
"""Sums of changes tie within this, relative to the sum of their sizes."""
TIE = 1e-9
"""Correlations of permutations tie within this: sums of products of ranks are exact, their quotient
is rounded."""
TIES = 9
"""Decimals to which deviations from means are the same, in units of the spread of all numbers."""
SIGNS, ORDERS, RESAMPLES = 4_096, 1_000, 4_096
"""Vectors of signs, permutations, or resamples in one block."""
DRAWS = 9_999
"""Permutations that are sampled where not all are listed."""


def ranks(values: NDArray[np.number]) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: Array = (last - (sizes - 1) / 2)[group]
    return shared


def spearman(x: NDArray[np.number], y: NDArray[np.number]) -> float:
    """Correlation of the ranks of two lists of numbers, -1 to 1; NaN where one does not vary."""
    a, b = rank_deviations(x), rank_deviations(y)
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else float("nan")


def rank_deviations(values: NDArray[np.number]) -> Array:
    """Ranks less their mean."""
    return ranks(values) - (len(values) + 1) / 2


def rank_sum(first: Array, second: Array) -> float:
    """The two-sided p of the Mann-Whitney test, by its normal approximation.

    Ties are corrected for, and so is continuity. 1 where nothing differs; never 0, which long lists
    would round it to.
    """
    n, m = len(first), len(second)
    both = np.concatenate([first, second])
    size = n + m
    u = float(ranks(both)[:n].sum()) - n * (n + 1) / 2
    ties = np.unique(both, return_counts=True)[1].astype(np.float64)
    variance = n * m / 12 * (size + 1 - float((ties**3 - ties).sum()) / (size * (size - 1)))
    if variance <= 0:
        return 1.0
    z = max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance)
    return max(math.erfc(z / math.sqrt(2)), sys.float_info.min)


@dataclass(frozen=True)
class Correlation:
    """Pearson's and Spearman's correlation with intervals; NaN where one is not defined."""

    n: int
    pearson: float
    pearson_low: float
    pearson_high: float
    spearman: float
    spearman_low: float
    spearman_high: float


def correlation(x: Array, y: Array, confidence: float = 0.95) -> Correlation:
    """Correlate two methods over the same tests.

    The interval of Pearson's r is Fisher's; the interval of Spearman's rho has the standard error
    ``sqrt((1 + r^2 / 2) / (n - 3))`` on the same scale (Bonett and Wright 2000).
    """
    n, nan = len(x), math.nan
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(n, *[nan] * 6)
    numbers = []
    for r, wider in ((float(np.corrcoef(x, y)[0, 1]), 0.0), (spearman(x, y), 0.5)):
        ends = nan, nan
        if n > 3 and abs(r) < 1 - 1e-12:
            error = math.sqrt((1 + wider * r**2) / (n - 3))
            reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
            ends = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
        numbers += [r, *ends]
    return Correlation(n, *numbers)


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """A permutation test of two lists of numbers of the same things."""

    n: int
    """Pairs."""
    p: float = math.nan
    """Two-sided; NaN if the statistic is undefined."""
    method: Literal["exact", "sampled", "undefined"] = "undefined"
    """Whether all permutations were counted, or some drawn."""
    count: int = 0
    """Permutations as far from 0: of all, including the observed one; or of the sampled ones, where
    ``p = (count + 1) / (total + 1)`` (Phipson and Smyth 2010)."""
    total: int = 0
    interval: tuple[float, float] | None = None
    """Percentile interval over resamples of pairs; None without resamples, and where more than one
    in a hundred of them leave it undefined."""


@dataclass(frozen=True, kw_only=True)
class PairedChange(PairedTest):
    """The mean change of numbers of the same things; its permutations are signs of changes.

    Undefined with fewer than two changes.
    """

    before: float
    """Mean before; NaN where there is nothing."""
    after: float
    change: float
    """Mean of after less before."""
    fell: int
    """Numbers that fell."""
    rose: int
    """Numbers that rose."""


@dataclass(frozen=True, kw_only=True)
class RankCorrelation(PairedTest):
    """Correlation of two lists of numbers of the same things; its permutations are permutations.

    Undefined where one list does not vary, or there are fewer than 4 pairs.
    """

    rho: float = math.nan
    """Spearman's, -1 to 1; NaN where undefined."""
    r2: float = math.nan
    """Square of Pearson's r; NaN if undefined."""


def compare_before_after(
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1_000,
) -> PairedChange:
    """Compare numbers of the same things before and after a change.

    The null hypothesis is that before and after are exchangeable for each thing: that the changes
    are symmetric about 0 (Fisher's test of paired samples). A zero stays zero under either sign.
    """
    first, second = np.asarray(before, np.float64), np.asarray(after, np.float64)
    change, n = second - first, len(first)
    tested: dict[str, Any] = {}
    if n > 1:
        reach = abs(float(change.sum())) - TIE_OF_SUMS * float(np.abs(change).sum())
        far = (np.abs(signs @ change) >= reach for signs in _signs(n, rng))
        tested = count_extreme(far, exact=n <= ALL_SIGNS_TO)
        tested["interval"] = bootstrap_interval(
            lambda drawn: change[drawn].mean(axis=1), members_of(n), resamples, rng
        )
    means = (float(part.mean()) if n else math.nan for part in (first, second, change))
    fell, rose = int(np.count_nonzero(change < 0)), int(np.count_nonzero(change > 0))
    tested |= zip(("before", "after", "change"), means, strict=True)
    return PairedChange(n=n, fell=fell, rose=rose, **tested)


def rank_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator,
    permutations: int = DRAWS,
    resamples: int = 1_000,
    groups: ArrayLike | None = None,
) -> RankCorrelation:
    """Correlate two lists of numbers of the same things, by their ranks.

    The null hypothesis is that the pairs are exchangeable: that it is by chance which number of `y`
    belongs to which of `x`. Up to 8 pairs all permutations are counted, and p is exact.

    With `groups`, a label for each thing, the deviations of numbers from the mean of their group
    are correlated, and pairs are permuted and resampled within groups: what the groups have in
    common is no part of the coefficient.
    """
    lists = np.array([x, y], np.float64)
    n = lists.shape[1]
    members = members_of(n, groups)
    spreads = np.ptp(lists, axis=1, keepdims=True) if n else np.zeros((2, 1))
    if n - len(members) < FEWEST - 1 or not spreads.all():
        return RankCorrelation(n=n)
    if groups is not None:  # deviations of one size tie
        lists = np.asarray(np.round(_deviations(lists, members) / spreads, TIES), np.float64)
    if not np.ptp(lists, axis=1).all():
        return RankCorrelation(n=n)
    first, second = lists
    rho, a, b = spearman(first, second), rank_deviations(first), rank_deviations(second)
    spread = math.sqrt(float(a @ a) * float(b @ b))
    orders = _orders(members, permutations, rng)
    far = (np.abs(b[block] @ a / spread) >= abs(rho) - TIE for block in orders)
    tested: dict[str, Any] = count_extreme(far, exact=_all_listed(members))

    def bootstrap_correlations(drawn: Orders) -> Array:
        rows = first[drawn], second[drawn]
        if groups is not None:
            rows = _deviations(rows[0], members), _deviations(rows[1], members)
        return row_correlations(row_ranks(rows[0]), row_ranks(rows[1]))

    interval = bootstrap_interval(bootstrap_correlations, members, resamples, rng)
    r2 = float(np.corrcoef(first, second)[0, 1] ** 2)
    return RankCorrelation(n=n, rho=rho, r2=r2, interval=interval, **tested)


def members_of(n: int, groups: ArrayLike | None = None) -> list[Orders]:
    """Places of the things of each group; without groups all are in one."""
    if groups is None:
        return [np.arange(n)]
    labels = np.asarray(groups)
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _deviations(rows: Array, members: Sequence[Orders]) -> Array:
    """Numbers in rows, each less the mean of its group in the row."""
    less = np.array(rows)
    for places in members:
        less[:, places] -= rows[:, places].mean(axis=1, keepdims=True)
    return less


def sign_test(positive: int, negative: int) -> PermutationResult:
    """Tails of the number of positive signs, each as likely as not; of changes it is McNemar's."""
    n, ways = positive + negative, [1]
    for i in range(n):  # comb(n, i + 1)
        ways.append(ways[-1] * (n - i) // (i + 1))
    both = sum(ways[i] for i in range(n + 1) if abs(2 * i - n) >= abs(positive - negative))
    return PermutationResult.exact((sum(ways[positive:]), sum(ways[: positive + 1]), both), 2**n)


def row_ranks(rows: Array) -> Array:
    """Centred ranks of the numbers in each row; equal numbers share the mean of theirs."""
    return np.asarray(scipy.stats.rankdata(rows, axis=1) - (rows.shape[1] + 1) / 2)


def row_correlations(a: Array, b: Array) -> Array:
    """Correlation of each row of `a` with the row of `b`, all centred; NaN if constant."""
    with np.errstate(invalid="ignore"):
        spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
        return np.asarray((a * b).sum(axis=1) / spread)


def count_extreme(far: Iterator[NDArray[np.bool_]], *, exact: bool) -> dict[str, Any]:
    """Fields of a test from blocks that say of each permutation whether it is as far from 0."""
    blocks = list(far)
    count, total = sum(int(block.sum()) for block in blocks), sum(map(len, blocks))
    p = count / total if exact else (count + 1) / (total + 1)
    return {"p": p, "method": "exact" if exact else "sampled", "count": count, "total": total}


def bootstrap_interval(
    statistic: Callable[[Orders], Array],
    members: Sequence[Orders],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Percentile interval of a statistic over resamples within groups, found in blocks."""
    if not resamples:
        return None
    sizes = [min(RESAMPLES, resamples - start) for start in range(0, resamples, RESAMPLES)]
    drawn = [statistic(_resample_within(many, members, rng)) for many in sizes]
    low, high = central(np.concatenate(drawn), CONFIDENCE).tolist()
    return None if math.isnan(low) else (low, high)


def _resample_within(many: int, members: Sequence[Orders], rng: np.random.Generator) -> Orders:
    """Places of things drawn again with replacement, those of each group among themselves."""
    drawn = np.empty((many, sum(map(len, members))), np.intp)
    for places in members:
        drawn[:, places] = places[rng.integers(len(places), size=(many, len(places)))]
    return drawn


def _signs(n: int, rng: np.random.Generator) -> Iterator[Orders]:
    """All vectors of n signs, or some drawn at random, in blocks."""
    exact = n <= ALL_SIGNS_TO
    total = 2**n if exact else DRAWS
    for start in range(0, total, SIGNS):
        many = min(SIGNS, total - start)
        if exact:
            yield 1 - 2 * (np.arange(start, start + many)[:, None] >> np.arange(n) & 1)
        else:
            yield 1 - 2 * rng.integers(0, 2, size=(many, n))


def _all_listed(members: Sequence[Orders]) -> bool:
    """Whether all orders within groups are listed."""
    ways = math.prod(math.factorial(len(places)) for places in members)
    return ways <= math.factorial(ALL_ORDERS_TO)


def _orders(
    members: Sequence[Orders], permutations: int, rng: np.random.Generator
) -> Iterator[Orders]:
    """All orders of things within their groups, or some drawn at random, in blocks."""
    n = sum(map(len, members))
    if _all_listed(members):
        every = product(*(itertools.permutations(places.tolist()) for places in members))
        orders = np.array([list(chain(*parts)) for parts in every])
        orders[:, np.concatenate(members)] = orders.copy()
        yield orders
        return
    for start in range(0, permutations, ORDERS):
        orders = np.tile(np.arange(n), (min(ORDERS, permutations - start), 1))
        for places in members:
            orders[:, places] = rng.permuted(orders[:, places], axis=1)
        yield orders


def intraclass_correlation(ratings: ArrayLike, *, consistency: bool = False) -> tuple[float, float]:
    """Intraclass correlation of raters in columns, two-way: of one rater, and of their mean.

    ICC(A,1) and ICC(A,k) of McGraw and Wong (1996), both rows and raters being random; ICC(C,1) and
    ICC(C,k) for consistency, which allows raters that differ by a constant.

    >>> one, mean = intraclass_correlation([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8],
    ...                                     [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    >>> round(one, 2), round(mean, 2)  # the example of Shrout and Fleiss (1979)
    (0.29, 0.62)
    """
    table = np.asarray(ratings, np.float64)
    n, k = table.shape
    rows, raters = table.mean(axis=1), table.mean(axis=0)
    of_rows = k * float(rows.var(ddof=1))
    of_raters = 0.0 if consistency else n * float(raters.var(ddof=1))
    rest = table - rows[:, None] - raters + table.mean()
    error = float((rest**2).sum()) / ((n - 1) * (k - 1))
    apart = 0.0 if consistency else (of_raters - error) / n
    of_one, of_mean = of_rows + (k - 1) * error + k * apart, of_rows + apart
    if not of_one or not of_mean:
        return float("nan"), float("nan")
    return (of_rows - error) / of_one, (of_rows - error) / of_mean
