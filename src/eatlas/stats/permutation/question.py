"""The integer question behind a test: which subset sums count as extreme.

Every method answers the same question, stated in Python integers on one fixed-point vector, so
that nothing depends on the order of terms, on floating-point sums or on which group comes first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.result import SMALLEST
from eatlas.stats.precision import DOUBLE, relative_tolerance

SUM_BITS = 60
"""Sum of abs(w) stays below 2**60 before rounding, so below 2**61 after it: int64 never wraps."""


@dataclass(frozen=True)
class Question:
    """Which subsets of size `n` reach the observed sum, in lattice units.

    Stated for the smaller group and for an observed sum not below its mean; `mirrored` says that
    ``greater`` and ``less`` changed places on the way.
    """

    values: NDArray[np.int64]
    """All scores as integers, ascending, shape (N,)."""
    n: int
    """Size of the smaller group, 1 <= n <= N/2."""
    observed: int
    """Its sum, with N * observed >= n * sum(values)."""
    tolerance: int
    """Two sums tie when they differ by at most this."""
    mirrored: bool
    """True when the question's upper tail is the caller's lower tail."""
    strict: bool = False
    """True when a sum that ties with the observed one is not extreme."""
    exact: int | None = None
    """Sums tie exactly when they differ by at most this; None where all ties are exact."""

    @cached_property
    def total(self) -> int:
        """C(N, n)."""
        return math.comb(self.values.size, self.n)

    @cached_property
    def least(self) -> int:
        """The smallest sum of n values."""
        return int(self.values[: self.n].sum())

    @cached_property
    def greatest(self) -> int:
        """The greatest sum of n values."""
        return int(self.values[self.values.size - self.n :].sum())

    @property
    def balanced(self) -> bool:
        """Both groups have one size, so the null is symmetric about its mean."""
        return 2 * self.n == self.values.size

    @property
    def degenerate(self) -> bool:
        """Every sum ties with every other: no spread beyond the tolerance.

        Scores that differ by at most 16 eps * scale always land here, since n <= N/2 of them
        then differ by at most ``16 N 2^-53 scale``, the tolerance.
        """
        return self.greatest - self.least <= self.tolerance

    @cached_property
    def deviation(self) -> int:
        """N * observed - n * sum(values) >= 0: N times the distance from the mean."""
        return int(self.values.size) * self.observed - self.n * int(self.values.sum())

    @property
    def central(self) -> bool:
        """Every subset is two-sided extreme, as the observed sum ties with the mean."""
        return not self.strict and self.deviation <= self.values.size * self.tolerance

    @property
    def at_least(self) -> int:
        """The upper tail is T >= this: as extreme as observed, or tied with it (or beyond)."""
        return self.observed + self.tolerance + 1 if self.strict else self.observed - self.tolerance

    @property
    def below(self) -> int:
        """The lower tail is T < this: not beyond any tie with the observed sum (or below all)."""
        return self.observed - self.tolerance if self.strict else self.observed + self.tolerance + 1

    @property
    def at_most(self) -> int:
        """The far side is T <= this: as far below the mean as the observed sum is above it.

        From N T - n S <= -(N t - n S) + N tol, or < and - N tol, in integers.
        """
        size = int(self.values.size)
        mirror = self.n * int(self.values.sum()) - self.deviation
        if self.strict:
            return (mirror - 1) // size - self.tolerance
        return mirror // size + self.tolerance

    @property
    def least_p(self) -> float:
        """A certain lower bound of every tail: the observed subset is in it, if ties are."""
        return SMALLEST if self.strict else max(1 / self.total, SMALLEST)


def to_fixed(scores: NDArray[np.float64]) -> tuple[NDArray[np.int64], int]:
    """Scores as integers in units of 2**-q, and q.

    q depends on the correctly rounded sum of magnitudes (`math.fsum`), so the order of terms
    cannot change it. Dividing by a power of two first keeps the sum finite.

    Examples
    --------
    >>> w, q = to_fixed(np.array([0.5, -0.25]))
    >>> (w / 2.0**q).tolist()
    [0.5, -0.25]
    """
    peak = float(np.max(np.abs(scores)))
    if peak == 0.0:
        return np.zeros(scores.shape, np.int64), 0
    shift = math.frexp(peak)[1]
    unit = np.ldexp(scores, -shift)
    bits = SUM_BITS - math.frexp(math.fsum(np.abs(unit)))[1]
    return np.rint(np.ldexp(unit, bits)).astype(np.int64), bits - shift


def tie_tolerance(size: int, scale: float, q: int, relative: float = DOUBLE) -> int:
    """floor(relative N scale 2^q) + 1 lattice units: the rounding noise of one sum of N terms."""
    return math.floor(Fraction(scale) * Fraction(relative) * size * Fraction(2) ** q) + 1


def ask(
    scores: NDArray[np.float64],
    n: int,
    scale: float | None,
    *,
    strict: bool = False,
    precision: float | None = None,
) -> Question:
    """State the question for the first `n` of `scores`."""
    w, q = to_fixed(scores)
    scale = float(np.max(np.abs(scores))) if scale is None else scale
    exact = tie_tolerance(w.size, scale, q)
    tolerance = tie_tolerance(w.size, scale, q, relative_tolerance(precision))
    question = orient(w, n, int(w[:n].sum()), tolerance)
    return replace(question, strict=strict, exact=exact if exact < tolerance else None)


def orient(w: NDArray[np.int64], n: int, observed: int, tolerance: int) -> Question:
    """Turn the question to the smaller group and to the upper tail."""
    size, whole, mirrored = int(w.size), int(w.sum()), False
    if 2 * n > size:
        n, observed, mirrored = size - n, whole - observed, True
    if size * observed < n * whole:
        w, observed, mirrored = -w, -observed, not mirrored
    return Question(np.sort(w), n, observed, tolerance, mirrored)
