"""Unit rows and what is computed from them, independent of the order of rows."""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def unit_rows(vectors: NDArray[np.floating]) -> Array:
    """Scale each row to length 1.

    Parameters
    ----------
    vectors : array, shape (n, d)
        Finite, no row of zeros.

    Returns
    -------
    array, shape (n, d), float64

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    rows = np.asarray(vectors, dtype=np.float64)
    # dividing by the largest component first keeps the squares in range for any finite input
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    unit: Array = rows / np.sqrt(np.add.reduce(rows * rows, axis=1, keepdims=True))
    return unit


def mean_row(rows: Array) -> Array:
    """Mean of the rows, shape (d,), summed in an order that depends on the rows alone.

    Examples
    --------
    >>> mean_row(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([0.5, 0.5])
    """
    order = sorted(range(len(rows)), key=lambda i: rows[i].tobytes())
    mean: Array = np.add.reduce(rows[order], axis=0) / len(rows)
    return mean


def associations(rows: Array, direction: Array) -> Array:
    """Dot product of each row with one direction, shape (n,).

    With unit rows and ``direction = mean_row(A) - mean_row(B)`` this is the association
    s(w, A, B) of equation 2 of ML-EAT (Wolfe, Hiniker and Howe 2024), because a mean of cosines
    is a dot product with a mean of unit vectors. Not a matrix product: BLAS may sum two equal
    rows in different orders, and then ties are lost.

    Examples
    --------
    >>> associations(np.array([[0.6, 0.8]]), np.array([1.0, 0.0]))
    array([0.6])
    """
    return np.asarray(np.add.reduce(rows * direction, axis=1), dtype=np.float64)


def similarities(targets: Array, attributes: Array) -> Array:
    """Cosine of every target with every attribute, shape (n_targets, n_attributes).

    Examples
    --------
    >>> similarities(np.array([[1.0, 0.0]]), np.array([[0.6, 0.8], [0.0, 1.0]]))
    array([[0.6, 0. ]])
    """
    return np.stack([associations(targets, attribute) for attribute in attributes], axis=1)


def mean_and_sd(values: NDArray[np.floating], ddof: int) -> tuple[float, float]:
    """Mean and standard deviation, correctly rounded sums, hence in any order the same.

    The standard deviation is NaN for ``ddof`` values or fewer.

    Examples
    --------
    >>> mean_and_sd(np.array([1.0, 3.0]), ddof=1)
    (2.0, 1.4142135623730951)
    """
    flat = values.ravel().tolist()
    mean = fsum(flat) / len(flat)
    if len(flat) <= ddof:
        return mean, float("nan")
    return mean, float(np.sqrt(fsum((v - mean) ** 2 for v in flat) / (len(flat) - ddof)))
