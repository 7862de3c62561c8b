"""Fixed-point scores and sums in standard units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def standardised(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """The scores with mean 0 and standard deviation 1, centred in integers first."""
    whole = int(values.sum())
    middle = round(whole / values.size)
    rest = (whole - middle * values.size) / values.size
    return ((values - middle).astype(np.float64) - rest) / unit_of(values)


def unit_of(values: NDArray[np.int64]) -> float:
    """The standard deviation of the scores, in lattice units."""
    return float(np.std((values - values[values.size // 2]).astype(np.float64)))


def targets(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> NDArray[np.float64]:
    """Thresholds as distances from the mean, in standard deviations of a score."""
    size, whole, unit = values.size, int(values.sum()), unit_of(values)
    return np.array([(t * size - n * whole) / size / unit for t in thresholds])
