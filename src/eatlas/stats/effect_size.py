"""Effect sizes of association tests: one row of scores or many, their variance, unequal spread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels import mean_and_sd
from eatlas.stats.inputs import least_spread

Array = NDArray[np.float64]
FACTOR = 1.25
"""A factor R from 1 / FACTOR to FACTOR changes a level of .05 to .029 to .080 at most."""
ERRORS = 2.0
"""Spreads differ clearly when the log of the ratio of variances is so many of its standard errors
from 0, sqrt(2 / (n_1 - 1) + 2 / (n_2 - 1)) for normal scores."""
Z = 1.959963984540054
"""Quantile of the normal distribution for a two-sided level of .05."""


def effect_size(
    scores: Array, n: int, *, ddof: int = 1, scale: float = 1.0, precision: float | None = None
) -> tuple[float, float]:
    """Difference of the two groups' means, raw and in standard deviations of their union.

    Equations 1 and 5 of Wolfe, Hiniker and Howe (2024), ML-EAT; equation of the effect size in
    Caliskan, Bryson and Narayanan (2017).
    """
    difference = mean_and_sd(scores[:n], 0)[0] - mean_and_sd(scores[n:], 0)[0]
    if float(np.ptp(scores)) <= least_spread(scale, precision):
        return difference, float("nan")
    sd = mean_and_sd(scores, ddof)[1]
    return difference, difference / sd


def effect_sizes(
    scores: Array, n: int, *, ddof: int = 1, scale: float = 1.0, precision: float | None = None
) -> tuple[Array, Array]:
    """`effect_size` of every row, to a few units of the last digit.

    Rows are summed in ascending order of their scores, so that the order of terms within a group
    changes nothing.
    """
    scores = np.ascontiguousarray(scores)  # numpy adds up in the order of the memory
    first, second = np.sort(scores[:, :n], axis=1), np.sort(scores[:, n:], axis=1)
    difference = _means(first) - _means(second)
    ordered = np.sort(scores, axis=1)
    deviations = ordered - _means(ordered)[:, None]
    variance = np.add.reduce(deviations**2, axis=1) / (scores.shape[1] - ddof)
    flat = ordered[:, -1] - ordered[:, 0] <= least_spread(scale, precision)
    d = np.full(len(scores), np.nan)
    np.divide(difference, np.sqrt(variance), out=d, where=~flat)
    return difference, d


def _means(ordered: Array) -> Array:
    mean: Array = np.add.reduce(ordered, axis=1) / ordered.shape[1]
    return mean


def union_variance(d: Array, n: int, m: int, *, ddof: int = 1) -> Array:
    """Delta-method variance of this d, for normal scores of one variance within groups.

    With N = n + m, c = n m / N and r**2 = c d**2 / (N - ddof), the share of the sum of squares
    that is between the groups, this d is a function of the textbook g, whose denominator is the
    pooled deviation within groups::

        d = g sqrt((N - ddof) / (N - 2 + c g**2))
        dd/dg = sqrt((N - ddof) / (N - 2)) (1 - r**2)**(3/2)

    and with Var(g) = 1 / c + g**2 / (2 N) (Hedges and Olkin 1985; Borenstein et al. 2009)::

        Var(d) = (N - ddof) / (N - 2) (1 - r**2)**3 (1 / c + g**2 / (2 N))
        g**2 = d**2 (N - 2) / ((N - ddof) (1 - r**2))

    In simulations of 40,000 samples its mean was within 5% of the variance of d at 25 against 25,
    within 10% at 8 against 8 and within 13% at 5 against 5, for d from 0 to 1.66.
    """
    size, c = n + m, n * m / (n + m)
    squares = size - ddof
    # rounding must not make the share greater than all
    within = np.maximum(1 - c * d**2 / squares, 0.0)
    # (1 - r^2)^3 (1 / c + g^2 / 2N) without a division by what may be 0
    textbook = within**3 / c + within**2 * d**2 * (size - 2) / (squares * 2 * size)
    return np.asarray(squares / (size - 2) * textbook)


@dataclass(frozen=True)
class Spread:
    """Spreads of two groups and the factor R."""

    n: tuple[int, int]
    sd: tuple[float, float]
    factor: float

    @property
    def level(self) -> float:
        """About the true level of a test at .05."""
        return math.erfc(Z / math.sqrt(2 * self.factor))


def unequal_spread(first: Array, second: Array) -> Spread | None:
    """Spreads of two groups that differ in size and clearly in spread; None for others."""
    n = first.size, second.size
    if n[0] == n[1] or min(n) < 2:
        return None
    variances = float(first.var(ddof=1)), float(second.var(ddof=1))
    error = math.sqrt(2 / (n[0] - 1) + 2 / (n[1] - 1))
    if min(variances) > 0 and abs(math.log(variances[0] / variances[1])) <= ERRORS * error:
        return None
    factor = inflation(n, variances)
    if 1 / FACTOR <= factor <= FACTOR:
        return None
    return Spread(n, (math.sqrt(variances[0]), math.sqrt(variances[1])), factor)


def inflation(n: tuple[int, int], variances: tuple[float, float]) -> float:
    """The factor R of two groups; 1 where neither has any spread."""
    pooled = ((n[0] - 1) * variances[0] + (n[1] - 1) * variances[1]) / (n[0] + n[1] - 2)
    if not pooled:
        return 1.0
    return (variances[0] / n[0] + variances[1] / n[1]) / (pooled * (1 / n[0] + 1 / n[1]))
