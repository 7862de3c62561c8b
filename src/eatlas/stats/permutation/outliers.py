"""Far outlying scores taken apart, so that one of them does not hide all others.

A score far from the rest decides most subsets by its presence alone: with it (or without it)
every sum reaches the threshold, or none does. What remains is a test of the other scores, on
their own scale. So the subsets are divided by which outliers they hold; a part in which all or no
sums count needs no work, and the few others go to a solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.result import Tail, complement, joined

Values = NDArray[np.int64]
Solver = Callable[[Values, int, Sequence[int]], list[Tail] | None]

FAR = 30.0
"""Scores so many median absolute deviations from the median are outliers: none of 600 normal ones
lies beyond 7. They are taken out as long as that leaves one part undecided ..."""
HIDING = 1000.0
"""... and from so many on even where it leaves several: on a lattice that reaches them, the other
scores have few steps left."""
MOST_OUTLIERS = 24
"""The farthest so many are looked at."""
PARTS = 8
"""Undecided parts at most; each costs as much as a test of its own."""


@dataclass(frozen=True, eq=False)
class Part:
    """Subsets of `values`, ascending, with `n` members, and the sums that they must reach."""

    values: Values
    n: int
    thresholds: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of subsets."""
        return math.comb(self.values.size, self.n)

    def certain(self) -> list[int] | None:
        """The counts, where all or no subsets reach each threshold; else None."""
        if not 0 <= self.n <= self.values.size:
            return [0] * len(self.thresholds)
        least = int(self.values[: self.n].sum())
        greatest = int(self.values[self.values.size - self.n :].sum())
        if all(t <= least or t > greatest for t in self.thresholds):
            return [self.total if t <= least else 0 for t in self.thresholds]
        return None

    def without(self, place: int) -> tuple[Part, Part]:
        """The subsets that hold the score at `place`, less it, and those that do not."""
        item, rest = int(self.values[place]), np.delete(self.values, place)
        moved = tuple(t - item for t in self.thresholds)
        return Part(rest, self.n - 1, moved), Part(rest, self.n, self.thresholds)


def outliers_apart(whole_design: Solver, of_part: Solver) -> Solver:
    """Divide designs with far outliers; others, and what cannot be divided, go as they are."""

    def solve(values: Values, n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        whole = Part(values, n, tuple(thresholds))
        counts, parts = _divided(whole)
        if parts == [whole]:
            return whole_design(values, n, thresholds)
        found: list[list[Tail]] = []
        for part in parts:
            tails = _of_part(of_part, part)
            if tails is None:
                return whole_design(values, n, thresholds)
            found.append(tails)
        weights = [part.total for part in parts]
        return [
            joined([tails[i] for tails in found], weights, counts[i], whole.total)
            for i in range(len(thresholds))
        ]

    return solve


def _divided(whole: Part) -> tuple[list[int], list[Part]]:
    """Counts of the parts that are certain, and the parts that are not.

    The farthest score comes first. Dividing ends at a score that lies less far, or where there
    would be too many parts.
    """
    counts, parts = [0] * len(whole.thresholds), [whole]
    for distance in _distances(whole.values):
        undecided: list[Part] = []
        more = list(counts)
        for half in _halves(parts):
            known = half.certain()
            if known is None:
                undecided.append(half)
            else:
                more = [a + b for a, b in zip(more, known, strict=True)]
        if len(undecided) > (PARTS if distance > HIDING else len(parts)):
            break
        counts, parts = more, undecided
    return counts, parts


def _distances(values: Values) -> list[float]:
    """How many median absolute deviations outliers lie from the median, the farthest first."""
    distance = np.abs(values - values[values.size // 2]).astype(np.float64)
    usual = float(np.median(distance))
    far = np.sort(distance[distance > FAR * usual])[::-1] if usual else distance[:0]
    return [float(x) / usual for x in far[:MOST_OUTLIERS]]


def _halves(parts: list[Part]) -> Iterator[Part]:
    """Every part by whether it holds the farthest score; all parts have the same scores."""
    for part in parts:
        middle = int(part.values[part.values.size // 2])
        low, high = middle - int(part.values[0]), int(part.values[-1]) - middle
        yield from part.without(0 if low > high else part.values.size - 1)


def _of_part(solver: Solver, part: Part) -> list[Tail] | None:
    """The solver's answer for at most half of the scores and for the upper tail."""
    values, n, thresholds = part.values, part.n, part.thresholds
    if 2 * n > values.size:
        whole = int(values.sum())
        values, n = -values[::-1], values.size - n
        thresholds = tuple(t - whole for t in thresholds)
    if values.size * thresholds[0] >= n * int(values.sum()):
        return solver(values, n, thresholds)
    others = solver(-values[::-1], n, tuple(1 - t for t in thresholds))
    return None if others is None else [complement(tail, part.total) for tail in others]
