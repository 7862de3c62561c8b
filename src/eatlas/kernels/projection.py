"""Projection on one direction, the algebraic definition of bias of Bolukbasi et al. (2016)."""

from __future__ import annotations

import numpy as np

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


def _sorted(rows: Array) -> Array:
    """The rows in an order that depends on them alone, so that sums over them do too."""
    return rows[sorted(range(len(rows)), key=lambda i: rows[i].tobytes())]
