"""What all cosines of two large groups say together, without a table of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from eatlas.kernels.row_products import Array, mean_row

ROWS = 4096
"""Rows centred at once: 25 MB of 768 dimensions."""


@dataclass(frozen=True)
class Moments:
    """First and second moments of some rows."""

    n: int
    mean: Array
    """Shape (d,)."""
    scatter: Array
    """Sum over the rows, less their mean, of their products with themselves, shape (d, d)."""

    @property
    def spread(self) -> float:
        """Sum of squared distances from the mean."""
        return float(np.trace(self.scatter))

    def __add__(self, other: Moments) -> Moments:
        """Moments of both groups together."""
        n = self.n + other.n
        apart = self.mean - other.mean
        between = np.outer(apart, apart) * (self.n * other.n / n)
        mean = (self.n * self.mean + other.n * other.mean) / n
        return Moments(n, mean, self.scatter + other.scatter + between)


def moments(rows: Array) -> Moments:
    """Take the moments of rows.

    Parameters
    ----------
    rows : array, shape (n, d)

    Examples
    --------
    >>> moments(np.array([[1.0, 0.0], [3.0, 0.0]])).scatter
    array([[2., 0.],
           [0., 0.]])
    """
    mean = mean_row(rows)
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, len(rows), ROWS):
        centred = rows[start : start + ROWS] - mean
        scatter += centred.T @ centred
    return Moments(len(rows), mean, scatter)


def products_mean_and_sd(targets: Moments, attributes: Moments, ddof: int) -> tuple[float, float]:
    """Mean and standard deviation of all dot products of two groups of rows.

    With t = m + t' and a = k + a', primes summing to zero, ``t.a - m.k = m.a' + t'.k + t'.a'`` and
    the three are uncorrelated over all pairs. Their sums of squares are ``n_t m'S_a m``,
    ``n_a k'S_t k`` and ``tr(S_t S_a)``, with the scatters S: none is a difference.

    Examples
    --------
    >>> one = moments(np.array([[1.0, 0.0], [3.0, 0.0]]))
    >>> products_mean_and_sd(one, moments(np.array([[1.0, 1.0], [2.0, 0.0]])), 0)  # 1, 2, 3, 6
    (3.0, 1.8708286933869707)
    """
    m, k = targets.mean, attributes.mean
    squares = (
        targets.n * float(m @ attributes.scatter @ m)
        + attributes.n * float(k @ targets.scatter @ k)
        + float(np.sum(targets.scatter * attributes.scatter))
    )
    return float(m @ k), math.sqrt(max(squares, 0.0) / (targets.n * attributes.n - ddof))
