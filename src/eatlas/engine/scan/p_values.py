"""Permutation p-values of many words with one pair of attribute groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.results.parts import TAILS
from eatlas.stats.permutation import Tail, permutation_test, permutation_tests
from eatlas.stats.permutation.batch import LARGEST
from eatlas.stats.permutation.batch_inversion import MOST_SCORES, invert_rows

Array = NDArray[np.float64]
METHODS = ("exact", "inversion", "bracket")
EXACT, INVERSION, _ = range(len(METHODS))
ACCEPTED = 1e-3
"""Stated relative error up to which the inversion of many words at once is taken; a word beyond it
is tested by itself."""
AT_ONCE = 128
"""Words between two calls of `stop`: some 50 ms."""


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

    Up to 32 scores in a row every p is a count. Beyond, rows are inverted together, a fraction of a
    millisecond each. Rows whose stated error is above ACCEPTED have few relabellings beyond the
    observed one, or scores that inversion does not suit; they get what `permutation_test` gives: a
    count, an inversion or a bracket, some 50 ms a row. `stop` is called now and then; it may raise.
    """
    if scores.shape[1] <= LARGEST:
        found = permutation_tests(scores, n, scale=1.0)
        p = np.stack([found.p(tail) for tail in TAILS])
        return TailArrays(p, np.zeros(p.shape, np.uint8), np.zeros(p.shape))
    tails = _inverted(scores, n, stop)
    # two tails make the third, so they go together
    alone = np.flatnonzero((tails.rel_err > ACCEPTED).any(axis=0))
    for row in alone.tolist():
        stop()
        found_here = permutation_test(scores[row], n, scale=1.0)
        for i, name in enumerate(TAILS):
            tail: Tail = getattr(found_here, name)
            tails.p[i, row] = tail.p
            tails.method[i, row] = METHODS.index(tail.method)
            tails.rel_err[i, row] = _error(tail)
    return tails


def _inverted(scores: Array, n: int, stop: Callable[[], None]) -> TailArrays:
    """Inversions of all rows; the error of those that are too long is infinite."""
    shape = len(TAILS), len(scores)
    p, error = np.ones(shape), np.full(shape, np.inf)
    if scores.shape[1] <= MOST_SCORES:
        for start in range(0, len(scores), AT_ONCE):
            stop()
            part = slice(start, start + AT_ONCE)
            found = invert_rows(scores[part], n, scale=1.0)
            p[:, part], error[:, part] = found.p, found.rel_err
    method = np.where(error > 0, INVERSION, EXACT).astype(np.uint8)
    return TailArrays(p, method, error)


def _error(tail: Tail) -> float:
    if tail.bracket is not None:
        low, high = tail.bracket
        return 1 - low / high
    return tail.rel_err or 0.0
