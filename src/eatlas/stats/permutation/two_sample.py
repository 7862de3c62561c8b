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
from eatlas.stats.permutation.inversion import (
    Contour,
    Effort,
    contour_of,
    invert,
    log_count_along,
    standardise_rows,
)
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
STATES = 4 << 20
"""Partial sums kept for one half: three buffers of 34 MB at worst."""
FORESEEN = 1.5
"""A count is given up as soon as so many times as many partial sums are to be expected."""
LAST_STATES = 1 << 24
"""The same where only drawing is left: three of 67 MB, a fifth of a second."""
LAST_LOG_COUNT = 44 * math.log(2)
"""Counts beyond 2**44 never fit into LAST_STATES."""
FORCED_STATES = 1 << 25
"""The same when a count was requested: three buffers of 256 MB at worst."""
SURE_LOG_COUNT = 35 * math.log(2)
"""Up to 2**35 no inversion is as good as its guarantee."""
HOPEFUL_LOG_COUNT = 36 * math.log(2)
"""From 2**36 on an inversion is quicker than a count, and as good as its guarantee."""
SOON_COUNTED = 1 << 40
"""Designs with at most so many subsets are counted sooner than inverted (21 v 21: 70 ms)."""
BRIEF: Effort = (250_000, 1 << 10)
"""An inversion with an error of some 1e-6, or 1e-7 of many subsets: 5 ms."""
BRIEF_LOG_COUNT = 31 * math.log(2)
"""Up to 2**31 a count takes some 20 ms at most."""
EFFORTS: tuple[Effort, ...] = (
    (1_000_000, 1 << 12),
    (2_000_000, 1 << 13),
    (4_000_000, 1 << 14),
    (16_000_000, 1 << 15),
)
"""Inversions of 10 to 60 ms. The error of the first suffices from 2**39.5 subsets on; of half as
many the band has to be twice as long."""
FIRST_LOG_COUNT = 39.5 * math.log(2)


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
        before it counts more than 2**31 subsets, which is two to ten times as quick.

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
    """A count where that is quick, an inversion whose error is accepted, or a long count."""
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
    contour = contour_of(values, n, thresholds)
    log_count = -math.inf if contour is None else log_count_along(contour)
    if error > GUARANTEE and log_count > BRIEF_LOG_COUNT:
        inverted, worst = tails_by_inversion(contour, total, BRIEF)
        if worst <= error:
            return inverted
    if log_count <= HOPEFUL_LOG_COUNT or total <= SOON_COUNTED:
        states = LAST_STATES if log_count <= SURE_LOG_COUNT else STATES
        counts = count_at_least(values, n, thresholds, states, FORESEEN)
        if counts is not None:
            return _exact(counts, total)
    doublings = math.ceil((FIRST_LOG_COUNT - min(log_count, math.log(total))) / math.log(2))
    for effort in EFFORTS[min(max(doublings, 0), len(EFFORTS) - 1) :]:
        inverted, worst = tails_by_inversion(contour, total, effort)
        if worst <= GUARANTEE:
            return inverted
    counts = None
    if log_count <= LAST_LOG_COUNT:
        counts = count_at_least(values, n, thresholds, LAST_STATES, FORESEEN)
    return _exact(counts, total)


def _exact(counts: list[int] | None, total: int) -> list[Tail] | None:
    return None if counts is None else [Tail.exact(count, total) for count in counts]


def tails_by_inversion(
    contour: Contour | None, total: int, effort: Effort
) -> tuple[list[Tail], float]:
    """Tails by Fourier inversion, and the worst of their stated errors; infinite without any."""
    inverted = invert(contour, effort)
    if inverted is None:
        return [], math.inf
    log_total = math.log(total)
    tails = [
        Tail.inverted(math.exp(min(0.0, log_count - log_total)), error)
        for log_count, error in inverted
    ]
    return tails, max(error for _, error in inverted)
