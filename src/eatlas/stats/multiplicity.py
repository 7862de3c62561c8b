"""Adjusted p-values for a declared family: Holm, Benjamini-Hochberg, Benjamini-Yekutieli.

An adjusted p is the smallest level at which the procedure rejects that hypothesis. A NaN, a test
without a p, stays NaN and does not count in the size of the family.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError

Array = NDArray[np.float64]


def holm(p: ArrayLike) -> Array:
    """Holm's step-down adjustment: the family-wise error rate, under any dependence.

    Parameters
    ----------
    p : array_like, any shape
        p-values in (0, 1], NaN where there is none.

    Returns
    -------
    array, the shape of `p`
        ``max over j <= i of min(1, (m - j + 1) p_(j))`` for the i-th smallest of m p-values.

    Raises
    ------
    EatlasError
        For a p-value outside (0, 1].

    Notes
    -----
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    family, counted = _family(p)
    ordered, order = _ascending(family[counted])
    factors = np.arange(ordered.size, 0, -1, dtype=np.float64)
    return _put_back(family, counted, order, np.maximum.accumulate(ordered * factors))


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Benjamini and Hochberg's step-up adjustment: the false discovery rate.

    Holds for independent tests and for those with positive regression dependence.

    Parameters
    ----------
    p : array_like, any shape
        p-values in (0, 1], NaN where there is none.

    Returns
    -------
    array, the shape of `p`
        ``min over j >= i of min(1, (m / j) p_(j))`` for the i-th smallest of m p-values.

    Raises
    ------
    EatlasError
        For a p-value outside (0, 1].

    Notes
    -----
    Benjamini and Hochberg (1995), Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.02, 0.9])
    array([0.03, 0.03, 0.9 ])
    """
    return _step_up(p, dependent=False)


def benjamini_yekutieli(p: ArrayLike) -> Array:
    """Benjamini and Yekutieli's step-up adjustment: false discoveries under any dependence.

    Parameters
    ----------
    p : array_like, any shape
        p-values in (0, 1], NaN where there is none.

    Returns
    -------
    array, the shape of `p`
        Benjamini and Hochberg's factors m / j times ``1 + 1/2 + ... + 1/m``.

    Raises
    ------
    EatlasError
        For a p-value outside (0, 1].

    Notes
    -----
    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing
    under dependency, Annals of Statistics 29, theorem 1.3.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.5])
    array([0.03, 0.75])
    """
    return _step_up(p, dependent=True)


def _step_up(p: ArrayLike, *, dependent: bool) -> Array:
    family, counted = _family(p)
    ordered, order = _ascending(family[counted])
    rank = np.arange(1, ordered.size + 1, dtype=np.float64)
    # m / rank first: it is at least 1, so rounding cannot put an adjusted p below the raw one
    factors = ordered.size / rank * (np.sum(1 / rank) if dependent else 1.0)
    adjusted = np.minimum.accumulate((ordered * factors)[::-1])[::-1]
    return _put_back(family, counted, order, adjusted)


def _family(p: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    """A copy as float64, and which entries are p-values at all."""
    try:
        family = np.array(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EatlasError("p-values must be numbers", got=str(error)) from error
    counted = ~np.isnan(family)
    bad = np.argwhere(counted & ~((family > 0) & (family <= 1)))
    if len(bad):
        place = ", ".join(str(i) for i in bad[0])
        raise EatlasError(
            "a p-value is out of range",
            got=f"{family[tuple(bad[0])]} at [{place}]",
            allowed="above 0, at most 1, or NaN where there is no p-value",
            remedy="a sampled p is (b + 1) / (B + 1), an exact one count / total: neither is 0",
        )
    return family, counted


def _ascending(values: Array) -> tuple[Array, NDArray[np.intp]]:
    order = np.argsort(values, kind="stable")
    return values[order], order


def _put_back(
    family: Array, counted: NDArray[np.bool_], order: NDArray[np.intp], adjusted: Array
) -> Array:
    """Adjusted values where their raw ones were; NaN elsewhere."""
    unordered = np.empty_like(adjusted)
    unordered[order] = np.minimum(adjusted, 1.0)
    family[counted] = unordered
    return family
