"""Tails from random subsets of a sum of scores, and of other statistics.

Each random permutation is a subset without replacement, and the p-value is (b + 1) / (B + 1): the
observed subset counts as one more (Phipson and Smyth 2010), so p is valid whatever B, and never 0.
Statistics that are computed anew for each subset are counted where there are few subsets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from eatlas.stats.inputs import clopper_pearson, generator
from eatlas.stats.permutation.problem import (
    SMALLEST,
    Array,
    Flags,
    Integers,
    PermutationResult,
    Question,
    Tail,
    Tails,
)
from eatlas.stats.subsets import iter_subsets, random_subsets

DRAWS = 100_000
"""Permutations drawn by default: p near 0.05 is known within 3%."""
CELLS = 1 << 18
"""Scores shuffled, or labels, at once: 2 MB, which stay in the second-level cache."""
LONG = 512
"""Of so many scores a shuffle of all takes as long as choosing some, 23 microseconds; of 50 it
takes 1, and choosing 30."""


def monte_carlo_tails(question: Question, permutations: int, rng: np.random.Generator) -> Tails:
    """Tails from the same `draws` subsets."""
    reached = np.zeros(3, np.int64)
    for sums in _sums(question.values, question.n, permutations, rng):
        in_upper, in_lower = sums >= question.at_least, sums < question.below
        tails = in_upper, in_lower, in_upper | (sums < question.far)
        reached += [np.count_nonzero(tail) for tail in tails]
    least = SMALLEST if question.strict else max(1 / question.total, SMALLEST)
    upper, lower, both = (monte_carlo_tail(b, permutations, least) for b in reached.tolist())
    if question.central:
        both = Tail.exact(question.total, question.total)
    return upper, lower, both


def monte_carlo_tail(b: int, permutations: int, least: float) -> Tail:
    """A tail from random subsets, cut off at `least`, which is certain: the observed one is in it.

    Clopper and Pearson's interval is exact: the permutations are independent.
    """
    low, high = clopper_pearson(b, permutations)
    p, low, high = (min(max(x, least), 1.0) for x in ((b + 1) / (permutations + 1), low, high))
    return Tail(p, "sampled", interval=(low, high), permutations=permutations)


def _sums(
    values: Integers, n: int, permutations: int, rng: np.random.Generator
) -> Iterator[Integers]:
    """Sums of `draws` random subsets of size n, in blocks, whose size does not change them."""
    rows = max(1, CELLS // values.size)
    for start in range(0, permutations, rows):
        count = min(rows, permutations - start)
        if values.size < LONG:
            shuffled = np.repeat(values[None], count, axis=0)
            # numpy's Fisher-Yates shuffle of each row
            yield rng.permuted(shuffled, axis=1, out=shuffled)[:, :n].sum(axis=1)
        else:
            picks = (rng.choice(values, n, replace=False, shuffle=False) for _ in range(count))
            yield np.array([pick.sum() for pick in picks])


Statistic = Callable[[Flags], Array]
"""From memberships of the first group, shape (permutations, N), to values, shape (permutations,).
A value may depend only on its own row."""

LISTED = 20_000
"""Designs with no more permutations are counted: 8 against 8 has 12,870."""
ROWS = 1024
"""Permutations handed over at once."""
TIE = 1e-9
"""Statistics tie when they differ by less than this, relative to the greatest magnitude seen: an
eigenvector's rounding error stays below it by far, real differences are above."""
ROUNDED = 32
"""The same in units of roundoff of computed vectors."""


def memberships(
    size: int, n: int, *, listed: int, permutations: int, rng: np.random.Generator | None
) -> Iterator[Array]:
    """Who is in the first group: all permutations up to `listed`, or so many drawn, in blocks."""
    if math.comb(size, n) <= listed:
        return iter_subsets(size, n, ROWS)
    return random_subsets(size, n, permutations, ROWS, generator(rng))


def tails_among(
    values: Array,
    observed: float,
    total: int,
    *,
    every: bool,
    tie: float,
    tie_of_distance: float | None = None,
    middle: float = 0.0,
    strict: bool = False,
) -> PermutationResult:
    """Three tails of an observed statistic among its values in permutations.

    `every` says that these are all of the `total`. Two-sided is the distance from the `middle`,
    which ties as the statistic does unless another tie is given.
    """
    above, below = (np.greater, np.less) if strict else (np.greater_equal, np.less_equal)
    sign = -1 if strict else 1
    far = tie if tie_of_distance is None else tie_of_distance
    tails = (
        above(values, observed - sign * tie),
        below(values, observed + sign * tie),
        above(np.abs(values - middle), abs(observed - middle) - sign * far),
    )
    counts = [int(np.count_nonzero(tail)) for tail in tails]
    if every:
        return PermutationResult.exact(counts, total)
    least = max(1 / total, SMALLEST)
    greater, less, two_sided = (monte_carlo_tail(b, len(values), least) for b in counts)
    return PermutationResult(greater, less, two_sided, total)


def generic_permutation_test(
    statistic: Statistic,
    size: int,
    n: int,
    *,
    permutations: int,
    rng: np.random.Generator | None = None,
    precision: float | None = None,
) -> PermutationResult:
    """Test a statistic of two groups, computed anew for each permutation.

    Up to 20,000 permutations are listed, of more some are sampled. Two-sided is the distance from
    the mean of all values.
    """
    total = math.comb(size, n)
    blocks = memberships(size, n, listed=LISTED, permutations=permutations, rng=rng)
    observed = float(statistic((np.arange(size) < n)[None])[0])
    values = np.concatenate([statistic(block > 0) for block in blocks])
    return tails_of_values(values, observed, total, precision)


def tails_of_values(
    values: Array, observed: float, total: int, precision: float | None
) -> PermutationResult:
    """Three tails of a statistic among its values in all permutations, or in those drawn."""
    tie = max(TIE, ROUNDED * (precision or 0.0)) * max(abs(observed), float(np.abs(values).max()))
    middle, every = float(values.mean()), total <= LISTED
    return tails_among(
        values, observed, total, every=every, tie=tie, tie_of_distance=2 * tie, middle=middle
    )
