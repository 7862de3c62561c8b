"""Exact counts of n-subsets whose sum reaches a threshold, in two halves.

Split the scores in the middle, list every partial sum of each half that can
still reach the threshold, and join the lists for k chosen here and n - k there (Horowitz and Sahni
1974, with the count of chosen items kept apart). About 2**(N/2) partial sums at p = 0.5, about the
square root of the count in a far tail. Lists are kept in ascending order: a list with one more item
is two ascending runs, which a merge sort puts together in the time of a copy.

Scores on a lattice of few steps are counted by their sums, as the coefficients of a polynomial;
scores of few distinct values by how many of each are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import comb
from operator import mul

import numpy as np

from eatlas.stats.permutation.problem import Integers

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

Lists = dict[int, Integers]
"""Partial sums by the number of items chosen; numbers without any are left out."""


def count_at_least(
    values: Integers, n: int, thresholds: Sequence[int], states: int
) -> list[int] | None:
    """Number of n-subsets with sum >= t, for each t; None beyond so many partial sums of a half."""
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
    low, high = np.split(values, [values.size // 2])
    halves: list[Half] = []
    for mine, others in ((low, high), (high, low)):
        half = _grown(mine, others, n, min(ts), states)
        if half is None:
            return None
        halves.append(half)
    return _join(halves[0], halves[1], n, ts)


def _singles(values: Integers, t: int) -> int:
    return int(np.count_nonzero(values >= t))


def _couples(values: Integers, t: int) -> int:
    """Ordered pairs by bisection, less each item with itself, halved."""
    reach = int((values.size - np.searchsorted(values, t - values)).sum())
    return (reach - int(np.count_nonzero(2 * values >= t))) // 2


@dataclass(frozen=True)
class Half:
    """Partial sums of one half; those with its last item are made where they are needed."""

    lists: Lists
    """Sums of all items but the last."""
    last: int
    need: Integers
    """What sums of k items, the last among them, must reach."""
    held: tuple[int, ...]
    """What the last item adds where it is held back: nothing, or itself; else nothing alone."""

    @property
    def numbers(self) -> range:
        """Numbers of items that sums may have."""
        return range(min(self.lists, default=0), max(self.lists, default=-2) + 2)

    def sums(self, k: int) -> Integers:
        """Sums of k items, ascending, with those that take the last item unless it is held back."""
        if len(self.held) > 1:
            return self.lists.get(k, NONE)
        return _one_more(self.lists, k, self.last, self.need)


def _needs(mine: Integers, others: Integers, n: int, threshold: int) -> tuple[Integers, Integers]:
    """Items of a half, and what k of the first j must sum to: the best rest reaches the threshold.

    Items far from the half's mean come first: they decide early, so pruning bites early.
    """
    order = np.argsort(-np.abs(mine - mine.sum() // max(mine.size, 1)), kind="stable")
    free = np.ones(mine.size, bool)
    need = np.full((mine.size + 1, n + 1), NEVER, np.int64)
    above = bool(mine.size == 0 or others.size == 0 or mine[-1] > others[0])
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


def _grown(mine: Integers, others: Integers, n: int, threshold: int, states: int) -> Half | None:
    """The sums of k items but the last that can still matter, ascending; None beyond `states`."""
    items, needs = _needs(mine, others, n, threshold)
    lists: Lists = {0: np.zeros(1, np.int64)}
    size = 1
    for item, need in zip(items[:-1].tolist(), needs[1:-1], strict=True):
        longer: Lists = {}
        for k in range(max(lists, default=-1) + 1, min(lists, default=0) - 1, -1):
            sums = _one_more(lists, k, item, need)
            lists.pop(k, None)  # its sums are in the new ones
            if sums.size:
                longer[k] = sums
        lists, size = longer, sum(sums.size for sums in longer.values())
        if size > states:
            return None
    last = int(items[-1])
    return Half(lists, last, needs[-1], (0,) if size <= EXTENDED else (0, last))


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


def _join(low: Half, high: Half, n: int, thresholds: list[int]) -> list[int]:
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
                pairs = _pairs(short, long, [t - first - second for t in thresholds])
                counts = [sum(both) for both in zip(counts, pairs, strict=True)]
        high.lists.pop(n - k, None)
    return counts


def _pairs(short: Integers, long: Integers, thresholds: list[int]) -> list[int]:
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
        index = near.searchsorted(least - part)
        counts[lowest] -= int(index.sum())
        # thresholds mostly differ by the tie tolerance: few indices move from one to the next
        for i in others:
            wanted = thresholds[i] - part
            moved = np.flatnonzero(near.take(index, mode="clip") < wanted)
            index[moved] = near.searchsorted(wanted[moved])
            counts[i] -= int(index.sum())
    return counts


Steps = tuple[Integers, list[int]]
"""Ascending whole numbers, and thresholds of their sums."""

CLEARANCE = 4
"""A step must exceed CLEARANCE * N * tolerance, so that no decision, not even the two-sided one
(mirror images meet at multiples of step / N), depends on the noise."""
NOISE = 32
"""A remainder is noise up to this many times the tolerance of one term."""
DIGIT_BITS = 30
"""Bits in one digit of a Python integer: the unit of work."""
SHIFT_COST = 150
"""Digits that could be added in the time of starting one shift and one addition."""


def on_lattice(values: Integers, n: int, thresholds: Sequence[int], tolerance: int) -> Steps | None:
    """The same question in whole lattice steps; None off any lattice.

    The step is an approximate greatest common divisor of the distances from the least score. The
    answer is the same one: no residual takes a sum across a threshold.
    """
    offsets = values - values[0]
    noise = NOISE * 2 * (tolerance // values.size + 1)
    distinct = offsets[1:][offsets[1:] != offsets[:-1]]
    floor = CLEARANCE * values.size * (tolerance + 1)
    step = common_step(distinct[distinct > noise].tolist(), noise, floor)
    if step is None:
        return None
    steps = np.rint(offsets / step).astype(np.int64)
    steps //= np.gcd.reduce(steps)
    moved = in_steps(values, steps, n, thresholds)
    return None if moved is None else (steps, moved)


def common_step(distances: Sequence[float], noise: float, floor: float) -> float | None:
    """Euclid's algorithm on ascending noisy multiples of one step."""
    step = float(distances[0]) if distances else 0.0
    for distance in distances:
        multiple = _multiple(float(distance), step, noise, floor)
        if multiple is None:
            return None
        step = distance / multiple
    return step or None


def _multiple(distance: float, step: float, noise: float, floor: float) -> int | None:
    """How many times the common divisor of both fits into `distance`; None below `floor`.

    Each remainder is u * distance + v * step with whole u, v, so its noise is at most
    (|u| + |v|) * noise; one that vanishes says distance : step = |v| : |u|.
    """
    (a, ua, va), (b, ub, vb) = (distance, 1, 0), (step, 0, 1)
    while abs(b) > noise and abs(b) >= floor:
        quotient = round(a / b)
        rest, u, v = a - quotient * b, ua - quotient * ub, va - quotient * vb
        if abs(rest) <= min(noise * (abs(u) + abs(v)), abs(b) / 8):
            return abs(v)
        (a, ua, va), (b, ub, vb) = (b, ub, vb), (rest, u, v)
    return None


def in_steps(
    values: Integers, steps: Integers, n: int, thresholds: Sequence[int]
) -> list[int] | None:
    """The least sums of `n` steps whose sums of values reach the thresholds.

    A sum of n values is n w_0 + step K + E, with K the sum of the steps and E between the least
    and the greatest sum of n residuals. None where E decides for some K; in integers throughout.
    """
    first, count = int(values[0]), int(steps[-1])
    reach = int(values[-1]) - first
    residuals = sorted(
        (int(x) - first) * count - int(k) * reach for x, k in zip(values, steps, strict=True)
    )
    least, greatest = sum(residuals[:n]), sum(residuals[-n:])
    above = [(t - n * first) * count for t in thresholds]
    low = [-((greatest - x) // reach) for x in above]
    return low if low == [-((least - x) // reach) for x in above] else None


def lattice_cost(values: Integers, n: int) -> float:
    """Digits to be added, about 1.2 ns each."""
    cost = 0.0
    for half in np.split(values, [values.size // 2]):
        k = np.arange(min(half.size, n) + 1)
        up = np.concatenate([[0.0], np.cumsum(half, dtype=np.float64)])
        width = (up[-1] - up[half.size - k]) - up[k] + 1
        digits = width * (half.size + 8) / DIGIT_BITS
        cost += float(((digits + SHIFT_COST) * (half.size - k)).sum())
    return cost


def count_on_lattice(values: Integers, n: int, thresholds: Sequence[int]) -> list[int]:
    """The number of n-subsets of ascending whole numbers with sum >= t, for each threshold t."""
    low, high = (half.tolist() for half in np.split(values, [values.size // 2]))
    below, above = _packed(low, n), _packed(high, n)
    first_low, first_high = ([0, *accumulate(half)] for half in (low, high))
    counts = [0] * len(thresholds)
    for k in range(max(0, n - len(high)), min(len(low), n) + 1):
        weights = _unpacked(below[k], _width(low))
        reach = [0, *accumulate(reversed(_unpacked(above[n - k], _width(high))))]
        top = first_low[k] + first_high[n - k] + len(reach) - 1
        for i, t in enumerate(thresholds):
            counts[i] += _joined(weights, reach, top - t)
    return counts


def _joined(weights: list[int], reach: list[int], room: int) -> int:
    """Sum over x of weights[x] * reach[room + x].

    reach[m] counts the m greatest sums: 0 below its first entry, and its last one above it.
    """
    last = len(reach) - 1
    start = min(max(0, -room), len(weights))
    stop = min(max(start, last - room), len(weights))
    part = sum(map(mul, weights[start:stop], reach[room + start : room + stop]))
    return int(part) + reach[last] * sum(weights[stop:])


def _width(items: list[int]) -> int:
    """Bytes kept for one coefficient: more than any count of subsets needs."""
    return len(items) // 8 + 1


def _packed(items: list[int], n: int) -> list[int]:
    """[k]: the polynomial of k-subsets of ascending items, by how far a sum exceeds the least."""
    width, most = 8 * _width(items), min(len(items), n)
    packed = [1] + [0] * most
    for j, item in enumerate(items):
        for k in range(min(j + 1, most), 0, -1):
            packed[k] += packed[k - 1] << (width * (item - items[k - 1]))
    return packed


def _unpacked(packed: int, size: int) -> list[int]:
    """The coefficients of a packed polynomial, `size` bytes each."""
    raw = packed.to_bytes((packed.bit_length() // 8 // size + 1) * size, "little")
    return [int.from_bytes(raw[i : i + size], "little") for i in range(0, len(raw), size)]


MOST_LEVELS = 128
"""Distinct values of which one half alone has 2**64 compositions or more."""
MOST_SCORES = 4096
"""Binomials of more scores have more than a thousand digits, and take milliseconds each."""
FEWER = 8
"""A composition costs more than a plain partial sum: there must be so many times fewer."""


def count_by_levels(
    values: Integers, n: int, thresholds: Sequence[int], most: int
) -> list[int] | None:
    """Count by how many of each distinct value are chosen; None beyond `most` ways for a half."""
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    if values.size > MOST_SCORES or first.size > MOST_LEVELS:
        return None
    levels = zip(values[first].tolist(), np.diff(first, append=values.size).tolist(), strict=True)
    halves: tuple[list[tuple[int, int]], ...] = ([], [])
    ways = [1, 1]
    for level in sorted(levels, key=lambda x: -x[1]):  # about as many ways in both halves
        side = int(ways[1] < ways[0])
        halves[side].append(level)
        ways[side] *= level[1] + 1
    if max(ways) > most or max(ways) * FEWER > 1 << min(values.size // 2, 60):
        return None
    small, large = (_compositions(half, n) for half in halves)
    least, greatest = int(values[:n].sum()), int(values[values.size - n :].sum())
    counts = [0] * len(thresholds)
    for k in range(n + 1):
        sums, others = sorted(small[k]), sorted(large[n - k])
        weights = [small[k][x] for x in sums]
        reach = [0, *accumulate(large[n - k][x] for x in reversed(others))][::-1]
        for i, t in enumerate(min(max(t, least), greatest + 1) for t in thresholds):
            index = np.searchsorted(np.array(others, np.int64), t - np.array(sums, np.int64))
            counts[i] += sum(map(mul, weights, map(reach.__getitem__, index.tolist())))
    return counts


def _compositions(levels: list[tuple[int, int]], n: int) -> list[dict[int, int]]:
    """[k]: in how many ways each sum of k scores arises, of up to n scores of some levels."""
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(n))]
    for value, frequency in levels:
        longer: list[dict[int, int]] = [{} for _ in range(n + 1)]
        for k, sums in enumerate(ways):
            for c in range(min(frequency, n - k) + 1 if sums else 0):
                more, into = comb(frequency, c), longer[k + c]
                for x, count in sums.items():
                    into[x + c * value] = into.get(x + c * value, 0) + count * more
        ways = longer
    return ways
