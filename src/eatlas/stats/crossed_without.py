"""The crossed test of a table without each of its rows, and without each of its columns.

As :func:`eatlas.stats.facets.contrast_test` finds it of the others, all at once.
Without row i estimates, residuals and leverages of a regression follow from those of all rows:
with H the hat matrix, each moves by ``H_ik / (1 - H_ii)`` times that of row i (Cook and Weisberg
1982, Residuals and influence in regression).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from eatlas.stats.inputs import least_spread, remember
from eatlas.stats.regression import DEPENDENT, Regression

Array = NDArray[np.float64]
Parts = Sequence[tuple[Array | float, Array | float]]
"""Variances that are added up, each with its degrees of freedom."""
LEAST_FREE = 2
"""Degrees of freedom that a regression with covariates leaves the groups."""
TWO = 2
"""Rows, or columns, that a group must keep."""


class CrossedWithout(NamedTuple):
    """Crossed tests without each row, or each column."""

    difference: Array
    p: Array
    """Two-sided; NaN where nothing varies or too few are left, and without a row that the
    regression fits whatever its scores, since that row changes no p-value."""


@remember(256)
def without_each_row(
    table: Array,
    regression: Regression,
    column_sizes: Sequence[int],
    *,
    scale: float | None = None,
    precision: float | None = None,
) -> CrossedWithout:
    """Crossed tests of a table without each row: other rows, whose covariates are the same."""
    parts, signs = _sides(table, column_sizes)
    free, weights, hat = regression.free, _weights(regression), regression.full @ regression.full.T
    known = (free > DEPENDENT) & np.repeat([n > TWO for n in regression.sizes], regression.sizes)
    if regression.basis.shape[1] > 1:  # there are covariates
        known &= len(table) - 1 - regression.full.shape[1] >= LEAST_FREE
    moves = np.where(known, 1 / np.where(known, free, 1.0), 0.0)[:, None] * hat
    np.fill_diagonal(moves, 0.0)
    left = 1 - np.eye(len(table))
    of_scores = (weights + weights[:, None] * moves) * left
    free_left = np.maximum(free - hat * moves, 0.0) * left
    squares = _hc2(of_scores, free_left)
    scores = sum(sign * part.mean(axis=1) for sign, part in zip(signs, parts, strict=True))
    residuals = regression.full_residuals(scores)
    of_rows = squares * np.square(residuals + residuals[:, None] * moves)
    columns: list[tuple[Array | float, Array | float]] = []
    residual = np.zeros(len(table))
    for part in parts:
        m = part.shape[1]
        columns.append(((of_scores @ part).var(axis=1, ddof=1) / m, m - 1.0))
        products = (away := _away(regression, part)) @ away.T
        own = np.diag(products)
        moved = own + 2 * moves * products + np.square(moves) * own[:, None]
        residual += (squares * moved).sum(axis=1) / (m * (m - 1))
    noise = least_spread(float(np.abs(table).max()) if scale is None else scale, precision)
    difference = of_scores @ scores
    p = _p(difference, _of_groups(regression, of_rows, free_left), columns, residual, noise)
    return CrossedWithout(difference, np.where(known, p, np.nan))


@remember(256)
def without_each_column(
    table: Array,
    regression: Regression,
    column_sizes: Sequence[int],
    *,
    scale: float | None = None,
    precision: float | None = None,
) -> CrossedWithout:
    """Crossed tests of a table without each column."""
    parts, signs = _sides(table, column_sizes)
    noise = least_spread(float(np.abs(table).max()) if scale is None else scale, precision)
    squares = _hc2(_weights(regression), regression.free)
    toward = [regression.estimates(part.T) for part in parts]
    spread = [np.square(_away(regression, part)) for part in parts]
    tests = []
    for i, part in enumerate(parts):
        m = part.shape[1]
        if m <= TWO:
            tests.append(np.full((2, m), np.nan))
            continue
        scores = signs[i] * (part.sum(axis=1) - part.T) / (m - 1)
        others = ~np.eye(m, dtype=bool)
        estimates = np.broadcast_to(toward[i], (m, m))[others].reshape(m, m - 1)
        columns: list[tuple[Array | float, Array | float]] = []
        columns.append((estimates.var(axis=1, ddof=1) / (m - 1), m - 2.0))
        # the sum of squares about the mean of the others
        left = spread[i].sum(axis=1) - spread[i].T * (m / (m - 1))
        residual = left @ squares / ((m - 1) * (m - 2))
        for j, other in enumerate(parts):
            if j != i:
                k = other.shape[1]
                scores = scores + signs[j] * other.mean(axis=1)
                columns.append((float(toward[j].var(ddof=1)) / k, k - 1.0))
                residual = residual + float(squares @ spread[j].sum(axis=1)) / (k * (k - 1))
        of_rows = squares * np.square(regression.full_residuals(scores))
        rows = _of_groups(regression, of_rows, regression.free[None])
        difference = regression.estimates(scores)
        tests.append(np.stack([difference, _p(difference, rows, columns, residual, noise)]))
    return CrossedWithout(*np.concatenate(tests, axis=1))


def _sides(table: Array, sizes: Sequence[int]) -> tuple[list[Array], tuple[float, ...]]:
    """Groups of columns, and the sign of each in the difference of two."""
    return np.split(table, np.cumsum(sizes)[:-1], axis=1), (1.0, -1.0)[: len(sizes)]


def _weights(regression: Regression) -> Array:
    """What each row of scores contributes to the difference of two groups."""
    group = regression.labels[:, 0]
    return np.asarray(group / (group @ group))


def _hc2(weights: Array, free: Array) -> Array:
    """Weight of each squared residual; 0 of one that the model fits whatever its score."""
    fits = free > DEPENDENT
    return np.where(fits, np.square(weights) / np.where(fits, free, 1.0), 0.0)


def _away(regression: Regression, part: Array) -> Array:
    """What neither the regression nor its rows explain of a group of columns."""
    away = regression.full_residuals(part.T).T
    return np.asarray(away - away.mean(axis=1, keepdims=True))


def _of_groups(regression: Regression, squares: Array, free: Array) -> Parts:
    """The variance of each group of rows, and its degrees of freedom."""
    parts = (np.split(values, [regression.n], axis=1) for values in (squares, free))
    return [
        (variance.sum(axis=1), np.maximum(freedom.sum(axis=1), DEPENDENT))
        for variance, freedom in zip(*parts, strict=True)
    ]


def _p(difference: Array, rows: Parts, columns: Parts, residual: Array, noise: float) -> Array:
    """Two-sided p-values of Student's t, as that of one crossed test; NaN where nothing varies."""
    (of_rows, by_rows), (of_columns, by_columns) = map(_sum, (rows, columns))
    both = of_rows + of_columns
    se = np.sqrt(np.maximum.reduce([both - residual, of_rows, of_columns]))
    varies = se > noise
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * scipy.special.stdtr(both / (by_rows + by_columns), -np.abs(difference / se))
    return np.where(varies, p, np.nan)


def _sum(parts: Parts) -> tuple[Array, Array]:
    """Sum of variances, and that over its degrees of freedom, as Welch has them."""
    variance = np.asarray(sum(part for part, _ in parts))
    squares = np.asarray(sum(np.square(part) / df for part, df in parts))
    # V / df = V / (V**2 / sum(v**2 / f))
    return variance, squares / np.where(variance > 0, variance, 1.0)
