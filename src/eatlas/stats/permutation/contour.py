"""Where the inversion integral is sampled: the tilted contour and its trapezoid grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.saddlepoint import Tilt, solve

LEAST_Z = 2.0
"""The contour is tilted to at least this many standard deviations, away from the pole at 0."""
ALIAS = 1e-11
"""Relative error left to aliasing in each variable."""
CHERNOFF = np.geomspace(0.5, 30.0, 24)
"""Exponents tried in the Chernoff bounds, in units of 1 / standard deviation."""


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
