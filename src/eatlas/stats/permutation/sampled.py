"""Tails from random subsets, of a sum of scores and of any statistic.

Each draw is a subset without replacement, and the p-value is (b + 1) / (B + 1): the
observed subset is one more draw (Phipson and Smyth 2010), so p is valid whatever B, and never 0.

"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.inputs import checked_precision, generator, whole
from eatlas.stats.permutation.problem import SMALLEST, PermutationResult, Problem, Tail
from eatlas.stats.relabelling import every_subset, random_subsets

CELLS = 1 << 18
"""Scores shuffled at once: 2 MB, which stay in the second-level cache."""
LONG = 512
"""Of so many scores a shuffle of all takes as long as choosing some, 23 microseconds; of 50 it
takes 1, and choosing 30."""


def sampled(question: Problem, draws: int, rng: np.random.Generator) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail from the same `draws` subsets."""
    reached = np.zeros(3, np.int64)
    for sums in _sums(question.values, question.n, draws, rng):
        in_upper, in_lower = sums >= question.at_least, sums < question.below
        in_both = in_upper | (sums <= question.at_most)
        reached += [np.count_nonzero(found) for found in (in_upper, in_lower, in_both)]
    upper, lower, both = (_tail(b, draws, question.least_p) for b in reached.tolist())
    if question.central:
        both = Tail.exact(question.total, question.total)
    return upper, lower, both


def _tail(b: int, draws: int, least: float) -> Tail:
    """Clopper and Pearson's interval is exact: the draws are independent."""
    interval = clopper_pearson(b, draws)
    return Tail.estimated("sampled", (b + 1) / (draws + 1), interval, draws, least)


def _sums(
    values: NDArray[np.int64], n: int, draws: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Sums of `draws` random subsets of size n, in blocks, whose size does not change them."""
    rows = max(1, CELLS // values.size)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        if values.size < LONG:
            shuffled = np.repeat(values[None], count, axis=0)
            # numpy's Fisher-Yates shuffle of each row
            yield rng.permuted(shuffled, axis=1, out=shuffled)[:, :n].sum(axis=1)
        else:
            picks = (rng.choice(values, n, replace=False, shuffle=False) for _ in range(count))
            yield np.array([pick.sum() for pick in picks])


Labels = NDArray[np.bool_]
Statistic = Callable[[Labels], NDArray[np.float64]]
"""From memberships of the first group, shape (relabellings, N), to values, shape (relabellings,).
A value may depend on its own row alone."""

LISTED = 20_000
"""Designs with no more relabellings are counted: 8 against 8 has 12,870."""
ROWS = 1024
"""Relabellings handed over at once."""
TIE = 1e-9
"""Statistics tie when they differ by less than this, relative to the greatest magnitude seen: an
eigenvector's rounding error stays below it by far, real differences are above."""
ROUNDED = 32
"""The same in units of roundoff of computed vectors."""


def recomputed_test(
    statistic: Statistic,
    size: int,
    n: int,
    *,
    draws: int,
    rng: np.random.Generator | None = None,
    precision: float | None = None,
) -> PermutationResult:
    """Test a statistic of two groups, computed anew for each relabelling."""
    size = whole(size, "size", 2)
    n, draws = whole(n, "n", 1, size - 1), whole(draws, "draws", 1)
    total = math.comb(size, n)
    every = total <= LISTED
    observed = float(_values(statistic, (np.arange(size) < n)[None])[0])
    labels = (
        every_subset(size, n, ROWS)
        if every
        else random_subsets(size, n, draws, ROWS, generator(rng))
    )
    values = np.concatenate([_values(statistic, block > 0) for block in labels])
    relative = max(TIE, ROUNDED * (checked_precision(precision) or 0.0))
    tie = relative * max(abs(observed), float(np.abs(values).max()))
    centre = float(values.mean())
    distance = abs(observed - centre)
    counts = [
        int(np.count_nonzero(values >= observed - tie)),
        int(np.count_nonzero(values <= observed + tie)),
        int(np.count_nonzero(np.abs(values - centre) >= distance - 2 * tie)),
    ]
    make = (lambda b: Tail.exact(b, total)) if every else (lambda b: _drawn(b, draws, total))
    upper, lower, both = map(make, counts)
    return PermutationResult(upper, lower, both, total)


def _drawn(b: int, draws: int, total: int) -> Tail:
    least = max(1 / total, SMALLEST)
    return Tail.estimated("sampled", (b + 1) / (draws + 1), clopper_pearson(b, draws), draws, least)


def _values(statistic: Statistic, labels: Labels) -> NDArray[np.float64]:
    values = np.asarray(statistic(labels), dtype=np.float64)
    if values.shape != labels.shape[:1] or not np.all(np.isfinite(values)):
        raise EatlasError(
            "a statistic must give one finite number for each relabelling",
            got=f"an array of shape {values.shape}, "
            f"{np.count_nonzero(~np.isfinite(values))} numbers not finite",
            allowed=f"shape {labels.shape[:1]}",
        )
    return values
