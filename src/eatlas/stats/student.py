"""Student's t distribution, without scipy: quantiles and the probability outside a value."""

from __future__ import annotations

import math

from eatlas.stats.incomplete_beta import beta_logarithms, beta_quantile
from eatlas.stats.permutation.result import SMALLEST

NEAR, FAR = 1e-100, 1e100
"""Up to the first, the probability outside is 1 to the last digit; from the second on, it falls
as t**-df to the last digit. Beyond them 1 / t**2 or t**2 may overflow."""


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


def t_outside(t: float, df: float) -> float:
    """P(abs(T) > abs(t)) for T with Student's t distribution, in (0, 1].

    Parameters
    ----------
    t : float
        Any number, infinite too.
    df : float
        Degrees of freedom, above 0.

    Notes
    -----
    ``P(abs(T) > t) = I_x(df / 2, 1 / 2)`` with ``x = df / (df + t**2)``; relative to the mean of
    that beta distribution x lies at ``-2 log t`` on the logit scale. The inverse of `t_quantile`.

    Examples
    --------
    >>> round(t_outside(1.0, 1), 12)  # Cauchy: the quartiles are -1 and 1
    0.5
    """
    distance = abs(t)
    if distance <= NEAR:
        return 1.0
    within, beyond = min(distance, FAR), max(distance / FAR, 1.0)
    log_p = beta_logarithms(df / 2, 0.5, -2 * math.log(within))[1] - df * math.log(beyond)
    return min(max(math.exp(log_p), SMALLEST), 1.0)
