"""Lattices with noise that are finer than the scanned band, found by their step.

The band of `guard` shows every revival up to its end. Beyond it only a common step of all scores
can bring the integrand back, and the smallest gaps between scores give such a step away.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.contour import Contour
from eatlas.stats.permutation.step import common_step

LEVELS = np.geomspace(1e-3, 1e-9, 13)
"""Noise looked for, in units of the range of the scores."""
GAPS = 16
"""So many of the smallest gaps above the noise start the search; their multiples are small."""
CLEAR = 16.0
"""A step is one only where it exceeds the noise so many times."""
LOBES = 100.0
"""Width of a revival in nodes (at most 20) times its repetitions (harmonic sum, at most 5)."""


def allowed_beyond(c: Contour, band: float, node_step: float) -> float:
    """What revivals beyond `band` may add to the integral."""
    v = c.chance * (1 - c.chance)
    allowed = 0.0
    for step in _steps(c.x):
        theta = 2 * math.pi / step
        if theta > band:
            log_bound = float(np.abs(np.exp(1j * theta * c.x) @ v) - v.sum())
            revival = LOBES * node_step / (math.pi * theta) * math.exp(min(0.0, log_bound))
            allowed = max(allowed, revival)
    return allowed


def _steps(x: NDArray[np.float64]) -> list[float]:
    """Steps that fit all scores, at some level of noise."""
    gaps, distances = np.sort(np.diff(x)), (x - x[0])[1:]
    found = []
    for noise in (LEVELS * float(distances[-1])).tolist():
        smallest = gaps[gaps > CLEAR * noise][:GAPS]
        step = common_step(smallest.tolist(), 4 * noise, CLEAR * noise)
        if step is not None:
            found.append(_refined(step, distances))
    return found


def _refined(step: float, distances: NDArray[np.float64]) -> float:
    """Longer and longer distances fix the step more and more precisely."""
    for distance in distances[distances > step / 2].tolist():
        multiple = round(distance / step)
        if abs(distance / step - multiple) < 1 / 4:
            step = distance / multiple
    return step
