"""Trend of a short series: rank correlation with time, tested without breaking the series apart.

Neighbouring decades are alike, so a null that shuffles them one by one calls random drift a trend.
Two nulls keep neighbours together: runs of neighbours trade places, or the series is turned like a
ring. Both have few arrangements where the series is short, and say how few. Where neighbours are
much alike beyond a trend, both reject too often, and a short series cannot show that.

Ranks and Spearman's rank correlation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import generator, numbers

Array = NDArray[np.float64]


def ranks(values: NDArray[np.number]) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: Array = (last - (sizes - 1) / 2)[group]
    return shared


def spearman(x: NDArray[np.number], y: NDArray[np.number]) -> float:
    """Correlation of the ranks of two lists of numbers, -1 to 1; NaN where one does not vary."""
    first, second = numbers(x, "x", 1), numbers(y, "y", 1)
    if len(first) != len(second) or len(first) < 2:
        raise EatlasError(
            "a rank correlation needs pairs",
            got=f"{len(first)} and {len(second)} values",
            allowed="as many of the one as of the other, at least two",
        )
    a, b = (ranks(values) - (len(values) + 1) / 2 for values in (first, second))
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else float("nan")


Orders = NDArray[np.intp]

FEWEST = 4
"""Periods below which a rank correlation has nothing to say: of three, one order in three is
monotone."""
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
    """Test whether a series rises or falls.

    Blocks: the series is cut into as many runs of `block_length` as it has, from both ends; what
    is left over stays where it is, in the middle, where it says least about a trend; and the runs
    change places (Carlstein 1986 for the bootstrap). All runs have one length, so that the
    arrangements form a group, and the p-value of independent periods is exact for every n. It is
    too small where neighbours are alike beyond the trend. Shifts: the series is closed to
    a ring and turned (the random shift test of spatial statistics); with n periods no p is below
    1/n, and the seam of a rising series is a jump that the null has and the series has not.
    """
    time, value = numbers(times, "times", 1), numbers(values, "values", 1)
    length = block_length_for(max(FEWEST, value.size)) if block_length is None else block_length
    _check(time, value, length)
    moved, exact = _blocks(value.size, length, generator(rng))
    return Trend(
        rho=spearman(time, value),
        n=value.size,
        blocks=_tested(value, moved, exact=exact),
        block_length=length,
        shifts=_tested(value, _shifts(value.size), exact=True),
        autocorrelation=_autocorrelation(time, value),
    )


def _check(time: Array, value: Array, block_length: int) -> None:
    """Refuse a series that is too short, unordered or constant, or a block that does not fit."""
    if time.size != value.size or value.size < FEWEST:
        raise EatlasError(
            "a trend needs as many times as values",
            got=f"{time.size} times, {value.size} values",
            allowed=f"{FEWEST} or more of each",
        )
    if not bool(np.all(np.diff(time) > 0)):
        raise EatlasError("the times of a trend must rise", remedy="sort the series by time")
    if bool(np.all(value == value[0])):
        raise EatlasError("a series that does not vary has no trend", got=f"all {value[0]:g}")
    if not 1 <= block_length <= value.size // 2:
        raise EatlasError(
            "a block is too short or too long",
            got=str(block_length),
            allowed=f"1 to {value.size // 2} of {value.size} periods",
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


def _shifts(n: int) -> Orders:
    """The series, turned like a ring by 0 to n - 1 places."""
    turns: Orders = (np.arange(n)[:, None] + np.arange(n)) % n
    return turns


def _tested(value: Array, orders: Orders, *, exact: bool) -> NullTest:
    """How many orders of the series correlate with time as strongly as the one that is."""
    centred = ranks(value) - (value.size + 1) / 2
    clock = np.arange(value.size) - (value.size - 1) / 2
    # ranks and places are multiples of one half, so that sums of their products are exact
    reach = abs(float(clock @ centred))
    count = int(np.count_nonzero(np.abs(centred[orders] @ clock) >= reach))
    total = len(orders)
    return NullTest(count / total if exact else (count + 1) / (total + 1), count, total, exact)


def _autocorrelation(time: Array, value: Array) -> float:
    clock = time - time.mean()
    rest = value - value.mean()
    rest = rest - clock * (clock @ rest) / (clock @ clock)
    power = float(rest @ rest)
    if power <= value.size * (ROUNDING * float(np.abs(value).max())) ** 2:
        return math.nan
    return float(rest[1:] @ rest[:-1]) / power
