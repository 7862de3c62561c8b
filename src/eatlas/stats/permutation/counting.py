"""Exact counts of n-subsets whose sum reaches a threshold, in two halves.

Split the scores in the middle, list every partial sum of each half that can
still reach the threshold, and join the lists for k chosen here and n - k there (Horowitz and Sahni
1974, with the count of chosen items kept apart). About 2**(N/2) partial sums at p = 0.5, about the
square root of the count in a far tail. Lists are kept in ascending order: a list with one more item
is two ascending runs, which a merge sort puts together in the time of a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

NEVER = int(np.iinfo(np.int64).max)
"""A threshold no partial sum reaches: with so many chosen, n can no longer be met."""
EXTENDED = 1 << 22
"""Up to this many partial sums of all items of a half but the last, that is added as well. Beyond,
it is held back, which halves the memory, and the join tries it in and out instead."""
TABLE_CELLS = 1 << 23
"""Thresholds are tabled for each item and each number chosen; a larger table is refused."""
TOGETHER = 1 << 14
"""Sums of the shorter list that are looked up together, in the part of the longer one where they
may end: few enough to stay in the first caches."""
NONE = np.empty(0, np.int64)

Lists = dict[int, NDArray[np.int64]]
"""Partial sums by the number of items chosen; numbers without any are left out."""


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


def count_at_least(
    values: NDArray[np.int64], n: int, thresholds: Sequence[int], states: int
) -> list[int] | None:
    """The number of n-subsets with sum >= t, for each t of `thresholds`."""
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
    grown: list[Grown] = []
    for half in split(values, n, min(ts)):
        lists = _grow(half, states)
        if lists is None:
            return None
        last = int(half.items[-1])
        held = (0,) if _size(lists) <= EXTENDED else (0, last)
        grown.append(Grown(lists, last, half.need[-1], held))
    low, high = grown
    return _join(low, high, n, ts)


def _singles(values: NDArray[np.int64], t: int) -> int:
    return int(np.count_nonzero(values >= t))


def _couples(values: NDArray[np.int64], t: int) -> int:
    """Ordered pairs by bisection, less each item with itself, halved."""
    reach = int((values.size - np.searchsorted(values, t - values)).sum())
    return (reach - int(np.count_nonzero(2 * values >= t))) // 2


def _grow(half: Half, states: int) -> Lists | None:
    """The sums of k items but the last that can still matter, ascending; None beyond `states`."""
    lists: Lists = {0: np.zeros(1, np.int64)}
    for item, need in zip(half.items[:-1].tolist(), half.need[1:-1], strict=True):
        lists = _extended(lists, item, need)
        if _size(lists) > states:
            return None
    return lists


def _size(lists: Lists) -> int:
    return sum(some.size for some in lists.values())


def _extended(lists: Lists, item: int, need: NDArray[np.int64]) -> Lists:
    """Every list with and without one more item, less what can no longer matter.

    Lists are let go as soon as their sums are in the new ones.
    """
    out: Lists = {}
    for k in range(max(lists, default=-1) + 1, min(lists, default=0) - 1, -1):
        some = _one_more(lists, k, item, need)
        lists.pop(k, None)
        if some.size:
            out[k] = some
    return out


def _one_more(lists: Lists, k: int, item: int, need: NDArray[np.int64]) -> NDArray[np.int64]:
    """The k-sums with and without one more item, ascending."""
    if not 0 <= k < need.size or need[k] == NEVER:
        return NONE
    without = _from(lists.get(k, NONE), need[k])
    before = _from(lists.get(k - 1, NONE), need[k] - item)
    if not before.size:
        return without
    both = np.empty(without.size + before.size, np.int64)
    both[: without.size] = without
    np.add(before, item, out=both[without.size :])
    if without.size:
        both.sort(kind="stable")  # two ascending runs: one merge
    return both


def _from(ascending: NDArray[np.int64], least: np.int64) -> NDArray[np.int64]:
    return ascending[ascending.searchsorted(least) :]


@dataclass(frozen=True)
class Grown:
    """Partial sums of one half; those with its last item are made where they are needed."""

    lists: Lists
    """Sums of all items but the last."""
    last: int
    need: NDArray[np.int64]
    """What sums of k items, the last among them, must reach."""
    held: tuple[int, ...]
    """What the last item adds where it is held back: nothing, or itself; else nothing alone."""

    @property
    def numbers(self) -> range:
        """Numbers of items that sums may have."""
        return range(min(self.lists, default=0), max(self.lists, default=-2) + 2)

    def sums(self, k: int) -> NDArray[np.int64]:
        """Sums of k items, ascending, with those that take the last item unless it is held back."""
        if len(self.held) > 1:
            return self.lists.get(k, NONE)
        return _one_more(self.lists, k, self.last, self.need)


def _join(low: Grown, high: Grown, n: int, thresholds: list[int]) -> list[int]:
    """Pairs of a k-sum and an (n - k)-sum that reach each threshold, with held items out or in."""
    counts = [0] * len(thresholds)
    for k in low.numbers:
        mine = low.sums(k)
        low.lists.pop(k - 1, None)  # used up, as are those of more than n - k items
        for (with_low, first), (with_high, second) in product(
            enumerate(low.held), enumerate(high.held)
        ):
            short, long = sorted((mine, high.sums(n - k - with_low - with_high)), key=len)
            if short.size:
                found = _pairs(short, long, [t - first - second for t in thresholds])
                counts = [sum(both) for both in zip(counts, found, strict=True)]
        high.lists.pop(n - k, None)
    return counts


def _pairs(short: NDArray[np.int64], long: NDArray[np.int64], thresholds: list[int]) -> list[int]:
    """The number of pairs that reach each threshold; both lists are ascending."""
    counts = [0] * len(thresholds)
    least, most = min(thresholds), max(thresholds)
    for end in range(short.size, 0, -TOGETHER):
        part = short[max(0, end - TOGETHER) : end][::-1]
        start = int(long.searchsorted(least - part[0]))
        near = long[start : int(long.searchsorted(most - part[-1]))]
        counts = [count + part.size * (long.size - start) for count in counts]
        if not near.size:
            continue
        lowest, *others = sorted(range(len(thresholds)), key=thresholds.__getitem__)
        place = near.searchsorted(least - part)
        counts[lowest] -= int(place.sum())
        # thresholds mostly differ by the tie tolerance: few places move from one to the next
        for i in others:
            wanted = thresholds[i] - part
            moved = np.flatnonzero(near.take(place, mode="clip") < wanted)
            place[moved] = near.searchsorted(wanted[moved])
            counts[i] -= int(place.sum())
    return counts
