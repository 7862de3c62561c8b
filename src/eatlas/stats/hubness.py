"""Hubness: whether a few vectors are among the nearest neighbours of very many others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import numbers, whole

BLOCK = 512
"""Rows whose cosines with all others are held at once: 20 MB for 10,000 rows."""


def k_occurrences(rows: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    """How often each row is among the k nearest neighbours of the others, by cosine.

    Parameters
    ----------
    rows : array, shape (n, d)
        Unit rows.
    k : int
        1 to n - 1.

    Returns
    -------
    array, shape (n,), int64
        Their sum is n k.

    Examples
    --------
    >>> k_occurrences(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), 1).tolist()
    [1, 2, 0]
    """
    n = len(rows)
    k = whole(k, "k", 1, n - 1)
    # ranks of cosines need no more than single precision, and take half the time with it
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    counts = np.zeros(n, np.int64)
    for start in range(0, n, BLOCK):
        cosines = rows[start : start + BLOCK] @ rows.T
        own = np.arange(len(cosines))
        cosines[own, start + own] = -np.inf
        nearest = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        counts += np.bincount(nearest.ravel(), minlength=n)
    return counts


def skewness(values: NDArray[np.number]) -> float:
    """Third standardised moment, ``mean((v - m)^3) / sd^3`` with n in both; NaN without spread.

    With the counts of :func:`k_occurrences` it is the hubness S of Radovanovic, Nanopoulos and
    Ivanovic (2010).

    Examples
    --------
    >>> skewness(np.array([0, 0, 0, 4])), skewness(np.array([1, 1]))
    (1.1547005383792515, nan)
    """
    array = numbers(values, "values", 1)
    centred = array - array.mean()
    variance = float(np.mean(centred**2))
    if variance == 0:
        return float("nan")
    return float(np.mean(centred**3) / variance**1.5)
