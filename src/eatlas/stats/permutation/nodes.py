"""Which nodes of the theta grid are evaluated, and what is known about the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.contour import Contour, period
from eatlas.stats.permutation.guard import SHARPEN, band, log_bound
from eatlas.stats.permutation.revivals import allowed_beyond

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
    order = np.argsort(-allowed, kind="stable")
    rest = np.append(np.cumsum(allowed[order][::-1])[::-1], 0.0)
    needed = int(np.count_nonzero(rest > NEGLIGIBLE * math.exp(c.log_scale)))
    taken = theta[np.sort(order[: min(needed, affordable)])]
    revivals = 0.0 if math.isinf(end) else allowed_beyond(c, end, step)
    empty = np.empty(0)
    if needed <= affordable:
        last = float(np.exp(2 * bound[theta >= end / 2]).mean()) if math.isfinite(end) else 0.0
        certain = revivals + float(rest[needed])
        return Nodes(taken, step, end, certain, last, empty, empty, empty, np.empty(0, np.int64))
    skipped = np.sort(order[affordable:])
    return Nodes(taken, step, end, revivals, math.inf, *_sampled(theta[skipped], bound[skipped]))


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
    edges = np.unique(np.geomspace(1, skipped.size + 1, STRATA + 1).astype(np.int64)) - 1
    nodes, shares, weights, strata = [], [], [], []
    for i, (start, end) in enumerate(pairwise(edges.tolist())):
        order = np.argsort(-bound[start:end], kind="stable") + start
        peaks, others = order[:PEAKS], np.sort(order[PEAKS:])
        draws = min(DRAWS, others.size)
        even = others[np.linspace(0, others.size - 1, draws).astype(np.int64)]
        nodes += [skipped[peaks], skipped[even]]
        shares += [np.ones(peaks.size), np.full(draws, others.size / max(draws, 1))]
        whole = float((1 / skipped[others] ** 2).sum())
        weights += [1 / skipped[peaks] ** 2, np.full(draws, whole / max(draws, 1))]
        strata.append(np.full(peaks.size + draws, i))
    joined = np.concatenate(nodes), np.concatenate(shares), np.concatenate(weights)
    return *joined, np.concatenate(strata)
