"""Correlation of two series in time, under a null that keeps neighbouring periods alike.

Series that have nothing to do with each other drift together or apart for a while, and a
permutation test calls that a correlation. The null here is that of independent autoregressions, at
the autocorrelation that makes a strong correlation most frequent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.correlation import DRAWS, TIE, RankCorrelation, rank_correlation
from eatlas.stats.trend import autocorrelation

Array = NDArray[np.float64]

AUTOCORRELATIONS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Of neighbouring periods, in the null of two series; at 1 the series is a random walk. Of two
random walks of 10 periods 5% correlate with ``|rho|`` above 0.85, of independent values above
0.65."""


@dataclass(frozen=True)
class SeriesCorrelation:
    """Correlation of two series in time."""

    unordered: RankCorrelation
    """By a permutation test that knows of no order in time: its p is too small where neighbouring
    periods are alike. For comparison alone."""
    p: float
    """Two-sided, under independent autoregressive series; NaN where there is no correlation."""
    autocorrelation: tuple[float, float]
    """Of neighbouring periods of either series. Short series estimate it far too low."""
    changes: RankCorrelation
    """Of the changes from each period to the next, whose permutation test is right where changes
    are independent of each other, whatever the drift of the series; a little too often significant
    where the values themselves are, not their changes."""


def series_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator,
    permutations: int = DRAWS,
    resamples: int = 1_000,
) -> SeriesCorrelation:
    """Correlate two series in time, and test it under a null that keeps neighbours alike.

    The null hypothesis: `x` and `y` are independent, and each is a Gaussian autoregression of order
    1, ``x[t] = phi x[t-1] + e[t]``, stationary for phi below 1 and a random walk for phi of 1. Its
    two autocorrelations are not known, and a short series estimates them far too low; so p is the
    largest over all pairs of them in `AUTOCORRELATIONS`, 0 to 1: the least favourable. So the test
    rejects no more often than stated for any of them, and more seldom where the series are not
    autocorrelated (``benchmarks/correlation_null.py``).

    A drift that lasts through all periods is no chance of this null beyond what a random walk does:
    two series that both rise steadily for other reasons correlate perfectly. `changes` takes such a
    drift out: whether periods in which the one rises more than usual are those in which the other
    does.
    """
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    steps = np.diff(first), np.diff(second)
    changes = rank_correlation(*steps, rng=rng, permutations=permutations, resamples=resamples)
    unordered = rank_correlation(first, second, rng=rng, permutations=permutations, resamples=0)
    p = math.nan
    if not math.isnan(unordered.rho):
        # the same innovations serve all autocorrelations, so that the largest p is not one of luck
        noise = rng.standard_normal((2, permutations, len(first)))
        rows, columns = ([_unit_ranks(_series(e, phi)) for phi in AUTOCORRELATIONS] for e in noise)
        rhos = (np.abs((a * b).sum(axis=1)) for a in rows for b in columns)
        most = max(int(np.count_nonzero(rho >= abs(unordered.rho) - TIE)) for rho in rhos)
        p = (most + 1) / (permutations + 1)
    of_first, of_second = (autocorrelation(part - part.mean()) for part in (first, second))
    return SeriesCorrelation(unordered, p, (of_first, of_second), changes)


def _series(steps: Array, phi: float) -> Array:
    """Autoregressions of order 1, a row each; a random walk for phi of 1."""
    made = steps.copy()
    if phi < 1:
        made[:, 0] /= math.sqrt(1 - phi**2)
    for t in range(1, made.shape[1]):
        made[:, t] += phi * made[:, t - 1]
    return made


def _unit_ranks(rows: Array) -> Array:
    """Centred ranks of each row of different numbers, of length 1."""
    centred = rows.argsort(axis=1).argsort(axis=1) - (rows.shape[1] - 1) / 2
    return np.asarray(centred / math.sqrt(float(centred[0] @ centred[0])))
