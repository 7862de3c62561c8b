"""Projection on one direction, the algebraic definition of bias of Bolukbasi et al. (2016)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import Array, associations


def pair_direction(first: Array, second: Array) -> Array:
    """Direction along which the members of pairs differ most.

    Bolukbasi et al. (2016), section 5: the first row of SVD(C) with
    ``C = sum over pairs of sum over members of (w - mu)(w - mu)^T / 2``. Both members of a pair
    are at ``mu +- (a - b) / 2``, so C is ``sum (a - b)(a - b)^T / 4``.
    """
    differences = first - second
    if not np.any(differences):
        return np.zeros(first.shape[1])
    direction: Array = np.linalg.svd(_sorted(differences), full_matrices=False)[2][0]
    return direction


def coordinates(rows: Array, direction: Array) -> Array:
    """Scalar projection of each row on a direction of length 1, shape (n, 1).

    Dot products of such rows are the associations ``(t . g)(a . g)``: the part of the cosine that
    is in the direction.
    """
    return associations(rows, direction)[:, None]


class GroupDirections:
    """Directions between two groups of rows, for many ways to label the rows.

    Every row of the first group makes a defining pair with every row of the second; the direction
    is the first principal component of these pairs, as in :func:`pair_direction`.
    """

    def __init__(self, rows: Array) -> None:
        # in the space that the rows span the directions have N coordinates, not d
        _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
        self.axes = axes[sizes > sizes[0] * 1e-12]
        self.rows = rows @ self.axes.T

    def __call__(self, labels: NDArray[np.bool_]) -> Array:
        """Directions of length 1, shape (labellings, d); labels are True in the first group."""
        directions: Array = self.within(labels) @ self.axes
        return directions

    def within(self, labels: NDArray[np.bool_]) -> Array:
        """The same in the coordinates of :attr:`rows`, shape (labellings, rank)."""
        first = labels.astype(np.float64)
        second = 1.0 - first
        sizes = first.sum(axis=1)[:, None], second.sum(axis=1)[:, None]
        # sum over pairs of (a - b)(a - b)^T
        #     = n_b sum a a^T + n_a sum b b^T - (sum a)(sum b)^T - (sum b)(sum a)^T
        weights = sizes[1] * first + sizes[0] * second
        scatter = np.einsum("bi,ij,ik->bjk", weights, self.rows, self.rows, optimize=True)
        cross = (first @ self.rows)[:, :, None] * (second @ self.rows)[:, None, :]
        scatter -= cross + cross.transpose(0, 2, 1)
        leading: Array = np.linalg.eigh(scatter)[1][:, :, -1]
        return leading


def group_direction(first: Array, second: Array) -> Array:
    """Direction between two groups of unit rows, shape (d,), of length 1."""
    rows = np.concatenate([_sorted(first), _sorted(second)])
    return np.asarray(GroupDirections(rows)((np.arange(len(rows)) < len(first))[None])[0])


def _sorted(rows: Array) -> Array:
    """The rows in an order that depends on them alone, so that sums over them do too."""
    return rows[sorted(range(len(rows)), key=lambda i: rows[i].tobytes())]
