"""How far two scores order models alike, with an interval that holds for few models."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from itertools import permutations
from statistics import NormalDist

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.correlation import TIE, rank_deviations, spearman
from eatlas.stats.permutation.problem import PermutationResult
from eatlas.stats.permutation.sampled import monte_carlo_tail

Array = NDArray[np.float64]

FEWEST_MODELS = 6
"""Models below which nothing can be shown: of four, the same order twice has p = 2 / 24; of five,
its interval contains 0."""

ALL_ORDERS_TO = 8
"""Models up to which all orders are counted: 8! = 40,320."""
ORDERS = 9_999
"""Orders that are sampled of more models."""
ROUNDING = 1e-13
"""Relative to their size, by how much equal numbers may differ."""


def spearman_test(
    x: ArrayLike, y: ArrayLike, rng: np.random.Generator
) -> tuple[float, PermutationResult] | None:
    """Spearman's rho of two scores of the same models, and its permutation test.

    The null hypothesis is that the models are exchangeable. None with fewer than six models, or
    where a score does not vary.
    """
    first, second = (rank_deviations(np.asarray(values, np.float64)) for values in (x, y))
    n = len(first)
    if n < FEWEST_MODELS or not np.ptp(first) or not np.ptp(second):
        return None
    if n <= ALL_ORDERS_TO:
        orders = np.array(list(permutations(range(n))))
    else:
        orders = rng.permuted(np.tile(np.arange(n), (ORDERS, 1)), axis=1)
    rho = spearman(first, second)
    rhos = second[orders] @ first / math.sqrt(float(first @ first) * float(second @ second))
    extreme = rhos >= rho - TIE, rhos <= rho + TIE, np.abs(rhos) >= abs(rho) - TIE
    counts = [int(np.count_nonzero(each)) for each in extreme]
    if n <= ALL_ORDERS_TO:
        return rho, PermutationResult.exact(counts, len(orders))
    total = math.factorial(n)
    greater, less, both = (monte_carlo_tail(count, ORDERS, 1 / total) for count in counts)
    return rho, PermutationResult(greater, less, both, total)


def spearman_interval(rho: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of Spearman's rho over `n` pairs, on Fisher's scale (Bonett and Wright 2000).

    The standard error is ``sqrt((1 + rho^2 / 2) / (n - 3))``. If the orders are the same, or
    opposite, the other end is that of the largest rho below 1: the formula has none.

    >>> [round(end, 2) for end in spearman_interval(0.5, 20)]
    [0.05, 0.78]
    >>> [round(end, 2) for end in spearman_interval(1.0, 6)]
    [0.38, 1.0]
    """
    largest = 1 - 12 / (n * (n * n - 1))
    bounded = max(-largest, min(largest, rho))
    error = math.sqrt((1 + bounded**2 / 2) / (n - 3))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    low, high = (math.tanh(math.atanh(bounded) + end) for end in (-reach, reach))
    return (-1.0 if rho < -largest else low), (1.0 if rho > largest else high)


def jackknife_interval(
    units: Sequence[Hashable],
    rows: ArrayLike,
    statistic: Callable[[Array, int], float],
    confidence: float,
) -> tuple[float, float] | None:
    """Interval of a statistic of rows whose units are left out in turn, by Student's t.

    `statistic` has a number of the sums of the columns, and the count of rows. None for fewer than
    two units, where the number does not vary, and where it is undefined without a unit.
    """
    if len(units) < 2:
        return None
    table = np.asarray(rows, np.float64).reshape(len(units), -1)
    labels = np.unique(np.array([str(unit) for unit in units]), return_inverse=True)[1]
    sizes = np.bincount(labels)
    count = len(sizes)
    if count < 2:
        return None
    of_units = np.column_stack([np.bincount(labels, column) for column in table.T])
    sums = table.sum(axis=0)
    rests = zip(sums - of_units, (len(table) - sizes).tolist(), strict=True)
    without = np.array([statistic(rest, size) for rest, size in rests])
    if np.isnan(without).any() or np.ptp(without) <= ROUNDING * np.abs(without).max():
        return None
    error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
    reach = float(scipy.stats.t.ppf((1 + confidence) / 2, count - 1)) * error
    value = statistic(sums, len(table))
    return value - reach, value + reach
