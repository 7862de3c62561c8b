"""Mean and second moments of rows that come in parts, so that no part is kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError

Array = NDArray[np.float64]


class Moments:
    """Running sums of rows and of their products.

    Parameters
    ----------
    dim : int
        Number of columns.
    pivot : array, shape (dim,), optional
        What is subtracted from each row before its products are summed. A covariance of rows that
        lie far from the origin loses no digits if the pivot lies among them. Zeros by default.

    Examples
    --------
    >>> moments = Moments(2)
    >>> moments.add(np.array([[1.0, 0.0], [3.0, 0.0]]))
    >>> moments.n, moments.mean.tolist(), moments.covariance().tolist()
    (2, [2.0, 0.0], [[2.0, 0.0], [0.0, 0.0]])
    """

    def __init__(self, dim: int, pivot: Array | None = None) -> None:
        self.n = 0
        self.pivot = np.zeros(dim) if pivot is None else np.asarray(pivot, dtype=np.float64)
        self._sum = np.zeros(dim)
        self._products = np.zeros((dim, dim))

    def add(self, rows: NDArray[np.floating]) -> None:
        """Take in rows, shape (n, dim).

        Raises
        ------
        EatlasError
            If a sum of squares leaves the range of float64.
        """
        shifted = np.asarray(rows, dtype=np.float64) - self.pivot
        self.n += len(shifted)
        with np.errstate(over="ignore", invalid="ignore"):
            self._sum += shifted.sum(axis=0)
            self._products += shifted.T @ shifted
        if not np.isfinite(self._products).all():
            raise EatlasError(
                "the components are too large to be squared",
                got=f"up to {np.abs(shifted).max():.3g}",
                allowed="magnitudes below about 1e150",
                remedy="scale the vectors; cosines do not change",
            )

    @property
    def mean(self) -> Array:
        """Mean row, shape (dim,)."""
        self._require(1)
        mean: Array = self.pivot + self._sum / self.n
        return mean

    @property
    def total(self) -> Array:
        """Sum of the rows less the pivot, shape (dim,)."""
        return self._sum

    @property
    def products(self) -> Array:
        """Sum of the outer products of the rows less the pivot, shape (dim, dim)."""
        return self._products

    def covariance(self) -> Array:
        """Sample covariance of the columns, n - 1 in the denominator, shape (dim, dim)."""
        self._require(2)
        offset = self._sum / self.n
        scatter = self._products - self.n * np.outer(offset, offset)
        # rounding must not make a variance negative, nor the matrix lopsided
        scatter = (scatter + scatter.T) / 2
        np.fill_diagonal(scatter, np.maximum(np.diag(scatter), 0.0))
        covariance: Array = scatter / (self.n - 1)
        return covariance

    def _require(self, least: int) -> None:
        if self.n < least:
            raise EatlasError(
                "too few rows", got=str(self.n), allowed=f"{least} or more for this moment"
            )
