"""Variance components of scores of contexts, within units within two groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.effect_size import Components, components_of_means

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def variance_components(scores: Array, sizes: Integers, n: int) -> Components:
    """Variance components of scores within units within two groups.

    Units count alike, however many scores they have: with m_w and v_w the mean and the variance
    (n_w - 1) of the n_w scores of unit w, and M_1, M_2 the means of m_w over a group's units,

    - within: mean of v_w over the units with two scores or more;
    - V: pooled variance of m_w within groups, sum (m_w - M)**2 / (N - 2);
    - units: V - mean of v_w / n_w, with the component `within` for a v_w that is not known;
    - groups: ((M_1 - M_2)**2 - V (1 / N_1 + 1 / N_2)) / 4.

    Each is the unbiased estimate where scores and units are sampled at random and the two groups
    are all there are (of groups of one size, the analysis of variance of a nested design); a
    negative estimate is 0.
    """
    starts = np.cumsum(sizes) - sizes
    means = np.add.reduceat(scores, starts) / sizes
    away = scores - np.repeat(means, sizes)
    several = sizes > 1
    variances = np.add.reduceat(away * away, starts) / np.maximum(sizes - 1, 1)
    within = float(variances[several].mean()) if several.any() else float("nan")
    inside = np.where(several, variances, within if several.any() else 0.0) / sizes
    return components_of_means(means, within, inside, n)
