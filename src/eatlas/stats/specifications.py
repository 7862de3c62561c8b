"""Many effect sizes of one question: how much each choice moves them.

Variance shares are those of a functional analysis of variance over the grid of specifications;
Shapley effects (Owen 2014; Song, Nelson and Staum 2016) share interactions out among the choices
that take part in them, also where the grid has holes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import factorial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.paired import ranks

Integers = NDArray[np.int64]

Array = NDArray[np.float64]
MOST_CHOICES = 12
"""Shapley effects take every subset of the choices."""


@dataclass(frozen=True)
class VarianceShares:
    """Shares of the variance of an effect size, one for each choice, shape (k,).

    They describe the grid: with other alternatives they are others.
    """

    first: Array
    """Var E[d | choice] / Var d: what the choice explains alone."""
    total: Array
    """1 - Var E[d | all others] / Var d: what is left when all others are known."""
    shapley: Array
    """Shapley effect; the shares of all choices add up to what all together explain."""
    explained: float
    """Share that all choices together explain: 1 where no two specifications are alike."""


def variance_shares(values: Array, levels: Integers) -> VarianceShares | None:
    """Share the variance of effect sizes out among choices."""
    n, k = levels.shape
    if not 0 < k <= MOST_CHOICES or n < 2 or np.ptp(values) < 1e-12:
        return None
    explained = {
        subset: _between(values, _cells(levels[:, subset])) / float(values.var())
        for size in range(k + 1)
        for subset in combinations(range(k), size)
    }
    everything = tuple(range(k))
    shapley = np.array([_shapley(one, k, explained) for one in range(k)])
    without = [tuple(j for j in everything if j != one) for one in range(k)]
    return VarianceShares(
        first=np.array([explained[one,] for one in range(k)]),
        total=np.array([1 - explained[rest] for rest in without]),
        shapley=shapley,
        explained=explained[everything],
    )


def _cells(levels: Integers) -> Integers:
    """Number of the cell of each specification."""
    if not levels.shape[1]:
        return np.zeros(len(levels), np.int64)
    return np.unique(levels, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _between(values: Array, cells: Integers) -> float:
    """Variance of the means of cells."""
    sizes = np.bincount(cells)
    means = np.bincount(cells, values - values.mean()) / sizes
    return float(sizes @ means**2) / len(values)


def _shapley(one: int, k: int, explained: dict[tuple[int, ...], float]) -> float:
    """Mean of what a choice adds to a subset of the others, over all orders."""
    others = [j for j in range(k) if j != one]
    total = 0.0
    for size in range(k):
        weight = factorial(size) * factorial(k - size - 1) / factorial(k)
        for subset in combinations(others, size):
            joined = tuple(sorted((*subset, one)))
            total += weight * (explained[joined] - explained[subset])
    return total


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
    n = len(x)
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(n, *[float("nan")] * 6)
    r = float(np.corrcoef(x, y)[0, 1])
    rho = float(np.corrcoef(ranks(x), ranks(y))[0, 1])
    error = float("nan") if n < 4 else 1 / np.sqrt(n - 3)
    wider = error * np.sqrt(1 + rho**2 / 2)
    return Correlation(n, r, *_fisher(r, error, confidence), rho, *_fisher(rho, wider, confidence))


def _fisher(r: float, error: float, confidence: float) -> tuple[float, float]:
    if np.isnan(error) or abs(r) >= 1 - 1e-12:
        return float("nan"), float("nan")
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return float(np.tanh(np.arctanh(r) - reach)), float(np.tanh(np.arctanh(r) + reach))
