"""A contrast of the means of a two-way layout, and the parts of its variance.

Rows and columns come in one or two groups. The contrast is the first group's mean less the
second's, in both directions; rows and columns are both samples, so its variance has a part from
the rows, a part from the columns and a part, contained in either, from what is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import least_spread, t_outside, t_quantile
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stats.regression import Regression

Array = NDArray[np.float64]
Variance = tuple[float, float]
"""An estimate of a variance, and Satterthwaite's degrees of freedom of that estimate."""


def analyse(
    table: Array,
    row_sizes: Sequence[int],
    column_sizes: Sequence[int],
) -> tuple[float, Variance, Variance, Variance]:
    """The contrast of a table of shape (sum of row_sizes, sum of column_sizes), and its variance.

    The difference, or difference of differences, of the means of the cells; and what its variance
    has from the rows and from the columns, which both contain the residual, and that residual.

    With s the rows' differences between the column groups, rows have the variance
    ``sum_g var(s in g) / n_g``, columns likewise, and the residual is ``sum over cells of
    sum r**2 / ((n - 1) (m - 1)) / (n m)`` with r the cell centred in rows and columns. All
    estimates are unbiased for any variances of the groups and cells. In a balanced layout of
    n + n rows and m + m columns they are ``4 / (n m)`` times the mean squares of rows by column
    group, of columns by row group, and of rows by columns.
    """
    row_edges, column_edges = (np.cumsum(sizes)[:-1] for sizes in (row_sizes, column_sizes))
    of_rows = np.split(_difference(table, column_sizes, axis=1), row_edges)
    of_columns = np.split(_difference(table, row_sizes, axis=0), column_edges)
    means = [float(part.mean()) for part in of_rows]
    cells = []
    for band in np.split(table, row_edges):
        for cell in np.split(band, column_edges, axis=1):
            # what neither its rows nor its columns explain
            margins = cell.mean(axis=1, keepdims=True) + cell.mean(axis=0, keepdims=True)
            df = (cell.shape[0] - 1) * (cell.shape[1] - 1)
            cells.append((float(np.sum((cell - margins + cell.mean()) ** 2)) / df / cell.size, df))
    return (
        means[0] - sum(means[1:]),
        _sum(list(map(_of_mean, of_rows))),
        _sum(list(map(_of_mean, of_columns))),
        _sum(cells),
    )


def _difference(table: Array, sizes: Sequence[int], axis: int) -> Array:
    """Mean of the first group less the mean of the second, or the mean of the only one."""
    parts = np.split(table, np.cumsum(sizes)[:-1], axis=axis)
    means = [np.asarray(part.mean(axis=axis), dtype=np.float64) for part in parts]
    return means[0] if len(means) == 1 else means[0] - means[1]


def _of_mean(values: Array) -> Variance:
    """Variance of a mean."""
    away, df = values - values.mean(), values.size - 1
    return float(away @ away) / df / values.size, df


def _sum(parts: list[Variance]) -> Variance:
    """Welch and Satterthwaite: V**2 / sum(v**2 / df), and the plain sum of df without spread."""
    variance, whole = (float(sum(column)) for column in zip(*parts, strict=True))
    if not variance > 0:
        return variance, whole
    return variance, 1 / sum((part / variance) ** 2 / df for part, df in parts)


def crossed_test(
    table: Array,
    targets: Sequence[int],
    attributes: Sequence[int],
    *,
    level: float = 0.95,
    scale: float | None = None,
    precision: float | None = None,
) -> dict[str, float]:
    """Test whether X and Y differ in A against B for terms beyond those listed.

    The fields of a `CrossedLevel`; test and interval are NaN where nothing varies.

    `targets` and `attributes` have the sizes of their groups, two terms or more in each; with one
    group of targets the question is whether X is nearer to A than to B. A spread must exceed the
    rounding of similarities of magnitude `scale` and unit roundoff `precision`.

    With V_T the variance of the difference estimated from the spread of the targets' associations,
    V_A the one from the attributes' and V_R the residual that both contain,
    ``t**2 = difference**2 / max(V_T + V_A - V_R, V_T, V_A)``. In a balanced layout the first is
    the quasi-F of Clark (1973), MS(XY by AB) / (MS(targets by AB) + MS(attributes by XY) -
    MS(residual)). The bound sets a negative variance of the true associations to 0, so that t
    exceeds neither side's own t. Degrees of freedom are the mean of the two sides' Welch df,
    harmonic and weighted by variance, ``(V_T + V_A) / (V_T / f_T + V_A / f_A)``: Satterthwaite's
    are larger, and exceed the level with unequal groups (see the page on inference).
    """
    parts = analyse(table, targets, attributes)
    return _t_test(*parts, table=table, level=level, scale=scale, precision=precision)


def crossed_test_with_covariates(
    table: Array,
    regression: Regression,
    column_sizes: Sequence[int],
    *,
    level: float = 0.95,
    scale: float | None = None,
    precision: float | None = None,
) -> dict[str, float]:
    """Test whether two groups of rows differ at equal covariates, for other rows and columns.

    The rows of `table` are the units of the groups and covariates of `regression`, first group
    first; columns are of one group, or of two whose difference is taken. The fields are those of
    :func:`crossed_test`, which it equals without covariates.

    With gamma the least-squares difference of the groups given the covariates, ``gamma = c's`` for
    the scores s of the rows, and h the leverages of the whole model:

    - rows, V_T: HC2, ``sum c**2 e**2 / (1 - h)`` with the residuals e of s, and the degrees of
      freedom of :class:`Regression`;
    - columns, V_A: Welch's variance of the columns' own gammas, ``u = c'table``;
    - residual, V_R: for each group of m columns ``sum c**2 / (1 - h) E**2 / (m (m - 1))`` with the
      residuals E of its columns, each row centred.

    Variance, t and degrees of freedom follow from the three as in :func:`crossed_test`.
    """
    edges = np.cumsum(column_sizes)[:-1]
    scores = _difference(table, column_sizes, axis=1)
    estimates, of_groups = regression.variances(regression.residuals(scores))
    by_group = of_groups[:, 0]
    rows = float(by_group.sum()), float(regression.freedom(by_group))
    columns = [_of_mean(part) for part in np.split(regression.estimates(table.T), edges)]
    cells = []
    for part in np.split(table, edges, axis=1):
        away = regression.full_residuals(part.T).T
        away = away - away.mean(axis=1, keepdims=True)
        m = part.shape[1]
        residual = float(regression.weights @ np.square(away).sum(axis=1)) / (m * (m - 1))
        cells.append((residual, m - 1))
    parts = float(estimates[0]), rows, _sum(columns), _sum(cells)
    return _t_test(*parts, table=table, level=level, scale=scale, precision=precision)


def _t_test(
    difference: float,
    rows: Variance,
    columns: Variance,
    residual: Variance,
    *,
    table: Array,
    level: float,
    scale: float | None,
    precision: float | None,
) -> dict[str, float]:
    """Student's test and interval of a contrast from the parts of its variance."""
    (of_targets, df_targets), (of_attributes, df_attributes) = rows, columns
    both = of_targets + of_attributes
    se = math.sqrt(max(both - residual[0], of_targets, of_attributes))
    scale = float(np.abs(table).max()) if scale is None else scale
    t = df = outside = reach = math.nan
    if se > least_spread(scale, precision):
        df = both / (of_targets / df_targets + of_attributes / df_attributes)
        t = difference / se
        outside, reach = t_outside(t, df), t_quantile(1 - level, df) * se
    # P(T >= t) and P(T <= t) from P(abs(T) >= abs(t))
    near, far = max(outside / 2, SMALLEST), 1 - outside / 2
    return {
        "difference": difference,
        "se": se,
        "t": t,
        "df": df,
        "p_greater": near if t > 0 else far,
        "p_less": near if t < 0 else far,
        "p_two_sided": outside,
        "low": difference - reach,
        "high": difference + reach,
        "targets": of_targets,
        "attributes": of_attributes,
        "residual": residual[0],
    }
