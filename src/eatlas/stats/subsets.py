"""All subsets of one size, or random ones, in blocks of rows of 0 and 1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def every_subset(size: int, n: int, rows: int) -> Iterator[Array]:
    """Every n-subset once.

    Parameters
    ----------
    size, n : int
        Members to choose from, and how many are chosen.
    rows : int
        Subsets in one block; the last may have fewer.

    Yields
    ------
    array, shape (rows, size)
        1 for members of the subset, else 0; the first row of all is the first `n`.

    Examples
    --------
    >>> next(every_subset(3, 2, 10))
    array([[1., 1., 0.],
           [1., 0., 1.],
           [0., 1., 1.]])
    """
    subsets = combinations(range(size), n)
    while chosen := list(islice(subsets, rows)):
        yield _members(np.array(chosen, dtype=np.intp), size)


def random_subsets(
    size: int, n: int, draws: int, rows: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Random n-subsets, `draws` in all; how many stand in a block does not change them.

    Examples
    --------
    >>> blocks = list(random_subsets(5, 2, 7, 4, np.random.default_rng(0)))
    >>> [block.shape for block in blocks], blocks[0].sum(axis=1)
    ([(4, 5), (3, 5)], array([2., 2., 2., 2.]))
    """
    for start in range(0, draws, rows):
        # the places of the n smallest of `size` uniform numbers
        uniform = rng.random((min(rows, draws - start), size))
        yield _members(np.argpartition(uniform, n - 1, axis=1)[:, :n], size)


def _members(chosen: NDArray[np.intp], size: int) -> Array:
    members = np.zeros((len(chosen), size))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    return members
