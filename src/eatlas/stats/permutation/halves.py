"""How a meet-in-the-middle count is laid out: two halves, their item order, pruning thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEVER = int(np.iinfo(np.int64).max)
"""A threshold no partial sum reaches: with so many chosen, n can no longer be met."""


@dataclass(frozen=True)
class Half:
    """One half of the scores and what a partial sum needs to stay of interest."""

    items: NDArray[np.int64]
    """Widest first: items far from the half's mean decide early, so pruning bites early."""
    need: NDArray[np.int64]
    """need[j, k]: k of the first j items must sum to at least this; shape (items + 1, n + 1)."""


def split(values: NDArray[np.int64], n: int, threshold: int) -> tuple[Half, Half]:
    """The low and the high half of ascending `values`, with thresholds for sums >= `threshold`.

    Low against high makes pruning strongest in a tail: there most chosen items are high ones.
    """
    low, high = np.split(values, [values.size // 2])
    return _half(low, high, n, threshold), _half(high, low, n, threshold)


def _half(mine: NDArray[np.int64], other: NDArray[np.int64], n: int, threshold: int) -> Half:
    """A partial sum is kept when the best completion from the rest reaches the threshold."""
    order = np.argsort(-np.abs(mine - mine.sum() // max(mine.size, 1)), kind="stable")
    items = mine[order]
    free = np.ones(mine.size, bool)
    need = np.full((mine.size + 1, n + 1), NEVER, np.int64)
    above = bool(mine.size == 0 or other.size == 0 or mine[-1] > other[0])
    for j in range(mine.size + 1):
        if j:
            free[order[j - 1]] = False
        rest = mine[free][::-1]
        best = _best(*((rest, other[::-1]) if above else (other[::-1], rest)))
        k = np.arange(max(0, n + 1 - best.size), min(j, n) + 1)
        need[j, k] = threshold - best[n - k]
    return Half(items, need)


def _best(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """best[r]: the sum of the r greatest of two descending runs, the first above the second."""
    out = np.zeros(first.size + second.size + 1, np.int64)
    np.cumsum(np.concatenate([first, second]), out=out[1:])
    return out
