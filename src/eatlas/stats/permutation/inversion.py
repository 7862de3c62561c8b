"""Subset-sum tails by Fourier inversion on the saddlepoint contour, with a stated error.

Under the saddlepoint tilt, with the sum T decorrelated from the size K,

    #{T >= t} = exp(log Z - mu n - lam t) / (2 pi)^2
                * integral phi(psi, theta) exp(-i (psi n + theta t)) kernel(lam + i theta),
    phi(psi, theta) = prod_j (1 - pi_j + pi_j exp(i (psi + theta x_j))),

with kernel(z) = 1 / z, or step / (1 - exp(-z step)) for sums on a lattice, where the tail is
met exactly and theta ends at pi / step (Pagano and Tritchler 1983, tilted). The trapezoid rule
converges geometrically; its aliases and what lies beyond the sampled nodes are bounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Complex = NDArray[np.complex128]
Flags = NDArray[np.bool_]

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
MARGIN = 4.0
"""Revivals are seen in a sample only. On 120 clustered and near-lattice designs of 34 to 40 scores,
of which 63 were refused, the error exceeded the estimate in 21 of 171 tails, 2.6 times at most,
and never exceeded 1e-7 where the estimate was at most 1e-7."""
EPS = 2.0**-52


@dataclass(frozen=True)
class Effort:
    """How much work an inversion may be."""

    cells: int
    """Factors of phi to evaluate, about 5 ns each."""
    finest: int
    """Lattices of so many steps over the range of the scores revive inside the scanned band."""


Inverted = tuple[float, float]
"""Natural logarithm of the number of subsets, and the stated relative error of that number."""


def invert(
    values: Integers, n: int, thresholds: Sequence[int], *, lattice: bool, effort: Effort
) -> list[Inverted] | None:
    """Log #{T >= t} for each threshold t, all from one contour."""
    contour = contour_of(values, n, thresholds)
    if contour is None:
        return None
    return _integrate(contour, 1.0 / unit_of(values) if lattice else 0.0, effort)


def log_count_near(values: Integers, n: int, threshold: int) -> float:
    """About log #{T >= threshold}, in microseconds; -inf at the edge of the support."""
    contour = contour_of(values, n, [threshold])
    if contour is None:
        return -math.inf
    return contour.log_weight - contour.lam * float(contour.targets[0]) + contour.log_scale + 3.0


def _integrate(c: Contour, step: float, effort: Effort) -> list[Inverted]:
    """Integrate the inverse transform along the contour, for each target."""
    psi = size_nodes(c)
    affordable = max(LEAST_NODES, effort.cells // (psi * c.x.size))
    nodes = choose(c, step, affordable, effort.finest)
    g = _transform(c, psi, nodes.theta)
    z = c.lam + 1j * nodes.theta
    kernel = step / (1 - np.exp(-z * step)) if step else 1 / z
    weight = np.where(nodes.theta == 0, 1.0, 2.0) * nodes.step / (2 * math.pi)
    rough = _rough(c, nodes, np.abs(g) ** 2, np.abs(_transform(c, psi, nodes.sample)) ** 2)
    return [
        _assembled(c, t, weight * (g * kernel * np.exp(-1j * nodes.theta * t)).real, nodes, rough)
        for t in c.targets.tolist()
    ]


def _rough(c: Contour, nodes: Nodes, seen: Array, sampled: Array) -> float:
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


def _revived(nodes: Nodes, sampled: Array, most: float) -> float:
    """Sum of |g| / theta * step / pi over the strata whose mean of |g|**2 exceeds `most`."""
    if not sampled.size:
        return 0.0
    mean = np.bincount(nodes.stratum, nodes.share * sampled) / np.bincount(
        nodes.stratum, nodes.share
    )
    revived = (mean > most)[nodes.stratum]
    sizes = nodes.share * np.sqrt(sampled) / nodes.sample
    return nodes.step / math.pi * float(sizes[revived].sum())


def _last_octave(nodes: Nodes, seen: Array, sampled: Array) -> float:
    """Mean of |g|**2 over the last octave of the band: evaluated nodes and sampled ones."""
    start = nodes.end / 2 if math.isfinite(nodes.end) else nodes.sample.max() / 2
    old, new = nodes.theta >= start, nodes.sample >= start
    count = np.count_nonzero(old) + float(nodes.share[new].sum())
    return float((seen[old].sum() + nodes.share[new] @ sampled[new]) / max(count, 1.0))


def _assembled(c: Contour, t: float, terms: Array, nodes: Nodes, rough: float) -> Inverted:
    """The log count and the sum of all stated errors."""
    value = float(terms.sum())
    if value <= 0:
        return -math.inf, math.inf
    log_count = c.log_weight - c.lam * t + math.log(value)
    noise = EPS * c.x.size * float(np.abs(terms).sum())
    logs = 4 * EPS * (abs(c.log_weight) + abs(c.lam * t))
    rel = (SAFETY * rough + nodes.certain + noise) / value + logs + 4 * ALIAS
    return log_count, rel + math.exp(min(0.0, -log_count))


def _transform(c: Contour, psi_nodes: int, theta: Array) -> Complex:
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


def _window(c: Contour, psi_nodes: int, theta: Array) -> Integers:
    """Nodes of psi to evaluate, in steps of the grid: all, in one row, or some for each theta.

    With F as in `guard`, ``log |phi| <= -(sum v - |F| cos(psi + arg F))``, so of many scores phi
    is there only near ``-arg F``. All nodes outside together change g by less than exp(-OUTSIDE).
    """
    every = np.arange(psi_nodes)[None] - psi_nodes // 2
    v = c.v
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


def _product(c: Contour, theta: Array, turn: Complex) -> Complex:
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


STEPS = 200
"""Newton steps at most; ten suffice except at the edge of the support."""
LEAST_Z = 2.0
"""The contour is tilted to at least this many standard deviations, away from the pole at 0."""
ALIAS = 1e-11
"""Relative error left to aliasing in each variable."""
CHERNOFF = np.geomspace(0.5, 30.0, 24)
"""Exponents tried in the Chernoff bounds, in units of 1 / standard deviation."""


def standardised(values: Integers) -> Array:
    """The scores with mean 0 and standard deviation 1, centred in integers first."""
    whole = int(values.sum())
    middle = round(whole / values.size)
    rest = (whole - middle * values.size) / values.size
    return ((values - middle).astype(np.float64) - rest) / unit_of(values)


def unit_of(values: Integers) -> float:
    """The standard deviation of the scores, in lattice units."""
    return float(np.std((values - values[values.size // 2]).astype(np.float64)))


def targets(values: Integers, n: int, thresholds: Sequence[int]) -> Array:
    """Thresholds as distances from the mean, in standard deviations of a score."""
    size, whole, unit = values.size, int(values.sum()), unit_of(values)
    return np.array([(t * size - n * whole) / size / unit for t in thresholds])


def solve(x: Array, n: int, t: float) -> tuple[float, float, Array] | None:
    """The tilt along the size, that along the scores, and pi_j, by damped Newton on the dual.

    The dual is log Z - mu n - lam t. None when t is too near the edge of the support.
    """

    def dual(at: Array) -> float:
        return float(np.logaddexp(0.0, at[0] + at[1] * x).sum() - at[0] * n - at[1] * t)

    state = np.array([math.log(n / (x.size - n)), 0.0])
    value = dual(state)
    for _ in range(STEPS):
        chance: Array = np.exp(-np.logaddexp(0.0, -(state[0] + state[1] * x)))
        gradient = np.array([chance.sum() - n, chance @ x - t])
        v = chance * (1 - chance)
        cross = v @ x
        hessian = np.array([[v.sum(), cross], [cross, v @ (x * x)]])
        if not float(np.linalg.det(hessian)) > 1e-200:
            return None
        if np.all(np.abs(gradient) < 1e-11 * x.size):
            return float(state[0]), float(state[1]), chance
        step = np.linalg.solve(hessian, gradient)
        for _ in range(40):  # halved until the dual does not rise
            trial = state - step
            risen = dual(trial)
            if risen <= value + 1e-12 * abs(value):
                break
            step = step / 2
        state, value = trial, risen
    return None


@dataclass(frozen=True)
class Contour:
    """The tilted problem, with the sum decorrelated from the size."""

    x: Array
    """Scores less a constant that makes sum and size uncorrelated, shape (N,)."""
    chance: Array
    """pi_j, shape (N,)."""
    logit: Array
    """log(pi_j / (1 - pi_j)), which stays finite where pi_j rounds to 0 or 1; shape (N,)."""
    n: int
    """Size of the subsets."""
    targets: Array
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

    @property
    def v(self) -> Array:
        """Variance of the membership of each score under the tilt."""
        return self.chance * (1 - self.chance)

    @property
    def log_needed(self) -> float:
        """How far Chernoff's bound of an alias must be below it."""
        return -math.log(ALIAS) - self.log_scale


def contour_of(values: Integers, n: int, thresholds: Sequence[int]) -> Contour | None:
    """The contour for sums at or above the thresholds; None at the edge of the support."""
    return tilted(standardised(values), n, targets(values, n, thresholds))


def tilted(x: Array, n: int, targets: Array) -> Contour | None:
    """The contour for sums at or above `targets`, with scores uncorrelated with the size.

    `x` is ascending, has mean 0 and standard deviation 1; targets are sums of n of them.
    """
    size = x.size
    sigma = math.sqrt(n * (size - n) / (size - 1.0))
    centre, top = float(targets.min()), float(x[size - n :].sum())
    tilt = solve(x, n, max(centre, min(LEAST_Z * sigma, (centre + top) / 2)))
    if tilt is None or tilt[1] <= 0:
        return None
    mu, lam, chance = tilt
    v = chance * (1 - chance)
    spread = v.sum()
    middle = float(v @ x / spread)
    moved, mu = x - middle, mu + lam * middle
    logit = mu + lam * moved
    return Contour(
        x=moved,
        chance=chance,
        logit=logit,
        n=n,
        targets=targets - n * middle,
        lam=lam,
        log_weight=float(np.logaddexp(0.0, logit).sum() - mu * n),
        sd_size=math.sqrt(spread),
        sd_sum=math.sqrt(float(v @ (moved * moved))),
    )


def _log_mgf(c: Contour, direction: Array, s: Array) -> Array:
    """Log E exp(s * sum of `direction` over the subset), for each s."""
    z = s[:, None] * direction[None, :]
    return np.asarray((np.logaddexp(0.0, c.logit + z) - np.logaddexp(0.0, c.logit)).sum(axis=1))


def size_nodes(c: Contour) -> int:
    """Nodes in psi: P(K = n +- nodes) is negligible by Chernoff's bound; N + 1 is exact."""
    one = np.ones_like(c.x)
    s = CHERNOFF / c.sd_size
    needed = c.log_needed
    up = (needed + _log_mgf(c, one, s) - s * c.n) / s
    down = (needed + _log_mgf(c, one, -s) + s * c.n) / s
    return min(c.x.size + 1, math.ceil(max(float(up.min()), float(down.min()))) + 1)


def period(c: Contour) -> float:
    """The least period in T that keeps every alias of the tail negligible.

    An alias from above weighs at most P(T >= t + period); one from below at most
    E exp(-s (T - t + period)) for any s in (0, lam], as exp(-lam u) <= exp(-s u) for u >= 0.
    """
    needed = c.log_needed
    low, high = float(c.targets.min()), float(c.targets.max())
    s = CHERNOFF / c.sd_sum
    up = (needed + _log_mgf(c, c.x, s) - s * low) / s
    s = c.lam * np.linspace(0.1, 1.0, 19)
    down = (needed + _log_mgf(c, c.x, -s) + s * high) / s
    return float(max(up.min(), down.min()))


PAD = 8
"""Samples of F within 2 pi / range: from one to the next, phases turn by 2 pi / 16 at most."""
BINS = 8
"""Bins for each step of the finest lattice in the band: phases in one bin differ by 2 pi / 8."""
SHARPEN = 60.0
"""Below this sum of v the second-order term is worth its transform: exp(-60) is 1e-26."""
DIRECT = 64
"""So many values of theta from 0 on are evaluated without binning, ..."""
FIRST_LOBE = 0.6
"""... and all up to so many standard deviations of a phase, where exp(-0.18) SLACK is well below 1:
of thousands of scores the bound without SLACK is sharp there, and with it says nothing."""
CELLS = 1 << 20
"""Phases held at once: 16 MB."""
SLACK = 1.06
"""Covers binning and the gaps between samples: against direct evaluation at 3,000 theta in each
of 200 random, clustered, near-lattice and heavy-tailed designs, |F| was up to 2.6% low."""
CLOSE = 24
"""So many of the smallest distances are looked at."""
LAGS = 3
"""They are taken between neighbours up to so far apart."""
FINEST = 1e6
"""Lattices with so many steps over the range are found, ..."""
LONGEST = 1 << 14
"""... if that is at most so many steps over the longest of the smallest distances."""
SHORTEST = 1 << 8
"""The transform is at least so long."""
AGREE = 0.8
"""Distances agree with a step when their phases do so far: noise of a tenth of a step passes,
24 random phases with a chance of about exp(-24 * 0.8**2) = 2e-7; all scores then decide."""
CANDIDATES = 8
"""The highest peaks and the nearest ones are tried against all scores."""
STRAY = 0.02
"""A step that moved further while it was refined does not divide the longer distances."""
RUNGS = 1 << 12
"""Distances that fix a step: of more, so many evenly spaced ones. Two thousand scores have no more,
and every length between the shortest and the longest is still there."""
FEW = 32
"""Scores whose mutual distances bridge the gap between short and long ones."""
NOISE = np.geomspace(1e-9, 1e-4, 6)
"""Distances up to these parts of the range are taken for ties with noise, one level at a time."""
NEAR = np.linspace(-1.5, 1.5, 13)
"""Phases over the range by which theta may be off, where the longest distances are noisy."""
LOBES = 100.0
"""Width of a revival in nodes (at most 20) times its repetitions (harmonic sum, at most 5)."""
NEGLIGIBLE = 1e-9
"""Nodes are taken until what the bound allows at all others is below this, relatively."""
SHORTER = 4
"""Where the bound is sharp even far from a revival the band may end so many times earlier."""
STRATA = 24
"""Nodes left out are sampled in so many strata of geometrically growing size ..."""
DRAWS = 12
"""... by so many nodes each, evenly spaced, ..."""
PEAKS = 8
"""... and by so many where the bound is highest: a revival is seen there or nowhere."""


def band(c: Contour, finest: int) -> float:
    """Where a band ends in which lattices of up to `finest` steps revive."""
    return 2 * math.pi * finest / float(c.x[-1] - c.x[0])


def log_bound(c: Contour, theta: Array, finest: int) -> Array:
    """A bound of log |phi| at each of the ascending theta in [0, band(c, finest)].

    The first lobe, where the bound decides how far to integrate, is evaluated directly.
    """
    v = c.v
    place = theta * float(c.x[-1] - c.x[0]) * PAD / (2 * math.pi)
    near = int(np.searchsorted(theta, FIRST_LOBE * c.sd_size / c.sd_sum))
    direct = theta[: max(DIRECT, near)]
    first = _interpolated(spectrum(c.x, v, finest), place)
    first[: direct.size] = np.abs(waves(c, direct, v))
    bound = np.minimum(0.0, first - float(v.sum()))
    if v.sum() < SHARPEN:
        second = _interpolated(spectrum(c.x, v * v, finest), place)
        second[: direct.size] = np.abs(waves(c, direct, v * v))
        bound -= np.maximum(0.0, float((v * v).sum()) - 2 * second)
    return bound


def waves(c: Contour, theta: Array, weights: Array) -> Complex:
    """Sum over the scores of weights exp(i theta x), at each theta."""
    out = np.empty(theta.size, np.complex128)
    rows = max(1, CELLS // c.x.size)
    for start in range(0, theta.size, rows):
        phase = theta[start : start + rows, None] * c.x
        # half the time of a complex exponential
        out[start : start + rows] = np.cos(phase) @ weights + 1j * (np.sin(phase) @ weights)
    return out


def spectrum(x: Array, weights: Array, finest: int) -> Array:
    """|sum weights exp(i theta x)| at theta = 2 pi m / (PAD * range), m = 0 ... PAD * finest + 1.

    Weights are shared between the two nearest bins, which multiplies the transform by the
    square of a sinc; dividing by it again leaves a small aliasing error.
    """
    count = BINS * finest
    place = (x - x[0]) / (x[-1] - x[0]) * count
    left = np.minimum(place.astype(np.int64), count - 1)
    part = place - left
    bins = np.bincount(left, weights * (1 - part), count + 1)
    bins += np.bincount(left + 1, weights * part, count + 1)
    damping = _damping(finest)
    return np.abs(np.fft.rfft(bins, PAD * count)[: damping.size]) / damping


@lru_cache(maxsize=4)
def _damping(finest: int) -> Array:
    """By what shared weights multiply the transform, at m = 0 ... PAD * finest + 1."""
    sinc = np.sinc(np.arange(PAD * finest + 2) / (PAD * BINS * finest))
    return np.asarray(sinc * sinc)


def _interpolated(samples: Array, place: Array) -> Array:
    """The greater of the two neighbouring samples, with slack."""
    left = np.minimum(place.astype(np.int64), samples.size - 2)
    return np.asarray(SLACK * np.maximum(samples[left], samples[left + 1]))


def log_mean_square(c: Contour) -> float:
    """Log of the mean of |g(theta)|**2 far out, where phases are random.

    By Parseval it is the sum of squared probabilities of the atoms of T; equal scores are
    exchangeable, so they make one atom together. Given the size it is smaller still, by the
    local limit 1 / (sd sqrt(2 pi)) of the size under the squared weights.
    """
    _, start, group = np.unique(c.x, return_index=True, return_counts=True)
    single = c.chance[start[group == 1]]
    total = float(np.log(single**2 + (1 - single) ** 2).sum())
    for i in np.flatnonzero(group > 1):
        total += _log_collision(int(group[i]), float(c.logit[start[i]]))
    return min(0.0, total - math.log(max(1.0, c.sd_size)))


def _log_collision(m: int, logit: float) -> float:
    """Log of the probability that two Binomial(m, p) agree."""
    c = np.arange(m + 1)
    choose = np.concatenate([[0.0], np.cumsum(np.log((m - c[:-1]) / (c[:-1] + 1.0)))])
    twice = 2 * (choose + c * logit - m * float(np.logaddexp(0.0, logit)))
    peak = float(twice.max())
    return peak + math.log(float(np.exp(twice - peak).sum()))


def allowed_beyond(c: Contour, band: float, node_step: float) -> float:
    """What revivals beyond `band` may add to the integral."""
    v = c.v
    ladder = _ladder(c.x)
    allowed = 0.0
    for rough in _candidates(c.x, band):
        step = _refined(rough, ladder)
        if abs(step / rough - 1) > STRAY:
            continue
        theta = 2 * math.pi / step
        near = theta + NEAR / float(c.x[-1] - c.x[0])
        log_bound = float(np.abs(np.exp(1j * near[:, None] * c.x) @ v).max() - v.sum())
        revival = LOBES * node_step / (math.pi * theta) * math.exp(min(0.0, log_bound))
        allowed = max(allowed, revival)
    return allowed


def _candidates(x: Array, band: float) -> list[float]:
    """Steps beyond the band that nearly divide the smallest distances above some noise."""
    reach = float(x[-1] - x[0])
    distances = np.sort(np.concatenate([x[lag:] - x[:-lag] for lag in range(1, LAGS + 1)]))
    starts = np.unique(np.searchsorted(distances, NOISE * reach, side="right"), return_index=True)
    found: list[float] = []
    for start, level in zip(*starts, strict=True):
        close = distances[start : start + CLOSE]
        if close.size == CLOSE:
            steps = min(FINEST, 1 / float(NOISE[level])) * float(close[-1]) / reach
            found += _peaks(close, steps, band)
    return found


def _peaks(close: Array, steps: float, band: float) -> list[float]:
    """Steps that nearly divide these distances: the best ones and the longest ones."""
    finest = min(LONGEST, max(SHORTEST, 1 << int(steps).bit_length()))
    points = np.concatenate([[0.0], close])
    agreement = spectrum(points, np.full(points.size, 1.0 / points.size), finest)
    unit = 2 * math.pi / (PAD * float(close[-1]))
    peak = np.flatnonzero(agreement > AGREE)
    peak = peak[peak * unit > band]
    highest = peak[np.argsort(-agreement[peak], kind="stable")[:CANDIDATES]]
    chosen = sorted({*highest.tolist(), *peak[:CANDIDATES].tolist()})
    return [2 * math.pi / (m * unit) for m in chosen]


def _ladder(x: Array) -> Array:
    """Distances of every length, ascending: of neighbours, of some pairs, and from the first."""
    few = x[np.linspace(0, x.size - 1, min(FEW, x.size)).astype(np.int64)]
    pairs = np.abs(few[:, None] - few)[np.triu_indices(few.size, 1)]
    every = np.sort(np.concatenate([np.diff(x), pairs, x[1:] - x[0]]))
    if every.size <= RUNGS:
        return every
    return every[np.linspace(0, every.size - 1, RUNGS).astype(np.int64)]


def _refined(step: float, ladder: Array) -> float:
    """Longer and longer distances fix the step more and more precisely."""
    for distance in ladder[ladder > step / 2].tolist():
        multiple = round(distance / step)
        if abs(distance / step - multiple) < 1 / 4:
            step = distance / multiple
    return step


@dataclass(frozen=True)
class Nodes:
    """The nodes of a trapezoid rule on [0, infinity), taken or left out."""

    theta: Array
    """Nodes to evaluate, ascending from 0."""
    step: float
    """Distance of neighbouring nodes of the full grid."""
    end: float
    """Where the scanned band ends; infinite when a lattice's whole period was scanned."""
    certain: float
    """What the bound allows for nodes that are neither evaluated nor sampled."""
    last_square: float
    """Bound of the mean of |g|**2 over the last octave of the band, infinite where sampled."""
    sample: Array
    """Some of the nodes left out of the band, where the bound allows too much."""
    share: Array
    """How many nodes each of them stands for."""
    weight: Array
    """The sum of 1 / theta**2 over these."""
    stratum: Integers
    """The stratum each of them comes from, ascending from 0."""


def choose(c: Contour, lattice_step: float, affordable: int, finest: int) -> Nodes:
    """Take the nodes where the bound allows most, as many as needed or as can be afforded."""
    if c.sd_size**2 >= SHARPEN:
        finest //= SHORTER
    step, theta, end = _grid(c, lattice_step, finest)
    bound = log_bound(c, theta, finest)
    allowed = step / math.pi * np.exp(bound) / np.hypot(theta, c.lam)
    rest = np.append(np.cumsum(np.sort(allowed))[::-1], 0.0)
    needed = int(np.count_nonzero(rest > NEGLIGIBLE * math.exp(c.log_scale)))
    chosen = _greatest(allowed, min(needed, affordable))
    taken = theta[chosen]
    revivals = 0.0 if math.isinf(end) else allowed_beyond(c, end, step)
    empty = np.empty(0)
    if needed <= affordable:
        last = float(np.exp(2 * bound[theta >= end / 2]).mean()) if math.isfinite(end) else 0.0
        certain = revivals + float(rest[needed])
        return Nodes(taken, step, end, certain, last, empty, empty, empty, np.empty(0, np.int64))
    sampled = _sampled(theta[~chosen], bound[~chosen])
    return Nodes(taken, step, end, revivals, math.inf, *sampled)


def _greatest(values: Array, count: int) -> Flags:
    """Which are the `count` greatest values; of equal ones the first."""
    if count in {0, values.size}:
        return np.full(values.size, count > 0)
    limit = np.partition(values, values.size - count)[values.size - count]
    found: Flags = values > limit
    found[np.flatnonzero(values == limit)[: count - np.count_nonzero(found)]] = True
    return found


def _grid(c: Contour, lattice_step: float, finest: int) -> tuple[float, Array, float]:
    """Distance of nodes, the nodes in the band, and its end; an odd number for a lattice."""
    reach, last = period(c), None
    if lattice_step:
        last = math.ceil(reach / lattice_step / 2)
        reach = (2 * last + 1) * lattice_step
    step = 2 * math.pi / reach
    scanned = int(band(c, finest) / step)
    whole = last is not None and last <= scanned
    theta = np.arange((last if whole and last is not None else scanned) + 1, dtype=np.float64)
    theta *= step
    return step, theta, math.inf if whole else step * scanned


def _sampled(skipped: Array, bound: Array) -> tuple[Array, Array, Array, Integers]:
    """Members of each stratum of ascending nodes: the highest by bound, and evenly spaced ones."""
    edges = sorted({int(edge) - 1 for edge in np.geomspace(1, skipped.size + 1, STRATA + 1)})
    nodes, shares, weights, strata = [], [], [], []
    for i, (start, end) in enumerate(pairwise(edges)):
        high = _greatest(bound[start:end], min(PEAKS, end - start))
        peaks, others = (np.flatnonzero(some) + start for some in (high, ~high))
        peaks = peaks[np.argsort(-bound[peaks], kind="stable")]
        draws = min(DRAWS, others.size)
        even = others[np.linspace(0, others.size - 1, draws).astype(np.int64)]
        nodes += [skipped[peaks], skipped[even]]
        shares += [np.ones(peaks.size), np.full(draws, others.size / max(draws, 1))]
        whole = float((1 / skipped[others] ** 2).sum())
        weights += [1 / skipped[peaks] ** 2, np.full(draws, whole / max(draws, 1))]
        strata.append(np.full(peaks.size + draws, i))
    joined = np.concatenate(nodes), np.concatenate(shares), np.concatenate(weights)
    return *joined, np.concatenate(strata)
