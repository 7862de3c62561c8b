"""Tails estimated from uniformly random subsets, for those who must sample.

Each draw is a subset without replacement, and the p-value is (b + 1) / (B + 1): the observed
subset is one more draw (Phipson and Smyth 2010), so p is valid whatever B, and never 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.permutation.question import Question
from eatlas.stats.permutation.result import Tail

CELLS = 1 << 18
"""Scores shuffled at once: 2 MB, which stay in the second-level cache."""
LONG = 512
"""Of so many scores a shuffle of all takes as long as choosing some, 23 microseconds; of 50 it
takes 1, and choosing 30."""


def sampled(question: Question, draws: int, rng: np.random.Generator) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail from the same `draws` subsets.

    Parameters
    ----------
    question : Question
    draws : int
        B, 1 or more.
    rng : numpy.random.Generator
    """
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
