"""The two-sample permutation test: check the input, choose a method, put three tails together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.permutation.coarse import on_lattice
from eatlas.stats.permutation.combine import added, complement
from eatlas.stats.permutation.methods import ALWAYS_EXACT, FORCED_STATES, Solver, chain
from eatlas.stats.permutation.question import Question, ask
from eatlas.stats.permutation.result import PermutationResult, Tail

METHODS = ("auto", "exact", "inversion", "bracket")
"""What `method` may be."""


def permutation_test(
    scores: ArrayLike, n: int, *, method: str = "auto", scale: float | None = None
) -> PermutationResult:
    """Test whether the first `n` scores differ from the others, over all C(N, n) subsets.

    The statistic T is the sum of the first group's scores. Two sums tie when they differ by at
    most ``16 N 2^-53 scale``, the rounding noise of one sum.

    Parameters
    ----------
    scores
        Finite scores of both groups, the first group's first, shape (N,).
    n
        Size of the first group, 1 <= n <= N - 1.
    method
        ``auto`` counts where that takes a fraction of a second, else inverts the characteristic
        function where a relative error of 1e-7 is guaranteed, else gives certain bounds.
        ``exact`` counts or raises; ``inversion`` and ``bracket`` are taken as they are. Scores
        without spread are counted by every method.
    scale
        Magnitude of the quantities that were added up to make one score (1.0 for cosines);
        by default the greatest magnitude among the scores.

    Returns
    -------
    PermutationResult
        Tails ``greater`` (T >= t), ``less`` (T <= t) and ``two_sided``
        (abs(T - E T) >= abs(t - E T)), and the number of subsets.

    Raises
    ------
    EatlasError
        For input outside these ranges, and when a count or an inversion that was asked for
        cannot be had.

    Examples
    --------
    >>> result = permutation_test([0.9, 0.7, 0.8, 0.1, 0.2, 0.3], 3)
    >>> result.greater
    Tail(p=0.05, method='exact', count=1, rel_err=None, bracket=None)
    >>> result.two_sided.count, result.total
    (2, 20)
    """
    question = ask(_checked_scores(scores), _checked_size(scores, n), _checked_scale(scale))
    if method not in METHODS:
        raise EatlasError(
            "unknown permutation method", got=repr(method), allowed=", ".join(METHODS)
        )
    if question.degenerate:
        every = Tail.exact(question.total, question.total)
        return PermutationResult(every, every, every, question.total)
    upper, lower, both = _tails(question, method)
    if question.mirrored:
        upper, lower = lower, upper
    return PermutationResult(upper, lower, both, question.total)


def _checked_scores(scores: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1:
        raise EatlasError(
            "scores must be one row of numbers", got=f"an array of shape {array.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise EatlasError("scores must be finite", got=f"{array[bad[0]]} at position {bad[0]}")
    return array


def _checked_size(scores: ArrayLike, n: int) -> int:
    return n


def _checked_scale(scale: float | None) -> float | None:
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise EatlasError("scale must be a magnitude", got=repr(scale), allowed="a number above 0")
    return scale


def _tails(question: Question, method: str) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail of an oriented question."""
    steps = (
        None if question.total <= ALWAYS_EXACT and method != "inversion" else on_lattice(question)
    )
    asked = steps or question
    total = question.total
    solver = chain(method, small=total <= ALWAYS_EXACT, lattice=steps is not None)
    at_least, above = _solved(solver, asked.values, asked.n, [asked.at_least, asked.above], method)
    if asked.central:
        both = Tail.exact(total, total)
    elif asked.balanced:
        both = added(at_least, at_least, total)
    else:
        mirror = -asked.values[::-1]
        (at_most,) = _solved(solver, mirror, asked.n, [-asked.at_most], method)
        both = added(at_least, at_most, total)
    return at_least, complement(above, total), both


def _solved(
    solver: Solver, values: NDArray[np.int64], n: int, thresholds: list[int], method: str
) -> list[Tail]:
    found = solver(values, n, thresholds)
    if found is None:
        raise _refused(method, values.size, n)
    return found


def _refused(method: str, size: int, n: int) -> EatlasError:
    """Why a method that was asked for cannot answer."""
    design = f"{n} of {size} scores, {math.comb(size, n):.3g} subsets"
    if method == "exact":
        return EatlasError(
            "an exact count is out of reach for this design",
            got=design,
            allowed=f"at most {2 * FORCED_STATES} partial sums that can reach the observed sum",
            remedy="use method='auto', which states its error",
        )
    return EatlasError(
        "the observed sum lies at the edge of what is possible, where inversion does not exist",
        got=design,
        remedy="use method='auto', which counts there",
    )
