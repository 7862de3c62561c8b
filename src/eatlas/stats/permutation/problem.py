"""The integer question behind a test, asked of many rows at once, and what a test returns.

Every method answers the same question, stated on fixed-point vectors, so that nothing depends on
the order of terms, on floating-point sums or on which group comes first. A test of one row of
scores is the first row of such questions.

A result has three tails, each with the way it was obtained. The complement and the sum of tails
keep what is known of the error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, require_whole
from eatlas.stats.inputs import DOUBLE, numbers, relative_tolerance

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Interval = tuple[float, float]
TailName = Literal["greater", "less", "two_sided"]

SMALLEST = sys.float_info.min * sys.float_info.epsilon
"""The smallest positive double: a p-value below it is reported as this, never as 0."""
LARGEST = 32
"""Scores in a row that is counted together with others: 2**16 partial sums for each half, 0.5 MB,
stay in the second-level cache."""
ALWAYS_EXACT = 1_000_000
"""Designs with at most so many subsets are counted, whatever it takes."""
STUDENTISED_METHODS = ("auto", "exact", "sampled")
"""What `method` may be for a studentised statistic."""
TAILS: tuple[TailName, ...] = ("greater", "less", "two_sided")
ROUNDING = 2.0**-52
SUM_BITS = 60
"""Sum of abs(w) stays below 2**60 before rounding, so below 2**61 after it: int64 never wraps."""

subsets = lru_cache(maxsize=16)(math.comb)
"""C(N, n); of 64,000 scores it takes a third of a second."""


@dataclass(frozen=True, repr=False)
class Tail:
    """One p-value and its provenance; what does not apply to its method is None.

    Examples
    --------
    >>> Tail.exact(1, 20)
    Tail(p=0.05, method='exact', count=1)
    """

    p: float
    """The p-value, in (0, 1]."""
    method: str
    """``exact`` (an integer count), ``inversion``, ``sampled`` or ``normal``."""
    count: int | None = None
    """Subsets at least as extreme as the observed one; None unless exact."""
    rel_err: float | None = None
    """Stated bound of the relative error; None unless by inversion."""
    interval: Interval | None = None
    """95% confidence interval of p; None unless sampled."""
    permutations: int | None = None
    """Subsets drawn; None unless sampled."""

    def __repr__(self) -> str:
        known = (f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"Tail({', '.join(known)})"

    @classmethod
    def exact(cls, count: int, total: int) -> Tail:
        """An exact tail: `count` of `total` subsets, divided with one rounding."""
        return cls(p=max(count / total, SMALLEST), method="exact", count=count)

    @classmethod
    def inverted(cls, p: float, rel_err: float) -> Tail:
        """A tail by Fourier inversion with its stated relative error."""
        return cls(p=min(max(p, SMALLEST), 1.0), method="inversion", rel_err=rel_err)


Tails = tuple[Tail, Tail, Tail]
"""The upper, the lower and the two-sided tail."""


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

    @classmethod
    def exact(cls, counts: Iterable[int], total: int) -> PermutationResult:
        """Three counts of all `total` subsets."""
        greater, less, both = (Tail.exact(int(count), total) for count in counts)
        return cls(greater, less, both, total)

    @property
    def min_p(self) -> float:
        """The smallest p this design can reach, 1 / total, unless inequalities are strict."""
        return max(1 / self.total, SMALLEST)


def normal_tails(z: float) -> tuple[float, float, float]:
    """Upper, lower and two-sided p of a standard normal number; never 0."""
    upper, lower, outside = (math.erfc(x / math.sqrt(2)) for x in (z, -z, abs(z)))
    return max(upper / 2, SMALLEST), max(lower / 2, SMALLEST), max(outside, SMALLEST)


def complement(tail: Tail, total: int) -> Tail:
    """1 - p, by whatever way p was obtained."""
    if tail.count is not None:
        return Tail.exact(total - tail.count, total)
    rest = max(1.0 - tail.p, SMALLEST)
    return Tail.inverted(rest, (tail.rel_err or 0.0) * tail.p / rest + ROUNDING)


def together(first: Tail, second: Tail, total: int) -> Tail:
    """A tail of two disjoint parts."""
    if first.count is not None and second.count is not None:
        return Tail.exact(first.count + second.count, total)
    p = first.p + second.p
    error = first.p * (first.rel_err or 0.0) + second.p * (second.rel_err or 0.0)
    return Tail.inverted(p, error / p + 4 * ROUNDING)


def two_groups(scores: ArrayLike, n: int, ndim: int = 1) -> tuple[Array, int]:
    """Finite scores, and a size of the first group that leaves scores for the second."""
    array = numbers(scores, "scores", ndim)
    size = array.shape[-1]
    if size < 2:
        raise EatlasError(
            "a permutation test compares two groups", got=f"{size} scores", allowed="2 or more"
        )
    return array, require_whole("n", n, 1, most=size - 1)


Numbers = Any
"""An entry for each row of an array, or one Python integer: sums times a size exceed 64 bits."""


@dataclass(frozen=True)
class Question:
    """Which subsets of size `n` count as extreme, in lattice units, of many rows or of one.

    Stated for the smaller group and for an observed sum not below its mean.
    """

    values: Integers
    """All scores as integers, ascending, shape (R, N), or (N,) for one row."""
    n: int
    """Size of the smaller group, 1 <= n <= N/2."""
    observed: Numbers
    """Its sum."""
    at_least: Numbers
    """The upper tail is T >= this: as extreme as observed, or tied with it (strictly: beyond)."""
    below: Numbers
    """The lower tail is T < this: not beyond any tie with the observed sum (strictly: below)."""
    far: Numbers
    """The far side is T < this: as far below the mean as the observed sum is above it."""
    central: Numbers
    """Every subset is two-sided extreme, as the observed sum ties with the mean."""
    mirrored: Numbers
    """The question's upper tail is the caller's lower tail."""
    degenerate: Numbers
    """Every sum ties with every other: no spread beyond the tolerance.

    Scores that differ by at most 16 eps * scale always land here, since n <= N/2 of them then
    differ by at most ``16 N 2^-53 scale``, the tolerance.
    """
    strict: bool

    @property
    def total(self) -> int:
        """C(N, n)."""
        return subsets(self.values.shape[-1], self.n)

    @property
    def is_balanced(self) -> bool:
        """Both groups have one size, so the null is symmetric about its mean."""
        return bool(2 * self.n == self.values.shape[-1])

    def orient(self, upper: Array, lower: Array) -> tuple[Array, Array]:
        """The caller's greater and less tail of each row."""
        mirrored = self.mirrored
        return np.where(mirrored, lower, upper), np.where(mirrored, upper, lower)

    def part(self, rows: NDArray[np.intp]) -> Question:
        """The question of some of the rows."""
        arrays: dict[str, Any] = {
            name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        return replace(self, **arrays)

    def row(self, i: int) -> Question:
        """The question of one row, in Python numbers."""
        arrays = {
            name: value[i].item()
            for name, value in vars(self).items()
            if name != "values" and isinstance(value, np.ndarray)
        }
        return replace(self, values=self.values[i], **arrays)


def to_fixed(scores: Array) -> tuple[Integers, Integers]:
    """Scores as integers in units of 2**-q, and the q of each row.

    q depends on the correctly rounded sum of magnitudes, so the order of terms cannot change it.
    Dividing by a power of two first keeps the sum finite.
    """
    peak = np.abs(scores).max(axis=1)
    shift = np.frexp(peak)[1].astype(np.int64)
    unit = np.ldexp(scores, -shift[:, None])
    magnitudes = np.abs(unit)
    total, slack = magnitudes.sum(axis=1), scores.shape[1] * ROUNDING
    exponent = np.frexp(total * (1 - slack))[1].astype(np.int64)
    # a sum this near a power of two may have been rounded across it
    for i in np.flatnonzero(exponent != np.frexp(total * (1 + slack))[1]).tolist():
        exponent[i] = math.frexp(math.fsum(magnitudes[i]))[1]
    bits = SUM_BITS - exponent
    w = np.rint(np.ldexp(unit, bits[:, None])).astype(np.int64)
    return w, np.where(peak > 0, bits - shift, 0)


@lru_cache(maxsize=4096)
def tie_tolerance(size: int, scale: float, q: int, relative: float = DOUBLE) -> int:
    """floor(relative N scale 2^q) + 1 lattice units: the rounding noise of one sum of N terms."""
    (a, b), (c, d) = scale.as_integer_ratio(), relative.as_integer_ratio()
    units, parts = a * c * size, b * d
    return ((units << q) // parts if q >= 0 else units // (parts << -q)) + 1


def ask(
    scores: Array,
    n: int,
    scale: float | None,
    *,
    strict: bool = False,
    precision: float | None = None,
) -> Question:
    """State the question of each row for its first `n` scores, turned to the upper tail."""
    w, q = to_fixed(scores)
    size, relative = w.shape[1], relative_tolerance(precision)
    scales = np.abs(scores).max(axis=1).tolist() if scale is None else repeat(float(scale))
    # cut off where it exceeds every sum
    least = [
        min(tie_tolerance(size, unit, bits, relative), 1 << SUM_BITS + 1)
        for unit, bits in zip(scales, q.tolist(), strict=False)
    ]
    tie, observed, whole = np.array(least, np.int64), w[:, :n].sum(axis=1), w.sum(axis=1)
    other = 2 * n > size
    if other:
        n, observed = size - n, whole - observed
    turned = observed < -_floor_share(-whole, n, size)
    sign = np.where(turned, -1, 1)
    observed, whole = observed * sign, whole * sign
    ordered = np.sort(w * sign[:, None], axis=1)
    # as far below the mean as the observed sum is above it: N T - n S <= -(N t - n S), or <
    if strict:
        far = -_floor_share(-whole, 2 * n, size) - observed - tie
    else:
        far = _floor_share(whole, 2 * n, size) - observed + tie + 1
    return Question(
        values=ordered,
        n=n,
        observed=observed,
        at_least=observed + tie + 1 if strict else observed - tie,
        below=observed - tie if strict else observed + tie + 1,
        far=far,
        central=(observed - tie <= _floor_share(whole, n, size)) & (not strict),
        mirrored=turned ^ other,
        degenerate=ordered[:, size - n :].sum(axis=1) - ordered[:, :n].sum(axis=1) <= tie,
        strict=strict,
    )


def _floor_share(whole: Integers, n: int, size: int) -> Integers:
    """floor(n whole / size) without overflow, for n up to `size`."""
    quotient, rest = np.divmod(whole, size)
    share: Integers = n * quotient + n * rest // size
    return share
