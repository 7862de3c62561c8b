"""Effect sizes of many rows of scores at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.precision import least_spread

Array = NDArray[np.float64]


def effect_sizes(
    scores: Array,
    n: int,
    *,
    ddof: int = 1,
    scale: float = 1.0,
    precision: float | None = None,
) -> tuple[Array, Array]:
    """`effect_size` of every row, to a few units of the last digit.

    Rows are summed in ascending order of their scores, so that the order of terms within a group
    changes nothing.

    Parameters
    ----------
    scores : array, shape (k, N)
        The first `n` columns belong to the first group.
    n : int
        Size of the first group, 1 to N - 1.
    ddof : int
        1 divides the squares by N - 1, 0 by N.
    scale : float
        Magnitude of what was summed into a score, 1 for cosines.
    precision : float, optional
        Unit roundoff of the vectors behind the scores; by default they are exact.

    Returns
    -------
    difference : array, shape (k,)
        mean of the first group minus mean of the second.
    d : array, shape (k,)
        The effect sizes, NaN where a row has no spread.

    Examples
    --------
    >>> difference, d = effect_sizes(np.array([[1.0, 2.0, -1.0, -2.0], [3.0, 3.0, 3.0, 3.0]]), 2)
    >>> difference, d.round(6)
    (array([3., 0.]), array([1.643168,      nan]))
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
