"""Which of many rows of scores the exact permutation test rejects, without a p for each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.permutation import permutation_test
from eatlas.stats.relabelling import (
    Array,
    Kept,
    Labels,
    Samples,
    drawn,
    draws_each,
    enumerated,
    reached,
    samples,
)

TAILS = ("greater", "less", "two_sided")
"""What `tail` may be: the fields of a permutation test's result."""
ENUMERATED = 50_000
"""Designs with at most so many subsets are enumerated (9 v 9: 48,620), 1 s for 2,000 rows."""
SCREENS = (4_000, 32_000, 256_000)
"""Random relabellings of the rows that the screen before left open."""
CERTAIN = 6.0
"""Standard errors that a share must be from alpha to settle a row."""
EXPECTED = 40
"""A screen that expects fewer extreme relabellings at p = alpha is left out: their number is too
skewed. With more, at most 1 row in 10^7 at p = alpha itself is settled wrongly (binomial tails;
1 in 10^8 at alpha = .05)."""
RESAMPLE_SCREENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""Random relabellings after which the resamples whose p is far from alpha are settled."""
DRAWS_EACH = 8
"""Random relabellings for the others, times the number of samples. They moved shares by .0029
(standard deviation) at most where the resamples moved them by .0152, and by .0007 of .0050 with
ten times as many resamples (12 and 25 terms a group)."""
LEAST_DRAWS, MOST_DRAWS = 8_000, 64_000
"""But no fewer and no more: standard errors of .0024 and .0009 of a p of .05."""
LABELS = 2**26
"""Labels kept, one byte each: beyond 1,000 terms there are fewer than 64,000 relabellings."""


def smallest_p(n: int, m: int, tail: str) -> float:
    """The smallest p that distinct scores of n and m terms can have.

    Of two groups of one size the mirrored subset is always as extreme on the other side.
    """
    return (2 if tail == "two_sided" and n == m else 1) / math.comb(n + m, n)


def checked_tail(tail: str) -> str:
    """One of the three tails, or an error."""
    if tail in TAILS:
        return tail
    raise EatlasError("unknown tail", got=repr(tail), allowed=", ".join(TAILS))


def checked_alpha(value: float, name: str = "alpha", *, above: float = 0.0) -> float:
    """A probability strictly between a bound and 1, or an error with its name."""
    if isinstance(value, (int, float)) and above < value < 1:
        return float(value)
    raise EatlasError(
        f"{name} must be a probability", got=repr(value), allowed=f"above {above:g} and below 1"
    )


def rejected(
    rows: Array, n: int, alpha: float, tail: str, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """For each row, whether the exact p of its first `n` scores is below `alpha`.

    Small designs are enumerated, all rows at once. In larger ones random relabellings settle the
    rows whose share of extreme ones is more than 6 standard errors from alpha, and the exact test
    the others: at most one decision in 10^7 could differ from the exact test's.
    """
    batch = samples(-rows if tail == "less" else rows, n, two_sided=tail == "two_sided")
    size = rows.shape[1]
    if enumerable(size, n):
        return below(batch, alpha)
    screens = [draws for draws in SCREENS if draws * alpha >= EXPECTED]
    screened = screen(batch, alpha, screens, drawn(size, n, rng))
    for i in screened.left:
        screened.found[i] = getattr(permutation_test(rows[i], n), tail).p < alpha
    return screened.found


def enumerable(size: int, n: int) -> bool:
    """Whether a design has few enough subsets to visit each."""
    return math.comb(size, n) <= ENUMERATED


def below(batch: Samples, alpha: float) -> NDArray[np.bool_]:
    """For each sample of a small design, whether its exact p is below `alpha`."""
    total = math.comb(len(batch.values), batch.n)
    # one more than is needed: no rounding of alpha * total matters
    return np.asarray(enumerated(batch, math.ceil(alpha * total) + 1) / total < alpha)


@dataclass(frozen=True)
class Screened:
    """What random relabellings say of samples."""

    found: NDArray[np.bool_]
    """Whether p is below alpha, False where that is open; shape (samples,)."""
    left: NDArray[np.intp]
    """Places of the samples that are open."""
    p: Array
    """Of these, ``(extreme + 1) / (draws + 1)``."""


def screen(
    batch: Samples, alpha: float, screens: Sequence[int], blocks: Iterable[Labels]
) -> Screened:
    """Settle the samples whose p is far from `alpha`."""
    samples_, draws, stream = batch.reach.size, 0, iter(blocks)
    found, left, extreme = np.zeros(samples_, bool), np.arange(samples_), np.zeros(samples_)
    for target in screens:
        certain = target * alpha >= EXPECTED
        if not (left.size and (certain or target == screens[-1])):
            continue
        part = batch.part(left)
        while draws < target:
            labels = next(stream)
            extreme += reached(part, labels)
            draws += draws_each(batch) * len(labels)
        if certain:
            away = (extreme / draws - alpha) / math.sqrt(alpha * (1 - alpha) / draws)
            found[left[away < -CERTAIN]] = True
            open_ = np.abs(away) <= CERTAIN
            left, extreme = left[open_], extreme[open_]
    return Screened(found, left, (extreme + 1) / (draws + 1))


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
        self._blocks = Kept(drawn(size, n, rng))
        wanted = min(MOST_DRAWS, max(LEAST_DRAWS, DRAWS_EACH * samples))
        self.draws = min(wanted, max(RESAMPLE_SCREENS[0], LABELS // size))

    @property
    def error(self) -> float:
        """Standard error of a p near alpha; 0 where relabellings are enumerated."""
        small = enumerable(self.size, self.n)
        return 0.0 if small else math.sqrt(self.alpha * (1 - self.alpha) / self.draws)

    def significant(
        self, rows: Array, scale: float, precision: float | None = None
    ) -> NDArray[np.bool_]:
        """Whether p is below alpha, of rows whose first group is ahead, shape (k, size).

        `scale` is the magnitude of what was summed into a score, 1 for cosines, and `precision`
        its unit roundoff.
        """
        batch = samples(rows, self.n, two_sided=self.two_sided, scale=scale, precision=precision)
        if enumerable(self.size, self.n):
            return below(batch, self.alpha)
        screens = [draws for draws in RESAMPLE_SCREENS if draws < self.draws]
        screened = screen(batch.single(), self.alpha, [*screens, self.draws], self._blocks)
        screened.found[screened.left] = screened.p < self.alpha
        return screened.found

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
