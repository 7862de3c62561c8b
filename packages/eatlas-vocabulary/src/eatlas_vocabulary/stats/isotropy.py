"""How evenly an embedding space is used: cosines of all pairs, IsoScore, shares of variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import Moments

Array = NDArray[np.float64]


def products_of(moments: Moments) -> Array:
    """Sum of the outer products of the rows with themselves, shape (d, d)."""
    products: Array = moments.scatter + moments.n * np.outer(moments.mean, moments.mean)
    return products


def pair_cosines(unit: Moments) -> tuple[float, float, Array, Array]:
    """Mean and standard deviation of the cosines of all pairs, from sums over the rows alone.

    And what each dimension adds to the mean, whose sum it is; and its mean share in the squared
    length of a row, whose sum is 1.

    With u a unit row, s the sum of the rows and S the sum of their outer products,

        sum over pairs k != l of u_k . u_l     = |s|^2 - n
        sum over pairs k != l of (u_k . u_l)^2 = |S|_F^2 - n

    each divided by n (n - 1). The part of dimension i in the first is ``s_i^2 - S_ii``: the
    contribution CC(f_i) of Timkey and van Schijndel (2021), equations 3 and 4, over all pairs
    instead of a sample of them.
    """
    n, pairs, products = unit.n, unit.n * (unit.n - 1), products_of(unit)
    squares = np.diag(products)
    contributions = ((n * unit.mean) ** 2 - squares) / pairs
    mean = float(contributions.sum())
    variance = (float(np.sum(products**2)) - n) / pairs - mean**2
    return mean, float(np.sqrt(max(0.0, variance))), contributions, squares / n


def iso_score(covariance: Array) -> float:
    """IsoScore of Rudman, Gillman, Rayne and Eickhoff (2022), Algorithm 1.

    The published steps take the variances v along the principal components, scale them to
    ``w = sqrt(d) v / |v|``, measure the defect ``delta = |w - 1| / sqrt(2 (d - sqrt(d)))``, hence
    the proportion of dimensions used ``phi = (d - delta^2 (d - sqrt(d)))^2 / d^2``, and rescale:
    ``(d phi - 1) / (d - 1)``. Now ``|w - 1|^2 = 2 d - 2 sqrt(d) sum(v) / |v|``, so that
    ``d - delta^2 (d - sqrt(d)) = sqrt(d) sum(v) / |v|`` and ``d phi = sum(v)^2 / |v|^2``: the
    participation ratio, the number of equal dimensions that would spread the variance as evenly.
    It needs no principal components. A test holds the two to 1e-12.
    """
    # the trace and the Frobenius norm are the sums of eigenvalues and of their squares
    d, trace = len(covariance), float(np.trace(covariance))
    if d < 2 or trace <= 0:
        return float("nan")
    return float((trace**2 / np.sum(covariance**2) - 1) / (d - 1))


def variance_shares(covariance: Array, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Proportion of variance in the first k principal components, for each k; NaN if undefined."""
    values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
    total = values.sum() or np.nan
    return tuple(float(np.minimum(1.0, values[:k].sum() / total)) for k in counts)
