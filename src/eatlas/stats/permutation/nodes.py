"""Which nodes of the theta grid are evaluated, and what is known about the others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.contour import Contour, period
from eatlas.stats.permutation.guard import band, log_bound
from eatlas.stats.permutation.revivals import allowed_beyond

NEGLIGIBLE = 1e-9
"""Nodes are taken until what the bound allows at all others is below this, relatively."""
STRATA = 24
"""Nodes left out are sampled in so many strata of geometrically growing size ..."""
DRAWS = 12
"""... by so many nodes each."""


@dataclass(frozen=True)
class Nodes:
    """The sampled nodes of a trapezoid rule on [0, infinity)."""

    theta: NDArray[np.float64]
    """Nodes to evaluate, ascending from 0."""
    step: float
    """Distance of neighbouring nodes of the full grid."""
    certain: float
    """What the bound allows for nodes that are neither evaluated nor random: all others of the
    band, where that is little, and revivals of a fine lattice beyond it."""
    sample: NDArray[np.float64]
    """Some of the nodes left out of the band, where the bound allows too much."""
    weight: NDArray[np.float64]
    """What each of them stands for: its share of the sum of 1 / theta**2 over its stratum."""
    beyond: float
    """Sum of 1 / theta**2 over the nodes beyond the band."""


def choose(c: Contour, lattice_step: float, affordable: int, finest: int) -> Nodes:
    """Take the nodes where the bound allows most, as many as needed or as can be afforded."""
    reach, last = period(c), None
    if lattice_step:
        last = math.ceil(reach / lattice_step / 2)
        reach = (2 * last + 1) * lattice_step
    step = 2 * math.pi / reach
    scanned = int(band(c, finest) / step)
    whole = last is not None and last <= scanned
    theta = step * np.arange((last if whole and last is not None else scanned) + 1)
    allowed = step / math.pi * np.exp(log_bound(c, theta, finest)) / np.hypot(theta, c.lam)
    order = np.argsort(-allowed, kind="stable")
    rest = np.append(np.cumsum(allowed[order][::-1])[::-1], 0.0)
    needed = int(np.count_nonzero(rest > NEGLIGIBLE * math.exp(c.log_scale)))
    taken = theta[np.sort(order[: min(needed, affordable)])]
    beyond = 0.0 if whole else 1 / (step * step * theta.size)
    certain = 0.0 if whole else allowed_beyond(c, float(theta[-1]), step)
    if needed <= affordable:
        empty = np.empty(0)
        return Nodes(taken, step, certain + float(rest[needed]), empty, empty, beyond)
    sample, weight = _sampled(theta[np.sort(order[affordable:])])
    return Nodes(taken, step, certain, sample, weight, beyond)


def _sampled(skipped: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evenly spaced members of each stratum of ascending nodes, with their weights."""
    edges = np.unique(np.geomspace(1, skipped.size + 1, STRATA + 1).astype(np.int64)) - 1
    places, weights = [], []
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        draws = min(DRAWS, end - start)
        places.append(np.linspace(start, end - 1, draws).astype(np.int64))
        weights.append(np.full(draws, float((1 / skipped[start:end] ** 2).sum()) / draws))
    return skipped[np.concatenate(places)], np.concatenate(weights)
