"""The effect size of an association test: a difference of means over one standard deviation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels import mean_and_sd
from eatlas.stats.precision import least_spread


def effect_size(
    scores: NDArray[np.float64],
    n: int,
    *,
    ddof: int = 1,
    scale: float = 1.0,
    precision: float | None = None,
) -> tuple[float, float]:
    """Difference of the two groups' means, raw and in standard deviations of their union.

    Parameters
    ----------
    scores : array, shape (N,)
        Association scores; the first `n` belong to the first group.
    n : int
        Size of the first group, 1 to N - 1.
    ddof : int
        1 divides the squares by N - 1 (Caliskan et al. 2017, and the default), 0 by N (WEFE).
    scale : float
        Magnitude of what was summed into a score, 1 for cosines. A spread below the rounding
        error of that magnitude counts as none.
    precision : float, optional
        Unit roundoff of the vectors behind the scores, such as ``2**-24`` where a model computed
        them in single precision; by default they are exact.

    Returns
    -------
    difference : float
        mean of the first group minus mean of the second.
    d : float
        The effect size, NaN where the scores have no spread. With groups of one size and
        ``ddof=1``, |d| < 2.

    Notes
    -----
    Equations 1 and 5 of Wolfe, Hiniker and Howe (2024), ML-EAT; equation of the effect size in
    Caliskan, Bryson and Narayanan (2017).

    Examples
    --------
    >>> difference, d = effect_size(np.array([1.0, 2.0, -1.0, -2.0]), 2)
    >>> difference, round(d, 6)
    (3.0, 1.643168)
    """
    difference = mean_and_sd(scores[:n], 0)[0] - mean_and_sd(scores[n:], 0)[0]
    if float(np.ptp(scores)) <= least_spread(scale, precision):
        return difference, float("nan")
    sd = mean_and_sd(scores, ddof)[1]
    return difference, difference / sd
