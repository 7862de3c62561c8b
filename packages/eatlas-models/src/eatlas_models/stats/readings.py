"""Zero-shot readings in resamples: shares of labels in the reading of each target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.bootstrap import Layout, ResampledLevel, Streams, draw, sizes_of

Array = NDArray[np.float64]

WORK = 4
"""A set of weights costs so many times what it does where associations do not depend on it."""


def share_layout(
    powers: Array, n_x: int, n_a: int, *, precision: float | None = None, peak: float = 1.0
) -> Layout:
    """Lay out a zero-shot reading for resampling: rows X then Y, columns A then B.

    Level 1 scores a target by the proportion of A in its reading. Level 2 scores a label by its
    mean share in one group's readings. `peak` is by how much the rounding of cosines is larger in a
    proportion.
    """

    def of_targets(units: Array, others: Array) -> tuple[Array, None]:  # noqa: ARG001
        return shares_of_a(powers, n_a, others), None

    def of_labels(part: Array) -> ResampledLevel:
        def moments(units: Array, others: Array) -> tuple[Array, None]:
            reading = others / np.add.reduce(others, axis=0) / product(part, units)
            return product(part.T, reading), None

        return ResampledLevel(n_a, part.shape[::-1], moments, None, peak, precision)

    level1 = ResampledLevel(n_x, powers.shape, of_targets, None, peak, precision)
    levels = level1, of_labels(powers[:n_x]), of_labels(powers[n_x:])
    return Layout(levels, sizes_of(powers.shape, n_x, n_a), WORK * powers.size)


def shares_of_a(powers: Array, n_a: int, labels: Array) -> Array:
    """Proportion of A in each reading, for weights of the labels: shape (targets, sets)."""
    of_a = product(powers[:, :n_a], labels[:n_a])
    return np.asarray(of_a / product(powers, labels))


def mean_shares_drawn(powers: Array, layout: Layout, count: int, streams: Streams) -> Array:
    """Mean share of A in the readings of X and of Y in resamples, shape (count, 2)."""
    n_x, n_a = layout.sizes["X"], layout.sizes["A"]
    means = []
    for targets, labels in draw(layout.sizes, count, streams):
        shares = shares_of_a(powers, n_a, labels)
        weighted = targets * shares
        x, y = slice(0, n_x), slice(n_x, None)
        means.append([weighted[g].sum(axis=0) / targets[g].sum(axis=0) for g in (x, y)])
    return np.concatenate(means, axis=1).T
