"""Matrix products of a size that linear algebra keeps on one thread."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", bound=np.floating[Any])

ONE_THREAD = 2**18
"""Multiplications up to which OpenBLAS takes one thread. Threads of larger products wait for one
another: on a machine with other work a product of 3 ms was seen to take 250 to 490 ms."""


TILE = 128
"""Columns of a tile, or more of small matrices. Of 32 to 512, the quickest for 16 to 50 terms by a
little."""


def product(left: NDArray[Real], right: NDArray[Real]) -> NDArray[Real]:
    """``left @ right``, tile by tile.

    Parameters
    ----------
    left : array, shape (m, k)
    right : array, shape (k, n)

    Returns
    -------
    array, shape (m, n)

    Examples
    --------
    >>> product(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [3., 4.]])
    """
    (m, k), n = left.shape, right.shape[1]
    out = np.empty((m, n), dtype=left.dtype)
    tile = max(TILE, ONE_THREAD // max(1, k * m))
    step = max(1, ONE_THREAD // max(1, k * min(n, tile)))
    for start in range(0, n, tile):
        columns = slice(start, start + tile)
        for top in range(0, m, step):
            rows = slice(top, top + step)
            np.matmul(left[rows], right[:, columns], out=out[rows, columns])
    return out
