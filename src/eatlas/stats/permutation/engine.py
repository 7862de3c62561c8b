"""The two-sample permutation test: check the input, choose a method, put three tails together.

The normal approximation of published code, with the exact moments it estimates.

Caliskan et al. (2017) and the ML-EAT code fit a normal distribution to the statistics of some
random relabellings. Its mean and variance tend to those of all relabellings, which are known:
E T = n mean and Var T = n (N - n) / (N - 1) times the variance (with N) of the scores. T is
bounded and a normal variable is not, so a far tail comes out far too large: this method only
reproduces published numbers.

Counts without the sums that tie with the observed one by the precision of the vectors alone.

Every count of an oriented question includes the sums within its tolerance. Where the vectors were
rounded, some of these may be real ties and some may be near by accident: which, nobody can tell.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import (
    checked_precision,
    checked_scale,
    generator,
    relative_tolerance,
    whole,
)
from eatlas.stats.permutation.lattice import on_lattice
from eatlas.stats.permutation.problem import (
    NearTies,
    PermutationResult,
    Problem,
    Tail,
    added,
    ask,
    complement,
)
from eatlas.stats.permutation.saddlepoint import targets
from eatlas.stats.permutation.solvers import ALWAYS_EXACT, FORCED_STATES, Solver, chain


def normal(question: Problem) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail; a continuous distribution knows no ties."""
    size, n = question.values.size, question.n
    (distance,) = targets(question.values, n, [question.observed])
    root = float(distance) / math.sqrt(2 * n * (size - n) / (size - 1))
    tails = math.erfc(root) / 2, math.erfc(-root) / 2, math.erfc(root)
    upper, lower, both = (Tail.normal(p) for p in tails)
    return upper, lower, both


Counter = Callable[[NDArray[np.int64], Sequence[int]], list[Tail]]
"""From ascending values and thresholds t to the tails #{n-subsets with sum >= t}."""
Without = tuple[int | None, int | None, int | None]
"""Counts of the upper, the lower and the two-sided tail; None where one is not counted."""


def without_near_ties(
    question: Problem, upper: Tail, not_lower: Tail, both: Tail, count: Counter
) -> Without | None:
    """Count the three tails of a question without its near ties."""
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


def _both(question: Problem, both: Tail, beyond: int, exact: int, count: Counter) -> int | None:
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


def _between(question: Problem, place: int, exact: int, count: Counter) -> int | None:
    """Sums that tie with a place exactly."""
    first, second = count(question.values, [place - exact, place + exact + 1])
    if first.count is None or second.count is None:
        return None
    return first.count - second.count


METHODS = ("auto", "exact", "inversion", "bracket", "sampled", "importance", "normal")
"""What `method` may be."""
STUDENTISED_METHODS = ("auto", "exact", "sampled")
"""What it may be for a studentised statistic."""
DRAWING = ("sampled", "importance")
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
        ``exact`` counts or raises; ``inversion`` and ``bracket`` are taken as they are.
        ``sampled`` draws random subsets, ``importance`` draws them near the observed sum, and
        ``normal`` is the approximation of published code. Scores without spread are counted by
        every method.
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
        How many: 1 or more, 2 or more for ``importance``.
    precision
        Unit roundoff of the vectors behind the scores, such as ``2**-24`` where a model computed
        them in single precision, 0 to below 1. None for vectors that are exact. Counts never fall
        when it grows, so that two values give the limits between which a count lies.

    Returns
    -------
    PermutationResult
        Tails ``greater`` (T >= t), ``less`` (T <= t) and ``two_sided``
        (abs(T - E T) >= abs(t - E T)), and the number of subsets. Where a count depends on
        `precision`, ``near_ties`` has the counts without the ties that rest on it alone.

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
    >>> nearly.greater.count, nearly.near_ties.greater
    (3, 1)
    """
    if method not in METHODS:
        raise EatlasError(
            "unknown permutation method", got=repr(method), allowed=", ".join(METHODS)
        )
    array = _checked_scores(scores)
    scale, precision = checked_scale(scale), checked_precision(precision)
    size = _checked_size(array.size, n)
    question = ask(array, size, scale, strict=strict, precision=precision)
    without = None
    if method in DRAWING:
        upper, lower, both = _drawn(question, method, draws, rng)
    else:
        upper, lower, both, without = _found(question, method)
    if question.mirrored:
        upper, lower = lower, upper
        without = without and (without[1], without[0], without[2])
    near = None
    if without is not None and without != (upper.count, lower.count, both.count):
        scale = float(np.abs(array).max()) if scale is None else scale
        near = NearTies(array.size * relative_tolerance(precision) * scale, *without)
    return PermutationResult(upper, lower, both, question.total, near)


def _drawn(
    question: Problem, method: str, draws: int, rng: np.random.Generator | None
) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail of an oriented question, from random subsets."""
    from eatlas.stats.permutation.sampled import importance, sampled  # noqa: PLC0415  (seldom)

    draws = whole(draws, "draws", 2 if method == "importance" else 1)
    source = generator(rng)
    if question.degenerate:
        return _all_tie(question)
    return (sampled if method == "sampled" else importance)(question, draws, source)


def _found(question: Problem, method: str) -> tuple[Tail, Tail, Tail, Without | None]:
    """The same without chance, and the counts without near ties where there are any."""
    if question.degenerate:
        return (*_all_tie(question), _without_any(question, method))
    return (*normal(question), None) if method == "normal" else _tails(question, method)


def _without_any(question: Problem, method: str) -> Without | None:
    """Counts without near ties of a question whose sums all tie, in a design that is counted."""
    exact = question.exact
    spread = question.greatest - question.least
    if exact is None or spread <= exact or question.strict or question.total > ALWAYS_EXACT:
        return None
    every, none = Tail.exact(question.total, question.total), Tail.exact(0, question.total)
    solver = chain("exact", small=True, lattice=False)
    return without_near_ties(
        question, every, none, every, lambda v, ts: _solved(solver, v, question.n, [*ts], method)
    )


def _all_tie(question: Problem) -> tuple[Tail, Tail, Tail]:
    every = Tail.exact(question.total, question.total)
    return every, every, every


def _checked_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Scores as a one-dimensional array of finite numbers."""
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EatlasError("scores must be numbers", got=str(error)) from error
    if array.ndim != 1:
        raise EatlasError(
            "scores must be one row of numbers",
            got=f"an array of shape {array.shape}",
            remedy="join both groups into one row, the first group's scores first",
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise EatlasError(
            "scores must be finite",
            got=f"{array[bad[0]]} at position {bad[0]}",
            remedy="leave out the terms without a score, and say so",
        )
    return array


def _checked_size(total: int, n: int) -> int:
    """Size of the first group, which leaves at least one score for the second."""
    if total < 2:
        raise EatlasError(
            "a permutation test compares two groups", got=f"{total} scores", allowed="2 or more"
        )
    try:
        size = operator.index(n)
    except TypeError as error:
        raise EatlasError("n must be a whole number", got=repr(n)) from error
    if not 1 <= size < total:
        raise EatlasError(
            "the first group must leave scores for the second",
            got=f"n = {size} of {total} scores",
            allowed=f"1 to {total - 1}",
        )
    return size


def _tails(question: Problem, method: str) -> tuple[Tail, Tail, Tail, Without | None]:
    """The same by counting, inverting or bracketing."""
    steps = (
        None if question.total <= ALWAYS_EXACT and method != "inversion" else on_lattice(question)
    )
    asked = steps or question
    total = question.total
    solver = chain(method, small=total <= ALWAYS_EXACT, lattice=steps is not None)
    near = [asked.at_least, asked.below]
    upper, not_lower = _solved(solver, asked.values, asked.n, near, method)
    if asked.central:
        both = Tail.exact(total, total)
    elif asked.balanced:
        both = added(upper, upper, total)
    else:
        mirror = -asked.values[::-1]
        (far,) = _solved(solver, mirror, asked.n, [-asked.at_most], method)
        both = added(upper, far, total)
    without = None
    if asked.exact is not None and not asked.strict:
        without = without_near_ties(
            asked, upper, not_lower, both, lambda v, ts: _solved(solver, v, asked.n, [*ts], method)
        )
    return upper, complement(not_lower, total), both, without


def _solved(
    solver: Solver, values: NDArray[np.int64], n: int, thresholds: list[int], method: str
) -> list[Tail]:
    found = solver(values, n, thresholds)
    if found is None:
        raise _refused(method, values.size, n)
    return found


def _refused(method: str, size: int, n: int) -> EatlasError:
    """Why a method that was requested cannot answer."""
    design = f"{n} of {size} scores, about 10^{math.log10(math.comb(size, n)):.1f} subsets"
    if method == "exact":
        return EatlasError(
            "an exact count is out of reach for this design",
            got=design,
            allowed=f"at most {2 * FORCED_STATES} partial sums that can reach the observed sum",
            remedy="use method='auto', which states its error",
        )
    return EatlasError(
        "inversion does not give one digit here: too few sums reach the observed one",
        got=design,
        remedy="use method='auto', which counts or brackets them",
    )
