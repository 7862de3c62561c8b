"""How alike the directions of all vectors are: cosines of all pairs, and what they consist of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.moments import Moments

Array = NDArray[np.float64]


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

    Parameters
    ----------
    moments : Moments
        Of unit rows, with no pivot.

    Returns
    -------
    PairCosines

    Raises
    ------
    EatlasError
        If there are fewer than two rows.

    Notes
    -----
    With u a unit row, s the sum of the rows and S the sum of their outer products,

        sum over pairs k != l of u_k . u_l     = |s|^2 - n
        sum over pairs k != l of (u_k . u_l)^2 = |S|_F^2 - n

    each divided by n (n - 1). The part of dimension i in the first is ``s_i^2 - S_ii``: the
    contribution CC(f_i) of Timkey and van Schijndel (2021), equations 3 and 4, over all pairs
    instead of a sample of them.

    Examples
    --------
    >>> moments = Moments(2)
    >>> moments.add(np.array([[1.0, 0.0], [0.6, 0.8]]))
    >>> found = pair_cosines(moments)
    >>> round(found.mean, 6), found.contributions.round(6).tolist()
    (0.6, [0.6, 0.0])
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
