"""A contrast of the means of a two-way layout, and the parts of its variance.

Rows and columns come in one or two groups. The contrast is the first group's mean less the
second's, in both directions; rows and columns are both samples, so its variance has a part from
the rows, a part from the columns and a part, contained in either, from what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """An estimate of a variance and its degrees of freedom."""

    variance: float
    """Estimated variance that the contrast has from this side."""
    df: float
    """Satterthwaite's degrees of freedom of that estimate."""


@dataclass(frozen=True)
class Layout:
    """A contrast and the parts of its variance."""

    contrast: float
    """Difference, or difference of differences, of the means of the cells."""
    rows: Part
    """From the spread between rows of a group; contains the residual."""
    columns: Part
    """From the spread between columns of a group; contains the residual."""
    residual: Part
    """From what row and column effects leave within the cells."""


def analyse(table: Array, row_sizes: Sequence[int], column_sizes: Sequence[int]) -> Layout:
    """The contrast of a table of shape (sum of row_sizes, sum of column_sizes).

    Parameters
    ----------
    table : array
        Finite numbers.
    row_sizes, column_sizes : sequence of int
        One or two group sizes, 2 or more each.

    Returns
    -------
    Layout

    Notes
    -----
    With s the rows' differences between the column groups, rows have the variance
    ``sum_g var(s in g) / n_g``, columns likewise, and the residual is ``sum over cells of
    sum r**2 / ((n - 1) (m - 1)) / (n m)`` with r the cell centred in rows and columns. All
    estimates are unbiased for any variances of the groups and cells. In a balanced layout of
    n + n rows and m + m columns they are ``4 / (n m)`` times the mean squares of rows by column
    group, of columns by row group, and of rows by columns.

    Examples
    --------
    >>> found = analyse(np.array([[3.0, 5.0, 0.0, 0.0], [4.0, 4.0, 1.0, 1.0]]), [2], [2, 2])
    >>> found.contrast, found.rows.variance, found.columns.variance, found.residual.variance
    (3.5, 0.25, 0.25, 0.25)
    """
    row_edges, column_edges = (np.cumsum(sizes)[:-1] for sizes in (row_sizes, column_sizes))
    of_rows = np.split(_difference(table, column_sizes, axis=1), row_edges)
    of_columns = np.split(_difference(table, row_sizes, axis=0), column_edges)
    means = [float(part.mean()) for part in of_rows]
    cells = [c for r in np.split(table, row_edges) for c in np.split(r, column_edges, axis=1)]
    return Layout(
        contrast=means[0] - sum(means[1:]),
        rows=_sum([_of_mean(part) for part in of_rows]),
        columns=_sum([_of_mean(part) for part in of_columns]),
        residual=_sum([_of_cell(cell) for cell in cells]),
    )


def _difference(table: Array, sizes: Sequence[int], axis: int) -> Array:
    """Mean of the first group less the mean of the second, or the mean of the only one."""
    parts = np.split(table, np.cumsum(sizes)[:-1], axis=axis)
    means = [np.asarray(part.mean(axis=axis), dtype=np.float64) for part in parts]
    return means[0] if len(means) == 1 else means[0] - means[1]


def _of_mean(values: Array) -> Part:
    return Part(float(values.var(ddof=1)) / values.size, values.size - 1)


def _of_cell(cell: Array) -> Part:
    rows, columns = cell.mean(axis=1, keepdims=True), cell.mean(axis=0, keepdims=True)
    rest, df = cell - rows - columns + cell.mean(), (cell.shape[0] - 1) * (cell.shape[1] - 1)
    return Part(float(np.sum(rest**2)) / df / cell.size, df)


def _sum(parts: list[Part]) -> Part:
    """Welch and Satterthwaite: V**2 / sum(v**2 / df), and the plain sum of df without spread."""
    variance, df = sum(part.variance for part in parts), float(sum(part.df for part in parts))
    if variance > 0:
        df = 1 / sum((part.variance / variance) ** 2 / part.df for part in parts)
    return Part(variance, df)
