"""The two-sample permutation test: check the input, choose a method, put three tails together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import EatlasError
from eatlas.stats.inputs import checked_precision, checked_scale, generator, whole
from eatlas.stats.permutation.counting import on_lattice
from eatlas.stats.permutation.inversion import targets
from eatlas.stats.permutation.problem import (
    SMALLEST,
    Integers,
    PermutationResult,
    Question,
    Tail,
    Tails,
    ask,
    complement,
    joined,
    two_groups,
)
from eatlas.stats.permutation.solvers import ALWAYS_EXACT, FORCED_STATES, Solver, chain

METHODS = ("auto", "exact", "inversion", "sampled", "normal")
"""What `method` may be."""
DRAWING = ("sampled",)
"""The methods that draw subsets at random."""
DRAWS = 100_000
"""Subsets drawn by default: p near 0.05 is known within 3%."""


def permutation_test(
    scores: ArrayLike,
    n: int,
    *,
    method: str = "auto",
    scale: float | None = None,
    strict: bool = False,
    rng: np.random.Generator | None = None,
    draws: int = DRAWS,
    precision: float | None = None,
) -> PermutationResult:
    """Test whether the first `n` scores differ from the others, over all C(N, n) subsets.

    The statistic T is the sum of the first group's scores. Two sums tie when they differ by at
    most ``16 N 2^-53 scale``, the rounding noise of one sum, or ``N precision scale`` where that
    is more.

    Parameters
    ----------
    scores
        Finite scores of both groups, the first group's first, shape (N,).
    n
        Size of the first group, 1 <= n <= N - 1.
    method
        ``auto`` counts where that takes a fraction of a second, else inverts the characteristic
        function where a relative error of 1e-7 is guaranteed, else gives certain bounds.
        ``exact`` counts or raises; ``inversion`` is taken as it is. ``sampled`` draws random
        subsets, and ``normal`` is the approximation of published code. Scores without spread are
        counted by every method.
    scale
        Magnitude of the quantities that were added up to make one score (1.0 for cosines);
        by default the greatest magnitude among the scores.
    strict
        Count only what exceeds the observed sum (T > t), as some published code does. A count may
        then be 0, and p is then the smallest positive double. Scores without spread still
        have p = 1.
    rng
        Source of the random subsets; required where subsets are drawn.
    draws
        How many: 1 or more.
    precision
        Unit roundoff of the vectors behind the scores, such as ``2**-24`` where a model computed
        them in single precision, 0 to below 1. None for vectors that are exact. Counts never fall
        when it grows, so that two values give the limits between which a count lies.

    Returns
    -------
    PermutationResult
        Tails ``greater`` (T >= t), ``less`` (T <= t) and ``two_sided``
        (abs(T - E T) >= abs(t - E T)), and the number of subsets.

    Raises
    ------
    EatlasError
        For input outside these ranges, and when a count or an inversion that was requested
        is not possible.

    Examples
    --------
    >>> result = permutation_test([0.9, 0.7, 0.8, 0.1, 0.2, 0.3], 3)
    >>> result.greater
    Tail(p=0.05, method='exact', count=1)
    >>> result.two_sided.count, result.total
    (2, 20)
    >>> nearly = permutation_test([0.3, 0.1 + 1e-8, 0.1, 0.1], 2, scale=1.0, precision=2**-24)
    >>> nearly.greater.count
    3
    """
    if method not in METHODS:
        raise EatlasError(
            "unknown permutation method", got=repr(method), allowed=", ".join(METHODS)
        )
    array, n = two_groups(scores, n)
    scale, precision = checked_scale(scale), checked_precision(precision)
    question = ask(array[None], n, scale, strict=strict, precision=precision).row(0)
    if method in DRAWING:
        draws, rng = whole(draws, "draws", 1), generator(rng)
    if question.degenerate:
        upper = lower = both = Tail.exact(question.total, question.total)
    elif method == "normal":
        upper, lower, both = normal(question)
    elif method == "sampled":
        from eatlas.stats.permutation.sampled import sampled  # noqa: PLC0415  (seldom)

        upper, lower, both = sampled(question, draws, generator(rng))
    else:
        upper, lower, both = tails(question, method)
    if question.mirrored:
        upper, lower = lower, upper
    return PermutationResult(upper, lower, both, question.total)


def normal(question: Question) -> Tails:
    """The normal approximation of published code, with the exact moments it estimates.

    Caliskan et al. (2017) and the ML-EAT code fit a normal distribution to the statistics of some
    random relabellings. Its mean and variance tend to those of all relabellings, which are known:
    E T = n mean and Var T = n (N - n) / (N - 1) times the variance (with N) of the scores. T is
    bounded and a normal variable is not, so a far tail comes out far too large, and a continuous
    distribution knows no ties: this method only reproduces published numbers.
    """
    size, n = question.values.size, question.n
    (distance,) = targets(question.values, n, [question.observed])
    root = float(distance) / math.sqrt(2 * n * (size - n) / (size - 1))
    upper, lower, both = (
        Tail(min(max(p, SMALLEST), 1.0), "normal")
        for p in (math.erfc(root) / 2, math.erfc(-root) / 2, math.erfc(root))
    )
    return upper, lower, both


def tails(question: Question, method: str) -> Tails:
    """Tails by counting, inverting or bracketing."""
    values, n, total = question.values, question.n, question.total
    at_least, below, far = thresholds = [question.at_least, question.below, question.far]
    small, lattice = total <= ALWAYS_EXACT, None
    if not small or method == "inversion":
        lattice = on_lattice(values, n, thresholds, question.tolerance)
    if lattice:
        values, (at_least, below, far) = lattice
    solver = chain(method, small=small, lattice=lattice is not None)
    upper, not_lower = _solved(solver, values, n, [at_least, below], method)
    if question.central:
        both = Tail.exact(total, total)
    else:
        # the sums below the mirror image are those of the negative scores above it
        beyond = (
            upper if question.balanced else _solved(solver, -values[::-1], n, [1 - far], method)[0]
        )
        both = joined([upper, beyond], [total, total], 0, total)
    return upper, complement(not_lower, total), both


def _solved(
    solver: Solver, values: Integers, n: int, thresholds: Sequence[int], method: str
) -> list[Tail]:
    """The solver's answer, or why a method that was requested has none."""
    answer = solver(values, n, thresholds)
    if answer is not None:
        return answer
    size = values.size
    design = f"{n} of {size} scores, about 10^{math.log10(math.comb(size, n)):.1f} subsets"
    if method == "exact":
        raise EatlasError(
            "an exact count is out of reach for this design",
            got=design,
            allowed=f"at most {2 * FORCED_STATES} partial sums that can reach the observed sum",
            remedy="use method='auto', which states its error",
        )
    raise EatlasError(
        "inversion does not give one digit here: too few sums reach the observed one",
        got=design,
        remedy="use method='auto', which counts or brackets them",
    )
