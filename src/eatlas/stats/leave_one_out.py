"""Effect sizes without one term, for each term in turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eatlas.stats.weighted import Array, Weighable

BLOCK = 2**18
"""Weights held at once: 2 MB."""


def without_each_unit(level: Weighable, ddof: int) -> Array:
    """Effect size of a level without each of its units, shape (n_units,).

    Examples
    --------
    >>> from eatlas.stats.weighted import Level
    >>> level = Level(np.array([[1.0], [2.0], [-1.0]]), 2, ((slice(None), 1.0),))
    >>> without_each_unit(level, 1).round(6)  # the last has nobody to be compared with
    array([1.414214, 1.414214,      nan])
    """
    units, others = level.shape
    every = np.ones((1, others))
    return np.concatenate([level.effect(kept, every, ddof) for kept in _kept(units)])


def without_each_other(level: Weighable, ddof: int) -> Array:
    """Effect size of a level without each of the terms that score its units, shape (n_others,).

    Examples
    --------
    >>> from eatlas.stats.weighted import Level
    >>> level = Level(np.array([[1.0, 0.0], [2.0, 5.0], [-1.0, 0.0]]), 2, ((slice(None), 1.0),))
    >>> without_each_other(level, 1).round(6)
    array([0.866025, 1.636634])
    """
    units, others = level.shape
    every = np.ones((1, units))
    return np.concatenate([level.effect(every, kept, ddof) for kept in _kept(others)])


def _kept(size: int) -> Iterator[Array]:
    """Rows of ones with one 0, the next place in each row."""
    rows = max(1, BLOCK // size)
    for start in range(0, size, rows):
        stop = min(start + rows, size)
        kept = np.ones((stop - start, size))
        kept[np.arange(stop - start), np.arange(start, stop)] = 0.0
        yield kept
