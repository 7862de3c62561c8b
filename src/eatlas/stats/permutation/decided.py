"""Which of many rows of scores have a p-value below a level, without a p-value for each.

Few permutations are counted. Of more, the saddlepoint approximation decides the rows whose p is
clearly on one side; the others are counted or inverted, as `permutation_test` does.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.batch import broadcast
from eatlas.stats.permutation.inversion import contour_of, saddlepoint
from eatlas.stats.permutation.problem import (
    ALWAYS_EXACT,
    LARGEST,
    Array,
    Flags,
    Integers,
    Question,
    ask,
)
from eatlas.stats.permutation.two_sample import permutation_test, tails_by_inversion

COUNTED = 2_000_000
"""Permutations of all rows that are counted at once, in some 20 ms."""
KEPT_CELLS = 4_096
"""Scores of the largest question whose answer a process retains: 32 kB."""
AT_ONCE = 300_000
"""Permutations of all rows that take no longer to count than to approximate."""
ERROR = 12.0
"""The approximation is relatively off by at most this, times the kurtosis of the scores, over the
square of the harmonic size of the design; where few permutations are extreme, by two standard
deviations of their number besides. Seen in 1,400 rows of normal, skewed and heavy-tailed scores,
designs from 6 v 12 to 24 v 25, p near .05, .01 and .001: more in 2."""
MOST_OPEN = 64
"""Rows of designs beyond a million permutations that are looked at one by one, 5 to 80 ms each:
those nearest to the level. The approximation decides the others."""
EFFORT = (100_000, 1 << 8)
"""Of an inversion that only has to tell p from alpha."""
LOWERED = 0.9
"""A sum too near the greatest one to be approximated is brought so much nearer to the mean, which
gives an upper bound of its p."""


def below(
    scores: Array,
    n: int,
    alpha: float,
    *,
    two_sided: bool = False,
    strict: bool = False,
    scale: float | None = None,
    precision: float | None = None,
) -> Flags:
    """Whether the p of the first `n` scores of each row is below alpha.

    It is the p of `permutation_test`: two-sided, or of the tail of the observed sign. A process
    retains answers about few scores, because specifications of a study often have the same.
    """
    choices = (two_sided, strict, scale, precision)
    decide = _decide if scores.size <= KEPT_CELLS else _decide.__wrapped__
    return decide(scores.tobytes(), scores.shape, n, alpha, *choices)


@lru_cache(maxsize=512)
def _decide(
    content: bytes,
    shape: tuple[int, ...],
    n: int,
    alpha: float,
    two_sided: bool,  # noqa: FBT001
    strict: bool,  # noqa: FBT001
    scale: float | None,
    precision: float | None,
) -> Flags:
    """Decide what :func:`below` asks, of scores as bytes."""
    scores = np.frombuffer(content).reshape(shape)
    question, first = ask(scores, n, scale, strict=strict, precision=precision), n
    total, size = question.total, question.values.shape[1]
    if size <= LARGEST and len(scores) * total <= AT_ONCE:
        return np.asarray(_count_extreme(question, two_sided=two_sided) / total < alpha)
    together = COUNTED // total if size <= LARGEST else 0
    p, bound = _approximate_p(question, two_sided=two_sided)
    n = question.n
    error = ERROR * _kurtosis(scores) / (4 * n * (size - n) / size) ** 2
    error += 2 / math.sqrt(alpha * total)
    significant: Flags = p * (1 + error) < alpha
    open_ = np.flatnonzero(~significant & (bound | (p * (1 - error) < alpha)))
    if 0 < open_.size <= together:
        significant[open_] = (
            _count_extreme(question.part(open_), two_sided=two_sided) / total < alpha
        )
        return significant
    significant[open_] = p[open_] < alpha
    nearest = np.argsort(np.abs(p[open_] - alpha), kind="stable")
    for i in open_[nearest[: None if total <= ALWAYS_EXACT else MOST_OPEN]].tolist():
        exact, worst = 1.0, np.inf
        if total > ALWAYS_EXACT:
            exact, worst = _p_by_inversion(question.row(i), two_sided=two_sided)
        if not abs(exact - alpha) > worst * exact:
            answer = permutation_test(
                scores[i], first, scale=scale, strict=strict, precision=precision
            )
            one_sided = answer.less if question.mirrored[i] else answer.greater
            exact = (answer.two_sided if two_sided else one_sided).p
        significant[i] = exact < alpha
    return significant


def _kurtosis(rows: Array) -> Array:
    """Fourth moment over the square of the second; 0 without spread."""
    squares = np.square(rows - rows.mean(axis=1, keepdims=True))
    mean = squares.mean(axis=1)
    kurtosis = np.square(squares).mean(axis=1) / np.where(mean > 0, np.square(mean), 1.0)
    return np.asarray(kurtosis)


def _count_extreme(question: Question, *, two_sided: bool) -> Integers:
    """How many subsets of each row are extreme."""
    far = two_sided and not question.is_balanced
    thresholds = [question.at_least, question.far][: 1 + far]
    count = broadcast(question.values.shape[1], question.n)
    upper, *beyond = count(question.values, np.stack(thresholds, axis=1)).T
    if two_sided:
        both = 2 * upper if question.is_balanced else upper + question.total - beyond[0]
        upper = np.where(question.central, question.total, both)
    return np.asarray(np.where(question.degenerate, question.total, upper))


def _approximate_p(question: Question, *, two_sided: bool) -> tuple[Array, Flags]:
    """About the p of each row, and where it is an upper bound."""
    values, n = question.values, question.n
    p = saddlepoint(values, n, question.at_least)
    bound: NDArray[np.bool_] = np.isnan(p)
    if bound.any():
        middle = values[bound].sum(axis=1) // values.shape[1] * n
        lowered = middle + ((question.at_least[bound] - middle) * LOWERED).astype(np.int64)
        p[bound] = np.nan_to_num(saddlepoint(values[bound], n, lowered), nan=1.0)
    if two_sided:
        far = p if question.is_balanced else saddlepoint(-values[:, ::-1], n, 1 - question.far)
        # a side that no sum reaches has no tail
        p = np.where(question.central, 1.0, p + np.nan_to_num(far, nan=0.0))
    return np.where(question.degenerate, 1.0, p), bound & ~question.degenerate


def _p_by_inversion(question: Question, *, two_sided: bool) -> tuple[float, float]:
    """The p of one row by inversion, and its stated relative error."""
    sides = [(question.values, question.at_least)]
    if two_sided and not question.is_balanced:
        sides.append((-question.values[::-1], 1 - question.far))
    p, error = 0.0, 0.0
    for values, threshold in sides:
        contour = contour_of(values, question.n, [threshold])
        tails, worst = tails_by_inversion(contour, question.total, EFFORT)
        if not tails:
            return 1.0, np.inf
        p, error = p + tails[0].p, max(error, worst)
    return (2 * p if two_sided and question.is_balanced else p), error
