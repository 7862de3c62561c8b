"""Permutation p-values of many words with one pair of attribute groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.results.parts import TAILS
from eatlas.stats.permutation import Tail, permutation_test, permutation_tests
from eatlas.stats.permutation.batch import LARGEST

Array = NDArray[np.float64]
METHODS = ("exact", "inversion", "bracket")


@dataclass(frozen=True)
class TailArrays:
    """Three tails of many tests, shape (3, k) each, in the order greater, less, two_sided."""

    p: Array
    method: NDArray[np.uint8]
    """Index of METHODS."""
    rel_err: Array
    """Stated relative error; 0 for a count, the width over p for a bracket."""


def word_tests(scores: Array, n: int, stop: Callable[[], None]) -> TailArrays:
    """Test each row's first `n` scores against its others.

    Up to 32 scores in a row every p is a count. Beyond, it is what `permutation_test` gives: a
    count, an inversion with a stated error, or a bracket; some 50 ms a row. `stop` is called now
    and then; it may raise.
    """
    if scores.shape[1] <= LARGEST:
        found = permutation_tests(scores, n, scale=1.0)
        p = np.stack([found.p(tail) for tail in TAILS])
        return TailArrays(p, np.zeros(p.shape, np.uint8), np.zeros(p.shape))
    shape = len(TAILS), len(scores)
    tails = TailArrays(np.ones(shape), np.zeros(shape, np.uint8), np.zeros(shape))
    for row, mine in enumerate(scores):
        stop()
        found_here = permutation_test(mine, n, scale=1.0)
        for i, name in enumerate(TAILS):
            tail: Tail = getattr(found_here, name)
            tails.p[i, row] = tail.p
            tails.method[i, row] = METHODS.index(tail.method)
            tails.rel_err[i, row] = _error(tail)
    return tails


def _error(tail: Tail) -> float:
    if tail.bracket is not None:
        low, high = tail.bracket
        return 1 - low / high
    return tail.rel_err or 0.0
