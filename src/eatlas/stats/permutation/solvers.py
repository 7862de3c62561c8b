"""Each method answers one tail: #{n-subsets with sum >= t}, for a few thresholds t, or None.

Far outlying scores are taken apart, so that one of them does not hide all others: a score far from
the rest decides most subsets by its presence alone. With it (or without it) every sum reaches the
threshold, or none does. What remains is a test of the other scores, on their own scale. So the
subsets are divided by which outliers they hold; a part in which all or no sums count needs no work,
and the few others go to a solver.

Certain bounds: round to a coarse lattice, count there in doubles. With scores w = w_0 + step v + e,
every sum is n w_0 + step V + E with E between the sums of the n least and the n greatest residuals
e. So T >= t follows from a high V and requires a lower one. V is counted for the low and the high
half apart, by how far a sum falls short of the greatest one of its size; what falls short by more
than the threshold allows is left out, so that a far tail gets a fine lattice. All terms are
positive: rounding errors are relative and are bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eatlas.stats.permutation.counting import (
    count_at_least,
    count_by_levels,
    count_on_lattice,
    lattice_cost,
    on_lattice,
)
from eatlas.stats.permutation.inversion import Effort, invert, log_chernoff, log_count_near
from eatlas.stats.permutation.problem import (
    SMALLEST,
    Array,
    Integers,
    Tail,
    complement,
    joined,
    subsets,
)

Solver = Callable[[Integers, int, Sequence[int]], list[Tail] | None]
"""From ascending values, a size and thresholds to the share of subsets that reach each."""

ALWAYS_EXACT = 1_000_000
"""Designs with at most so many subsets are counted, whatever it takes."""
GUARANTEE = 1e-7
"""The relative error up to which ``auto`` accepts an inversion."""
ONE_DIGIT = 0.1
"""The relative error up to which an inversion that was requested is given."""
CAUTION = 5.0
"""Beyond the guarantee the estimated error is stated so many times larger: on 250 near-lattices of
26 to 32 scores the error exceeded the estimate in 16 of 546 tails, 3.0 times at most."""
STATES = 6 << 20
"""Partial sums kept for one half: three buffers of 50 MB at worst."""
LAST_STATES = 1 << 24
"""The same where nothing else but bounds is left (32 v 32, d = 1.2): three of 134 MB, 1 s."""
LAST_LOG_COUNT = 44 * math.log(2)
"""Counts beyond 2**44 never fit into LAST_STATES."""
FORCED_STATES = 1 << 25
"""The same when a count was requested: three buffers of 256 MB at worst."""
HOPEFUL_LOG_COUNT = 36 * math.log(2)
"""From 2**36 on an inversion is as quick as a count, and mostly as good as its guarantee."""
QUICKER_LOG_COUNT = 42 * math.log(2)
"""Up to 2**42 a count (21 v 23, p = 0.18: 0.2 s) is quicker than a thorough inversion (0.9 s)."""
LATTICE_DIGITS = 5e8
"""Digits of work on a lattice: about 0.5 s."""
FORCED_DIGITS = 3e10
"""The same when a count was requested: about half a minute."""
COMPOSITIONS = 400_000
"""Compositions of few distinct values for one half: about 0.4 s."""
FORCED_COMPOSITIONS = 20_000_000
"""The same when a count was requested."""
QUICK = Effort(cells=4_000_000, finest=1 << 12)
"""A first inversion: 20 to 60 ms, and all that 100 scores or more ever need."""
THOROUGH = Effort(cells=20_000_000, finest=1 << 15)
"""A second one, about half a second, for some 50 scores whose sums are few."""
WORTH = 30.0
"""A quick inversion whose error is so many times too large is not worth a thorough one."""


def chain(method: str, *, small: bool, lattice: bool) -> Solver:
    """The solvers that `method` may use, cheapest certain one first."""

    def plain(values: Integers, n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        if method == "inversion":
            return _requested_inversion(values, n, thresholds, lattice=lattice)
        if method == "exact":
            return _forced(values, n, thresholds, lattice=lattice)
        return _auto(values, n, thresholds, lattice=lattice)

    def of_part(values: Integers, n: int, thresholds: Sequence[int]) -> list[Tail] | None:
        # an outlier may have hidden the lattice of the others
        steps = None if method == "inversion" else on_lattice(values, n, thresholds)
        if steps and lattice_cost(steps[0], n) <= LATTICE_DIGITS:
            return _exact(values, n, count_on_lattice(steps[0], n, steps[1]))
        return plain(values, n, thresholds)

    if small:
        return plain
    return lambda values, n, thresholds: outliers_apart(values, n, thresholds, plain, of_part)


def _exact(values: Integers, n: int, counts: list[int] | None) -> list[Tail] | None:
    total = subsets(values.size, n)
    return None if counts is None else [Tail.exact(count, total) for count in counts]


def _counted(
    values: Integers, n: int, thresholds: Sequence[int], states: int, digits: float
) -> list[Tail] | None:
    """A count on a lattice of few steps, up to so much work, else by meet in the middle."""
    if subsets(values.size, n) <= ALWAYS_EXACT:
        return _exact(values, n, count_at_least(values, n, thresholds, FORCED_STATES))
    if digits and lattice_cost(values, n) <= digits:
        return _exact(values, n, count_on_lattice(values, n, thresholds))
    return _exact(values, n, count_at_least(values, n, thresholds, states))


def _forced(
    values: Integers, n: int, thresholds: Sequence[int], *, lattice: bool
) -> list[Tail] | None:
    """A count that was requested."""
    counted = _counted(values, n, thresholds, STATES, FORCED_DIGITS * lattice)
    if counted is None:
        levels = count_by_levels(values, n, thresholds, FORCED_COMPOSITIONS)
        counted = _exact(values, n, levels)
    return counted or _counted(values, n, thresholds, FORCED_STATES, 0)


def _auto(
    values: Integers, n: int, thresholds: Sequence[int], *, lattice: bool
) -> list[Tail] | None:
    """A count where that is quick, an inversion within the guarantee, a long count, or bounds."""
    if subsets(values.size, n) <= ALWAYS_EXACT or (
        lattice and lattice_cost(values, n) <= LATTICE_DIGITS
    ):
        return _counted(values, n, thresholds, STATES, LATTICE_DIGITS)
    levels = count_by_levels(values, n, thresholds, COMPOSITIONS)
    if levels is not None:
        return _exact(values, n, levels)
    log_count = log_count_near(values, n, min(thresholds))

    def count(states: int, most: float) -> list[Tail] | None:
        return _counted(values, n, thresholds, states, 0) if log_count <= most else None

    tails = count(STATES, HOPEFUL_LOG_COUNT)
    if tails is not None:
        return tails
    tails, worst = _inverted(values, n, thresholds, QUICK, lattice=lattice)
    if GUARANTEE < worst <= GUARANTEE * WORTH:
        tails = count(STATES, QUICKER_LOG_COUNT)
        if tails is not None:
            return tails
        tails, worst = _inverted(values, n, thresholds, THOROUGH, lattice=lattice)
    if worst <= GUARANTEE:
        return tails
    return count(LAST_STATES, LAST_LOG_COUNT) or bracket(values, n, thresholds)


def _requested_inversion(
    values: Integers, n: int, thresholds: Sequence[int], *, lattice: bool
) -> list[Tail] | None:
    """An inversion that shows one digit, its error stated with caution beyond the guarantee."""
    for accept, caution in ((GUARANTEE, 1.0), (ONE_DIGIT, CAUTION)):
        for effort, worth in ((QUICK, accept * WORTH), (THOROUGH, accept)):
            tails, worst = _inverted(values, n, thresholds, effort, caution, lattice=lattice)
            if worst <= accept:
                return tails
            if worst > worth:
                break
    return None


def _inverted(
    values: Integers,
    n: int,
    thresholds: Sequence[int],
    effort: Effort,
    caution: float = 1.0,
    *,
    lattice: bool,
) -> tuple[list[Tail] | None, float]:
    """Tails by Fourier inversion, and the worst of their stated errors."""
    inverted = invert(values, n, thresholds, lattice=lattice, effort=effort)
    if inverted is None:
        return None, math.inf
    log_total = math.log(subsets(values.size, n))
    tails = [
        Tail.inverted(math.exp(min(0.0, log_count - log_total)), caution * error)
        for log_count, error in inverted
    ]
    return tails, caution * max(error for _, error in inverted)


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

    values: Integers
    n: int
    thresholds: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of subsets."""
        return subsets(self.values.size, self.n)

    def certain(self) -> list[int] | None:
        """The counts, where all or no subsets reach each threshold; else None."""
        if not 0 <= self.n <= self.values.size:
            return [0] * len(self.thresholds)
        least = int(self.values[: self.n].sum())
        greatest = int(self.values[self.values.size - self.n :].sum())
        if all(t <= least or t > greatest for t in self.thresholds):
            return [self.total if t <= least else 0 for t in self.thresholds]
        return None

    def halves(self) -> tuple[Part, Part]:
        """The subsets that hold the farthest score, less it, and those that do not."""
        middle = int(self.values[self.values.size // 2])
        low, high = middle - int(self.values[0]), int(self.values[-1]) - middle
        i = 0 if low > high else self.values.size - 1
        item, rest = int(self.values[i]), np.delete(self.values, i)
        moved = tuple(t - item for t in self.thresholds)
        return Part(rest, self.n - 1, moved), Part(rest, self.n, self.thresholds)

    def tails(self, solver: Solver) -> list[Tail] | None:
        """The solver's answer, asked for at most half of the scores and for the upper tail."""
        values, n, thresholds = self.values, self.n, self.thresholds
        if 2 * n > values.size:
            whole = int(values.sum())
            values, n = -values[::-1], values.size - n
            thresholds = tuple(t - whole for t in thresholds)
        if values.size * thresholds[0] >= n * int(values.sum()):
            return solver(values, n, thresholds)
        lower = solver(-values[::-1], n, tuple(1 - t for t in thresholds))
        return None if lower is None else [complement(tail, self.total) for tail in lower]


def outliers_apart(
    values: Integers, n: int, thresholds: Sequence[int], whole_design: Solver, of_part: Solver
) -> list[Tail] | None:
    """Divide designs with far outliers; others, and what cannot be divided, go as they are."""
    whole = Part(values, n, tuple(thresholds))
    counts, parts = _divided(whole)
    if parts == [whole]:
        return whole_design(values, n, thresholds)
    solved = [part.tails(of_part) for part in parts]
    each = [tails for tails in solved if tails is not None]
    if len(each) < len(parts):
        return whole_design(values, n, thresholds)
    weights = [part.total for part in parts]
    return [
        joined([tails[i] for tails in each], weights, counts[i], whole.total)
        for i in range(len(thresholds))
    ]


def _divided(whole: Part) -> tuple[list[int], list[Part]]:
    """Counts of the parts that are certain, and the parts that are not.

    The farthest score comes first. Dividing ends at a score that lies less far, or where there
    would be too many parts.
    """
    counts, parts = [0] * len(whole.thresholds), [whole]
    for distance in _distances(whole.values):
        undecided: list[Part] = []
        more = list(counts)
        for half in (half for part in parts for half in part.halves()):
            certain = half.certain()
            if certain is None:
                undecided.append(half)
            else:
                more = [a + b for a, b in zip(more, certain, strict=True)]
        if len(undecided) > (PARTS if distance > HIDING else len(parts)):
            break
        counts, parts = more, undecided
    return counts, parts


def _distances(values: Integers) -> Iterator[float]:
    """How many median absolute deviations outliers lie from the median, the farthest first."""
    distance = np.sort(np.abs(values - values[values.size // 2]).astype(np.float64))
    usual = float(distance[(distance.size - 1) // 2] + distance[distance.size // 2]) / 2
    far = distance[distance > FAR * usual][::-1] if usual else distance[:0]
    return (float(x) / usual for x in far[:MOST_OUTLIERS])


LARGEST = 1000
"""Beyond so many scores counts overflow a double: C(1000, 500) is 2.7e299."""
WORK = 4e8
"""Additions to spend on one tail, about a second."""
CELLS = 6e6
"""Doubles to keep for both halves, 48 MB."""
MOST_STEPS = 1 << 22
"""Steps of the lattice at most: more would not narrow the bracket noticeably."""
LEAST_STEPS = 8
"""A coarser lattice says less than Chernoff's bound."""
ROW_COST = 500
"""Additions in the time of starting one vector operation."""


def bracket(values: Integers, n: int, thresholds: Sequence[int]) -> list[Tail]:
    """[low, high] around #{T >= t} / C(N, n) for each threshold t.

    `values` ascend and are not all equal. Large designs fall back on Chernoff's bound
    p <= exp(log Z - mu n - lam t) / C(N, n), and on 1 / C(N, n) below.
    """
    total, steps = subsets(values.size, n), _affordable(values, n, min(thresholds))
    if steps < LEAST_STEPS:
        return [_chernoff(values, n, t) for t in thresholds]
    # V >= ceil((t - n w_0 - E) / step) for the least and for the greatest E
    offsets = values - values[0]
    step = -(-int(offsets[-1]) // steps)
    v = (offsets + step // 2) // step
    residuals = np.sort(offsets - v * step)
    ends = int(residuals[:n].sum()), int(residuals[values.size - n :].sum())
    first = n * int(values[0])
    wanted = [-((end - (t - first)) // step) for t in thresholds for end in ends]
    counts, slack = _count(v, n, wanted)
    return [
        Tail.bracketed(inner / total * (1 - slack), outer / total * (1 + slack))
        for inner, outer in zip(counts[0::2], counts[1::2], strict=True)
    ]


def _chernoff(values: Integers, n: int, t: int) -> Tail:
    """Chernoff: p <= exp(log Z - mu n - lam t) / total for any tilt, here the best."""
    total = subsets(values.size, n)
    if t > int(values[values.size - n :].sum()):
        return Tail.exact(0, total)
    high = log_chernoff(values, n, t) - math.log(total)
    return Tail.bracketed(max(1 / total, SMALLEST), math.exp(min(0.0, high)))


class _Shortfalls:
    """How far k items of one half may fall short of its k greatest, for a sum to matter."""

    def __init__(self, mine: Integers, others: Integers, n: int, threshold: int) -> None:
        self.items = mine[::-1]
        self.best, theirs = (
            np.concatenate([[0], np.cumsum(half[::-1])]) for half in (mine, others)
        )
        k = np.arange(max(0, n - others.size), min(mine.size, n) + 1)
        slack = np.full(k[-1] + 1, -1, np.int64)
        slack[k] = self.best[k] + theirs[n - k] - threshold
        # with k chosen so far, the largest shortfall that can still matter, ...
        reach = np.maximum.accumulate(slack[::-1])[::-1]
        # ... none beyond the least sum of k items
        k = np.arange(reach.size)
        least = self.best[-1] - self.best[self.items.size - k]
        self.widths: Integers = np.maximum(np.minimum(self.best[k] - least, reach) + 1, 0)


def _halves(v: Integers, n: int, threshold: int) -> tuple[_Shortfalls, _Shortfalls]:
    low, high = np.split(v, [v.size // 2])
    return _Shortfalls(low, high, n, threshold), _Shortfalls(high, low, n, threshold)


def _affordable(values: Integers, n: int, threshold: int) -> int:
    """Lattice steps for which the work and the memory stay in bounds; 0 for none."""
    if values.size > LARGEST:
        return 0
    # the median keeps every sum of n offsets and the threshold within 64 bits, however far out
    # the least score lies
    middle = int(values[values.size // 2])
    work = cells = rows = 0.0
    for half in _halves(values - middle, n, threshold - n * middle):
        width = half.widths / float(values[-1] - values[0])
        turns = half.items.size - np.arange(width.size)
        cells += float(width.sum())
        work += float(width @ turns)
        rows += float(turns[width > 0].sum())
    left = max(0.0, WORK - ROW_COST * rows)
    return int(min(left / max(work, 1e-9), CELLS / max(cells, 1e-9), MOST_STEPS))


def _count(v: Integers, n: int, wanted: list[int]) -> tuple[list[float], float]:
    """#{V >= y} in doubles for each y, and a bound of their relative error."""
    low, high = _halves(v, n, min(wanted))
    below, above = _rows(low), _rows(high)
    counts = [0.0] * len(wanted)
    for k, a in enumerate(below):
        if not 0 <= n - k < len(above) or a.size == 0 or above[n - k].size == 0:
            continue
        within = np.concatenate([[0.0], np.cumsum(above[n - k])])
        room = int(low.best[k] + high.best[n - k]) + 1 - np.arange(a.size)
        for i, y in enumerate(wanted):
            counts[i] += float(a @ within[np.clip(room - y, 0, within.size - 1)])
    longest = max(x.size for x in below + above)
    return counts, 2 * 2.0**-52 * (2 * v.size + 2 * longest + n + 16)


def _rows(half: _Shortfalls) -> list[Array]:
    """[k][x]: the number of k-subsets whose sum falls short of the greatest by x.

    Items come greatest first, so a shortfall never shrinks: one more item that stands in place
    of the k-th greatest adds their difference.
    """
    rows = [np.zeros(int(w)) for w in half.widths]
    if rows[0].size:
        rows[0][0] = 1.0
    for j, item in enumerate(half.items.tolist()):
        for k in range(min(j + 1, len(rows) - 1), 0, -1):
            shift = int(half.items[k - 1]) - item
            if shift < rows[k].size:
                source = rows[k - 1][: rows[k].size - shift]
                rows[k][shift : shift + source.size] += source
    return rows
