"""Associations of many samples of sentences, one for each pair of a target and an attribute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from eatlas.kernels.draws import Array, Drawn


@dataclass(frozen=True)
class DrawnPairs(Drawn):
    """What was found in each sample, and what is retained of its pairs."""

    means: Array
    """Mean association of each pair over all samples, shape (targets, attributes)."""
    first: Array
    """All associations of the first draws, shape (some draws, targets, attributes)."""


def draw_pairs(
    rows: Iterable[Array], draws: int, sizes: tuple[int, int, int, int], first: int
) -> DrawnPairs:
    """Find the associations of samples from the associations of their pairs."""
    n_x, n_y, n_a, n_b = sizes
    targets, attributes = np.empty((n_x + n_y, draws)), np.zeros((2, n_a + n_b, draws))
    means = np.empty((n_x + n_y, n_a + n_b))
    kept = np.empty((min(first, draws), n_x + n_y, n_a + n_b))
    for i, row in enumerate(rows):
        targets[i] = row[:n_a].mean(axis=0) - row[n_a:].mean(axis=0)
        attributes[int(i >= n_x)] += row
        means[i], kept[:, i] = row.mean(axis=1), row[:, : len(kept)].T
    attributes /= np.array([n_x, n_y])[:, None, None]
    cells = [
        attributes[t, part].mean(axis=0) for t in (0, 1) for part in (slice(n_a), slice(n_a, None))
    ]
    return DrawnPairs(
        np.ascontiguousarray(targets.T),
        np.ascontiguousarray(attributes.transpose(2, 0, 1)),
        np.stack(cells, axis=1),
        means,
        kept,
    )
