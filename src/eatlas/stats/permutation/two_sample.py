"""The two-sample permutation test: check the input, choose a method, put three tails together.

Counting, inverting and drawing answer one question of a tail: which proportion of the n-subsets has
a sum of at least t, for a few thresholds t. Counting and inverting answer None where it costs too
much, or where the error could be larger than the guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import EatlasError, require_whole
from eatlas.stats.inputs import check_noise, generator
from eatlas.stats.permutation.counting import count_at_least
from eatlas.stats.permutation.inversion import Effort, invert, log_count_near, standardise_rows
from eatlas.stats.permutation.problem import (
    ALWAYS_EXACT,
    SMALLEST,
    Integers,
    PermutationResult,
    Question,
    Tail,
    Tails,
    ask,
    complement,
    subsets,
    together,
    two_groups,
)
from eatlas.stats.permutation.sampled import DRAWS, monte_carlo_tails

METHODS = ("auto", "exact", "sampled", "normal")
"""What `method` may be."""
DRAWING = ("sampled",)
"""The methods that draw subsets at random."""
GUARANTEE = 1e-7
"""The relative error up to which an inversion is accepted."""
STATES = 6 << 20
"""Partial sums kept for one half: three buffers of 50 MB at worst."""
LAST_STATES = 1 << 24
"""The same where only drawing is left (32 v 32, d = 1.2): three of 134 MB, 1 s."""
LAST_LOG_COUNT = 44 * math.log(2)
"""Counts beyond 2**44 never fit into LAST_STATES."""
FORCED_STATES = 1 << 25
"""The same when a count was requested: three buffers of 256 MB at worst."""
HOPEFUL_LOG_COUNT = 36 * math.log(2)
"""From 2**36 on an inversion is as quick as a count, and mostly as good as its guarantee."""
QUICKER_LOG_COUNT = 42 * math.log(2)
"""Up to 2**42 a count (21 v 23, p = 0.18: 0.2 s) is quicker than a thorough inversion (0.9 s)."""
BRIEF: Effort = (250_000, 1 << 10)
"""An inversion with an error of some 1e-6: 7 ms."""
BRIEF_LOG_COUNT = 26 * math.log(2)
"""Up to 2**26 a count takes less time than any inversion."""
QUICK: Effort = (4_000_000, 1 << 12)
"""A first inversion: 20 to 60 ms, and all that 100 scores or more ever need."""
THOROUGH: Effort = (20_000_000, 1 << 15)
"""A second one, about half a second, for some 50 scores whose sums are few."""
WORTH = 30.0
"""A quick inversion whose error is so many times too large is not worth a thorough one."""


def permutation_test(  # noqa: PLR0913
    scores: ArrayLike,
    n: int,
    *,
    method: str = "auto",
    scale: float | None = None,
    strict: bool = False,
    rng: np.random.Generator | None = None,
    permutations: int = DRAWS,
    precision: float | None = None,
    error: float = GUARANTEE,
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
        function where a relative error of 1e-7 is guaranteed, else draws random subsets.
        ``exact`` counts or raises. ``sampled`` draws random subsets, and ``normal`` is the
        approximation of published code. Scores without spread are counted by every method.
    scale
        Magnitude of the quantities that were added up to make one score (1.0 for cosines);
        by default the greatest magnitude among the scores.
    strict
        Count only what exceeds the observed sum (T > t), as some published code does. A count may
        then be 0, and p is then the smallest positive double. Scores without spread still
        have p = 1.
    rng
        Source of the random subsets; required by ``sampled``. ``auto`` draws from a generator of
        its own, so that its answer depends only on the scores.
    permutations
        How many: 1 or more.
    precision
        Unit roundoff of the vectors behind the scores, such as ``2**-24`` where a model computed
        them in single precision, 0 to below 1. None for vectors that are exact. Counts never fall
        when it grows, so that two values give the limits between which a count lies.
    error
        Relative error up to which ``auto`` accepts an inversion. Above 1e-7 it tries a brief one
        before it counts more than 2**26 subsets, which is ten times as quick and more.

    Returns
    -------
    PermutationResult
        Tails ``greater`` (T >= t), ``less`` (T <= t) and ``two_sided``
        (abs(T - E T) >= abs(t - E T)), and the number of subsets.

    Raises
    ------
    EatlasError
        For input outside these ranges, and when a count that was requested is not possible.

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
    check_noise(scale, precision)
    question = ask(array[None], n, scale, strict=strict, precision=precision).row(0)
    if method in DRAWING:
        permutations, rng = require_whole("permutations", permutations, 1), generator(rng)
    values, n, total = question.values, question.n, question.total
    ends = beyond = None
    if not question.degenerate and method not in ("normal", *DRAWING):
        how = method, error if method == "auto" else GUARANTEE
        ends = beyond = _tails(values, n, [question.at_least, question.below], *how)
        if ends is not None and not (question.central or question.is_balanced):
            # the sums below the mirror image are those of the negative scores above it
            beyond = _tails(-values[::-1], n, [1 - question.far], *how)
    if question.degenerate:
        upper = lower = both = Tail.exact(total, total)
    elif method == "normal":
        upper, lower, both = normal(question)
    elif ends is None or beyond is None:
        source = rng if method in DRAWING and rng else np.random.default_rng(0)
        upper, lower, both = monte_carlo_tails(question, permutations, source)
    else:
        upper, lower = ends[0], complement(ends[1], total)
        both = Tail.exact(total, total) if question.central else together(upper, beyond[0], total)
    if question.mirrored:
        upper, lower = lower, upper
    return PermutationResult(upper, lower, both, total)


def normal(question: Question) -> Tails:
    """The normal approximation of published code, with the exact moments it estimates.

    Caliskan et al. (2017) and the ML-EAT code fit a normal distribution to the statistics of some
    random permutations. Its mean and variance tend to the mean and variance over all permutations,
    which are known: E T = n mean and Var T = n (N - n) / (N - 1) times the variance (with N) of the
    scores. T is bounded and a normal variable is not, so a far tail comes out far too large, and a
    continuous distribution knows no ties: this method only reproduces published numbers.
    """
    size, n = question.values.size, question.n
    distance = float(standardise_rows(question.values[None], n, [question.observed])[1][0, 0])
    root = distance / math.sqrt(2 * n * (size - n) / (size - 1))
    upper, lower, both = (
        Tail(min(max(p, SMALLEST), 1.0), "normal")
        for p in (math.erfc(root) / 2, math.erfc(-root) / 2, math.erfc(root))
    )
    return upper, lower, both


def _tails(
    values: Integers, n: int, thresholds: Sequence[int], method: str, error: float
) -> list[Tail] | None:
    """A brief inversion, where its error is accepted and a count would take longer."""
    if error > GUARANTEE and log_count_near(values, n, min(thresholds)) > BRIEF_LOG_COUNT:
        inverted, worst = tails_by_inversion(values, n, thresholds, BRIEF)
        if worst <= error:
            return inverted
    return _solve(values, n, thresholds, method)


def _solve(values: Integers, n: int, thresholds: Sequence[int], method: str) -> list[Tail] | None:
    """A count where that is quick, an inversion within the guarantee, or a long count."""
    total = subsets(values.size, n)
    if method == "exact" or total <= ALWAYS_EXACT:
        counts = count_at_least(values, n, thresholds, FORCED_STATES)
        if counts is None and method == "exact":
            raise EatlasError(
                "an exact count is not feasible for this design",
                got=f"{n} of {values.size} scores, about 10^{math.log10(total):.1f} subsets",
                allowed=f"at most {2 * FORCED_STATES} partial sums that can reach the observed sum",
                remedy="use method='auto', which states its error",
            )
        return _exact(counts, total)
    counts, log_count = None, log_count_near(values, n, min(thresholds))
    if log_count <= HOPEFUL_LOG_COUNT:
        counts = count_at_least(values, n, thresholds, STATES)
    if counts is not None:
        return _exact(counts, total)
    inverted, worst = tails_by_inversion(values, n, thresholds, QUICK)
    if GUARANTEE < worst <= GUARANTEE * WORTH:
        if log_count <= QUICKER_LOG_COUNT:
            counts = count_at_least(values, n, thresholds, STATES)
        if counts is not None:
            return _exact(counts, total)
        inverted, worst = tails_by_inversion(values, n, thresholds, THOROUGH)
    if worst <= GUARANTEE:
        return inverted
    if log_count <= LAST_LOG_COUNT:
        counts = count_at_least(values, n, thresholds, LAST_STATES)
    return _exact(counts, total)


def _exact(counts: list[int] | None, total: int) -> list[Tail] | None:
    return None if counts is None else [Tail.exact(count, total) for count in counts]


def tails_by_inversion(
    values: Integers, n: int, thresholds: Sequence[int], effort: Effort
) -> tuple[list[Tail], float]:
    """Tails by Fourier inversion, and the worst of their stated errors; infinite without any."""
    inverted = invert(values, n, thresholds, effort)
    if inverted is None:
        return [], math.inf
    log_total = math.log(subsets(values.size, n))
    tails = [
        Tail.inverted(math.exp(min(0.0, log_count - log_total)), error)
        for log_count, error in inverted
    ]
    return tails, max(error for _, error in inverted)
