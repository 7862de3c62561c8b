"""Sampling variance of an effect size whose denominator is the deviation of the union."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def union_variance(d: Array, n: int, m: int, *, ddof: int = 1) -> Array:
    """Delta-method variance of this d, for normal scores of one variance within groups.

    Parameters
    ----------
    d : array
        Effect sizes: difference of means over the standard deviation of the union.
    n, m : int
        Sizes of the two groups, 3 or more together.
    ddof : {1, 0}
        The standard deviation divides by N - ddof.

    Returns
    -------
    array
        0 or more; 0 where no score differs within its group, and d is as large as it can be.

    Notes
    -----
    With N = n + m, c = n m / N and r**2 = c d**2 / (N - ddof), the share of the sum of squares
    that lies between the groups, this d is a function of the textbook g, whose denominator is the
    pooled deviation within groups::

        d = g sqrt((N - ddof) / (N - 2 + c g**2))
        dd/dg = sqrt((N - ddof) / (N - 2)) (1 - r**2)**(3/2)

    and with Var(g) = 1 / c + g**2 / (2 N) (Hedges and Olkin 1985; Borenstein et al. 2009)::

        Var(d) = (N - ddof) / (N - 2) (1 - r**2)**3 (1 / c + g**2 / (2 N))
        g**2 = d**2 (N - 2) / ((N - ddof) (1 - r**2))

    In simulations of 40,000 samples its mean was within 5% of the variance of d at 25 against 25,
    within 10% at 8 against 8 and within 13% at 5 against 5, for d from 0 to 1.66.

    Examples
    --------
    >>> union_variance(np.array([0.0, 1.0, 1.7]), 8, 8).round(3)
    array([0.268, 0.122, 0.008])
    >>> borenstein_variance(np.array([0.0, 1.0, 1.7]), 8, 8).round(3)
    array([0.25 , 0.281, 0.34 ])
    """
    size, c = n + m, n * m / (n + m)
    squares = size - ddof
    # rounding must not make the share greater than all
    within = np.maximum(1 - c * d**2 / squares, 0.0)
    # (1 - r^2)^3 (1 / c + g^2 / 2N) without a division by what may be 0
    textbook = within**3 / c + within**2 * d**2 * (size - 2) / (squares * 2 * size)
    return np.asarray(squares / (size - 2) * textbook)


def borenstein_variance(d: Array, n: int, m: int) -> Array:
    """Textbook variance of the d that divides by the pooled deviation within groups.

    ``1 / c + d**2 / (2 N)`` with c = n m / N (Borenstein et al. 2009, equation 4.20). For the d of
    association tests it is too large, and the more so the larger d is.
    """
    return np.asarray((n + m) / (n * m) + d**2 / (2 * (n + m)))
