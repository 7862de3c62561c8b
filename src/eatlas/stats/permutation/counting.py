"""Exact counts of n-subsets whose sum reaches a threshold, in two halves.

Split the scores in the middle, list every partial sum of each half that can
still reach the threshold, and join the lists for k chosen here and n - k there (Horowitz and Sahni
1974, with the count of chosen items kept apart). About 2**(N/2) partial sums at p = 0.5, about the
square root of the count in a far tail. Lists are retained in ascending order: a list with one more
item is two ascending runs, which a merge sort puts together in the time of a copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from eatlas.stats.permutation.problem import Integers

NEVER = int(np.iinfo(np.int64).max)
"""A threshold no partial sum reaches: with so many chosen, n can no longer be met."""
TABLE_CELLS = 1 << 23
"""Thresholds are tabled for each item and each number chosen; a larger table is refused."""
TOGETHER = 1 << 14
"""Sums of the shorter list that are looked up together, in the part of the longer one where they
may end: few enough to stay in the first caches."""
STEADY = 20_000
"""Of so many partial sums, the last item says how fast they grow: in 69 halves of 36 to 400 items
their final number was 1.3 times smaller than foreseen at most, in two of skewed scores 4 and 5."""
FEW = 1 << 20
"""Partial sums of a half beyond which most belong to few subsets, so that it pays to leave them
out."""
LOOKUP = 0.7
"""How much longer it takes to look a sum up than to have one more in a list."""
CALL = 1_000
"""Sums that are looked up in the time that the call for one list takes."""
NONE = np.empty(0, np.int64)

Lists = dict[int, Integers]
"""Partial sums by the number of items chosen; numbers without any are left out."""
Half = tuple[Lists, int, Integers]
"""Sums of all items of a half but the last, which halves the memory; the last; and what sums of k
items, the last among them, must reach."""


def count_at_least(
    values: Integers, n: int, thresholds: Sequence[int], states: int, foreseen: float = math.inf
) -> list[int] | None:
    """Number of n-subsets with sum >= t, for each t; None beyond so many partial sums of a half.

    None too as soon as `foreseen` times as many are to be expected.
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
    # low against high makes pruning strongest in a tail: there most chosen items are high ones
    halves = _halves(values, n, min(ts), min(states, FEW))
    if halves is None:
        return _count_from_tops(values, n, ts, states, foreseen)
    (lows, low_item, low_need), (highs, high_item, high_need) = halves
    counts = np.zeros(len(ts), np.int64)
    for k in range(min(lows, default=0), max(lows, default=-2) + 2):
        sums = _one_more(lows, k, low_item, low_need)
        rest = _one_more(highs, n - k, high_item, high_need)
        lows.pop(k - 1, None)  # used up, as are those of more than n - k items
        highs.pop(n - k, None)
        counts += _pairs(sums, rest, ts)
    exact: list[int] = counts.tolist()
    return exact


def _count_from_tops(
    values: Integers, n: int, thresholds: list[int], states: int, foreseen: float
) -> list[int] | None:
    """Count subsets with the sum of one half near its greatest, and those with the other's.

    Where halves are far from the greatest sums, most partial sums belong to few subsets: their
    other half must be at its greatest. So at least one half lacks at most half of what the least
    threshold leaves below the greatest sum. The few sums of this half are looked up in a list of
    the other that the last items are left out of, once for every subset of these. Subsets of which
    both halves lack so little are counted twice, so they are subtracted.
    """
    middle = values.size // 2
    low, high = values[:middle], values[middle:]
    tops: list[Lists] = []
    for mine, cuts in zip((low, high), _cuts(low, high, n, min(thresholds)), strict=True):
        top = _grow_all(*_needs(mine, values[values.size - n], cuts), states, foreseen)
        if top is None:
            return None
        tops.append(top)
    counts = np.zeros(len(thresholds), np.int64)
    for k, sums in tops[0].items():
        counts -= _pairs(sums, tops[1].get(n - k, NONE), thresholds)
    for top, mine, others in ((tops[0], high, low), (tops[1], low, high)):
        items, needs = _needs_to_reach(mine, others, n, min(thresholds))
        grown = _grow_until(items, needs, _cost(top), states, foreseen)
        if grown is None:
            return None
        lists, left = grown
        for chosen in range(left + 1):
            for some in combinations(items[items.size - left :].tolist(), chosen):
                reached = [t - sum(some) for t in thresholds]
                for k, sums in top.items():
                    counts += _pairs(sums, lists.get(n - k - chosen, NONE), reached)
    exact: list[int] = counts.tolist()
    return exact


def _cost(top: Lists) -> float:
    """What it costs to look all sums of a half up, in sums that are added to a list."""
    return LOOKUP * sum(sums.size + CALL for sums in top.values())


def _cuts(low: Integers, high: Integers, n: int, threshold: int) -> tuple[Integers, Integers]:
    """Where the sums of each half are cut, by the number of its items."""
    best_low, best_high = _best(low), _best(high)
    lows, highs = np.full((2, n + 1), NEVER, np.int64)
    k = np.arange(max(0, n - high.size), min(n, low.size) + 1)
    spare = best_low[k] + best_high[n - k] - threshold
    k, spare = k[spare >= 0], spare[spare >= 0]
    lows[k] = best_low[k] - spare // 2
    highs[n - k] = threshold - lows[k]
    return lows, highs


def _best(ascending: Integers) -> Integers:
    """The greatest sum of 0, 1, 2, ... items."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(ascending[::-1])))


def _singles(values: Integers, t: int) -> int:
    return int(np.count_nonzero(values >= t))


def _couples(values: Integers, t: int) -> int:
    """Ordered pairs by bisection, less each item with itself, halved."""
    reach = int((values.size - np.searchsorted(values, t - values)).sum())
    return (reach - int(np.count_nonzero(2 * values >= t))) // 2


def _needs_to_reach(
    mine: Integers, others: Integers, n: int, threshold: int
) -> tuple[Integers, Integers]:
    """The needs of sums of items that reach a threshold with the best of others."""
    best = _best(others)
    ends = np.full(n + 1, NEVER, np.int64)
    k = np.arange(max(0, n - others.size), n + 1)
    ends[k] = threshold - best[n - k]
    above = bool(mine.size == 0 or others.size == 0 or mine[-1] > others[0])
    ascending = np.concatenate((others, mine) if above else (mine, others))
    return _needs(mine, int(ascending[ascending.size - n]), ends)


def _needs(mine: Integers, border: int, ends: Integers) -> tuple[Integers, Integers]:
    """Items, and what a sum of k of the first j must be: with others it reaches an end.

    The ends are what sums of k items must reach. Items far from a border, where the n greatest
    begin, come first. In a tail they are nearly all in or nearly all out, so that lists stay short
    until the last ones.
    """
    items = mine[np.argsort(-np.abs(mine - border), kind="stable")]
    need = np.empty((items.size + 1, ends.size), np.int64)
    need[-1] = ends
    for j in range(items.size - 1, -1, -1):
        later = need[j + 1]
        need[j] = later
        chosen = np.where(later[1:] == NEVER, NEVER, later[1:] - items[j])
        np.minimum(later[:-1], chosen, out=need[j, :-1])
    return items, need


def _grow(items: Integers, needs: Integers) -> Iterator[tuple[Lists, int, float, int]]:
    """The sums of k of the first items that can still matter, ascending, item by item.

    With their number, how many times as many they are as before (0 of few, which do not say how it
    goes on), and how many items are left. The last item stays out.
    """
    lists: Lists = {0: np.zeros(1, np.int64)}
    size = 1
    yield lists, size, 0.0, items.size
    for left, item, need in zip(
        range(items.size - 1, 0, -1), items[:-1].tolist(), needs[1:-1], strict=True
    ):
        longer: Lists = {}
        for k in range(max(lists, default=-1) + 1, min(lists, default=0) - 1, -1):
            sums = _one_more(lists, k, item, need)
            lists.pop(k, None)  # its sums are in the new ones
            if sums.size:
                longer[k] = sums
        before, lists, size = size, longer, sum(sums.size for sums in longer.values())
        yield lists, size, size / before if size > STEADY else 0.0, left


def _halves(values: Integers, n: int, threshold: int, states: int) -> tuple[Half, Half] | None:
    """The sums of both halves, of all items but the last; None where they are too many."""
    low, high = np.split(values, [values.size // 2])
    halves: list[Half] = []
    for mine, others in ((low, high), (high, low)):
        items, needs = _needs_to_reach(mine, others, n, threshold)
        lists = _grow_within(items, needs, states, 1.0)
        if lists is None:
            return None
        halves.append((lists, int(items[-1]), needs[-1]))
    return halves[0], halves[1]


def _grow_within(items: Integers, needs: Integers, states: int, foreseen: float) -> Lists | None:
    """The sums of all items but the last; None where they are too many, or are expected to be."""
    for lists, size, growth, left in _grow(items, needs):  # noqa: B007
        if size > states or size * growth ** (left - 1) > foreseen * states:
            return None
    return lists


def _grow_all(items: Integers, needs: Integers, states: int, foreseen: float) -> Lists | None:
    """The sums of all items; None where they are too many."""
    lists = _grow_within(items, needs, states, foreseen)
    if lists is None:
        return None
    last, need = int(items[-1]), needs[-1]
    numbers = range(min(lists, default=0), max(lists, default=-2) + 2)
    return {k: sums for k in numbers if (sums := _one_more(lists, k, last, need)).size}


def _grow_until(
    items: Integers, needs: Integers, cost: float, states: int, foreseen: float
) -> tuple[Lists, int] | None:
    """Sums of the first items, as many as it costs to look something up for each subset of others.

    With the number of the other items; None where the sums are too many, or are expected to be.
    """
    for lists, size, growth, left in _grow(items, needs):  # noqa: B007
        times = cost * 2.0**left / max(size, 1)
        if times <= 1:
            break
        if size > states:
            return None
        if growth and size * growth ** (math.log(times) / math.log(2 * growth)) > foreseen * states:
            return None
    return lists, left


def _one_more(lists: Lists, k: int, item: int, need: Integers) -> Integers:
    """The k-sums with and without one more item that can still matter, ascending."""
    if not 0 <= k < need.size or need[k] == NEVER:
        return NONE
    without, before = lists.get(k, NONE), lists.get(k - 1, NONE)
    without = without[without.searchsorted(need[k]) :]
    before = before[before.searchsorted(need[k] - item) :]
    if not before.size:
        return without
    both = np.empty(without.size + before.size, np.int64)
    both[: without.size] = without
    np.add(before, item, out=both[without.size :])
    if without.size:
        both.sort(kind="stable")  # two ascending runs: one merge
    return both


def _pairs(first: Integers, second: Integers, thresholds: list[int]) -> Integers:
    """The number of pairs that reach each threshold; both lists are ascending."""
    counts = np.zeros(len(thresholds), np.int64)
    short, long = sorted((first, second), key=len)
    if not short.size:
        return counts
    least, most = min(thresholds), max(thresholds)
    for end in range(short.size, 0, -TOGETHER):
        part = short[max(0, end - TOGETHER) : end][::-1]
        start = int(long.searchsorted(least - part[0]))
        near = long[start : int(long.searchsorted(most - part[-1]))]
        counts += part.size * (long.size - start)
        if not near.size:
            continue
        lowest, *others = sorted(range(len(thresholds)), key=thresholds.__getitem__)
        index = near.searchsorted(least - part)
        counts[lowest] -= int(index.sum())
        # thresholds mostly differ by the tie tolerance: few indices move from one to the next
        for i in others:
            wanted = thresholds[i] - part
            moved = np.flatnonzero(near.take(index, mode="clip") < wanted)
            index[moved] = near.searchsorted(wanted[moved])
            counts[i] -= int(index.sum())
    return counts
