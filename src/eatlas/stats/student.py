"""Quantiles of Student's t distribution, without scipy."""

from __future__ import annotations

import math

from eatlas.stats.incomplete_beta import beta_quantile


def t_quantile(outside: float, df: float) -> float:
    """The t > 0 with P(abs(T) > t) = `outside`.

    Parameters
    ----------
    outside : float
        Probability of both tails together, in (0, 1).
    df : float
        Degrees of freedom, 1 or more.

    Notes
    -----
    ``P(abs(T) > t) = I_x(df / 2, 1 / 2)`` with ``x = df / (df + t**2)``.

    Examples
    --------
    >>> round(t_quantile(0.5, 1), 12)  # Cauchy: the quartiles are -1 and 1
    1.0
    """
    x, y = beta_quantile(outside, df / 2, 0.5)
    return math.sqrt(df * y / x)
