"""The two-sample permutation test: choose a method, put the three tails together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.permutation.meet_middle import count_at_least
from eatlas.stats.permutation.question import Question, ask
from eatlas.stats.permutation.result import PermutationResult, Tail

METHODS = ("auto", "exact", "inversion", "bracket")
"""What `method` may be."""


def permutation_test(
    scores: ArrayLike, n: int, *, method: str = "auto", scale: float | None = None
) -> PermutationResult:
    """Exact."""
    q = ask(np.asarray(scores, np.float64), n, scale)
    if q.degenerate:
        a = Tail.exact(q.total, q.total)
        return PermutationResult(a, a, a, q.total)
    up = count_at_least(q.values, q.n, [q.at_least, q.above], 1 << 25)
    if up is None:
        raise EatlasError("too large")
    ge, gt = up
    if q.central:
        two = q.total
    elif q.balanced:
        two = 2 * ge
    else:
        (le,) = count_at_least(np.sort(-q.values), q.n, [-q.at_most], 1 << 25)
        two = ge + le
    g, l, t = (Tail.exact(c, q.total) for c in (ge, q.total - gt, two))
    if q.mirrored:
        g, l = l, g
    return PermutationResult(g, l, t, q.total)
