"""Adjusted p-values for a declared family: Holm, Benjamini-Hochberg, Benjamini-Yekutieli.

An adjusted p is the smallest level at which the procedure rejects that hypothesis. A NaN, a test
without a p, stays NaN and does not count in the size of the family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

Array = NDArray[np.float64]


def holm(p: ArrayLike) -> Array:
    """Holm's step-down adjustment: the family-wise error rate, under any dependence.

    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6.
    """
    return _adjust_family(p, lambda x: np.maximum.accumulate(x * np.arange(x.size, 0.0, -1.0)))


def holm_adjusted(p_values: Iterable[float | None]) -> list[float | None]:
    """Holm's adjusted p-values of those that are known; None for the others."""
    raw = [math.nan if p is None else p for p in p_values]
    adjusted: list[float] = holm(raw).tolist() if raw else []
    return [None if math.isnan(p) else p for p in adjusted]


def holm_by_group(p: ArrayLike, groups: ArrayLike) -> Array:
    """Holm's adjustment within each group, such as a setting; NaN stays NaN.

    `groups` has an integer for each p-value. The numbers are as :func:`holm` gives for each group.
    """
    values = np.array(p, dtype=np.float64)
    adjusted = np.full(values.size, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    _, of_group = np.unique(np.asarray(groups)[known], return_inverse=True)
    order = np.lexsort((values[known], of_group))
    rows = known[order]
    sizes = np.bincount(of_group)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):  # groups of a size together, as the rows of a matrix
        members = rows[starts[sizes == size][:, None] + np.arange(size)]
        steps = values[members] * np.arange(size, 0.0, -1.0)
        adjusted[members] = np.minimum(np.maximum.accumulate(steps, axis=1), 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Benjamini and Hochberg's step-up adjustment: the false discovery rate.

    Holds for independent tests and for those with positive regression dependence.

    Benjamini and Hochberg (1995), Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57.
    """
    return _adjust_family(p, _step_up)


def benjamini_yekutieli(p: ArrayLike) -> Array:
    """Benjamini and Yekutieli's step-up adjustment: false discoveries under any dependence.

    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing
    under dependency, Annals of Statistics 29, theorem 1.3.
    """
    return _adjust_family(p, lambda x: _step_up(x, harmonic(x.size)))


def _step_up(ordered: Array, price: float = 1.0) -> Array:
    rank = np.arange(1, ordered.size + 1, dtype=np.float64)
    # m / rank first: it is at least 1, so rounding cannot put an adjusted p below the raw one
    return np.minimum.accumulate((ordered * (ordered.size / rank * price))[::-1])[::-1]


def _adjust_family(p: ArrayLike, adjust: Callable[[Array], Array]) -> Array:
    """Adjust the p-values of a family, in ascending order, and put each where its raw one was."""
    family = np.array(p, dtype=np.float64)
    counted = ~np.isnan(family)
    order = np.argsort(family[counted], kind="stable")
    adjusted = np.empty(order.size)
    adjusted[order] = np.minimum(adjust(family[counted][order]), 1.0)
    family[counted] = adjusted
    return family


def harmonic(m: int) -> float:
    """1 + 1/2 + ... + 1/m, Benjamini and Yekutieli's price for any dependence."""
    # beyond a million terms the expansion is exact to the last digit
    if m > 1_000_000:
        return float(np.log(m) + np.euler_gamma + 1 / (2 * m) - 1 / (12 * float(m) ** 2))
    return float(np.sum(1 / np.arange(1, m + 1, dtype=np.float64)))
