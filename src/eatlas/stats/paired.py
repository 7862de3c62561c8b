"""Two lists of numbers of the same things: their rank correlation, and the change between them.

Lists such as numbers of occupations are tested by permuting one of them, changes by flipping their
signs. Two series in time are another matter: neighbouring periods are alike, so that series which
have nothing to do with each other drift together or apart for a while, and a permutation test calls
that a correlation. Their null is here that of independent autoregressions, at the autocorrelation
that makes a strong correlation most frequent. A trend over periods is tested by shuffling blocks of
neighbouring periods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
SIGNS, ORDERS, RESAMPLES = 4_096, 1_000, 4_096
"""Vectors of signs, permutations, or resamples in one block."""


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
    ``p = (count + 1) / (total + 1)``."""
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


@dataclass(frozen=True)
class SeriesCorrelation:
    """Correlation of two series in time."""

    n: int
    """Periods."""
    rho: float
    """Spearman's, -1 to 1; NaN where one series does not vary, or has fewer than 4 periods."""
    r2: float
    """Square of Pearson's r; NaN likewise."""
    p: float
    """Two-sided, under independent autoregressive series; NaN where rho is."""
    draws: int
    """Pairs of series that were simulated at each pair of autocorrelations."""
    p_unordered: float
    """What a permutation test gives that knows of no order in time: too small where neighbouring
    periods are alike. For comparison alone."""
    autocorrelation: tuple[float, float]
    """Of neighbouring periods of either series. Short series estimate it far too low."""
    changes: RankCorrelation
    """Of the changes from each period to the next, whose permutation test is right where changes
    are independent of each other, whatever the drift of the series; a little too often significant
    where the values themselves are, not their changes."""


def paired_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    draws: int = 9_999,
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
        far = (np.abs(signs @ change) >= reach for signs in _signs(n, draws, rng))
        tested = _counted(far, exact=n <= ALL_SIGNS_TO)
        tested["interval"] = _interval(lambda drawn: change[drawn].mean(axis=1), n, resamples, rng)
    return PairedChange(
        n=n,
        before=_mean(first),
        after=_mean(second),
        change=_mean(change),
        fell=int(np.count_nonzero(change < 0)),
        rose=int(np.count_nonzero(change > 0)),
        **tested,
    )


def rank_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator,
    draws: int = 9_999,
    resamples: int = 1_000,
) -> RankCorrelation:
    """Correlate two lists of numbers of the same things, by their ranks.

    The null hypothesis is that the pairs are exchangeable: that it is by chance which number of `y`
    belongs to which of `x`. Up to 8 pairs all permutations are counted, and p is exact; of more,
    ``p = (count + 1) / (draws + 1)`` (Phipson and Smyth 2010).
    """
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    n = len(first)
    if n < FEWEST or not (np.ptp(first) > 0 and np.ptp(second) > 0):
        return RankCorrelation(n=n)
    rho = spearman(first, second)
    far = (
        np.abs(_correlations(first, second, orders)) >= abs(rho) - TIE
        for orders in _orders(n, draws, rng)
    )
    tested: dict[str, Any] = _counted(far, exact=n <= ALL_ORDERS_TO)
    interval = _interval(
        lambda drawn: _of_resamples(first[drawn], second[drawn]), n, resamples, rng
    )
    r2 = float(np.corrcoef(first, second)[0, 1] ** 2)
    return RankCorrelation(n=n, rho=rho, r2=r2, interval=interval, **tested)


def series_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator,
    draws: int = 9_999,
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
    n, steps = len(first), (np.diff(first), np.diff(second))
    changes = rank_correlation(*steps, rng=rng, draws=draws, resamples=resamples)
    unordered = rank_correlation(first, second, rng=rng, draws=draws, resamples=0)
    known = not math.isnan(unordered.rho)
    return SeriesCorrelation(
        n=n,
        rho=unordered.rho,
        r2=unordered.r2,
        p=_least_favourable(n, unordered.rho, draws, rng) if known else math.nan,
        draws=draws,
        p_unordered=unordered.p,
        autocorrelation=(_autocorrelation(first), _autocorrelation(second)),
        changes=changes,
    )


def _share(count: int, total: int, *, exact: bool) -> float:
    """The p of a count of all relabellings, or of those drawn (Phipson and Smyth 2010)."""
    return count / total if exact else (count + 1) / (total + 1)


def _counted(far: Iterator[NDArray[np.bool_]], *, exact: bool) -> dict[str, Any]:
    """Fields of a test from blocks that say of each relabelling whether it is as far from 0."""
    count, total = map(sum, zip(*((int(block.sum()), len(block)) for block in far), strict=True))
    p = _share(count, total, exact=exact)
    return {"p": p, "method": "exact" if exact else "sampled", "count": count, "total": total}


def _interval(
    statistic: Callable[[Orders], Array],
    n: int,
    resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Percentile interval of a statistic of n pairs over resamples, found in blocks."""
    if not resamples:
        return None
    sizes = [min(RESAMPLES, resamples - start) for start in range(0, resamples, RESAMPLES)]
    drawn = [statistic(rng.integers(n, size=(many, n))) for many in sizes]
    low, high = central(np.concatenate(drawn), CONFIDENCE).tolist()
    return None if math.isnan(low) else (low, high)


def _mean(values: Array) -> float:
    return math.fsum(values) / len(values) if len(values) else math.nan


def _signs(n: int, draws: int, rng: np.random.Generator) -> Iterator[Orders]:
    """All vectors of n signs, or some drawn at random, in blocks."""
    exact = n <= ALL_SIGNS_TO
    total = 2**n if exact else draws
    for start in range(0, total, SIGNS):
        many = min(SIGNS, total - start)
        if exact:
            yield 1 - 2 * (np.arange(start, start + many)[:, None] >> np.arange(n) & 1)
        else:
            yield 1 - 2 * rng.integers(0, 2, size=(many, n))


def _orders(n: int, draws: int, rng: np.random.Generator) -> Iterator[Orders]:
    """All orders of n things, or some drawn at random, in blocks."""
    if n <= ALL_ORDERS_TO:
        yield np.array(list(permutations(range(n))))
        return
    for start in range(0, draws, ORDERS):
        many = min(ORDERS, draws - start)
        yield rng.permuted(np.tile(np.arange(n), (many, 1)), axis=1)


def _correlations(x: Array, y: Array, orders: Orders) -> Array:
    """Rank correlation of x with y in each order."""
    a, b = map(_centred_ranks, (x, y))
    return np.asarray(b[orders] @ a / math.sqrt(float(a @ a) * float(b @ b)))


def _of_resamples(x: Array, y: Array) -> Array:
    """Rank correlation of each row of x with that of y, whose ranks are taken anew."""
    a, b = (np.array([_centred_ranks(row) for row in rows]) for rows in (x, y))
    with np.errstate(invalid="ignore"):
        return np.asarray((a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


def _centred_ranks(values: NDArray[np.number]) -> Array:
    return ranks(values) - (len(values) + 1) / 2


def _least_favourable(n: int, rho: float, draws: int, rng: np.random.Generator) -> float:
    """The largest p over the autocorrelations of two independent series.

    The same innovations serve all autocorrelations, so that the largest p is not one of luck.
    """
    steps = rng.standard_normal((2, draws, n))
    first, second = ([_unit_ranks(_series(e, phi)) for phi in AUTOCORRELATIONS] for e in steps)
    counts = (
        int(np.count_nonzero(np.abs((a * b).sum(axis=1)) >= abs(rho) - TIE))
        for a in first
        for b in second
    )
    return (max(counts) + 1) / (draws + 1)


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


def _autocorrelation(values: Array) -> float:
    """Of neighbours, about the mean; NaN where nothing varies."""
    return _of_neighbours(values - values.mean()) if np.ptp(values) > 0 else math.nan


def _of_neighbours(rest: Array) -> float:
    power = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / power if power else math.nan


def ranks(values: NDArray[np.number]) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: Array = (last - (sizes - 1) / 2)[group]
    return shared


def spearman(x: NDArray[np.number], y: NDArray[np.number]) -> float:
    """Correlation of the ranks of two lists of numbers, -1 to 1; NaN where one does not vary."""
    a, b = map(_centred_ranks, (x, y))
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else float("nan")


LONG, SHORT = 4, 3
"""Neighbours kept together, in series of 20 periods and more, and in shorter ones, where runs of 4
leave too few arrangements. Both reject a true null about as often."""
LONG_FROM, SHORT_FROM = 20, 6
"""Periods from which runs of these lengths are taken; of fewer, runs of two."""
ARRANGEMENTS = 50_000
"""Most arrangements of blocks that are listed; of more, `DRAWS` are drawn."""
DRAWS = 9_999
ROUNDING = 1e-12
"""Of the largest value: what is left of a straight line beside rounding."""


@dataclass(frozen=True)
class NullTest:
    """A two-sided p-value under one null."""

    p: float
    """Share of arrangements whose correlation is as far from 0, the observed one among them."""
    count: int
    total: int
    exact: bool
    """Whether every arrangement was looked at; otherwise p is (count + 1) / (total + 1)."""

    @property
    def least(self) -> float:
        """No p-value below this one can come out."""
        return 1 / self.total if self.exact else 1 / (self.total + 1)


@dataclass(frozen=True)
class Trend:
    """Rank correlation of a series with time."""

    rho: float
    """Spearman's, -1 to 1."""
    n: int
    """Periods."""
    blocks: NullTest
    block_length: int
    shifts: NullTest
    autocorrelation: float
    """Of neighbours, after a straight line is taken out; NaN where nothing is left. Short series
    estimate it far too low: of 18 periods with .9, as .44 on average."""


def block_length_for(n: int) -> int:
    """Length of the runs that stay together in a series of `n` periods."""
    return LONG if n >= LONG_FROM else SHORT if n >= SHORT_FROM else n // 2


def trend(
    times: ArrayLike,
    values: ArrayLike,
    *,
    rng: np.random.Generator,
    block_length: int | None = None,
) -> Trend:
    """Test whether a series of four values or more that differ rises or falls.

    Blocks: the series is cut into as many runs of `block_length` as it has, from both ends; what
    is left over stays where it is, in the middle, where it says least about a trend; and the runs
    change places (Carlstein 1986 for the bootstrap). All runs have one length, so that the
    arrangements form a group, and the p-value of independent periods is exact for every n. It is
    too small where neighbours are alike beyond the trend. Shifts: the series is closed to
    a ring and turned (the random shift test of spatial statistics); with n periods no p is below
    1/n, and the seam of a rising series is a jump that the null has and the series has not.
    """
    time, value = np.asarray(times, np.float64), np.asarray(values, np.float64)
    length = block_length or block_length_for(value.size)
    moved, exact = _blocks(value.size, length, rng)
    clock = np.arange(value.size)  # a ring, turned by each number of places
    return Trend(
        rho=spearman(time, value),
        n=value.size,
        blocks=_tested(value, moved, exact=exact),
        block_length=length,
        shifts=_tested(value, (clock[:, None] + clock) % value.size, exact=True),
        autocorrelation=_autocorrelation_beside_time(time, value),
    )


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


def _tested(value: Array, orders: Orders, *, exact: bool) -> NullTest:
    """How many orders of the series correlate with time as strongly as the one that is."""
    centred = _centred_ranks(value)
    clock = np.arange(value.size) - (value.size - 1) / 2
    # ranks and places are multiples of one half, so that sums of their products are exact
    reach = abs(float(clock @ centred))
    count = int(np.count_nonzero(np.abs(centred[orders] @ clock) >= reach))
    total = len(orders)
    return NullTest(_share(count, total, exact=exact), count, total, exact)


def _autocorrelation_beside_time(time: Array, value: Array) -> float:
    clock = time - time.mean()
    rest = value - value.mean()
    rest = rest - clock * (clock @ rest) / (clock @ clock)
    noise = value.size * (ROUNDING * float(np.abs(value).max())) ** 2
    return _of_neighbours(rest) if float(rest @ rest) > noise else math.nan
