"""How a rank correlation changes where one of its lists is replaced by another."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.correlation import (
    FEWEST,
    bootstrap_interval,
    members_of,
    row_correlations,
    row_ranks,
    spearman,
)

Array = NDArray[np.float64]
Orders = NDArray[np.intp]


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

    def bootstrap_change(drawn: Orders) -> Array:
        of_x, *others = (row_ranks(numbers[drawn]) for numbers in lists)
        first, second = (row_correlations(of_x, ranked) for ranked in others)
        return second - first

    interval = bootstrap_interval(bootstrap_change, members_of(len(lists[0])), resamples, rng)
    return spearman(lists[0], lists[1]), spearman(lists[0], lists[2]), interval
