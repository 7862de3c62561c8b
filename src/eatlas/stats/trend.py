"""Whether a series rises with time, tested by moving blocks of neighbouring periods, and how much.

Neighbouring periods are alike, so that a permutation test of single periods would call a drift a
trend.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.bootstrap import block_layout
from eatlas.stats.correlation import DRAWS, count_extreme, rank_deviations, spearman
from eatlas.stats.inputs import t_quantile

Array = NDArray[np.float64]
Orders = NDArray[np.intp]

LONG, SHORT = 4, 3
"""Neighbours kept together, in series of 20 periods and more, and in shorter ones, where runs of 4
leave too few arrangements. Both reject a true null about as often."""
LONG_FROM, SHORT_FROM = 20, 6
"""Periods from which runs of these lengths are taken; of fewer, runs of two."""
ARRANGEMENTS = 50_000
"""Most arrangements of blocks that are listed; of more, `DRAWS` are sampled."""
SAMPLES = 1_000
"""Bootstrap samples behind the interval of a slope."""
LEAST_DEFINED = 0.9
"""Proportion of them that must have a slope, or there is no interval."""
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
    alike = autocorrelation_beside_time(time, value)
    return {
        "rho": max(-1.0, min(1.0, spearman(time, value))),
        "n": n,
        "p": _count_orders(value, moved, exact=exact),
        "block_length": length,
        "shifts": _count_orders(value, (places[:, None] + places) % n, exact=True),
        "autocorrelation": None if math.isnan(alike) else alike,
    }


def _blocks(n: int, length: int, rng: np.random.Generator) -> tuple[Orders, bool]:
    """Orders in which the runs of a series have changed places, and whether these are all."""
    many, left = divmod(n, length)
    before = (many + 1) // 2 * length
    moved = np.delete(np.arange(n), slice(before, before + left))
    runs = moved.reshape(many, length)
    exact = math.factorial(many) <= ARRANGEMENTS
    if exact:
        places = np.array(list(itertools.permutations(range(many))))
    else:
        places = np.array([rng.permutation(many) for _ in range(DRAWS)])
    orders = np.tile(np.arange(n), (len(places), 1))
    orders[:, moved] = runs[places].reshape(len(places), -1)
    return orders, exact


def _count_orders(value: Array, orders: Orders, *, exact: bool) -> dict[str, Any]:
    """How many orders of the series correlate with time as strongly as the one that is."""
    centred = rank_deviations(value)
    clock = np.arange(value.size) - (value.size - 1) / 2
    # ranks and places are multiples of one half, so that sums of their products are exact
    far = np.abs(centred[orders] @ clock) >= abs(float(clock @ centred))
    test = count_extreme(iter([far]), exact=exact)
    least = 1 / test["total"] if exact else 1 / (test["total"] + 1)
    return {"p": test["p"], "count": test["count"], "total": test["total"],
            "exact": exact, "min_p": least}  # fmt: skip


def autocorrelation_beside_time(time: Array, value: Array) -> float:
    """Of neighbours, after a straight line is taken out; NaN where nothing is left.

    Short series estimate it far too low: of 18 periods with .9, as .44 on average.
    """
    clock, rest = time - time.mean(), value - value.mean()
    rest = rest - clock * (clock @ rest) / (clock @ clock)
    return autocorrelation(rest, value.size * (ROUNDING * float(np.abs(value).max())) ** 2)


def autocorrelation(rest: Array, noise: float = 0.0) -> float:
    """Of neighbours, of numbers less their mean; NaN where no more than noise is left."""
    power = float(rest @ rest)
    return float(rest[1:] @ rest[:-1]) / power if power > noise else math.nan


# --- how much a series rises ----------------------------------------------------------------------


def theil_sen(times: Array, values: Array) -> Array:
    """Median slope of all pairs of periods, for each row of `values`; NaN are left out."""
    early, late = np.triu_indices(len(times), 1)
    slopes = (values[..., late] - values[..., early]) / (times[late] - times[early])
    some = np.isfinite(slopes).any(axis=-1)
    slopes[~some] = 0.0  # which nanmedian would warn of
    return np.asarray(np.where(some, np.nanmedian(slopes, axis=-1), np.nan))


class WordTable(NamedTuple):
    """The associations of a period: targets, X then Y, by attributes, A then B."""

    values: Array
    words: Mapping[str, NDArray[np.intp]]
    """Which words of each group, among the words of all periods, the period has."""


def resample_words(
    tables: Sequence[WordTable],
    sizes: Mapping[str, int],
    level: int,
    *,
    ddof: int,
    rng: np.random.Generator,
) -> Array:
    """Effect sizes of all periods in bootstrap samples of words, shape (samples, periods).

    A sample has the same words in all periods. NaN if a period has too few of them.

    Parameters
    ----------
    tables : sequence of WordTable
        One of each period.
    sizes : mapping
        Words of each group, X, Y, A and B, that some period has.
    level : int
        0 for level 1, 1 and 2 for level 2 of X and of Y.
    ddof : int
        As of the effect size.
    """
    weights = {
        role: rng.multinomial(n, np.full(n, 1 / n), SAMPLES).T.astype(np.float64)
        for role, n in sizes.items()
    }
    effects = np.full((SAMPLES, len(tables)), np.nan)
    for period, table in enumerate(tables):
        own = {role: weights[role][words] for role, words in table.words.items()}
        layout = block_layout(table.values, len(own["X"]), len(own["A"]))
        sides = (np.concatenate([own[role] for role in pair]) for pair in ("XY", "AB"))
        units, others = layout.sides(*sides)[level]
        effects[:, period] = layout.levels[level].effects(units, others, ddof)
    return effects


def variance_over_words(times: Array, samples: Array, smallest: int) -> float:
    """Variance of a slope over bootstrap samples of words; NaN if too few of them have a slope.

    Bootstrap samples of n words vary less than samples of words, by (n - 1) / n, with n of the
    `smallest` group.
    """
    slopes = theil_sen(times, samples)
    slopes = slopes[np.isfinite(slopes)]
    if smallest < 2 or len(slopes) < LEAST_DEFINED * len(samples):
        return math.nan
    return float(slopes.var(ddof=1)) * smallest / (smallest - 1)


def variance_over_noise(
    times: Array, values: Array, errors: Array, rng: np.random.Generator
) -> float:
    """Variance of a slope if each period errs by itself, normally with these standard errors."""
    noise = rng.standard_normal((SAMPLES, len(times))) * errors
    return float(theil_sen(times, values + noise).var(ddof=1))


def slope_interval(
    slope: float, over_words: float, over_noise: float, df: int, level: float
) -> tuple[float, float]:
    """Student's interval of a slope whose variances add; that over words has `df`.

    What documents and single words have in common is in both variances, so that the interval is
    rather too wide than too narrow.
    """
    variance = over_words + over_noise
    freedom = df * (variance / over_words) ** 2 if over_words else math.inf
    reach = t_quantile(1 - level, freedom) * math.sqrt(variance)
    return slope - reach, slope + reach
