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
"""Partial sums of a half beyond which it pays to look where halves of equal lists meet."""
GROWTH = 1.7
"""About how many times as many partial sums there are with one more item."""
FARTHEST = 4
"""Items from the middle at which halves meet at most."""
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
    halves = _halves(values, values.size // 2, n, min(ts), min(states, FEW), 1.0)
    if halves is None:
        halves = _halves(values, _middle(values, n, min(ts)), n, min(ts), states, foreseen)
    if halves is None:
        return None
    (lows, low_item, low_need), (highs, high_item, high_need) = halves
    counts = np.zeros(len(ts), np.int64)
    for k in range(min(lows, default=0), max(lows, default=-2) + 2):
        sums = _one_more(lows, k, low_item, low_need)
        rest = _one_more(highs, n - k, high_item, high_need)
        lows.pop(k - 1, None)  # used up, as are those of more than n - k items
        highs.pop(n - k, None)
        short, long = sorted((sums, rest), key=len)
        if short.size:
            counts += _pairs(short, long, ts)
    exact: list[int] = counts.tolist()
    return exact


def _singles(values: Integers, t: int) -> int:
    return int(np.count_nonzero(values >= t))


def _couples(values: Integers, t: int) -> int:
    """Ordered pairs by bisection, less each item with itself, halved."""
    reach = int((values.size - np.searchsorted(values, t - values)).sum())
    return (reach - int(np.count_nonzero(2 * values >= t))) // 2


def _needs(mine: Integers, others: Integers, n: int, threshold: int) -> tuple[Integers, Integers]:
    """Items of a half, and what k of the first j must sum to: the best rest reaches the threshold.

    Items far from where the n greatest begin come first. In a tail they are nearly all in or nearly
    all out, so that lists stay short until the last ones.
    """
    above = bool(mine.size == 0 or others.size == 0 or mine[-1] > others[0])
    ascending = np.concatenate((others, mine) if above else (mine, others))
    order = np.argsort(-np.abs(mine - ascending[ascending.size - n]), kind="stable")
    free = np.ones(mine.size, bool)
    need = np.full((mine.size + 1, n + 1), NEVER, np.int64)
    for j in range(mine.size + 1):
        if j:
            free[order[j - 1]] = False
        rest = mine[free][::-1]
        # the r greatest of what is left, of two descending runs
        best = np.zeros(rest.size + others.size + 1, np.int64)
        runs = (rest, others[::-1]) if above else (others[::-1], rest)
        np.cumsum(np.concatenate(runs), out=best[1:])
        k = np.arange(max(0, n + 1 - best.size), min(j, n) + 1)
        need[j, k] = threshold - best[n - k]
    return mine[order], need


def _grow(items: Integers, needs: Integers) -> Iterator[tuple[Lists, int, float]]:
    """The sums of k of the first items that can still matter, ascending, item by item.

    With their number, and that to be expected of all items but the last: as many more for each of
    the others as for this one.
    """
    lists: Lists = {0: np.zeros(1, np.int64)}
    size = 1
    yield lists, size, 0.0
    for left, item, need in zip(
        range(items.size - 2, -1, -1), items[:-1].tolist(), needs[1:-1], strict=True
    ):
        longer: Lists = {}
        for k in range(max(lists, default=-1) + 1, min(lists, default=0) - 1, -1):
            sums = _one_more(lists, k, item, need)
            lists.pop(k, None)  # its sums are in the new ones
            if sums.size:
                longer[k] = sums
        before, lists, size = size, longer, sum(sums.size for sums in longer.values())
        yield lists, size, size * (size / before) ** left if size > STEADY else 0.0


def _halves(
    values: Integers, middle: int, n: int, threshold: int, states: int, foreseen: float
) -> tuple[Half, Half] | None:
    """The sums of both halves, of all items but the last; None where they are too many."""
    halves: list[Half] = []
    for mine, others in _sides(values, middle):
        items, needs = _needs(mine, others, n, threshold)
        for lists, size, expected in _grow(items, needs):  # noqa: B007
            if size > states or expected > foreseen * states:
                return None
        halves.append((lists, int(items[-1]), needs[-1]))
    return halves[0], halves[1]


def _sides(values: Integers, middle: int) -> tuple[tuple[Integers, Integers], ...]:
    """Each half, and the other one."""
    low, high = np.split(values, [middle])
    return (low, high), (high, low)


def _middle(values: Integers, n: int, threshold: int) -> int:
    """Where halves of about as many partial sums meet, as far as these are many."""
    middle, expected = values.size // 2, []
    for mine, others in _sides(values, middle):
        growth = _grow(*_needs(mine, others, n, threshold))
        expected.append(next((many for *_, many in growth if many), 0.0))
    if not all(expected):
        return middle
    # an item that changes sides makes one half smaller, and the other greater
    items = round(math.log(expected[1] / expected[0]) / (2 * math.log(GROWTH)))
    return middle + min(max(items, -FARTHEST), FARTHEST)


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


def _pairs(short: Integers, long: Integers, thresholds: list[int]) -> Integers:
    """The number of pairs that reach each threshold; both lists are ascending."""
    counts = np.zeros(len(thresholds), np.int64)
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
