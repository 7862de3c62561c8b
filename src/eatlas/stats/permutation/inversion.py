"""Subset-sum tails by Fourier inversion on the saddlepoint contour, with a stated error.

Under the tilt of `saddlepoint`, with the sum T decorrelated from the size K,

    #{T >= t} = exp(log Z - mu n - lam t) / (2 pi)^2
                * integral phi(psi, theta) exp(-i (psi n + theta t)) kernel(lam + i theta),
    phi(psi, theta) = prod_j (1 - pi_j + pi_j exp(i (psi + theta x_j))),

with kernel(z) = 1 / z, or step / (1 - exp(-z step)) for sums on a lattice, where the tail is
met exactly and theta ends at pi / step (Pagano and Tritchler 1983, tilted). The trapezoid rule
converges geometrically; its aliases are bounded in `contour`, what lies beyond the sampled
nodes in `guard`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.nodes import Nodes, choose, log_mean_square, waves
from eatlas.stats.permutation.saddlepoint import (
    ALIAS,
    Contour,
    size_nodes,
    standardised,
    targets,
    tilted,
    unit_of,
)

BLOCK = 1 << 15
"""Grid cells handled at once: few enough complex numbers to stay in the second-level cache."""
MANY = 500.0
"""From this sum of v on, some 2,000 scores, phi is evaluated where it is there at all: two million
factors in place of two hundred for 32,000 scores."""
OUTSIDE = 46.0
"""What is left out changes the integral by less than exp(-46) = 1e-20 of its size."""
LEAST_NODES = 64
"""Nodes to evaluate even beyond the effort: thousands of scores need some 30."""
SAFETY = 4.0
"""Standard deviations of the random-phase remainder in the stated error: on 33 designs without
clusters (16 v 16 to 256 v 256) the error was at most 1.4 of them, mostly below 0.5."""
PERSISTENT = 10.0
"""A mean of |g|**2 so many times that of theory is no accident."""
OCTAVES = 20.0
"""Octaves beyond the band in which revivals may still add up, times log 2."""
CERTAIN = 1e-9
"""Covers every rounding in the logarithm of Chernoff's bound, relatively."""
MARGIN = 4.0
"""Revivals are seen in a sample only. On 120 clustered and near-lattice designs of 34 to 40 scores,
of which 63 were refused, the error exceeded the estimate in 21 of 171 tails, 2.6 times at most,
and never exceeded 1e-7 where the estimate was at most 1e-7. `methods.CAUTION` states more."""
EPS = 2.0**-52


@dataclass(frozen=True)
class Effort:
    """How much work an inversion may be."""

    cells: int
    """Factors of phi to evaluate, about 5 ns each."""
    finest: int
    """Lattices of so many steps over the range of the scores revive inside the scanned band."""

    def nodes(self, cost: int) -> int:
        """Nodes of theta that can be afforded at `cost` factors each."""
        return max(LEAST_NODES, self.cells // cost)


@dataclass(frozen=True)
class Inverted:
    """One tail by inversion."""

    log_count: float
    """Natural logarithm of the number of subsets."""
    rel_err: float
    """Stated relative error of that number."""


def invert(
    values: NDArray[np.int64], n: int, thresholds: Sequence[int], *, lattice: bool, effort: Effort
) -> list[Inverted] | None:
    """Log #{T >= t} for each threshold t, all from one contour."""
    unit = unit_of(values)
    contour = tilted(standardised(values), n, targets(values, n, thresholds))
    if contour is None:
        return None
    return _integrate(contour, 1.0 / unit if lattice else 0.0, effort)


def log_count_near(values: NDArray[np.int64], n: int, threshold: int) -> float:
    """About log #{T >= threshold}, in microseconds; -inf at the edge of the support."""
    contour = tilted(standardised(values), n, targets(values, n, [threshold]))
    if contour is None:
        return -math.inf
    return contour.log_weight - contour.lam * float(contour.targets[0]) + contour.log_scale + 3.0


def log_chernoff(values: NDArray[np.int64], n: int, threshold: int) -> float:
    """A certain upper bound of log #{T >= threshold}; log C(N, n) at the edge of the support."""
    contour = tilted(standardised(values), n, targets(values, n, [threshold]))
    if contour is None:
        return math.log(math.comb(values.size, n))
    log_bound = contour.log_weight - contour.lam * float(contour.targets[0])
    return log_bound + CERTAIN * (1 + abs(contour.log_weight))


def _integrate(c: Contour, step: float, effort: Effort) -> list[Inverted]:
    """Integrate the inverse transform along the contour, for each target."""
    psi = size_nodes(c)
    nodes = choose(c, step, effort.nodes(psi * c.x.size), effort.finest)
    g = _transform(c, psi, nodes.theta)
    z = c.lam + 1j * nodes.theta
    kernel = step / (1 - np.exp(-z * step)) if step else 1 / z
    weight = np.where(nodes.theta == 0, 1.0, 2.0) * nodes.step / (2 * math.pi)
    rough = _rough(c, nodes, np.abs(g) ** 2, np.abs(_transform(c, psi, nodes.sample)) ** 2)
    return [
        _assembled(c, t, weight * (g * kernel * np.exp(-1j * nodes.theta * t)).real, nodes, rough)
        for t in c.targets.tolist()
    ]


def _rough(
    c: Contour, nodes: Nodes, seen: NDArray[np.float64], sampled: NDArray[np.float64]
) -> float:
    """What the nodes left out may add, in standard deviations if their phases are random.

    Random phases: step / pi * sqrt(sum |g|**2 / theta**2 / 2), with the sampled |g|**2 inside the
    band and the mean square of theory beyond. Where |g|**2 far exceeds theory the sums cluster
    and revivals add up in phase: their magnitudes count, and where the last octave of the band
    still shows them they go on beyond it.

    Infinite where the band ends before the first node: far outliers stretch the range so much
    that nothing is known about revivals.
    """
    if not nodes.end:
        return math.inf
    if math.isinf(nodes.end) and not nodes.sample.size:
        return 0.0
    theory = math.exp(log_mean_square(c))
    last = nodes.last_square if not nodes.sample.size else _last_octave(nodes, seen, sampled)
    beyond = max(theory, last) / (nodes.step * nodes.end)
    rough = nodes.step / math.pi * math.sqrt((float(nodes.weight @ sampled) + beyond) / 2)
    in_phase = _revived(nodes, sampled, PERSISTENT * theory)
    if last > PERSISTENT * theory:
        in_phase += OCTAVES * math.sqrt(last) / math.pi
    return rough + MARGIN * in_phase


def _revived(nodes: Nodes, sampled: NDArray[np.float64], most: float) -> float:
    """Sum of |g| / theta * step / pi over the strata whose mean of |g|**2 exceeds `most`."""
    if not sampled.size:
        return 0.0
    mean = np.bincount(nodes.stratum, nodes.share * sampled) / np.bincount(
        nodes.stratum, nodes.share
    )
    revived = (mean > most)[nodes.stratum]
    sizes = nodes.share * np.sqrt(sampled) / nodes.sample
    return nodes.step / math.pi * float(sizes[revived].sum())


def _last_octave(nodes: Nodes, seen: NDArray[np.float64], sampled: NDArray[np.float64]) -> float:
    """Mean of |g|**2 over the last octave of the band: evaluated nodes and sampled ones."""
    start = nodes.end / 2 if math.isfinite(nodes.end) else nodes.sample.max() / 2
    old, new = nodes.theta >= start, nodes.sample >= start
    count = np.count_nonzero(old) + float(nodes.share[new].sum())
    return float((seen[old].sum() + nodes.share[new] @ sampled[new]) / max(count, 1.0))


def _assembled(
    c: Contour, t: float, terms: NDArray[np.float64], nodes: Nodes, rough: float
) -> Inverted:
    """The log count and the sum of all stated errors."""
    value = float(terms.sum())
    if value <= 0:
        return Inverted(-math.inf, math.inf)
    log_count = c.log_weight - c.lam * t + math.log(value)
    noise = EPS * c.x.size * float(np.abs(terms).sum())
    logs = 4 * EPS * (abs(c.log_weight) + abs(c.lam * t))
    rel = (SAFETY * rough + nodes.certain + noise) / value + logs + 4 * ALIAS
    return Inverted(log_count, rel + math.exp(min(0.0, -log_count)))


def _transform(c: Contour, psi_nodes: int, theta: NDArray[np.float64]) -> NDArray[np.complex128]:
    """g(theta): phi averaged over psi against exp(-i psi n), the part of size n."""
    places = _window(c, psi_nodes, theta)
    width = places.shape[1]
    rows = max(1, BLOCK // width)
    out = np.empty(theta.size, np.complex128)
    for start in range(0, theta.size, rows):
        part = theta[start : start + rows]
        own = places if len(places) == 1 else places[start : start + rows]
        psi = 2 * math.pi / psi_nodes * own
        back = np.exp(-1j * psi * c.n) / psi_nodes
        phi = _product(c, part, np.exp(1j * psi))
        out[start : start + rows] = np.einsum("ij,ij->i", phi, np.broadcast_to(back, phi.shape))
    return out


def _window(c: Contour, psi_nodes: int, theta: NDArray[np.float64]) -> NDArray[np.int64]:
    """Nodes of psi to evaluate, in steps of the grid: all, in one row, or some for each theta.

    With F as in `guard`, ``log |phi| <= -(sum v - |F| cos(psi + arg F))``, so of many scores phi
    is there only near ``-arg F``. All nodes outside together change g by less than exp(-OUTSIDE).
    """
    every = np.arange(psi_nodes)[None] - psi_nodes // 2
    v = c.chance * (1 - c.chance)
    spread = float(v.sum())
    if spread < MANY or not theta.size:
        return every
    wave = waves(c, theta, v)
    # cos below this leaves exp(-OUTSIDE) at most
    least = (spread - OUTSIDE + min(0.0, c.log_scale)) / np.maximum(np.abs(wave), 1e-300)
    half = math.ceil(float(np.arccos(np.clip(least, -1.0, 1.0)).max()) / (2 * math.pi) * psi_nodes)
    if 2 * half + 1 >= psi_nodes:
        return every
    centre = np.rint(-np.angle(wave) / (2 * math.pi) * psi_nodes).astype(np.int64)
    return centre[:, None] + np.arange(-half - 1, half + 2)


def _product(
    c: Contour, theta: NDArray[np.float64], turn: NDArray[np.complex128]
) -> NDArray[np.complex128]:
    """The function phi on a block of the grid: one factor for each score, in place."""
    phi = np.ones((theta.size, turn.shape[1]), np.complex128)
    # few cells, of thousands of scores: several factors at once
    at_once = max(1, BLOCK // phi.size) if turn.shape[0] > 1 else 1
    for start in range(0, c.x.size, at_once):
        part = slice(start, start + at_once)
        wave = c.chance[part, None] * np.exp(1j * c.x[part, None] * theta)
        factor = wave[:, :, None] * turn
        factor += (1 - c.chance[part])[:, None, None]
        phi *= factor[0] if at_once == 1 else np.multiply.reduce(factor, axis=0)
    return phi
