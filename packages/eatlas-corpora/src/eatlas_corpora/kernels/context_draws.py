"""Associations of many samples of contexts, one context for each stimulus.

A draw costs O(n d): a mean of cosines is a product with a mean of unit vectors, so no cosine of
two rows is ever computed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.executors import processors
from eatlas.kernels.cosines import unit_rows
from eatlas.kernels.draws import Array, Drawn
from eatlas_corpora import kernels

Places = NDArray[np.int64]

NUMPY_NUMBERS = 100_000_000
"""Components of chosen rows in all samples together up to which numpy, 5 ns each, is quicker than
loading compiled code (half a second, and several the first time)."""
TOGETHER = 2**19
"""Components of chosen rows that numpy has in memory together: 4 MB."""
CHUNK = 1024
"""Rows that are looked at together, so that no second matrix is made of them."""
BLOCK = 250
"""Draws handled by one thread at a time."""
THREADS = 4
"""At most; the compiled loop releases the interpreter."""


@dataclass(frozen=True)
class CompactRows:
    """Vectors as they are, and what makes each one a unit vector."""

    values: NDArray[np.floating[Any]]
    """Shape (rows, d), in single precision where that holds every number."""
    inverse: Array
    """One over the length of each row, shape (rows,)."""

    def part(self, which: slice) -> CompactRows:
        """Some of the rows."""
        return CompactRows(self.values[which], self.inverse[which])

    def units(self, which: NDArray[np.intp] | slice) -> Array:
        """Unit vectors of some rows, in double precision."""
        unit: Array = self.values[which] * self.inverse[which, None]
        return unit

    def sum_rows(self, weights: Array) -> Array:
        """Sum of all unit vectors, each times its weight, shape (d,)."""
        total = np.zeros(self.values.shape[1])
        for start in range(0, len(self.values), CHUNK):
            part = slice(start, start + CHUNK)
            # the weights take the lengths, so that no row has to be scaled
            total += (weights[part] * self.inverse[part]) @ self.values[part].astype(np.float64)
        return total

    def project(self, directions: Array) -> Array:
        """Product of every unit vector with each direction, shape (rows, k)."""
        found = np.empty((len(self.values), len(directions)))
        for start in range(0, len(self.values), CHUNK):
            part = slice(start, start + CHUNK)
            along = self.values[part].astype(np.float64) @ directions.T
            found[part] = along * self.inverse[part, None]
        return found


def compact_rows(vectors: NDArray[np.floating]) -> CompactRows:
    """Hold vectors in half the memory where single precision loses nothing.

    Encoders compute in single precision; products with those numbers are made in double precision,
    so nothing else changes.
    """
    with np.errstate(over="ignore", under="ignore"):
        single = np.asarray(vectors, dtype=np.float32)
    squares = np.empty(len(single))
    for start in range(0, len(single), CHUNK):
        part = slice(start, start + CHUNK)
        exact = single[part].astype(np.float64)
        if not np.array_equal(exact, vectors[part]):
            return CompactRows(unit_rows(vectors), np.ones(len(vectors)))
        squares[part] = np.einsum("ij,ij->i", exact, exact)
    return CompactRows(single, 1 / np.sqrt(squares))


def draw_associations(rows: CompactRows, chosen: Places, sizes: tuple[int, int, int, int]) -> Drawn:
    """Associations of the contexts that were chosen."""
    draws, stimuli = chosen.shape
    border = sizes[0] + sizes[1]
    found = Drawn(
        targets=np.empty((draws, border)),
        attributes=np.empty((draws, 2, stimuli - border)),
        cells=np.empty((draws, 4)),
    )
    if chosen.size * rows.values.shape[1] <= NUMPY_NUMBERS:
        step = max(1, TOGETHER // (stimuli * rows.values.shape[1]))
        for start in range(0, draws, step):
            _associate(rows, chosen, sizes, found, slice(start, start + step))
        return found
    work = _filler_of_draws(rows, chosen, sizes, found)
    with ThreadPoolExecutor(min(THREADS, processors())) as pool:
        list(pool.map(work, range(0, draws, BLOCK)))
    return found


def _associate(
    rows: CompactRows, chosen: Places, sizes: tuple[int, int, int, int], found: Drawn, part: slice
) -> None:
    """Fill in some draws by numpy."""
    border = sizes[0] + sizes[1]
    unit = rows.units(chosen[part])
    ends = np.cumsum(sizes)
    x, y, a, b = (unit[:, end - n : end].mean(axis=1) for end, n in zip(ends, sizes, strict=True))
    found.targets[part] = np.einsum("ikj,ij->ik", unit[:, :border], a - b)
    for i, centre in enumerate((x, y)):
        found.attributes[part, i] = np.einsum("ikj,ij->ik", unit[:, border:], centre)
    pairs = ((x, a), (x, b), (y, a), (y, b))
    found.cells[part] = np.stack([np.einsum("ij,ij->i", *pair) for pair in pairs], axis=1)


def _filler_of_draws(
    rows: CompactRows, chosen: Places, sizes: tuple[int, int, int, int], found: Drawn
) -> Callable[[int], None]:
    """What fills in the samples from a given one on."""
    associate = kernels.compiled_contexts.associate
    lengths = np.array(sizes, dtype=np.int64)

    def work(start: int) -> None:
        part = slice(start, start + BLOCK)
        parts = (found.targets[part], found.attributes[part], found.cells[part])
        associate(rows.values, rows.inverse, chosen[part], lengths, *parts)

    return work
