"""Lattices with noise that are finer than the scanned band, found by the smallest distances.

The band of `guard` shows every revival up to its end. Beyond it only a common step of all scores
brings the integrand back. Such a step also divides the smallest distances between scores, and
these turn so slowly with theta that a short transform scans them very far.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.contour import Contour
from eatlas.stats.permutation.guard import PAD, spectrum

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
    return [2 * math.pi / (m * unit) for m in np.union1d(highest, peak[:CANDIDATES]).tolist()]


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
