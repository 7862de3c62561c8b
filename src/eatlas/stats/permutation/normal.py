"""The normal approximation of published code, with the exact moments it estimates.

Caliskan et al. (2017) and the ML-EAT code fit a normal distribution to the statistics of some
random relabellings. Its mean and variance tend to those of all relabellings, which are known:
E T = n mean and Var T = n (N - n) / (N - 1) times the variance (with N) of the scores. T is
bounded and a normal variable is not, so a far tail comes out far too large: this method only
reproduces published numbers.
"""

from __future__ import annotations

import math

from eatlas.stats.permutation.question import Question
from eatlas.stats.permutation.result import Tail
from eatlas.stats.permutation.saddlepoint import targets


def normal(question: Question) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail; a continuous distribution knows no ties."""
    size, n = question.values.size, question.n
    (distance,) = targets(question.values, n, [question.observed])
    root = float(distance) / math.sqrt(2 * n * (size - n) / (size - 1))
    tails = math.erfc(root) / 2, math.erfc(-root) / 2, math.erfc(root)
    upper, lower, both = (Tail.normal(p) for p in tails)
    return upper, lower, both
