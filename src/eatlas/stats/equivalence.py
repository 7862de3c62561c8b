"""How large can the difference of two groups be: exact tests of shifts, inverted.

A permutation test asks whether the labels matter at all. Subtract a shift from the first group,
and it asks whether they matter beyond that shift. The shifts it does not reject are a confidence
interval, and a difference is shown to be small when both -margin and +margin are rejected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.kernels import mean_and_sd
from eatlas.stats.inputs import numbers, open_unit, whole
from eatlas.stats.permutation import Tail, permutation_test
from eatlas.stats.rejections import checked_alpha

Array = NDArray[np.float64]

MOST_STEPS = 60
"""Halvings that can matter: the range of doubles' scores over 2^60 is below their rounding."""


@dataclass(frozen=True)
class ShiftInterval:
    """The differences of two groups that the exact permutation test does not reject."""

    difference: float
    """Mean of the first group less mean of the second."""
    low: float
    """Lower end; -inf where the design cannot reject any shift."""
    high: float
    """Upper end; inf where the design cannot reject any shift."""
    level: float
    """Confidence; each end is a one-sided bound at (1 - level) / 2."""
    tolerance: float
    """How far outside of the exact ends these may be, never inside."""
    tests: int
    """Exact tests that were made."""
    methods: tuple[str, ...]
    """How their p-values were found: ``exact``, ``inversion``, ``bracket``, or several."""
    min_p: float
    """The smallest one-sided p of the design, 1 / C(N, n)."""
    reachable: bool
    """Whether min_p is below (1 - level) / 2; if not, the interval has no end."""


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided exact tests that a difference is within a margin."""

    margin: float
    """The difference that would matter, in units of the scores."""
    alpha: float
    """Level of the test."""
    difference: float
    """Mean of the first group less mean of the second."""
    above: Tail
    """Test of a difference of -margin or less against a greater one."""
    below: Tail
    """Test of a difference of +margin or more against a smaller one."""
    min_p: float
    """The smallest p of the design, 1 / C(N, n)."""
    reachable: bool
    """Whether min_p is below alpha; if not, equivalence cannot be shown whatever the scores."""

    @property
    def p(self) -> float:
        """The greater of both p-values."""
        return max(self.above.p, self.below.p)

    @property
    def equivalent(self) -> bool:
        """Whether p is below alpha."""
        return self.p < self.alpha


def shift_interval(
    scores: ArrayLike, n: int, *, level: float = 0.95, steps: int = 16
) -> ShiftInterval:
    """Confidence interval of the difference of two means by inversion of the exact test.

    Parameters
    ----------
    scores : array_like, shape (N,)
        Finite scores of both groups, the first group's first.
    n : int
        Size of the first group, 1 to N - 1.
    level : float
        Confidence, in (0, 1).
    steps : int
        Exact tests for each end, 1 to 60; each halves the tolerance, which is at first the range
        of all differences of a score of the first and a score of the second group.

    Returns
    -------
    ShiftInterval

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Notes
    -----
    The lower end is the smallest difference D for which the first group's scores less D have a
    p_greater of (1 - level) / 2 or more; the upper end likewise with p_less. p_greater rises with
    D, in steps at the differences of the mean of some of the first group's scores and the mean of
    as many of the second's (Pitman 1937; Garthwaite 1996), so that bisection finds the end. Up to
    the tolerance, 0 is outside if and only if the permutation test rejects. It covers with at
    least the stated probability if the groups' distributions differ by a shift alone.

    Examples
    --------
    >>> found = shift_interval([7.0, 8.0, 9.0, 11.0], 2, level=0.6, steps=40)  # 6 subsets
    >>> round(found.low, 6), round(found.high, 6), found.tests
    (-4.0, -1.0, 80)
    """
    values = _checked(scores, n)
    level, steps = open_unit(level), whole(steps, "steps", 1, MOST_STEPS)
    # rounded, because (1 - 0.95) / 2 exceeds .025 and would reject a p of exactly 1 / 40
    alpha, min_p = round((1 - level) / 2, 15), 1 / math.comb(values.size, n)
    low, high, used = -math.inf, math.inf, set[str]()
    difference, reach = _difference(values, n), _range(values, n)
    if min_p < alpha:
        low = _lower(values, n, alpha, steps, used)
        high = -_lower(-values, n, alpha, steps, used)
    return ShiftInterval(
        difference=difference,
        low=low,
        high=high,
        level=level,
        tolerance=math.ldexp(reach[1] - reach[0], -steps),
        tests=2 * steps if used else 0,
        methods=tuple(sorted(used)),
        min_p=min_p,
        reachable=min_p < alpha,
    )


def equivalence_test(
    scores: ArrayLike, n: int, margin: float, *, alpha: float = 0.05
) -> Equivalence:
    """Test that the means of two groups differ by less than a margin, in either direction.

    Parameters
    ----------
    scores : array_like, shape (N,)
        Finite scores of both groups, the first group's first.
    n : int
        Size of the first group, 1 to N - 1.
    margin : float
        The smallest difference of means that would matter, in units of the scores, above 0; to
        be set before looking at the scores.
    alpha : float
        Level of the test, in (0, 1).

    Returns
    -------
    Equivalence

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Notes
    -----
    Two one-sided tests (Schuirmann 1987), each an exact permutation test after a shift of the
    first group by the margin. p is below alpha if and only if the interval of level
    ``1 - 2 alpha`` is within the margins.

    Examples
    --------
    >>> found = equivalence_test([1.0, 2, 3, 4, 1.5, 2.5, 3.5, 4.5], 4, 5.0)
    >>> found.p, found.equivalent  # the smallest p there is, 1 / 70
    (0.014285714285714285, True)
    """
    values = _checked(scores, n)
    alpha = checked_alpha(alpha)
    if not (isinstance(margin, (int, float)) and 0 < margin < math.inf):
        raise EatlasError("margin must be a finite difference", got=repr(margin), allowed="above 0")
    min_p = 1 / math.comb(values.size, n)
    return Equivalence(
        margin=float(margin),
        alpha=alpha,
        difference=_difference(values, n),
        above=_greater(values, n, -margin),
        below=_greater(-values, n, -margin),
        min_p=min_p,
        reachable=min_p < alpha,
    )


def _checked(scores: ArrayLike, n: int) -> Array:
    values = numbers(scores, "scores", 1)
    if values.size < 2:
        raise EatlasError(
            "a difference takes two groups", got=f"{values.size} scores", allowed="2 or more"
        )
    whole(n, "n", 1, values.size - 1)
    return values


def _difference(values: Array, n: int) -> float:
    return mean_and_sd(values[:n], 0)[0] - mean_and_sd(values[n:], 0)[0]


def _range(values: Array, n: int) -> tuple[float, float]:
    """The least and the greatest difference of any two scores of the two groups."""
    first, second = values[:n], values[n:]
    return float(first.min() - second.max()), float(first.max() - second.min())


def _greater(values: Array, n: int, shift: float) -> Tail:
    """Test of a difference of `shift` or less against a greater one."""
    shifted = values.copy()
    shifted[:n] -= shift
    # what was rounded before the shift is as coarse after it
    return permutation_test(shifted, n, scale=float(np.abs(values).max()) + abs(shift)).greater


def _lower(values: Array, n: int, alpha: float, steps: int, used: set[str]) -> float:
    """The smallest difference that is not rejected, or less by the tolerance.

    Below the least difference of two scores no other subset reaches the sum of the observed one,
    so p is 1 / C(N, n) and rejected; from the greatest one on, every subset does.
    """
    low, high = _range(values, n)
    if low == high:
        return low
    for _ in range(steps):
        middle = low + (high - low) / 2
        tail = _greater(values, n, middle)
        used.add(tail.method)
        if tail.p < alpha:
            low = middle
        else:
            high = middle
    return low
