"""Exact counts of n-subsets whose sum reaches a threshold, in two halves.

Split the scores in the middle, list every partial sum of each half that can
still reach the threshold, and join the lists for k chosen here and n - k there (Horowitz and Sahni
1974, with the count of chosen items kept apart). About 2**(N/2) partial sums at p = 0.5, about the
square root of the count in a far tail. Lists are kept in ascending order: a list with one more item
is two ascending runs, which a merge sort puts together in the time of a copy.

Scores on a lattice of few steps, or of few distinct values, are counted by their sums or by how
many of each value are chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from operator import mul

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.problem import Problem

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


Steps = tuple[NDArray[np.int64], list[int]]
"""Ascending whole numbers, and thresholds of their sums."""

CLEARANCE = 4
"""A step must exceed CLEARANCE * N * tolerance, so that no decision, not even the two-sided one
(mirror images meet at multiples of step / N), depends on the noise."""
NOISE = 32
"""A remainder is noise up to this many times the tolerance of one term."""


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


def _different(ascending: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each value once; `numpy.unique` imports masked arrays first, 30 ms."""
    first = np.ones(ascending.size, np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def on_lattice(question: Problem) -> Problem | None:
    """The same question in whole lattice steps, with tolerance 0; None off any lattice.

    The step is an approximate greatest common divisor of the distances from the least score. The
    answer is the same one: residuals may move no sum by more than the tie tolerance, and none of
    them takes a sum across a threshold.
    """
    offsets = question.values - question.values[0]
    distinct = _different(offsets)[1:]
    term = 2 * (question.tolerance // question.values.size + 1)
    floor = CLEARANCE * question.values.size * (question.tolerance + 1)
    distances = distinct[distinct > NOISE * term].tolist()
    step = common_step(distances, NOISE * term, floor)
    if step is None:
        return None
    steps = np.rint(offsets / step).astype(np.int64)
    if not _faithful(question, offsets, steps):
        return None
    steps //= np.gcd.reduce(steps)
    found = Problem(
        values=np.sort(steps),
        n=question.n,
        observed=_observed_steps(question, offsets, steps),
        tolerance=0,
        mirrored=question.mirrored,
        strict=question.strict,
    )
    return found if _thresholds(found) == _moved(question, steps) else None


def _thresholds(question: Problem) -> list[int]:
    """Sums from which on a subset is in the upper, beyond the lower, and beyond the far tail."""
    return [question.at_least, question.below, question.at_most + 1]


def _moved(question: Problem, steps: NDArray[np.int64]) -> list[int] | None:
    return in_steps(question.values, steps, question.n, _thresholds(question))


def in_steps(
    values: NDArray[np.int64], steps: NDArray[np.int64], n: int, thresholds: Sequence[int]
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


def hidden_steps(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> Steps | None:
    """Scores without their outliers in whole steps, with the thresholds; None off any lattice."""
    offsets = values - values[0]
    distinct = _different(offsets)[1:]
    floor = CLEARANCE * values.size
    step = common_step(distinct[distinct > NOISE].tolist(), NOISE, floor)
    if step is None:
        return None
    steps = np.rint(offsets / step).astype(np.int64)
    steps //= np.gcd.reduce(steps)
    moved = in_steps(values, steps, n, thresholds)
    return None if moved is None else (steps, moved)


def _faithful(question: Problem, offsets: NDArray[np.int64], steps: NDArray[np.int64]) -> bool:
    """Whether no sum moves by more than the tolerance when scores become steps; exact."""
    reach, count = int(offsets[-1]), int(steps[-1])
    residuals = sorted(int(x) * count - int(k) * reach for x, k in zip(offsets, steps, strict=True))
    spread = sum(residuals[-question.n :]) - sum(residuals[: question.n])
    clear = reach > CLEARANCE * question.values.size * (question.tolerance + 1) * count
    return clear and spread <= question.tolerance * count


def _observed_steps(question: Problem, offsets: NDArray[np.int64], steps: NDArray[np.int64]) -> int:
    """The observed sum in steps: it is within the tolerance of a whole number of them."""
    above = question.observed - question.n * int(question.values[0])
    reach, count = int(offsets[-1]), int(steps[-1])
    return (2 * above * count + reach) // (2 * reach)


Level = tuple[int, int]
"""A value and how many scores have it."""


MOST_LEVELS = 128
"""Distinct values of which one half alone has 2**64 compositions or more."""
HOPELESS = 1 << 64
DIGIT_BITS = 30
"""Bits in one digit of a Python integer: the unit of work."""
SHIFT_COST = 150
"""Digits that could be added in the time of starting one shift and one addition."""


@dataclass(frozen=True)
class _Compositions:
    """All ways to choose from some levels, at most n items."""

    chosen: NDArray[np.int64]
    sums: NDArray[np.int64]
    ways: NDArray[np.object_]

    def of_size(self, k: int) -> tuple[NDArray[np.int64], list[int]]:
        """Sums of k items, ascending, and in how many ways each arises."""
        here = np.flatnonzero(self.chosen == k)
        here = here[np.argsort(self.sums[here], kind="stable")]
        return self.sums[here], self.ways[here].tolist()


def level_states(values: NDArray[np.int64]) -> int:
    """Compositions of the larger half: the work to be done, about 1 microsecond each.

    Where there are more distinct values than can ever be worked off, a large number.
    """
    if _different(values).size > MOST_LEVELS:
        return HOPELESS
    return max(math.prod(m + 1 for _, m in half) for half in _split(values))


def count_by_levels(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[int]:
    """The number of n-subsets of ascending integers with sum >= t, for each threshold t."""
    small, large = (_compositions(half, n) for half in _split(values))
    ts = [_within(values, n, t) for t in thresholds]
    counts = [0] * len(ts)
    for k in np.unique(small.chosen).tolist():
        sums, ways = small.of_size(k)
        others, weights = large.of_size(n - k)
        reach = [*reversed(list(accumulate(reversed(weights)))), 0]
        for i, t in enumerate(ts):
            places = np.searchsorted(others, t - sums).tolist()
            counts[i] += sum(map(mul, ways, map(reach.__getitem__, places)))
    return counts


def _within(values: NDArray[np.int64], n: int, t: int) -> int:
    """A threshold of any size as one that fits into 64 bits and means the same."""
    least, greatest = int(values[:n].sum()), int(values[values.size - n :].sum())
    return min(max(t, least), greatest + 1)


def _split(values: NDArray[np.int64]) -> tuple[list[Level], list[Level]]:
    """Two halves with about equally many compositions: the most frequent values first."""
    distinct, frequency = np.unique(values, return_counts=True)
    levels = sorted(
        zip(distinct.tolist(), frequency.tolist(), strict=True), key=lambda x: (-x[1], x[0])
    )
    halves: tuple[list[Level], list[Level]] = ([], [])
    sizes = [1, 1]
    for level in levels:
        side = int(sizes[1] < sizes[0])
        halves[side].append(level)
        sizes[side] *= level[1] + 1
    return halves


def _compositions(levels: list[Level], n: int) -> _Compositions:
    """Ways to choose up to `n` scores from the levels: size, sum and number of each."""
    chosen, sums = np.zeros(1, np.int64), np.zeros(1, np.int64)
    ways = np.array([1], object)
    for value, frequency in levels:
        c = np.arange(min(frequency, n) + 1)
        binomials = np.array([math.comb(frequency, int(x)) for x in c], object)
        k = (chosen[:, None] + c).ravel()
        fits = np.flatnonzero(k <= n)
        chosen = k[fits]
        sums = (sums[:, None] + c * value).ravel()[fits]
        ways = (ways[:, None] * binomials).ravel()[fits]
    return _Compositions(chosen, sums, ways)


def lattice_cost(values: NDArray[np.int64], n: int) -> float:
    """Digits to be added, about 1.2 ns each."""
    return sum(_half_cost(half, n) for half in np.split(values, [values.size // 2]))


def _half_cost(half: NDArray[np.int64], n: int) -> float:
    k = np.arange(min(half.size, n) + 1)
    up = np.concatenate([[0.0], np.cumsum(half, dtype=np.float64)])
    width = (up[-1] - up[half.size - k]) - up[k] + 1
    digits = width * (half.size + 8) / DIGIT_BITS
    return float(((digits + SHIFT_COST) * (half.size - k)).sum())


def count_on_lattice(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> list[int]:
    """The number of n-subsets of ascending whole numbers with sum >= t, for each threshold t."""
    low, high = ([int(x) for x in half] for half in np.split(values, [values.size // 2]))
    below, above = _packed(low, n), _packed(high, n)
    sizes = _width(low) // 8, _width(high) // 8
    first_low, first_high = ([0, *accumulate(half)] for half in (low, high))
    counts = [0] * len(thresholds)
    for k in range(max(0, n - len(high)), min(len(low), n) + 1):
        weights = _unpacked(below[k], sizes[0])
        reach = [0, *accumulate(reversed(_unpacked(above[n - k], sizes[1])))]
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
    """Bits kept for one coefficient: whole bytes, more than any count of subsets needs."""
    return 8 * (len(items) // 8 + 1)


def _packed(items: list[int], n: int) -> list[int]:
    """[k]: the polynomial of k-subsets of ascending items, by how far a sum exceeds the least."""
    width, most = _width(items), min(len(items), n)
    packed = [1] + [0] * most
    for j, item in enumerate(items):
        for k in range(min(j + 1, most), 0, -1):
            packed[k] += packed[k - 1] << (width * (item - items[k - 1]))
    return packed


def _unpacked(packed: int, size: int) -> list[int]:
    """The coefficients of a packed polynomial, `size` bytes each."""
    raw = packed.to_bytes((packed.bit_length() // 8 // size + 1) * size, "little")
    return [int.from_bytes(raw[i : i + size], "little") for i in range(0, len(raw), size)]
