"""Quantiles and tails of Student's t, and exact intervals of proportions, by scipy."""

from __future__ import annotations

import math

from eatlas.stats.inputs import open_unit, whole

FAR = 1e150
"""From here on the tail of Student's t is what it is here: the square of t may overflow."""


def t_quantile(outside: float, df: float) -> float:
    """The t > 0 with P(abs(T) > t) = `outside`.

    Parameters
    ----------
    outside : float
        Probability of both tails together, in (0, 1).
    df : float
        Degrees of freedom, 1 or more.

    Examples
    --------
    >>> round(t_quantile(0.5, 1), 12)  # Cauchy: the quartiles are -1 and 1
    1.0
    """
    from scipy.special import stdtrit  # noqa: PLC0415  (0.1 s, with the first test)

    return abs(float(stdtrit(df, outside / 2)))


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
    ``P(abs(T) > t) = I_x(df / 2, 1 / 2)`` with ``x = df / (df + t**2)``.

    Examples
    --------
    >>> round(t_outside(1.0, 1), 12)  # Cauchy: the quartiles are -1 and 1
    0.5
    """
    from scipy.special import betainc, betaincc  # noqa: PLC0415

    square = min(abs(t), FAR) ** 2
    if square < df:
        p = float(betaincc(0.5, df / 2, square / (df + square)))
    else:
        p = float(betainc(df / 2, 0.5, df / (df + square)))
    return max(p, math.ulp(0.0))


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval, which covers with at least the stated probability.

    Parameters
    ----------
    successes : int
        0 to `trials`.
    trials : int
        1 or more.
    level : float
        Confidence, in (0, 1).

    Returns
    -------
    low, high : float
        With ``t = (1 - level) / 2``, `low` solves ``P(X >= successes) = t`` and `high` solves
        ``P(X <= successes) = t`` for X binomial; low is 0 at no success, high is 1 at no failure.

    Raises
    ------
    EatlasError
        For counts or a level outside these ranges.

    Notes
    -----
    Clopper and Pearson (1934), Biometrika 26: low is the `t` quantile of
    Beta(successes, failures + 1), high the ``1 - t`` quantile of Beta(successes + 1, failures).

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10)
    >>> low, round(high, 6)  # 1 - 0.025 ** (1 / 10)
    (0.0, 0.308497)
    """
    from scipy.special import betainccinv, betaincinv  # noqa: PLC0415

    trials = whole(trials, "trials", 1)
    successes = whole(successes, "successes", 0, trials)
    tail, failures = (1 - open_unit(level)) / 2, trials - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betainccinv(successes + 1, failures, tail)) if failures else 1.0
    return low, high
