"""The exponential tilt that puts a subset sum where we look, and the contour of its inversion.

Choose each score independently with probability ``pi_j = 1 / (1 + exp(-mu - lam x_j))`` and
solve for (mu, lam) such that n items with sum t are expected (Booth and Butler 1990). Given its
size n and sum T, every subset then has the weight ``exp(mu n + lam T) / Z``. The inversion
integral is sampled on the tilted contour, on a trapezoid grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEPS = 200
"""Newton steps at most; ten suffice except at the edge of the support."""
LEAST_Z = 2.0
"""The contour is tilted to at least this many standard deviations, away from the pole at 0."""
ALIAS = 1e-11
"""Relative error left to aliasing in each variable."""
CHERNOFF = np.geomspace(0.5, 30.0, 24)
"""Exponents tried in the Chernoff bounds, in units of 1 / standard deviation."""


def standardised(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """The scores with mean 0 and standard deviation 1, centred in integers first."""
    whole = int(values.sum())
    middle = round(whole / values.size)
    rest = (whole - middle * values.size) / values.size
    return ((values - middle).astype(np.float64) - rest) / unit_of(values)


def unit_of(values: NDArray[np.int64]) -> float:
    """The standard deviation of the scores, in lattice units."""
    return float(np.std((values - values[values.size // 2]).astype(np.float64)))


def targets(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> NDArray[np.float64]:
    """Thresholds as distances from the mean, in standard deviations of a score."""
    size, whole, unit = values.size, int(values.sum()), unit_of(values)
    return np.array([(t * size - n * whole) / size / unit for t in thresholds])


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
    """Damped Newton on the convex dual; None when t is too near the edge of the support."""
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


@dataclass(frozen=True)
class Contour:
    """The tilted problem, with the sum decorrelated from the size."""

    x: NDArray[np.float64]
    """Scores less a constant that makes sum and size uncorrelated, shape (N,)."""
    chance: NDArray[np.float64]
    """pi_j, shape (N,)."""
    logit: NDArray[np.float64]
    """log(pi_j / (1 - pi_j)), which stays finite where pi_j rounds to 0 or 1; shape (N,)."""
    n: int
    """Size of the subsets."""
    targets: NDArray[np.float64]
    """Thresholds in the coordinates of x."""
    lam: float
    """Tilt along the scores."""
    log_weight: float
    """log Z - mu n; the count is exp(log_weight - lam t) times the integral."""
    sd_size: float
    """Standard deviation of the size under the tilt."""
    sd_sum: float
    """Standard deviation of the decorrelated sum under the tilt."""

    @property
    def log_scale(self) -> float:
        """About the log of the integral / (2 pi)^2, never far above it."""
        return -math.log(2 * math.pi * self.sd_size * self.sd_sum * self.lam) - 3.0


def tilted(x: NDArray[np.float64], n: int, targets: NDArray[np.float64]) -> Contour | None:
    """The contour for sums at or above `targets`; None at the edge of the support.

    `x` is ascending, has mean 0 and standard deviation 1; targets are sums of n of them.
    """
    size = x.size
    sigma = math.sqrt(n * (size - n) / (size - 1.0))
    centre = float(targets.min())
    top = float(x[size - n :].sum())
    wanted = max(centre, min(LEAST_Z * sigma, (centre + top) / 2))
    tilt = solve(x, n, wanted)
    return None if tilt is None or tilt.lam <= 0 else _decorrelated(x, n, targets, tilt)


def _decorrelated(
    x: NDArray[np.float64], n: int, targets: NDArray[np.float64], tilt: Tilt
) -> Contour:
    """Contour with scores centred so that sum and size of the first group are uncorrelated."""
    v = tilt.chance * (1 - tilt.chance)
    spread = v.sum()
    middle = float(v @ x / spread)
    moved = x - middle
    mu = tilt.mu + tilt.lam * middle
    logit = mu + tilt.lam * moved
    return Contour(
        x=moved,
        chance=tilt.chance,
        logit=logit,
        n=n,
        targets=targets - n * middle,
        lam=tilt.lam,
        log_weight=float(np.logaddexp(0.0, logit).sum() - mu * n),
        sd_size=math.sqrt(spread),
        sd_sum=math.sqrt(float(v @ (moved * moved))),
    )


def _log_mgf(
    c: Contour, direction: NDArray[np.float64], s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Log E exp(s * sum of `direction` over the subset), for each s."""
    z = s[:, None] * direction[None, :]
    out: NDArray[np.float64]
    out = (np.logaddexp(0.0, c.logit + z) - np.logaddexp(0.0, c.logit)).sum(axis=1)
    return out


def size_nodes(c: Contour) -> int:
    """Nodes in psi: P(K = n +- nodes) is negligible by Chernoff's bound; N + 1 is exact."""
    one = np.ones_like(c.x)
    s = CHERNOFF / c.sd_size
    needed = _log_needed(c)
    up = (needed + _log_mgf(c, one, s) - s * c.n) / s
    down = (needed + _log_mgf(c, one, -s) + s * c.n) / s
    return min(c.x.size + 1, math.ceil(max(float(up.min()), float(down.min()))) + 1)


def period(c: Contour) -> float:
    """The least period in T that keeps every alias of the tail negligible.

    An alias from above weighs at most P(T >= t + period); one from below at most
    E exp(-s (T - t + period)) for any s in (0, lam], as exp(-lam u) <= exp(-s u) for u >= 0.
    """
    needed = _log_needed(c)
    low, high = float(c.targets.min()), float(c.targets.max())
    s = CHERNOFF / c.sd_sum
    up = (needed + _log_mgf(c, c.x, s) - s * low) / s
    s = c.lam * np.linspace(0.1, 1.0, 19)
    down = (needed + _log_mgf(c, c.x, -s) + s * high) / s
    return float(max(up.min(), down.min()))


def _log_needed(c: Contour) -> float:
    return -math.log(ALIAS) - c.log_scale
