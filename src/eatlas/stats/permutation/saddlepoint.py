"""The exponential tilt that puts a subset sum where we look: a two-parameter saddlepoint.

Choose each score independently with probability ``pi_j = 1 / (1 + exp(-mu - lam x_j))`` and
solve for (mu, lam) such that n items with sum t are expected (Booth and Butler 1990). Given its
size n and sum T, every subset then has the weight ``exp(mu n + lam T) / Z``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEPS = 200
"""Newton steps at most; ten suffice except at the edge of the support."""


@dataclass(frozen=True)
class Tilt:
    """A solved tilt."""

    lam: float
    """Tilt along the scores; positive in the upper tail."""
    mu: float
    """Tilt along the size."""
    chance: NDArray[np.float64]
    """pi_j, shape (N,)."""
    dual: float
    """log Z - mu n - lam t: log of the count, but for a factor of order one."""
    det: float
    """Determinant of the covariance of (size, sum) under the tilt."""

    @property
    def log_density(self) -> float:
        """About the log of the number of subsets with sum near t, per unit of score."""
        return self.dual - math.log(2 * math.pi) - 0.5 * math.log(self.det)


def solve(x: NDArray[np.float64], n: int, t: float) -> Tilt | None:
    """Damped Newton on the convex dual; None when t lies too near the edge of the support.

    Parameters
    ----------
    x
        Scores with mean 0 and standard deviation 1, shape (N,).
    n, t
        Size and sum to be expected.
    """
    state = np.array([math.log(n / (x.size - n)), 0.0])
    value = _dual(x, n, t, state)
    for _ in range(STEPS):
        chance = _chance(x, state)
        gradient = np.array([chance.sum() - n, chance @ x - t])
        hessian = _covariance(x, chance)
        det = float(np.linalg.det(hessian))
        if not det > 1e-200:
            return None
        if np.all(np.abs(gradient) < 1e-11 * x.size):
            return Tilt(float(state[1]), float(state[0]), chance, value, det)
        step = np.linalg.solve(hessian, gradient)
        state, value = _descend(x, n, t, state, step, value)
    return None


def _descend(
    x: NDArray[np.float64],
    n: int,
    t: float,
    state: NDArray[np.float64],
    step: NDArray[np.float64],
    value: float,
) -> tuple[NDArray[np.float64], float]:
    """Halve the Newton step until the dual does not rise."""
    for _ in range(40):
        trial = state - step
        risen = _dual(x, n, t, trial)
        if risen <= value + 1e-12 * abs(value):
            return trial, risen
        step = step / 2
    return trial, risen


def _dual(x: NDArray[np.float64], n: int, t: float, state: NDArray[np.float64]) -> float:
    mu, lam = state
    return float(np.logaddexp(0.0, mu + lam * x).sum() - mu * n - lam * t)


def _chance(x: NDArray[np.float64], state: NDArray[np.float64]) -> NDArray[np.float64]:
    z = state[0] + state[1] * x
    out: NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -z))
    return out


def _covariance(x: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    v = chance * (1 - chance)
    cross = v @ x
    return np.array([[v.sum(), cross], [cross, v @ (x * x)]])
