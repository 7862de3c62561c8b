"""Compiled loops over samples of contexts. Import only where there is much to draw."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Values = NDArray[np.floating[Any]]
Places = NDArray[np.int64]

# sums of many products, in whatever order is quickest; four rows at a time, which takes half as
# long as one by one, since what they are added to or multiplied with is read once for all four


@nb.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[misc, unused-ignore]
def mean_unit(rows: Values, inverse: Array, places: Places, centre: Array) -> None:
    """Mean of the unit vectors at some places."""
    n, dim = places.size, centre.size
    centre[:] = 0.0
    k = 0
    while k + 4 <= n:
        a, b, c, d = rows[places[k]], rows[places[k + 1]], rows[places[k + 2]], rows[places[k + 3]]
        p, q = inverse[places[k]] / n, inverse[places[k + 1]] / n
        r, s = inverse[places[k + 2]] / n, inverse[places[k + 3]] / n
        for j in range(dim):
            centre[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
        k += 4
    for last in range(k, n):
        a, p = rows[places[last]], inverse[places[last]] / n
        for j in range(dim):
            centre[j] += p * a[j]


@nb.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[misc, unused-ignore]
def project_unit_rows(
    rows: Values, inverse: Array, places: Places, direction: Array, out: Array
) -> None:
    """Product of the unit vector at each place with one direction."""
    n, dim = places.size, direction.size
    for start in range(0, n if n >= 4 else 0, 4):
        # the last four may overlap with those before: each row by the same steps, so equal ones tie
        k = min(start, n - 4)
        a, b, c, d = rows[places[k]], rows[places[k + 1]], rows[places[k + 2]], rows[places[k + 3]]
        p = q = r = s = 0.0
        for j in range(dim):
            g = direction[j]
            p += a[j] * g
            q += b[j] * g
            r += c[j] * g
            s += d[j] * g
        out[k], out[k + 1] = p * inverse[places[k]], q * inverse[places[k + 1]]
        out[k + 2], out[k + 3] = r * inverse[places[k + 2]], s * inverse[places[k + 3]]
    for k in range(n if n < 4 else 0):
        a, p = rows[places[k]], 0.0
        for j in range(dim):
            p += a[j] * direction[j]
        out[k] = p * inverse[places[k]]


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def associate(
    rows: Values,
    inverse: Array,
    chosen: Places,
    sizes: Places,
    targets: Array,
    attributes: Array,
    cells: Array,
) -> None:
    """Fill in what :mod:`~eatlas_corpora.kernels.context_draws` describes, for each sample."""
    dim = rows.shape[1]
    mean, direction = np.empty((4, dim)), np.empty(dim)
    border = sizes[0] + sizes[1]
    for i in range(chosen.shape[0]):
        k = 0
        for role in range(4):
            mean_unit(rows, inverse, chosen[i, k : k + sizes[role]], mean[role])
            k += sizes[role]
        for j in range(dim):
            direction[j] = mean[2, j] - mean[3, j]
        project_unit_rows(rows, inverse, chosen[i, :border], direction, targets[i])
        for t in range(2):
            project_unit_rows(rows, inverse, chosen[i, border:], mean[t], attributes[i, t])
            for a in range(2):
                cell = 0.0
                for j in range(dim):
                    cell += mean[t, j] * mean[2 + a, j]
                cells[i, 2 * t + a] = cell
