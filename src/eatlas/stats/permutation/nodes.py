"""Which nodes of the theta grid of an inversion are evaluated, and what is known about the others.

The integrand of the inversion dies away and then comes back wherever exp(i theta x_j) nearly
agree for all j: at every period of a lattice, and almost as much for clusters or for a lattice
with noise. With v_j = pi_j (1 - pi_j), F(theta) = sum v_j exp(i theta x_j) and G the same with
v_j**2, from ``-log(1 - u) >= u + u**2 / 2``,

    log |phi(psi, theta)| <= -(sum v - |F|) - max(0, sum v**2 - 2 |G|)    for every psi.

This bound, scanned over a wide band, shows every revival up to its end. Beyond it only a common
step of all scores brings the integrand back. Such a step also divides the smallest distances
between scores, and these turn so slowly with theta that a short transform scans them very far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.saddlepoint import Contour, period

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


def log_bound(c: Contour, theta: NDArray[np.float64], finest: int) -> NDArray[np.float64]:
    """A bound of log |phi| at each of the ascending theta in [0, band(c, finest)].

    The first lobe, where the bound decides how far to integrate, is evaluated directly.
    """
    v = c.chance * (1 - c.chance)
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


def waves(
    c: Contour, theta: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.complex128]:
    """Sum over the scores of weights exp(i theta x), at each theta."""
    out = np.empty(theta.size, np.complex128)
    rows = max(1, CELLS // c.x.size)
    for start in range(0, theta.size, rows):
        phase = theta[start : start + rows, None] * c.x
        # half the time of a complex exponential
        out[start : start + rows] = np.cos(phase) @ weights + 1j * (np.sin(phase) @ weights)
    return out


def spectrum(
    x: NDArray[np.float64], weights: NDArray[np.float64], finest: int
) -> NDArray[np.float64]:
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
def _damping(finest: int) -> NDArray[np.float64]:
    """By what shared weights multiply the transform, at m = 0 ... PAD * finest + 1."""
    sinc = np.sinc(np.arange(PAD * finest + 2) / (PAD * BINS * finest))
    damping: NDArray[np.float64] = sinc * sinc
    return damping


def _interpolated(samples: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.float64]:
    """The greater of the two neighbouring samples, with slack."""
    left = np.minimum(place.astype(np.int64), samples.size - 2)
    out: NDArray[np.float64] = SLACK * np.maximum(samples[left], samples[left + 1])
    return out


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
    v = c.chance * (1 - c.chance)
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


def _candidates(x: NDArray[np.float64], band: float) -> list[float]:
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


def _peaks(close: NDArray[np.float64], steps: float, band: float) -> list[float]:
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


def _ladder(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances of every length, ascending: of neighbours, of some pairs, and from the first."""
    few = x[np.linspace(0, x.size - 1, min(FEW, x.size)).astype(np.int64)]
    pairs = np.abs(few[:, None] - few)[np.triu_indices(few.size, 1)]
    every = np.sort(np.concatenate([np.diff(x), pairs, x[1:] - x[0]]))
    if every.size <= RUNGS:
        return every
    return every[np.linspace(0, every.size - 1, RUNGS).astype(np.int64)]


def _refined(step: float, ladder: NDArray[np.float64]) -> float:
    """Longer and longer distances fix the step more and more precisely."""
    for distance in ladder[ladder > step / 2].tolist():
        multiple = round(distance / step)
        if abs(distance / step - multiple) < 1 / 4:
            step = distance / multiple
    return step


@dataclass(frozen=True)
class Nodes:
    """The nodes of a trapezoid rule on [0, infinity), taken or left out."""

    theta: NDArray[np.float64]
    """Nodes to evaluate, ascending from 0."""
    step: float
    """Distance of neighbouring nodes of the full grid."""
    end: float
    """Where the scanned band ends; infinite when a lattice's whole period was scanned."""
    certain: float
    """What the bound allows for nodes that are neither evaluated nor sampled."""
    last_square: float
    """Bound of the mean of |g|**2 over the last octave of the band, infinite where sampled."""
    sample: NDArray[np.float64]
    """Some of the nodes left out of the band, where the bound allows too much."""
    share: NDArray[np.float64]
    """How many nodes each of them stands for."""
    weight: NDArray[np.float64]
    """The sum of 1 / theta**2 over these."""
    stratum: NDArray[np.int64]
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


def _greatest(values: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """Which are the `count` greatest values; of equal ones the first."""
    if count in {0, values.size}:
        return np.full(values.size, count > 0)
    limit = np.partition(values, values.size - count)[values.size - count]
    found: NDArray[np.bool_] = values > limit
    found[np.flatnonzero(values == limit)[: count - np.count_nonzero(found)]] = True
    return found


def _grid(c: Contour, lattice_step: float, finest: int) -> tuple[float, NDArray[np.float64], float]:
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


def _sampled(
    skipped: NDArray[np.float64], bound: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
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
