"""What a permutation test returns: three tails, each with the way it was obtained."""

from __future__ import annotations

import sys
from dataclasses import dataclass

SMALLEST = sys.float_info.min * sys.float_info.epsilon
"""The smallest positive double: a p-value below it is reported as this, never as 0."""


@dataclass(frozen=True)
class Tail:
    """One p-value and its provenance.

    Examples
    --------
    >>> Tail.exact(1, 20)
    Tail(p=0.05, method='exact', count=1, rel_err=None, bracket=None)
    """

    p: float
    """The p-value, in (0, 1]; for a bracket its upper end."""
    method: str
    """``exact`` (an integer count), ``inversion`` or ``bracket``."""
    count: int | None = None
    """Subsets at least as extreme as the observed one; None unless exact."""
    rel_err: float | None = None
    """Stated bound of the relative error; None unless by inversion."""
    bracket: tuple[float, float] | None = None
    """Certain lower and upper bound of p; None unless by bracket."""

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


@dataclass(frozen=True)
class PermutationResult:
    """The three tails of one two-sample permutation test."""

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
        """The smallest p this design can reach, 1 / total."""
        return max(1 / self.total, SMALLEST)
