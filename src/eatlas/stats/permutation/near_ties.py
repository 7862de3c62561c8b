"""Counts without the sums that tie with the observed one by the precision of the vectors alone.

Every count of an oriented question includes the sums within its tolerance. Where the vectors were
rounded, some of these may be real ties and some may lie near by accident: which, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.question import Question
from eatlas.stats.permutation.result import Tail

Counter = Callable[[NDArray[np.int64], Sequence[int]], list[Tail]]
"""From ascending values and thresholds t to the tails #{n-subsets with sum >= t}."""
Without = tuple[int | None, int | None, int | None]
"""Counts of the upper, the lower and the two-sided tail; None where one is not counted."""


def without_near_ties(
    question: Question, upper: Tail, not_lower: Tail, both: Tail, count: Counter
) -> Without | None:
    """Count the three tails of a question without its near ties.

    Parameters
    ----------
    question : Question
        Not strict, with an `exact` tolerance.
    upper, not_lower, both : Tail
        Of sums from ``at_least`` on, of sums from ``below`` on, and the two-sided tail.
    count : callable
        Counts further thresholds.

    Returns
    -------
    tuple of int or None
        None as a whole where nothing was counted, or no sum ties but exactly.
    """
    exact = question.exact or 0
    if upper.count is None or not_lower.count is None:
        return None
    near = upper.count - not_lower.count
    tied = 1 if near == 1 else _between(question, question.observed, exact, count)
    if tied is None:
        return None
    beyond = not_lower.count + tied
    beneath = question.total - upper.count + tied
    return beyond, beneath, _both(question, both, beyond, exact, count)


def _both(question: Question, both: Tail, beyond: int, exact: int, count: Counter) -> int | None:
    """The two-sided count: the upper one and as much or what lies as far below the mean."""
    size = int(question.values.size)
    if both.count is None or question.deviation <= size * exact:
        return both.count  # as near to the mean as can be: every sum is as far from it
    if question.balanced:
        return 2 * beyond
    # the mirror image of the observed sum is a fraction of whole numbers
    mirror = question.n * int(question.values.sum()) - question.deviation
    low, high = -(-mirror // size), mirror // size
    lower = -question.values[::-1]
    found = count(lower, [1 - low + question.tolerance, -high - exact, 1 - low + exact])
    counts = [tail.count for tail in found]
    if any(c is None for c in counts):
        return None
    far, at_mirror, beyond_mirror = (c or 0 for c in counts)
    return beyond + far + at_mirror - beyond_mirror


def _between(question: Question, place: int, exact: int, count: Counter) -> int | None:
    """Sums that tie with a place exactly."""
    first, second = count(question.values, [place - exact, place + exact + 1])
    if first.count is None or second.count is None:
        return None
    return first.count - second.count
