"""Exact counts of n-subsets whose sum reaches a threshold: pruned meet-in-the-middle.

Split the scores in two halves, list every partial sum of each half that can still reach the
threshold, and join the lists for k chosen here and n - k there (Horowitz and Sahni 1974, with
the count of chosen items kept apart). About 2**(N/2) partial sums at p = 0.5, about the square
root of the count in a far tail.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.halves import NEVER, Half, split

NUMPY_STATES = 1 << 19
"""Up to this many partial sums in a half numpy is quicker (40 ms) than loading compiled code (a
second, and several the first time)."""
TABLE_CELLS = 1 << 23
"""Thresholds are tabled for each item and each number chosen; a larger table is refused."""

Lists = dict[int, NDArray[np.int64]]
"""Partial sums by the number of items chosen; numbers without any are left out."""


def count_at_least(
    values: NDArray[np.int64], n: int, thresholds: Sequence[int], states: int
) -> list[int] | None:
    """The number of n-subsets with sum >= t, for each t of `thresholds`.

    Parameters
    ----------
    values
        Ascending integers, shape (N,), sum of magnitudes below 2**61.
    n
        Size of the subsets, 1 <= n <= N/2.
    thresholds
        Whole numbers of any size.
    states
        The most partial sums to keep for one half.

    Returns
    -------
    list of int or None
        None when more partial sums than `states` survive; which of the two depends on the
        numbers alone, never on what is compiled.

    Examples
    --------
    >>> count_at_least(np.array([1, 2, 3, 4]), 2, [5, 7], 1 << 20)
    [4, 1]
    """
    least, greatest = int(values[:n].sum()), int(values[values.size - n :].sum())
    ts = [min(max(int(t), least), greatest + 1) for t in thresholds]
    if n <= 2:
        return [(_singles if n == 1 else _couples)(values, t) for t in ts]
    # without the greatest sum, which one subset alone has where this lies below it
    second = greatest - int(values[values.size - n] - values[values.size - n - 1])
    if all(t > second for t in ts):
        return [int(t <= greatest) for t in ts]
    if values.size * (n + 1) > TABLE_CELLS:
        return None
    low, high = split(values, n, min(ts))
    quick = min(NUMPY_STATES, states)
    lists = _grow(low, quick), _grow(high, quick)
    if lists[0] is not None and lists[1] is not None:
        return _join(lists[0], lists[1], n, ts)
    if states <= NUMPY_STATES:
        return None
    return _compiled(low, high, n, ts, states)


def _singles(values: NDArray[np.int64], t: int) -> int:
    return int(np.count_nonzero(values >= t))


def _couples(values: NDArray[np.int64], t: int) -> int:
    """Ordered pairs by bisection, less each item with itself, halved."""
    reach = int((values.size - np.searchsorted(values, t - values)).sum())
    return (reach - int(np.count_nonzero(2 * values >= t))) // 2


def _grow(half: Half, states: int) -> Lists | None:
    """The sums of k items that can still matter, in no order; None beyond `states`."""
    lists: Lists = {0: np.zeros(1, np.int64)}
    for item, need in zip(half.items, half.need[1:], strict=True):
        lists = _extended(lists, item, need)
        if sum(x.size for x in lists.values()) > states:
            return None
    return lists


def _extended(lists: Lists, item: np.int64, need: NDArray[np.int64]) -> Lists:
    """Every list with and without one more item, less what can no longer matter."""
    out: Lists = {}
    for k in sorted({*lists, *(k + 1 for k in lists)}):
        if k < need.size and need[k] != NEVER:
            parts = [lists[k]] if k in lists else []
            if k - 1 in lists:
                parts.append(lists[k - 1] + item)
            grown = np.concatenate(parts)
            kept = grown[grown >= need[k]]
            if kept.size:
                out[k] = kept
    return out


def _join(low: Lists, high: Lists, n: int, thresholds: list[int]) -> list[int]:
    """Pairs of a k-sum and an (n - k)-sum that reach each threshold, by bisection."""
    counts = [0] * len(thresholds)
    for k in low.keys() & {n - m for m in high}:
        short, long = sorted((low[k], high[n - k]), key=len)
        long = np.sort(long)
        for i, t in enumerate(thresholds):
            counts[i] += short.size * long.size - int(np.searchsorted(long, t - short).sum())
    return counts


def _compiled(
    low: Half, high: Half, n: int, thresholds: list[int], states: int
) -> list[int] | None:
    """The same by merging sorted lists in compiled code, imported only here: it costs 0.4 s."""
    from eatlas.stats.permutation import compiled  # noqa: PLC0415 - heavy, and seldom needed

    return _merge_halves(compiled, low, high, n, thresholds, states)


def _merge_halves(
    kernels: Any, low: Half, high: Half, n: int, thresholds: list[int], states: int
) -> list[int] | None:
    """Build both halves in three shared buffers, all but the last item of each, then join.

    Holding one item back halves the lists; the join tries it in and out instead.
    """
    first, second = np.empty(states, np.int64), np.empty(states, np.int64)
    starts, ends = np.zeros((2, n + 2), np.int64), np.zeros((2, n + 2), np.int64)
    where = kernels.build(low.items[:-1], low.need, first, second, starts[0], ends[0])
    if where < 0:
        return None
    kept, spare = (first, second) if where == 0 else (second, first)
    third = np.empty(states, np.int64)
    where = kernels.build(high.items[:-1], high.need, spare, third, starts[1], ends[1])
    if where < 0:
        return None
    lists = [
        {k: buffer[i:j] for k, (i, j) in enumerate(zip(*limits, strict=True)) if j > i}
        for buffer, limits in (
            (kept, (starts[0], ends[0])),
            (third if where else spare, (starts[1], ends[1])),
        )
    ]
    return _sweep(kernels, lists, (int(low.items[-1]), int(high.items[-1])), n, thresholds)


def _sweep(
    kernels: Any, lists: list[Lists], held: tuple[int, int], n: int, thresholds: list[int]
) -> list[int]:
    """Pairs that reach each threshold, with each of the two held items out or in."""
    counts = [0] * len(thresholds)
    for with_low, with_high in product((0, 1), repeat=2):
        moved = np.array(thresholds, np.int64) - (with_low * held[0] + with_high * held[1])
        for k, a in lists[0].items():
            b = lists[1].get(n - k - with_low - with_high)
            if b is not None:
                counts = [
                    c + int(x) for c, x in zip(counts, kernels.pairs(a, b, moved), strict=True)
                ]
    return counts
