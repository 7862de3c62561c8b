"""Two lists of numbers of the same things: their correlation, and the change between them.

Lists such as numbers of occupations are tested by permuting one of them, changes by flipping their
signs. Two series in time are another matter: neighbouring periods are alike, so that series which
have nothing to do with each other drift together or apart for a while, and a permutation test calls
that a correlation. Their null is here that of independent autoregressions, at the autocorrelation
that makes a strong correlation most frequent. A trend over periods is tested by shuffling blocks of
neighbouring periods.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.permutation.problem import PermutationResult
from eatlas.stats.shares import central

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
AUTOCORRELATIONS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Of neighbouring periods, in the null of two series; at 1 the series is a random walk. Of two
random walks of 10 periods 5% correlate with ``|rho|`` above 0.85, of independent values above
0.65."""
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
"""Relabellings that are drawn where not all are listed."""


def ranks(values: NDArray[np.number]) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: Array = (last - (sizes - 1) / 2)[group]
    return shared


def spearman(x: NDArray[np.number], y: NDArray[np.number]) -> float:
    """Correlation of the ranks of two lists of numbers, -1 to 1; NaN where one does not vary."""
    a, b = _centred_ranks(x), _centred_ranks(y)
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else float("nan")


def _centred_ranks(values: NDArray[np.number]) -> Array:
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

    The interval of Pearson's r is Fisher's; that of Spearman's has the standard error
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
    """A relabelling test of two lists of numbers of the same things."""

    n: int
    """Pairs."""
    p: float = math.nan
    """Two-sided; NaN where what is tested is undefined."""
    method: Literal["exact", "sampled", "undefined"] = "undefined"
    """Whether all relabellings were counted, or some drawn."""
    count: int = 0
    """Relabellings as far from 0: of all, the observed one among them; or of those drawn, where
    ``p = (count + 1) / (total + 1)`` (Phipson and Smyth 2010)."""
    total: int = 0
    interval: tuple[float, float] | None = None
    """Percentile interval over resamples of pairs; None without resamples, and where more than one
    in a hundred of them leave it undefined."""


@dataclass(frozen=True, kw_only=True)
class PairedChange(PairedTest):
    """The mean change of numbers of the same things; its relabellings are signs of changes.

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
    """Correlation of two lists of numbers of the same things; its relabellings are permutations.

    Undefined where one list does not vary, or there are fewer than 4 pairs.
    """

    rho: float = math.nan
    """Spearman's, -1 to 1; NaN where undefined."""
    r2: float = math.nan
    """Square of Pearson's r; NaN likewise."""


def paired_change(
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
        tested = _counted(far, exact=n <= ALL_SIGNS_TO)
        tested["interval"] = _interval(
            lambda drawn: change[drawn].mean(axis=1), _members(n), resamples, rng
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
    draws: int = DRAWS,
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
    members = _members(n, groups)
    spreads = np.ptp(lists, axis=1, keepdims=True) if n else np.zeros((2, 1))
    if n - len(members) < FEWEST - 1 or not spreads.all():
        return RankCorrelation(n=n)
    if groups is not None:  # deviations of one size tie
        lists = np.asarray(np.round(_deviations(lists, members) / spreads, TIES), np.float64)
    if not np.ptp(lists, axis=1).all():
        return RankCorrelation(n=n)
    first, second = lists
    rho, a, b = spearman(first, second), _centred_ranks(first), _centred_ranks(second)
    spread = math.sqrt(float(a @ a) * float(b @ b))
    orders = _orders(members, draws, rng)
    far = (np.abs(b[block] @ a / spread) >= abs(rho) - TIE for block in orders)
    tested: dict[str, Any] = _counted(far, exact=_all_listed(members))

    def resampled(drawn: Orders) -> Array:
        rows = first[drawn], second[drawn]
        if groups is not None:
            rows = _deviations(rows[0], members), _deviations(rows[1], members)
        return _row_correlations(_row_ranks(rows[0]), _row_ranks(rows[1]))

    interval = _interval(resampled, members, resamples, rng)
    r2 = float(np.corrcoef(first, second)[0, 1] ** 2)
    return RankCorrelation(n=n, rho=rho, r2=r2, interval=interval, **tested)


def _members(n: int, groups: ArrayLike | None = None) -> list[Orders]:
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


def rank_correlation_change(
    x: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1_000,
) -> tuple[float, float, tuple[float, float] | None]:
    """Spearman's rho of x with each of two lists, and an interval of the second less the first.

    Things are resampled with all three numbers. NaN and None with fewer than 4 things.
    """
    lists = [np.asarray(numbers, np.float64) for numbers in (x, before, after)]
    if len(lists[0]) < FEWEST:
        return math.nan, math.nan, None

    def resampled(drawn: Orders) -> Array:
        of_x, *others = (_row_ranks(numbers[drawn]) for numbers in lists)
        first, second = (_row_correlations(of_x, ranked) for ranked in others)
        return second - first

    interval = _interval(resampled, _members(len(lists[0])), resamples, rng)
    return spearman(lists[0], lists[1]), spearman(lists[0], lists[2]), interval


def sign_test(positive: int, negative: int) -> PermutationResult:
    """Tails of the number of positive signs, each as likely as not; of changes it is McNemar's."""
    n, ways = positive + negative, [1]
    for i in range(n):  # comb(n, i + 1)
        ways.append(ways[-1] * (n - i) // (i + 1))
    both = sum(ways[i] for i in range(n + 1) if abs(2 * i - n) >= abs(positive - negative))
    return PermutationResult.exact((sum(ways[positive:]), sum(ways[: positive + 1]), both), 2**n)


def _row_ranks(rows: Array) -> Array:
    from scipy.stats import rankdata  # noqa: PLC0415  (heavy at start)

    return np.asarray(rankdata(rows, axis=1) - (rows.shape[1] + 1) / 2)


def _row_correlations(a: Array, b: Array) -> Array:
    """Correlation of each row of `a` with that of `b`, all centred; NaN where one is constant."""
    with np.errstate(invalid="ignore"):
        spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
        return np.asarray((a * b).sum(axis=1) / spread)


def _counted(far: Iterator[NDArray[np.bool_]], *, exact: bool) -> dict[str, Any]:
    """Fields of a test from blocks that say of each relabelling whether it is as far from 0."""
    blocks = list(far)
    count, total = sum(int(block.sum()) for block in blocks), sum(map(len, blocks))
    p = count / total if exact else (count + 1) / (total + 1)
    return {"p": p, "method": "exact" if exact else "sampled", "count": count, "total": total}


def _interval(
    statistic: Callable[[Orders], Array],
    members: Sequence[Orders],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Percentile interval of a statistic over resamples within groups, found in blocks."""
    if not resamples:
        return None
    sizes = [min(RESAMPLES, resamples - start) for start in range(0, resamples, RESAMPLES)]
    drawn = [statistic(_resampled(many, members, rng)) for many in sizes]
    low, high = central(np.concatenate(drawn), CONFIDENCE).tolist()
    return None if math.isnan(low) else (low, high)


def _resampled(many: int, members: Sequence[Orders], rng: np.random.Generator) -> Orders:
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


def _orders(members: Sequence[Orders], draws: int, rng: np.random.Generator) -> Iterator[Orders]:
    """All orders of things within their groups, or some drawn at random, in blocks."""
    n = sum(map(len, members))
    if _all_listed(members):
        every = product(*(permutations(places.tolist()) for places in members))
        orders = np.array([list(chain(*parts)) for parts in every])
        orders[:, np.concatenate(members)] = orders.copy()
        yield orders
        return
    for start in range(0, draws, ORDERS):
        orders = np.tile(np.arange(n), (min(ORDERS, draws - start), 1))
        for places in members:
            orders[:, places] = rng.permuted(orders[:, places], axis=1)
        yield orders


@dataclass(frozen=True)
class SeriesCorrelation:
    """Correlation of two series in time."""

    unordered: RankCorrelation
    """By a permutation test that knows of no order in time: its p is too small where neighbouring
    periods are alike. For comparison alone."""
    p: float
    """Two-sided, under independent autoregressive series; NaN where there is no correlation."""
    autocorrelation: tuple[float, float]
    """Of neighbouring periods of either series. Short series estimate it far too low."""
    changes: RankCorrelation
    """Of the changes from each period to the next, whose permutation test is right where changes
    are independent of each other, whatever the drift of the series; a little too often significant
    where the values themselves are, not their changes."""


def series_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator,
    draws: int = DRAWS,
    resamples: int = 1_000,
) -> SeriesCorrelation:
    """Correlate two series in time, and test it under a null that keeps neighbours alike.

    The null hypothesis: `x` and `y` are independent, and each is a Gaussian autoregression of order
    1, ``x[t] = phi x[t-1] + e[t]``, stationary for phi below 1 and a random walk for phi of 1. Its
    two autocorrelations are not known, and a short series estimates them far too low; so p is the
    largest over all pairs of them in `AUTOCORRELATIONS`, 0 to 1: the least favourable. So the test
    rejects no more often than stated for any of them, and more seldom where the series are not
    autocorrelated (``benchmarks/correlation_null.py``).

    A drift that lasts through all periods is no chance of this null beyond what a random walk does:
    two series that both rise steadily for other reasons correlate perfectly. `changes` takes such a
    drift out: whether periods in which the one rises more than usual are those in which the other
    does.
    """
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    steps = np.diff(first), np.diff(second)
    changes = rank_correlation(*steps, rng=rng, draws=draws, resamples=resamples)
    unordered = rank_correlation(first, second, rng=rng, draws=draws, resamples=0)
    p = math.nan
    if not math.isnan(unordered.rho):
        # the same innovations serve all autocorrelations, so that the largest p is not one of luck
        noise = rng.standard_normal((2, draws, len(first)))
        rows, columns = ([_unit_ranks(_series(e, phi)) for phi in AUTOCORRELATIONS] for e in noise)
        rhos = (np.abs((a * b).sum(axis=1)) for a in rows for b in columns)
        most = max(int(np.count_nonzero(rho >= abs(unordered.rho) - TIE)) for rho in rhos)
        p = (most + 1) / (draws + 1)
    of_first, of_second = (_autocorrelation(part - part.mean()) for part in (first, second))
    return SeriesCorrelation(unordered, p, (of_first, of_second), changes)


def _series(steps: Array, phi: float) -> Array:
    """Autoregressions of order 1, a row each; a random walk for phi of 1."""
    made = steps.copy()
    if phi < 1:
        made[:, 0] /= math.sqrt(1 - phi**2)
    for t in range(1, made.shape[1]):
        made[:, t] += phi * made[:, t - 1]
    return made


def _unit_ranks(rows: Array) -> Array:
    """Centred ranks of each row of different numbers, of length 1."""
    centred = rows.argsort(axis=1).argsort(axis=1) - (rows.shape[1] - 1) / 2
    return np.asarray(centred / math.sqrt(float(centred[0] @ centred[0])))


def _autocorrelation(rest: Array, noise: float = 0.0) -> float:
    """Of neighbours, of numbers less their mean; NaN where no more than noise is left."""
    power = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / power if power > noise else math.nan


LONG, SHORT = 4, 3
"""Neighbours kept together, in series of 20 periods and more, and in shorter ones, where runs of 4
leave too few arrangements. Both reject a true null about as often."""
LONG_FROM, SHORT_FROM = 20, 6
"""Periods from which runs of these lengths are taken; of fewer, runs of two."""
ARRANGEMENTS = 50_000
"""Most arrangements of blocks that are listed; of more, `DRAWS` are drawn."""
ROUNDING = 1e-12
"""Of the largest value: what is left of a straight line beside rounding."""


def block_length_for(n: int) -> int:
    """Length of the runs that stay together in a series of `n` periods."""
    return LONG if n >= LONG_FROM else SHORT if n >= SHORT_FROM else n // 2


def trend(
    times: ArrayLike,
    values: ArrayLike,
    *,
    rng: np.random.Generator,
    block_length: int | None = None,
) -> dict[str, Any]:
    """Test whether a series of four values or more that differ rises or falls.

    The fields of a `LevelTrend`: Spearman's correlation with time, and two p-values. Blocks: the
    series is cut into as many runs of `block_length` as it has, from both ends; what
    is left over stays where it is, in the middle, where it says least about a trend; and the runs
    change places (Carlstein 1986 for the bootstrap). All runs have one length, so that the
    arrangements form a group, and the p-value of independent periods is exact for every n. It is
    too small where neighbours are alike beyond the trend. Shifts: the series is closed to
    a ring and turned (the random shift test of spatial statistics); with n periods no p is below
    1/n, and the seam of a rising series is a jump that the null has and the series has not.
    """
    time, value = np.asarray(times, np.float64), np.asarray(values, np.float64)
    n, length = value.size, block_length or block_length_for(value.size)
    moved, exact = _blocks(n, length, rng)
    places = np.arange(n)  # a ring, turned by each number of places
    autocorrelation = autocorrelation_beside_time(time, value)
    return {
        "rho": max(-1.0, min(1.0, spearman(time, value))),
        "n": n,
        "p": _arranged(value, moved, exact=exact),
        "block_length": length,
        "shifts": _arranged(value, (places[:, None] + places) % n, exact=True),
        "autocorrelation": None if math.isnan(autocorrelation) else autocorrelation,
    }


def _blocks(n: int, length: int, rng: np.random.Generator) -> tuple[Orders, bool]:
    """Orders in which the runs of a series have changed places, and whether these are all."""
    many, left = divmod(n, length)
    before = (many + 1) // 2 * length
    moved = np.delete(np.arange(n), slice(before, before + left))
    runs = moved.reshape(many, length)
    exact = math.factorial(many) <= ARRANGEMENTS
    if exact:
        places = np.array(list(permutations(range(many))))
    else:
        places = np.array([rng.permutation(many) for _ in range(DRAWS)])
    orders = np.tile(np.arange(n), (len(places), 1))
    orders[:, moved] = runs[places].reshape(len(places), -1)
    return orders, exact


def _arranged(value: Array, orders: Orders, *, exact: bool) -> dict[str, Any]:
    """How many orders of the series correlate with time as strongly as the one that is."""
    centred = _centred_ranks(value)
    clock = np.arange(value.size) - (value.size - 1) / 2
    # ranks and places are multiples of one half, so that sums of their products are exact
    far = np.abs(centred[orders] @ clock) >= abs(float(clock @ centred))
    test = _counted(iter([far]), exact=exact)
    least = 1 / test["total"] if exact else 1 / (test["total"] + 1)
    return {"p": test["p"], "count": test["count"], "total": test["total"],
            "exact": exact, "min_p": least}  # fmt: skip


def autocorrelation_beside_time(time: Array, value: Array) -> float:
    """Of neighbours, after a straight line is taken out; NaN where nothing is left.

    Short series estimate it far too low: of 18 periods with .9, as .44 on average.
    """
    clock, rest = time - time.mean(), value - value.mean()
    rest = rest - clock * (clock @ rest) / (clock @ clock)
    return _autocorrelation(rest, value.size * (ROUNDING * float(np.abs(value).max())) ** 2)
