"""Geometry of an embedding space: anisotropy, hubness and isotropy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import numbers, whole
from eatlas.stats.moments import Moments

Array = NDArray[np.float64]
BLOCK = 512
"""Rows whose cosines with all others are held at once: 20 MB for 10,000 rows."""
Groups = Sequence[NDArray[np.floating]]

LEAST_PAIRS = 16
"""Product of the degrees of freedom of both sides from which a few rows may be judged: two against
two groups of three. In isotropic spaces of 50 to 300 dimensions the estimate is then .37 or more in
99.95% of 4,000 draws; with groups of eight .73, with groups of two .19."""
ROUNDING = 1e-24
"""Share of the squared length below which a squared distance from the mean is rounding error."""


@dataclass(frozen=True)
class PairCosines:
    """Cosines of all pairs of different rows, without any pair being drawn."""

    n: int
    """Rows."""
    mean: float
    """The expected cosine of two rows taken at random."""
    sd: float
    """Standard deviation of the cosine over the pairs."""
    contributions: Array
    """What each dimension adds to the mean, shape (d,); their sum is the mean."""
    lengths: Array
    """Mean share of each dimension in the squared length of a row, shape (d,); their sum is 1."""

    def largest(self, count: int) -> list[int]:
        """The dimensions that contribute most to the mean, in order."""
        order = np.argsort(-self.contributions, kind="stable")
        return [int(i) for i in order[:count]]


def pair_cosines(moments: Moments) -> PairCosines:
    """Mean and spread of the cosines of all pairs, from sums over the rows alone.

    With u a unit row, s the sum of the rows and S the sum of their outer products,

        sum over pairs k != l of u_k . u_l     = |s|^2 - n
        sum over pairs k != l of (u_k . u_l)^2 = |S|_F^2 - n

    each divided by n (n - 1). The part of dimension i in the first is ``s_i^2 - S_ii``: the
    contribution CC(f_i) of Timkey and van Schijndel (2021), equations 3 and 4, over all pairs
    instead of a sample of them.
    """
    n = moments.n
    if n < 2:
        raise EatlasError("a pair needs two vectors", got=str(n))
    pairs = n * (n - 1)
    squares = np.diag(moments.products)
    contributions = (moments.total**2 - squares) / pairs
    mean = float(contributions.sum())
    mean_square = (float(np.sum(moments.products**2)) - n) / pairs
    return PairCosines(
        n=n,
        mean=mean,
        sd=float(np.sqrt(max(0.0, mean_square - mean * mean))),
        contributions=contributions,
        lengths=squares / n,
    )


def k_occurrences(rows: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    """How often each row is among the k nearest neighbours of the others, by cosine."""
    n = len(rows)
    k = whole(k, "k", 1, n - 1)
    # ranks of cosines need no more than single precision, and take half the time with it
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    counts = np.zeros(n, np.int64)
    for start in range(0, n, BLOCK):
        cosines = rows[start : start + BLOCK] @ rows.T
        own = np.arange(len(cosines))
        cosines[own, start + own] = -np.inf
        nearest = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        counts += np.bincount(nearest.ravel(), minlength=n)
    return counts


def skewness(values: NDArray[np.number]) -> float:
    """Third standardised moment, ``mean((v - m)^3) / sd^3`` with n in both; NaN without spread.

    With the counts of :func:`k_occurrences` it is the hubness S of Radovanovic, Nanopoulos and
    Ivanovic (2010).
    """
    array = numbers(values, "values", 1)
    centred = array - array.mean()
    variance = float(np.mean(centred**2))
    if variance == 0:
        return float("nan")
    return float(np.mean(centred**3) / variance**1.5)


def effective_dimensions(covariance: Array) -> float:
    """Number of equal dimensions that would spread the variance as evenly, 1 to d."""
    # the trace and the Frobenius norm are the sums of eigenvalues and of their squares
    trace = float(np.trace(covariance))
    if trace <= 0:
        return float("nan")
    scaled = covariance / trace
    return float(1.0 / np.sum(scaled * scaled))


def iso_score(covariance: Array) -> float:
    """IsoScore of Rudman, Gillman, Rayne and Eickhoff (2022), Algorithm 1.

    The published steps take the variances v along the principal components, scale them to
    ``w = sqrt(d) v / |v|``, measure the defect ``delta = |w - 1| / sqrt(2 (d - sqrt(d)))``, hence
    the share of dimensions used ``phi = (d - delta^2 (d - sqrt(d)))^2 / d^2``, and rescale:
    ``(d phi - 1) / (d - 1)``. Now ``|w - 1|^2 = 2 d - 2 sqrt(d) sum(v) / |v|``, so that
    ``d - delta^2 (d - sqrt(d)) = sqrt(d) sum(v) / |v|`` and ``d phi = sum(v)^2 / |v|^2``: the
    participation ratio, which needs no principal components. A test holds the two to 1e-12.
    """
    d = len(covariance)
    if d < 2:
        return float("nan")
    return (effective_dimensions(covariance) - 1) / (d - 1)


def shared_iso_score(first: Groups, second: Groups) -> float:
    """IsoScore of a space, estimated from the directions in which two sets of groups both spread.

    The covariance of a few rows is always lopsided: m rows have m - 1 components, whatever the
    space, and words of one topic have fewer still. But where S and T are covariances within the
    groups of either side, and both estimate one C, the rows of either being independent of the
    other's, ``E tr(S T) = tr(C^2)``: directions that only one side has count little, and those that
    the space imposes on both count fully. ``tr(S T) / (tr S tr T)`` hence estimates the inverse of
    the number of effective dimensions. The inner products of rows hold it all.
    """
    d = first[0].shape[1]
    pairs = _freedom(first) * _freedom(second)
    one, other = _centred(first), _centred(second)
    spread = float(np.sum(one * one)) * float(np.sum(other * other))
    if d < 2 or pairs < LEAST_PAIRS or spread <= 0:
        return float("nan")
    return _of_inverse(float(np.sum(np.square(one @ other.T))) / spread, d)


def iso_score_of_scatters(first: Array, second: Array) -> float:
    """As :func:`shared_iso_score`, from the scatters within the groups of either side."""
    d, spread = len(first), float(np.trace(first)) * float(np.trace(second))
    if d < 2 or spread <= 0:
        return float("nan")
    return _of_inverse(float(np.sum(first * second)) / spread, d)


def _of_inverse(inverse: float, d: int) -> float:
    return float((1 / min(max(inverse, 1 / d), 1.0) - 1) / (d - 1))


def _freedom(groups: Groups) -> int:
    return sum(len(rows) for rows in groups) - len(groups)


def _centred(groups: Groups) -> Array:
    """Rows less the mean of their group; zeros where only rounding error would remain."""
    parts = []
    for rows in groups:
        centred = rows - rows.mean(axis=0)
        spread, size = (float(np.sum(np.square(part))) for part in (centred, rows))
        parts.append(centred if spread > ROUNDING * size else np.zeros_like(centred))
    together: Array = np.concatenate(parts)
    return together


def variance_shares(covariance: Array, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Share of the variance in the first k principal components, for each k."""
    values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
    total = values.sum()
    if total <= 0:
        return tuple(float("nan") for _ in counts)
    return tuple(min(1.0, float(values[:k].sum() / total)) for k in counts)
