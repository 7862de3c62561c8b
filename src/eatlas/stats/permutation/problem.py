"""The integer question behind a test: which subset sums count as extreme.

Every method answers the same question, stated in Python integers on one fixed-point vector, so
that nothing depends on the order of terms, on floating-point sums or on which group comes first.

What a permutation test returns: three tails, each with the way it was obtained.

The complement and the sum of tails keep what is known about each part.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import DOUBLE, relative_tolerance

SMALLEST = sys.float_info.min * sys.float_info.epsilon
"""The smallest positive double: a p-value below it is reported as this, never as 0."""

STUDENTISED_METHODS = ("auto", "exact", "sampled")
"""What `method` may be for a studentised statistic."""


Interval = tuple[float, float]
TailName = Literal["greater", "less", "two_sided"]
TAILS: tuple[TailName, ...] = ("greater", "less", "two_sided")
ROUNDING = 2.0**-52


@dataclass(frozen=True, repr=False)
class Tail:
    """One p-value and its provenance; what does not apply to its method is None.

    Examples
    --------
    >>> Tail.exact(1, 20)
    Tail(p=0.05, method='exact', count=1)
    """

    p: float
    """The p-value, in (0, 1]; for a bracket its upper end."""
    method: str
    """``exact`` (an integer count), ``inversion``, ``bracket``, ``sampled`` or ``normal``."""
    count: int | None = None
    """Subsets at least as extreme as the observed one; None unless exact."""
    rel_err: float | None = None
    """Stated bound of the relative error; None unless by inversion."""
    bracket: Interval | None = None
    """Certain lower and upper bound of p; None unless by bracket."""
    interval: Interval | None = None
    """95% confidence interval of p; None unless sampled."""
    draws: int | None = None
    """Subsets drawn; None unless sampled."""

    def __repr__(self) -> str:
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        inside = ", ".join(f"{k}={v!r}" for k, v in known.items() if v is not None)
        return f"Tail({inside})"

    @classmethod
    def exact(cls, count: int, total: int) -> Tail:
        """An exact tail: `count` of `total` subsets, divided with one rounding."""
        return cls(p=max(count / total, SMALLEST), method="exact", count=count)

    @classmethod
    def inverted(cls, p: float, rel_err: float) -> Tail:
        """A tail by Fourier inversion with its stated relative error."""
        return cls(p=min(max(p, SMALLEST), 1.0), method="inversion", rel_err=rel_err)

    @classmethod
    def bracketed(cls, low: float, high: float) -> Tail:
        """A tail known to lie in [low, high]; its p is the upper end, which is conservative."""
        low, high = (min(max(x, SMALLEST), 1.0) for x in (low, high))
        return cls(p=high, method="bracket", bracket=(low, high))

    @classmethod
    def normal(cls, p: float) -> Tail:
        """A tail of the normal distribution; nothing is known about its error."""
        return cls(p=min(max(p, SMALLEST), 1.0), method="normal")

    @classmethod
    def estimated(cls, method: str, p: float, interval: Interval, draws: int, least: float) -> Tail:
        """A tail from random subsets; p and its interval are cut off at `least`, which is certain.

        `least` is 1 / C(N, n) where the observed subset itself belongs to the tail.
        """
        low, p, high = (min(max(x, least), 1.0) for x in (interval[0], p, interval[1]))
        return cls(p=p, method=method, interval=(low, high), draws=draws)


@dataclass(frozen=True)
class PermutationResult:
    """The three tails of one two-sample permutation test.

    With ``strict`` the inequalities are strict: a tail then counts what exceeds the observed sum.
    """

    greater: Tail
    """Subsets with T >= t."""
    less: Tail
    """Subsets with T <= t."""
    two_sided: Tail
    """Subsets with abs(T - E T) >= abs(t - E T); not twice a one-sided p."""
    total: int
    """C(N, n), the number of subsets."""

    @property
    def min_p(self) -> float:
        """The smallest p this design can reach, 1 / total, unless inequalities are strict."""
        return max(1 / self.total, SMALLEST)


def complement(tail: Tail, total: int) -> Tail:
    """1 - p, by whatever way p was obtained."""
    if tail.count is not None:
        return Tail.exact(total - tail.count, total)
    if tail.rel_err is not None and tail.p < 1.0:
        rest = 1.0 - tail.p
        return Tail.inverted(rest, tail.rel_err * tail.p / rest + ROUNDING)
    low, high = bounds(tail)
    return Tail.bracketed(1.0 - high, (1.0 - low) * (1 + ROUNDING))


def added(first: Tail, second: Tail, total: int) -> Tail:
    """The sum of two disjoint tails: as good as the weaker of them."""
    if first.count is not None and second.count is not None:
        return Tail.exact(first.count + second.count, total)
    if "bracket" in (first.method, second.method):
        low, high = (a + b for a, b in zip(bounds(first), bounds(second), strict=True))
        return Tail.bracketed(low * (1 - ROUNDING), high * (1 + ROUNDING))
    p = first.p + second.p
    error = sum(tail.p * (tail.rel_err or ROUNDING) for tail in (first, second))
    return Tail.inverted(p, error / p + ROUNDING)


def joined(tails: list[Tail], weights: list[int], count: int, total: int) -> Tail:
    """A tail from disjoint parts: `count` subsets, and each tail's share of its `weights`."""
    if all(tail.count is not None for tail in tails):
        return Tail.exact(count + sum(tail.count or 0 for tail in tails), total)
    certain, shares = count / total, [weight / total for weight in weights]
    if any(tail.method == "bracket" for tail in tails):
        both = [bounds(tail) for tail in tails]
        low, high = (
            certain + sum(share * ends[i] for share, ends in zip(shares, both, strict=True))
            for i in (0, 1)
        )
        slack = ROUNDING * (2 + len(tails))
        return Tail.bracketed(low * (1 - slack), high * (1 + slack))
    p = certain + sum(share * tail.p for share, tail in zip(shares, tails, strict=True))
    error = sum(
        share * tail.p * (tail.rel_err or 0.0) for share, tail in zip(shares, tails, strict=True)
    )
    return Tail.inverted(p, error / p + ROUNDING * (2 + len(tails)))


def bounds(tail: Tail) -> tuple[float, float]:
    """What is known of p as an interval."""
    if tail.bracket is not None:
        low, high = tail.bracket
        # the smallest double stands for none at all, and two of them are not more
        return (low if low > SMALLEST else 0.0), high
    slack = tail.rel_err or ROUNDING
    return tail.p * (1 - slack), tail.p * (1 + slack)


SUM_BITS = 60
"""Sum of abs(w) stays below 2**60 before rounding, so below 2**61 after it: int64 never wraps."""


@dataclass(frozen=True)
class Problem:
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
) -> Problem:
    """State the question for the first `n` of `scores`."""
    w, q = to_fixed(scores)
    scale = float(np.max(np.abs(scores))) if scale is None else scale
    tolerance = tie_tolerance(w.size, scale, q, relative_tolerance(precision))
    question = orient(w, n, int(w[:n].sum()), tolerance)
    return replace(question, strict=strict)


def orient(w: NDArray[np.int64], n: int, observed: int, tolerance: int) -> Problem:
    """Turn the question to the smaller group and to the upper tail."""
    size, whole, mirrored = int(w.size), int(w.sum()), False
    if 2 * n > size:
        n, observed, mirrored = size - n, whole - observed, True
    if size * observed < n * whole:
        w, observed, mirrored = -w, -observed, not mirrored
    return Problem(np.sort(w), n, observed, tolerance, mirrored)
