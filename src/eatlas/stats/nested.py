"""Variance of scores between groups, between units within groups, and within units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Components:
    """Variance components; their sum is the variance of a score."""

    within: float
    """Between the scores of one unit; NaN where every unit has one score alone."""
    units: float
    """Between the units of one group, 0 or more; with `within`, where that is NaN."""
    groups: float
    """Between the two groups, 0 or more."""


def nested_components(scores: Array, sizes: NDArray[np.int64], n: int) -> Components:
    """Variance components of scores within units within two groups.

    Parameters
    ----------
    scores : array
        Finite scores, those of one unit together, units of the first group first.
    sizes : array of int
        Scores of each unit, 1 or more.
    n : int
        Units of the first group; 1 or more, and as many in the second, and 3 in all.

    Raises
    ------
    EatlasError
        For fewer than three units.

    Notes
    -----
    Units count alike, however many scores they have: with m_w and v_w the mean and the variance
    (n_w - 1) of the n_w scores of unit w, and M_1, M_2 the means of m_w over a group's units,

    - within: mean of v_w over the units with two scores or more;
    - V: pooled variance of m_w within groups, sum (m_w - M)**2 / (N - 2);
    - units: V - mean of v_w / n_w, with the component `within` for a v_w that is not known;
    - groups: ((M_1 - M_2)**2 - V (1 / N_1 + 1 / N_2)) / 4.

    Each is the unbiased estimate where scores and units are drawn at random and the two groups are
    all there are (of groups of one size, the analysis of variance of a nested design); a negative
    estimate stands as 0.

    Examples
    --------
    >>> nested_components(np.array([0.0, 2, 4, 6, 10, 12, 14, 16]), np.array([2, 2, 2, 2]), 2)
    Components(within=2.0, units=7.0, groups=23.0)
    """
    starts = np.cumsum(sizes) - sizes
    means = np.add.reduceat(scores, starts) / sizes
    away = scores - np.repeat(means, sizes)
    several = sizes > 1
    variances = np.add.reduceat(away * away, starts) / np.maximum(sizes - 1, 1)
    within = float(variances[several].mean()) if several.any() else float("nan")
    inside = np.where(several, variances, within if several.any() else 0.0) / sizes
    return components_of_means(means, within, inside, n)


def components_of_means(means: Array, within: float, noise: Array, n: int) -> Components:
    """Variance components where means of units, and what is known of them, are at hand.

    Parameters
    ----------
    means : array
        Mean score of each unit, those of the first group first; 3 or more.
    within : float
        The component of that name.
    noise : array
        Variance of the error of each mean.
    n : int
        Units of the first group; 1 or more, and as many in the second.

    Raises
    ------
    EatlasError
        For fewer than three units.

    Examples
    --------
    >>> means, noise = np.array([1.0, 5, 11, 15]), np.ones(4)
    >>> components_of_means(means, 2.0, noise, 2)
    Components(within=2.0, units=7.0, groups=23.0)
    """
    if len(means) < 3:
        raise EatlasError(
            "variance between units needs more units than groups",
            got=f"{len(means)} units in two groups",
            allowed="3 or more",
        )
    groups = means[:n], means[n:]
    pooled = sum(float(((g - g.mean()) ** 2).sum()) for g in groups) / (len(means) - 2)
    gap = float(groups[0].mean() - groups[1].mean()) ** 2
    chance = pooled * sum(1 / g.size for g in groups)
    return Components(
        within=within,
        units=max(0.0, pooled - float(noise.mean())),
        groups=max(0.0, (gap - chance) / 4),
    )
