"""Quantiles and tails of Student's t and of beta, and Clopper-Pearson intervals."""

from __future__ import annotations

import math

from eatlas.stats.inputs import open_unit, whole


def t_quantile(outside: float, df: float) -> float:
    """The t > 0 with P(abs(T) > t) = `outside`."""
    from scipy.special import stdtrit  # noqa: PLC0415  (heavy at start)

    return float(-stdtrit(df, outside / 2))


def t_outside(t: float, df: float) -> float:
    """P(abs(T) > abs(t)) for T with Student's t distribution, in (0, 1]."""
    from scipy.special import stdtr  # noqa: PLC0415  (heavy at start)

    return min(max(2 * float(stdtr(df, -abs(t))), math.ulp(0.0)), 1.0)


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval, which covers with at least the stated probability."""
    from scipy.special import betainccinv, betaincinv  # noqa: PLC0415  (heavy at start)

    trials = whole(trials, "trials", 1)
    successes = whole(successes, "successes", 0, trials)
    tail, failures = (1 - open_unit(level)) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = betainccinv(successes + 1, failures, tail) if failures else 1.0
    return float(low), float(high)


def beta_quantile(tail: float, a: float, b: float) -> float:
    """The point below which `tail` of a beta distribution lies."""
    from scipy.special import betaincinv  # noqa: PLC0415  (heavy at start)

    return float(betaincinv(a, b, tail))
