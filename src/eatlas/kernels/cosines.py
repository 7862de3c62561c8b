"""Cosines of unit rows, what all cosines of two groups say, and projection on one direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def unit_rows(vectors: NDArray[np.floating]) -> Array:
    """Scale each row to length 1."""
    rows = np.asarray(vectors, dtype=np.float64)
    # dividing by the largest component first keeps the squares in range for any finite input
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    unit: Array = rows / np.sqrt(np.add.reduce(rows * rows, axis=1, keepdims=True))
    return unit


def mean_row(rows: Array) -> Array:
    """Mean of the rows, shape (d,), summed in an order that depends only on the rows."""
    order = sorted(range(len(rows)), key=lambda i: rows[i].tobytes())
    mean: Array = np.add.reduce(rows[order], axis=0) / len(rows)
    return mean


def associations(rows: Array, direction: Array) -> Array:
    """Dot product of each row with one direction, shape (n,).

    With unit rows and ``direction = mean_row(A) - mean_row(B)`` this is the association
    s(w, A, B) of equation 2 of ML-EAT (Wolfe, Hiniker and Howe 2024), because a mean of cosines
    is a dot product with a mean of unit vectors. Not a matrix product: BLAS may sum two equal
    rows in different orders, and then ties are lost.
    """
    return np.asarray(np.add.reduce(rows * direction, axis=1), dtype=np.float64)


def similarities(targets: Array, attributes: Array) -> Array:
    """Cosine of every target with every attribute, shape (n_targets, n_attributes)."""
    return np.stack([associations(targets, attribute) for attribute in attributes], axis=1)


def mean_and_sd(values: NDArray[np.floating], ddof: int) -> tuple[float, float]:
    """Mean and standard deviation, correctly rounded sums, hence in any order the same.

    The standard deviation is NaN for ``ddof`` values or fewer.
    """
    flat = values.ravel().astype(np.float64)
    mean = sum_exactly(flat) / flat.size
    if flat.size <= ddof:
        return mean, float("nan")
    away = flat - mean
    return mean, float(np.sqrt(sum_exactly(away * away) / (flat.size - ddof)))


FEW, LEAST = 2_000, 1e-280
"""Numbers up to which ``math.fsum`` is as fast; and the largest of numbers too small for parts."""
BITS = 26
"""Of a part of a number: a sum of 2 ** 27 such parts has no rounding error."""


def sum_exactly(values: Array) -> float:
    """Sum that is rounded once, hence in any order the same, as ``math.fsum`` has it.

    Of many numbers the first bits are summed, then the next ones: neither sum is rounded, and the
    rest is too small to matter.
    """
    largest = float(np.abs(values).max()) if values.size > FEW else 0.0
    if not LEAST < largest < math.inf:
        return math.fsum(values.tolist())
    parts, (_, exponent) = [], math.frexp(largest)
    for bits in (BITS, 2 * BITS):
        unit = 2.0 ** (exponent - bits)
        part = np.rint(values / unit) * unit
        parts.append(float(part.sum()))
        values = values - part
    return math.fsum([*parts, float(values.sum())])


ROUNDING = 1e-14
"""Of equal numbers less their mean, relative to the numbers; 1e-16 was seen."""
Real = TypeVar("Real", bound=np.floating[Any])

ONE_THREAD = 2**18
"""Multiplications up to which OpenBLAS takes one thread. Threads of larger products wait for one
another: on a machine with other work a product of 3 ms was seen to take 250 to 490 ms."""


TILE = 128
"""Columns of a tile, or more of small matrices. Of 32 to 512, the quickest for 16 to 50 terms by a
little."""
LEAST_ROWS, DEPTH, WIDTH = 16, 128, 64
"""Where a tile would have fewer rows than this, sums are divided into parts as well: such tiles are
more like squares, and matrices of 1,600 rows take 0.4 times as long."""


def product(left: NDArray[Real], right: NDArray[Real]) -> NDArray[Real]:
    """``left @ right``, tile by tile."""
    (m, k), n = left.shape, right.shape[1]
    out = np.empty((m, n), dtype=left.dtype)
    tile = max(TILE, ONE_THREAD // max(1, k * m))
    step = max(1, ONE_THREAD // max(1, k * min(n, tile)))
    depth = k
    if step < min(LEAST_ROWS, m):
        tile, depth = WIDTH, DEPTH
        step = ONE_THREAD // (tile * depth)
    for start in range(0, n, tile):
        columns = slice(start, start + tile)
        for top in range(0, m, step):
            rows = slice(top, top + step)
            part = out[rows, columns]
            np.matmul(left[rows, :depth], right[:depth, columns], out=part)
            for below in range(depth, k, depth):
                summed = slice(below, below + depth)
                part += left[rows, summed] @ right[summed, columns]
    return out


@dataclass(frozen=True)
class Moments:
    """First and second moments of some rows."""

    n: int
    mean: Array
    """Shape (d,)."""
    scatter: Array
    """Sum over the rows, less their mean, of their products with themselves, shape (d, d)."""

    def __add__(self, other: Moments) -> Moments:
        """Moments of both groups together."""
        n = self.n + other.n
        apart = self.mean - other.mean
        between = np.outer(apart, apart) * (self.n * other.n / n)
        mean = (self.n * self.mean + other.n * other.mean) / n
        return Moments(n, mean, self.scatter + other.scatter + between)


def pair_direction(first: Array, second: Array, *, centred: bool = False) -> Array:
    """Direction along which the members of pairs differ most.

    Bolukbasi et al. (2016), section 5: the first row of SVD(C) with
    ``C = sum over pairs of sum over members of (w - mu)(w - mu)^T / 2``. Both members of a pair
    are at ``mu +- (a - b) / 2``, so C is ``sum (a - b)(a - b)^T / 4``. `centred` takes the mean
    difference from each difference first, as a PCA of the differences does.
    """
    differences = _sort_rows(first - second)
    if centred:
        away = differences - mean_row(differences)
        # equal differences are equal but for rounding
        alike = np.abs(away).max() <= ROUNDING * np.abs(differences).max()
        differences = np.zeros_like(away) if alike else away
    if not np.any(differences):
        return np.zeros(first.shape[1])
    direction: Array = np.linalg.svd(differences, full_matrices=False)[2][0]
    return direction


def _sort_rows(rows: Array) -> Array:
    """The rows in an order that depends only on them, and so do sums over them."""
    return rows[sorted(range(len(rows)), key=lambda i: rows[i].tobytes())]
