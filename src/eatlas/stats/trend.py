"""Trend of a short series: rank correlation with time, tested without breaking the series apart.

Neighbouring decades are alike, so a null that shuffles them one by one calls random drift a trend.
Two nulls keep neighbours together: blocks of neighbours trade places, or the series is turned like
a ring. Both have few arrangements where the series is short, and say how few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import generator, numbers
from eatlas.stats.rank_correlation import ranks, spearman

Array = NDArray[np.float64]
Orders = NDArray[np.intp]

FEWEST = 4
"""Periods below which a rank correlation has nothing to say: of three, one order in three is
monotone."""
BLOCK = 4
"""Neighbours kept together. With 18 periods and an autocorrelation of .6, blocks of 1, 2, 3, 4
reject a true null .30, .17, .11, .09 of the time at .05 (benchmarks/trend_null.py); longer blocks
leave fewer than 20 arrangements."""
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
    """Of neighbours, after a straight line is taken out; NaN where nothing is left. Near 0.9 no
    null helps: blocks reject .19 of the time at .05 with 18 periods."""


def trend(
    times: ArrayLike, values: ArrayLike, *, rng: np.random.Generator, block_length: int = BLOCK
) -> Trend:
    """Test whether a series rises or falls.

    Parameters
    ----------
    times : array_like, shape (n,)
        Years or other times, rising; gaps are allowed, and neighbours across a gap count as
        neighbours.
    values : array_like, shape (n,)
        Such as effect sizes, finite; 4 or more, not all the same.
    rng : numpy.random.Generator
        Draws arrangements where there are more than 50,000, from 9 blocks on.
    block_length : int
        Neighbours that stay together, 1 (no autocorrelation) to n // 2.

    Returns
    -------
    Trend
        Two-sided p-values in (0, 1].

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Notes
    -----
    Blocks: the series is cut into runs of `block_length` from its start (the last may be shorter)
    and the runs change places (Carlstein 1986 for the bootstrap). Shifts: the series is closed to
    a ring and turned (the random shift test of spatial statistics); with n periods no p is below
    1/n, and the seam of a rising series is a jump that the null has and the series has not.

    Examples
    --------
    >>> found = trend(range(1900, 2000, 10), range(10), rng=np.random.default_rng(0))
    >>> found.rho, found.shifts.p, found.blocks.total
    (1.0, 0.1, 6)
    """
    time, value = numbers(times, "times", 1), numbers(values, "values", 1)
    _check(time, value, block_length)
    moved, exact = _blocks(value.size, block_length, generator(rng))
    return Trend(
        rho=spearman(time, value),
        n=value.size,
        blocks=_tested(value, moved, exact=exact),
        block_length=block_length,
        shifts=_tested(value, _shifts(value.size), exact=True),
        autocorrelation=_autocorrelation(time, value),
    )


def _check(time: Array, value: Array, block_length: int) -> None:
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
    runs = [np.arange(start, min(start + length, n)) for start in range(0, n, length)]
    exact = math.factorial(len(runs)) <= ARRANGEMENTS
    if exact:
        places = list(permutations(range(len(runs))))
    else:
        places = [tuple(rng.permutation(len(runs)).tolist()) for _ in range(DRAWS)]
    return np.array([np.concatenate([runs[i] for i in order]) for order in places]), exact


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
