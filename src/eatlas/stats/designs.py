"""What a design can find: power by the t test, in a fraction of a millisecond.

The power of the exact permutation test of normal scores equals the power of Student's t test at the
level that the permutation test really has: the largest of its p-values below alpha. Where fewer
than 20 permutations are below alpha, that is no longer so, and the tests of 4,000 simulated samples
are counted instead, the same ones in every call.

Which of many rows of scores the exact test rejects is decided without a p for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import count

import numpy as np
import scipy
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import t_quantile
from eatlas.stats.subsets import (
    Array,
    Labels,
    Samples,
    count_all_reaching,
    count_reaching,
    draws_each,
    random_labels,
    samples,
)

Flags = NDArray[np.bool_]

TAILS = ("greater", "less", "two_sided")
"""What `tail` may be: the fields of a permutation test's result."""
ENUMERATED = 50_000
"""Designs with at most so many subsets are enumerated (9 v 9: 48,620), 1 s for 2,000 rows."""
CERTAIN = 6.0
"""Standard errors that a proportion must be from alpha to settle a row."""
EXPECTED = 40
"""A screen that expects fewer extreme permutations at p = alpha is left out: their number is too
skewed. With more, at most 1 row in 10^7 at p = alpha itself is settled wrongly (binomial tails;
1 in 10^8 at alpha = .05)."""
RESAMPLE_SCREENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""Random permutations after which the resamples whose p is far from alpha are settled."""
DRAWS_EACH = 8
"""Random permutations for the others, times the number of samples. They moved shares by .0029
(standard deviation) at most where the resamples moved them by .0152, and by .0007 of .0050 with
ten times as many resamples (12 and 25 terms a group)."""
LEAST_DRAWS, MOST_DRAWS = 8_000, 64_000
"""But no fewer and no more: standard errors of .0024 and .0009 of a p of .05."""
LABELS = 2**26
"""Labels kept, one byte each: beyond 1,000 terms there are fewer than 64,000 permutations."""


def smallest_p(n: int, m: int, tail: str) -> float:
    """The smallest p that distinct scores of n and m terms can have.

    Of two groups of one size the mirrored subset is always as extreme on the other side.
    """
    return (2 if tail == "two_sided" and n == m else 1) / math.comb(n + m, n)


def require_alpha(value: float, name: str = "alpha", *, above: float = 0.0) -> float:
    """A probability strictly between a bound and 1, or an error with its name."""
    if isinstance(value, (int, float)) and above < value < 1:
        return float(value)
    raise EatlasError(
        f"{name} must be a probability", got=repr(value), allowed=f"above {above:g} and below 1"
    )


def enumerable(size: int, n: int) -> bool:
    """Whether a design has few enough subsets to visit each."""
    return math.comb(size, n) <= ENUMERATED


class Judge:
    """Compares p-values of samples of one design with alpha."""

    def __init__(
        self,
        size: int,
        n: int,
        alpha: float,
        *,
        two_sided: bool,
        samples: int,
        rng: np.random.Generator,
    ) -> None:
        self.size, self.n, self.alpha, self.two_sided = size, n, alpha, two_sided
        self._source, self._blocks = random_labels(size, n, rng), list[Labels]()
        wanted = min(MOST_DRAWS, max(LEAST_DRAWS, DRAWS_EACH * samples))
        self.draws = min(wanted, max(RESAMPLE_SCREENS[0], LABELS // size))

    @property
    def error(self) -> float:
        """Standard error of a p near alpha; 0 where permutations are enumerated."""
        small = enumerable(self.size, self.n)
        return 0.0 if small else math.sqrt(self.alpha * (1 - self.alpha) / self.draws)

    def significant(self, rows: Array, scale: float, precision: float | None = None) -> Flags:
        """Whether p is below alpha, of rows whose first group is ahead, shape (k, size).

        `scale` is the magnitude of what was summed into a score, 1 for cosines, and `precision`
        its unit roundoff.
        """
        batch = samples(rows, self.n, two_sided=self.two_sided, scale=scale, precision=precision)
        if enumerable(self.size, self.n):
            total = math.comb(self.size, self.n)
            # one more than is needed: no rounding of alpha * total matters
            counts = count_all_reaching(batch, math.ceil(self.alpha * total) + 1)
            return np.asarray(counts / total < self.alpha)
        return self._screen(batch.single())

    def _relabellings(self) -> Iterator[Labels]:
        """Blocks that are sampled once and read again and again."""
        for i in count():
            if i == len(self._blocks):
                self._blocks.append(next(self._source))
            yield self._blocks[i]

    def _screen(self, batch: Samples) -> Flags:
        """Random permutations settle the samples whose p is far from alpha, screen by screen."""
        alpha, draws, blocks = self.alpha, 0, self._relabellings()
        open_ = np.arange(batch.reach.size)
        significant, extreme = np.zeros(open_.size, np.bool_), np.zeros(open_.size)
        screens = [d for d in RESAMPLE_SCREENS if d < self.draws and d * alpha >= EXPECTED]
        for target in [*screens, self.draws]:
            part = batch.part(open_)
            while draws < target and open_.size:
                labels = next(blocks)
                extreme += count_reaching(part, labels)
                draws += draws_each(batch) * len(labels)
            if target < self.draws and open_.size:
                away = (extreme / draws - alpha) / math.sqrt(alpha * (1 - alpha) / draws)
                significant[open_[away < -CERTAIN]] = True
                near = np.abs(away) <= CERTAIN
                open_, extreme = open_[near], extreme[near]
        significant[open_] = (extreme + 1) / (draws + 1) < alpha
        return significant

    def associations(
        self,
        scores: Array,
        d: Array,
        threshold: float,
        scale: float = 1.0,
        precision: float | None = None,
    ) -> NDArray[np.int64]:
        """1 where the first group is ahead by the rule of EAT patterns, -1 the second, else 0."""
        signs = np.zeros(d.size, dtype=np.int64)
        strong = np.flatnonzero(np.abs(d) > threshold)
        sign = np.sign(d[strong])
        ahead = self.significant(sign[:, None] * scores[strong], scale, precision)
        signs[strong] = np.where(ahead, sign, 0)
        return signs


ENOUGH = 20
"""Permutations below alpha from which on the t test is near: its power was then within .02 of that
of 8,000 simulated permutation tests, in designs from 4 v 8 to 9 v 9, alpha .05 and .01."""
COUNTED = 1_000_000_000
"""In designs with more permutations the level that is reached is alpha, to 8 digits."""
SIMULATED = 4_000
"""Samples of designs with fewer: a power of .8 has a standard error of .006."""
SHIFT_TOLERANCE = 1e-3
MOST_TERMS = 100_000
LARGEST_SHIFT = 64.0
"""In standard deviations within a group; d differs from its bound by .002."""


def d_of_shift(shift: float, n: int, m: int) -> float:
    """The d of two groups whose means differ by `shift` standard deviations within a group.

    Variance of the union of large groups in these proportions: ``1 + n m / (n + m)**2 shift**2``.
    """
    part = math.sqrt(n * m) / (n + m)
    return math.copysign(1 / math.hypot(1 / shift, part), shift) if shift else 0.0


def shift_of_d(d: float, n: int, m: int) -> float:
    """The difference of means, in standard deviations within a group, behind an effect size d."""
    bound = (n + m) / math.sqrt(n * m)
    if not abs(d) < bound:
        raise EatlasError(
            "no difference of means has such an effect size",
            got=f"d = {d} for groups of {n} and {m}",
            allowed=f"below {bound:.4g} in size",
        )
    return d / math.sqrt((1 - d / bound) * (1 + d / bound))


def attainable_level(n: int, m: int, *, alpha: float = 0.05, tail: str = "two_sided") -> float:
    """The largest p-value below alpha that the permutation test of distinct scores can have."""
    total = math.comb(n + m, n)
    if total > COUNTED:
        return alpha
    step = round(smallest_p(n, m, tail) * total)
    count = int(alpha * total / step) + 1
    while count * step / total >= alpha:
        count -= 1
    return count * step / total


def chance_of_rejection(
    n: int,
    m: int,
    shift: float,
    *,
    alpha: float = 0.05,
    tail: str = "two_sided",
) -> float:
    """Power of the permutation test of normal scores.

    With N = n + m and T noncentral t with N - 2 degrees of freedom and noncentrality ``shift
    sqrt(n m / N)``, the chance is P(T > t) at the level of :func:`attainable_level`. Compared with
    8,000 simulated exact tests: within .02.
    """
    level = attainable_level(n, m, alpha=alpha, tail=tail)
    if not level:
        return 0.0
    total = math.comb(n + m, n)
    if total <= COUNTED and level * total < ENOUGH:
        # one simulation for both directions, so that they agree
        sign = -1.0 if tail == "less" else 1.0
        one_sided = "two_sided" if tail == "two_sided" else "greater"
        return _simulate_power(n, m, sign * float(shift), alpha, one_sided)
    df, noncentrality = n + m - 2, shift * math.sqrt(n * m / (n + m))
    limit = t_quantile(level if tail == "two_sided" else 2 * level, df)
    chance = 0.0
    if tail != "less":
        chance += _beyond(limit, df, noncentrality)
    if tail != "greater":
        chance += _beyond(limit, df, -noncentrality)
    return min(chance, 1.0)


@cache
def smallest_effect(
    n: int, m: int, *, power: float = 0.8, alpha: float = 0.05, tail: str = "two_sided"
) -> float | None:
    """The smallest effect size d that the permutation test finds with a wanted power.

    Normal scores of one variance. Within .03 of what simulated exact tests find, in designs from
    4 v 4 to 25 v 25.
    """
    if not attainable_level(n, m, alpha=alpha, tail=tail):
        return None
    sign = -1.0 if tail == "less" else 1.0

    def chance(size: float) -> float:
        return chance_of_rejection(n, m, sign * size, alpha=alpha, tail=tail)

    shift = _least(lambda size: chance(size) >= power, 0.0, SHIFT_TOLERANCE, LARGEST_SHIFT)
    return None if shift is None else d_of_shift(sign * shift, n, m)


def _least(
    enough: Callable[[float], bool], low: float, precision: float, most: float
) -> float | None:
    """The least number from 1 on that is enough, by doubling and halving; None beyond `most`."""
    high = low + 1
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > precision:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@cache
def terms_needed(
    d: float, *, power: float = 0.8, alpha: float = 0.05, tail: str = "two_sided"
) -> int:
    """How many terms each of two groups of one size needs, to find an effect size d."""

    def enough(size: float) -> bool:
        n = int(size)
        return chance_of_rejection(n, n, shift_of_d(d, n, n), alpha=alpha, tail=tail) >= power

    terms = _least(enough, 1, 1, MOST_TERMS)
    if terms is None:
        raise EatlasError(
            "such a small effect needs more terms than can be listed",
            got=f"d = {d:g}",
            remedy="choose a larger effect",
        )
    return int(terms)


@lru_cache(maxsize=4_096)
def _simulate_power(n: int, m: int, shift: float, alpha: float, tail: str) -> float:
    """Proportion of rejections among samples that are the same in every call."""
    rows = np.random.default_rng(0).standard_normal((SIMULATED, n + m))
    rows[:, :n] += shift
    batch = samples(-rows if tail == "less" else rows, n, two_sided=tail == "two_sided")
    total = math.comb(n + m, n)
    return float((count_all_reaching(batch, math.ceil(alpha * total) + 1) / total < alpha).mean())


def _beyond(limit: float, df: int, noncentrality: float) -> float:
    """P(T > limit) of the noncentral t."""
    chance = float(1 - scipy.special.nctdtr(df, noncentrality, limit))
    return float(noncentrality > limit) if math.isnan(chance) else chance  # its far tail underflows
