"""Estimates of the variance between studies: DerSimonian-Laird, Paule-Mandel, REML.

With weights ``w_i = 1 / (v_i + tau2)``, their sum W and the weighted mean m, all three look at
``Q(tau2) = sum w_i (y_i - m)**2``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SETTLED = 1e-14
"""A relative change of tau2 below this is rounding noise: equal variances have a closed form, and
the worst difference from it was 5e-15 of the variance of the effects."""
GRID = 257
"""Points that look for the highest maximum of the restricted likelihood. Its terms vary on the
scale of log(v_i + tau2), so steps of log(range) / 256 cannot miss one."""


def weighted(effects: Array, variances: Array, tau2: float) -> tuple[Array, float, float]:
    """Weights, weighted mean and Q for one tau2.

    Examples
    --------
    >>> weighted(np.array([0.0, 2.0]), np.array([1.0, 1.0]), 1.0)
    (array([0.5, 0.5]), 1.0, 1.0)
    """
    weights = 1 / (variances + tau2)
    mean = float(np.sum(weights * effects) / np.sum(weights))
    return weights, mean, float(np.sum(weights * (effects - mean) ** 2))


def dersimonian_laird(effects: Array, variances: Array) -> float:
    """max(0, (Q(0) - (k - 1)) / (W - sum w**2 / W)).

    DerSimonian and Laird (1986), Meta-analysis in clinical trials, Controlled Clinical Trials 7.

    Examples
    --------
    >>> dersimonian_laird(np.array([0.0, 4.0]), np.array([1.0, 1.0]))
    7.0
    """
    weights, _, q = weighted(effects, variances, 0.0)
    whole = float(np.sum(weights))
    return max(0.0, (q - (effects.size - 1)) / (whole - float(np.sum(weights**2)) / whole))


def paule_mandel(effects: Array, variances: Array) -> float:
    """The root of Q(tau2) = k - 1, or 0 if Q(0) is smaller already.

    Paule and Mandel (1982); Newton's method of DerSimonian and Kacker (2007), appendix: Q falls
    and is convex, so steps from 0 rise to the root and never pass it.

    Examples
    --------
    >>> round(paule_mandel(np.array([0.0, 4.0]), np.array([1.0, 1.0])), 12)
    7.0
    """
    tau2, step = 0.0, math.inf
    while step > SETTLED * tau2:
        weights, mean, q = weighted(effects, variances, tau2)
        excess = q - (effects.size - 1)
        if excess <= 0:
            break
        step = excess / float(np.sum((weights * (effects - mean)) ** 2))
        tau2 += step
    return tau2


def restricted_maximum_likelihood(effects: Array, variances: Array) -> float:
    """The tau2 >= 0 at which the restricted likelihood is greatest.

    ``-2 l = sum log(v + tau2) + log W + Q``; Viechtbauer (2005), Journal of Educational and
    Behavioral Statistics 30. The highest point of a grid first, because there may be several
    maxima, then bisection on the slope.

    Examples
    --------
    >>> round(restricted_maximum_likelihood(np.array([0.0, 4.0]), np.array([1.0, 1.0])), 12)
    7.0
    """
    least = float(variances.min())
    # beyond both, the slope is negative: there Q's term is below (k - 1) / (4 tau2)
    most = max(float(variances.max()), 8 * float(np.ptp(effects)) ** 2)
    grid = least * np.expm1(np.linspace(0.0, math.log1p(most / least), GRID))
    best = int(np.argmax([_restricted(effects, variances, float(t)) for t in grid]))
    if best == 0 and _slope(effects, variances, 0.0) <= 0:
        return 0.0
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, GRID - 1)])
    while high - low > SETTLED * high:
        middle = (low + high) / 2
        if _slope(effects, variances, middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _restricted(effects: Array, variances: Array, tau2: float) -> float:
    """The restricted log-likelihood without its constant."""
    weights, _, q = weighted(effects, variances, tau2)
    return -(-float(np.sum(np.log(weights))) + math.log(float(np.sum(weights))) + q) / 2


def _slope(effects: Array, variances: Array, tau2: float) -> float:
    """Twice the derivative of the restricted log-likelihood."""
    weights, mean, _ = weighted(effects, variances, tau2)
    whole, squares = float(np.sum(weights)), float(np.sum(weights**2))
    return float(np.sum((weights * (effects - mean)) ** 2)) - (whole - squares / whole)
