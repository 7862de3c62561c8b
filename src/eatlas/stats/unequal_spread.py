"""Groups that differ in size and in spread, and what that does to a test of their means.

A permutation test of the difference of means takes its spread from both groups together. Where
sizes and spreads differ, the difference varies more than that (a small group with wide scores) or
less (a small group with narrow ones), by the factor

    R = (s_1**2 / n_1 + s_2**2 / n_2) / (s**2 (1 / n_1 + 1 / n_2)),

with s the pooled standard deviation; R is 1 for groups of one size. A two-sided test at level alpha
then rejects equal means with a probability of about 2 (1 - Phi(z / sqrt(R))).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FACTOR = 1.25
"""A factor R from 1 / FACTOR to FACTOR changes a level of .05 to .029 to .080 at most."""
ERRORS = 2.0
"""Spreads differ clearly when the log of the ratio of variances is so many of its standard errors
from 0, sqrt(2 / (n_1 - 1) + 2 / (n_2 - 1)) for normal scores."""
Z = 1.959963984540054
"""Quantile of the normal distribution for a two-sided level of .05."""


@dataclass(frozen=True)
class Spread:
    """Spreads of two groups and the factor R."""

    n: tuple[int, int]
    sd: tuple[float, float]
    factor: float

    @property
    def level(self) -> float:
        """About the true level of a test at .05.

        Examples
        --------
        >>> round(Spread((5, 15), (3.0, 1.0), 2.6).level, 2)
        0.22
        """
        return math.erfc(Z / math.sqrt(2 * self.factor))


def unequal_spread(first: Array, second: Array) -> Spread | None:
    """Spreads of two groups that differ in size and clearly in spread; None for others.

    Parameters
    ----------
    first, second : array, shape (n_1,) and (n_2,)
        Scores of both groups.

    Returns
    -------
    Spread or None
        None for groups of one size, for fewer than two scores in one, where the spreads do not
        differ clearly, and where R lies between 0.8 and 1.25.

    Examples
    --------
    >>> wide, narrow = np.array([-3.0, 0, 3, 6]), np.tile([0.9, 1.0, 1.1, 1.2], 4)
    >>> unequal_spread(wide, narrow).factor > 2, unequal_spread(wide, narrow[:4]) is None
    (True, True)
    """
    n = first.size, second.size
    if n[0] == n[1] or min(n) < 2:
        return None
    variances = float(first.var(ddof=1)), float(second.var(ddof=1))
    error = math.sqrt(2 / (n[0] - 1) + 2 / (n[1] - 1))
    if min(variances) > 0 and abs(math.log(variances[0] / variances[1])) <= ERRORS * error:
        return None
    factor = inflation(n, variances)
    if 1 / FACTOR <= factor <= FACTOR:
        return None
    return Spread(n, (math.sqrt(variances[0]), math.sqrt(variances[1])), factor)


def inflation(n: tuple[int, int], variances: tuple[float, float]) -> float:
    """The factor R of two groups; 1 where neither has any spread.

    Examples
    --------
    >>> inflation((8, 8), (9.0, 1.0)), round(inflation((5, 15), (9.0, 1.0)), 2)
    (1.0, 2.52)
    """
    pooled = ((n[0] - 1) * variances[0] + (n[1] - 1) * variances[1]) / (n[0] + n[1] - 2)
    if not pooled:
        return 1.0
    return (variances[0] / n[0] + variances[1] / n[1]) / (pooled * (1 / n[0] + 1 / n[1]))
