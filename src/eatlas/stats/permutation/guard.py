"""How large the characteristic function can be: a bound scanned over a wide band.

The integrand of the inversion dies away and then comes back wherever exp(i theta x_j) nearly
agree for all j: at every period of a lattice, and almost as much for clusters or for a lattice
with noise. With v_j = pi_j (1 - pi_j), F(theta) = sum v_j exp(i theta x_j) and G the same with
v_j**2, from ``-log(1 - u) >= u + u**2 / 2``,

    log |phi(psi, theta)| <= -(sum v - |F|) - max(0, sum v**2 - 2 |G|)    for every psi.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.contour import Contour

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
    m = np.arange(PAD * finest + 2)
    sinc = np.sinc(m / (PAD * count))
    return np.abs(np.fft.rfft(bins, PAD * count)[: m.size]) / (sinc * sinc)


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
