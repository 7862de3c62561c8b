"""Moments of rows that come in parts, and the transformations of a space made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError

Array = NDArray[np.float64]
NO_VARIANCE = 1e-12
"""Share of the largest variance below which a variance is rounding error: that of a covariance of
d <= 4,096 columns in float64 stays below d times 2.2e-16."""
VANISHED = 1e-10
"""Share of what was subtracted or multiplied below which a row that remains is rounding error."""


class Moments:
    """Running sums of rows and of their products."""

    def __init__(self, dim: int, pivot: Array | None = None) -> None:
        self.n = 0
        self.pivot = np.zeros(dim) if pivot is None else np.asarray(pivot, dtype=np.float64)
        self._sum = np.zeros(dim)
        self._products = np.zeros((dim, dim))

    def add(self, rows: NDArray[np.floating]) -> None:
        """Take in rows, shape (n, dim)."""
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


@dataclass(frozen=True)
class Affine:
    """``x -> (x - shift) matrix``; a matrix of None is the identity."""

    shift: Array
    matrix: Array | None = None

    def rows(self, vectors: NDArray[np.floating], *, bulk: bool = False) -> Array:
        """Map rows, shape (n, d); rows of zeros, and rows that vanish, give zeros.

        A row of zeros is the mark of a missing vector, so it stays what it is. Without
        `bulk` a row maps to the same bits whichever rows come with it; with it a matrix product
        does the work, many times faster, and the last bits may differ.
        """
        given = np.asarray(vectors, dtype=np.float64)
        shifted = given - self.shift
        scale = np.linalg.norm(given, axis=1) + np.linalg.norm(self.shift)
        mapped = shifted
        if self.matrix is not None:
            matrix = self.matrix
            if bulk:
                mapped = shifted @ matrix
            else:
                mapped = np.array([np.einsum("j,jk->k", row, matrix) for row in shifted])
            scale = scale * np.abs(self.matrix).max()
        gone = np.linalg.norm(mapped, axis=1) <= VANISHED * scale
        mapped[gone | ~given.any(axis=1)] = 0.0
        return mapped

    @property
    def gain(self) -> float:
        """How many times longer a small random difference of two rows becomes, on average."""
        if self.matrix is None:
            return 1.0
        return float(np.sqrt((self.matrix**2).sum() / len(self.matrix)))

    def then(self, matrix: Array | None) -> Affine:
        """Follow this map by a linear one."""
        if matrix is None:
            return self
        return Affine(self.shift, matrix if self.matrix is None else self.matrix @ matrix)

    def covariance(self, covariance: Array) -> Array:
        """Covariance of the image of vectors that have this covariance."""
        if self.matrix is None:
            return covariance
        image: Array = self.matrix.T @ covariance @ self.matrix
        return (image + image.T) / 2


def standardize(covariance: Array) -> Array:
    """Divide each dimension by its standard deviation; one without any becomes 0.

    Timkey and van Schijndel (2021), section 5: z-scores keep single dimensions from dominating.
    """
    variances = np.diag(covariance)
    return np.diag(_inverse_roots(variances))


def whiten(covariance: Array) -> Array:
    """Give all directions the variance 1 and no covariance; directions without any become 0.

    The symmetric root ``C^(-1/2)`` (ZCA): of all matrices that do it, the one that moves the
    vectors least, and the only one that does not depend on the signs of principal components. The
    cosines are the same for all of them.
    """
    values, axes = np.linalg.eigh(covariance)
    root: Array = (axes * _inverse_roots(values)) @ axes.T
    return root


def without_top(covariance: Array, k: int) -> Array:
    """Take out the first k principal components: ``I - sum of v v^T``.

    Mu and Viswanath (2018), Algorithm 1, "all but the top"; they advise k of about d / 100.
    """
    values, axes = np.linalg.eigh(covariance)
    there = int(np.sum(values > NO_VARIANCE * max(values[-1], 0.0)))
    if k >= there:
        raise EatlasError(
            f"without its first {k} principal components nothing is left of the vectors",
            got=f"{there} components with any variance",
            allowed=f"up to {max(there - 1, 0)}",
        )
    top = axes[:, len(values) - k :]
    rest: Array = np.eye(len(values)) - top @ top.T
    return rest


def _inverse_roots(variances: Array) -> Array:
    kept = variances > NO_VARIANCE * max(variances.max(), 0.0)
    roots = np.zeros(len(variances))
    roots[kept] = 1 / np.sqrt(variances[kept])
    return roots
