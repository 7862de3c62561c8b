"""How much of the variance of effect sizes each choice of a study explains."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_CHOICES = 12
"""Shapley effects take every subset of the choices."""


def variance_shares(values: Array, levels: Integers) -> tuple[float, Array] | None:
    """Share the variance of effect sizes out among choices.

    The proportion that all choices together explain, 1 where no two specifications are alike; and
    three shares of each choice, shape (k, 3). First, ``Var E[d | choice] / Var d``, is what it
    explains alone; total, ``1 - Var E[d | all others] / Var d``, what is left when all others are
    known; and the Shapley effects of all choices add up to what all explain. Other
    alternatives of the choices would change them.
    """
    n, k = levels.shape
    if not 0 < k <= MOST_CHOICES or n < 2 or np.ptp(values) < 1e-12:
        return None
    explained = {
        subset: _between(values, _cells(levels[:, subset])) / float(values.var())
        for size in range(k + 1)
        for subset in combinations(range(k), size)
    }
    everything = tuple(range(k))
    shares = [
        (
            explained[choice,],
            1 - explained[tuple(j for j in everything if j != choice)],
            _shapley(choice, k, explained),
        )
        for choice in everything
    ]
    return explained[everything], np.array(shares)


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


def _shapley(choice: int, k: int, explained: dict[tuple[int, ...], float]) -> float:
    """Mean of what a choice adds to a subset of the others, over all orders."""
    others = [j for j in range(k) if j != choice]
    total = 0.0
    for size in range(k):
        weight = math.factorial(size) * math.factorial(k - size - 1) / math.factorial(k)
        for subset in combinations(others, size):
            joined = tuple(sorted((*subset, choice)))
            total += weight * (explained[joined] - explained[subset])
    return total
