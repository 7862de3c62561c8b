"""Ranks and Spearman's rank correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import numbers

Array = NDArray[np.float64]


def ranks(values: NDArray[np.number]) -> Array:
    """Ranks from 1; equal values share the mean of theirs.

    Examples
    --------
    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: Array = (last - (sizes - 1) / 2)[group]
    return shared


def spearman(x: NDArray[np.number], y: NDArray[np.number]) -> float:
    """Correlation of the ranks of two lists of numbers, -1 to 1; NaN where one does not vary.

    Raises
    ------
    EatlasError
        If they differ in length, have fewer than two values, or hold what is not finite.

    Examples
    --------
    >>> spearman(np.array([1, 2, 3, 4]), np.array([1, 3, 2, 4]))
    0.8
    """
    first, second = numbers(x, "x", 1), numbers(y, "y", 1)
    if len(first) != len(second) or len(first) < 2:
        raise EatlasError(
            "a rank correlation needs pairs",
            got=f"{len(first)} and {len(second)} values",
            allowed="as many of the one as of the other, at least two",
        )
    a, b = (ranks(values) - (len(values) + 1) / 2 for values in (first, second))
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else float("nan")
