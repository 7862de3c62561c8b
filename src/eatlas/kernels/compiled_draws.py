"""Compiled loop over draws of contexts. Import only where there is much to draw."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


# sums of many products, in whatever order is quickest; the same for every row
@nb.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[misc, unused-ignore]
def associate(
    rows: NDArray[np.floating[Any]],
    inverse: Array,
    chosen: NDArray[np.int64],
    sizes: NDArray[np.int64],
    targets: Array,
    attributes: Array,
    cells: Array,
) -> None:
    """Fill in what `eatlas.kernels.draws` describes, for the rows chosen in each draw."""
    dim = rows.shape[1]
    mean = np.empty((4, dim))
    difference = np.empty(dim)
    border = sizes[0] + sizes[1]
    for i in range(chosen.shape[0]):
        k = 0
        for role in range(4):
            centre = mean[role]
            centre[:] = 0.0
            for _ in range(sizes[role]):
                row = rows[chosen[i, k]]
                weight = inverse[chosen[i, k]] / sizes[role]
                for j in range(dim):
                    centre[j] += weight * row[j]
                k += 1
        x, y, a, b = mean[0], mean[1], mean[2], mean[3]
        xa = xb = ya = yb = 0.0
        for j in range(dim):
            difference[j] = a[j] - b[j]
            xa += x[j] * a[j]
            xb += x[j] * b[j]
            ya += y[j] * a[j]
            yb += y[j] * b[j]
        cells[i, 0], cells[i, 1], cells[i, 2], cells[i, 3] = xa, xb, ya, yb
        for k in range(border):
            row = rows[chosen[i, k]]
            with_both = 0.0
            for j in range(dim):
                with_both += row[j] * difference[j]
            targets[i, k] = with_both * inverse[chosen[i, k]]
        for k in range(border, chosen.shape[1]):
            row = rows[chosen[i, k]]
            with_x = with_y = 0.0
            for j in range(dim):
                with_x += row[j] * x[j]
                with_y += row[j] * y[j]
            attributes[i, 0, k - border] = with_x * inverse[chosen[i, k]]
            attributes[i, 1, k - border] = with_y * inverse[chosen[i, k]]
