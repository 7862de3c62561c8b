"""Relabellings of two groups: all or random subsets, and how many of them are extreme.

Many samples of one design are tested at once. They are the columns of a matrix: what is done for
each sample becomes an operation on whole rows. Which samples the exact test rejects is decided
without a p for each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.kernels.cosines import product
from eatlas.stats.inputs import DOUBLE
from eatlas.stats.permutation import permutation_test

Array = NDArray[np.float64]
Numbers = NDArray[np.floating[Any]]
Counts = NDArray[np.int64]
Labels = NDArray[np.bool_]

BLOCK = 250
"""Relabellings in one block: their number fits into a byte, in which they are counted 10 times as
fast as in a whole number of 8."""
SAMPLES = 256
"""Samples in one matrix of sums, of 512 kB. 128 take a fifth more time, 512 as much."""
TOGETHER = 2048
"""Samples whose partial sums are held together: 4 MB at 8 against 8."""


def every_subset(size: int, n: int, rows: int) -> Iterator[Array]:
    """Every n-subset once."""
    subsets = combinations(range(size), n)
    while chosen := list(islice(subsets, rows)):
        yield _members(np.array(chosen, dtype=np.intp), size)


def random_subsets(
    size: int, n: int, draws: int, rows: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Random n-subsets, `draws` in all; how many are in a block does not change them."""
    for start in range(0, draws, rows):
        # the places of the n smallest of `size` uniform numbers
        uniform = rng.random((min(rows, draws - start), size))
        yield _members(np.argpartition(uniform, n - 1, axis=1)[:, :n], size)


def _members(chosen: NDArray[np.intp], size: int) -> Array:
    members = np.zeros((len(chosen), size))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    return members


@dataclass(frozen=True)
class Samples:
    """Samples of one design, each with the sum that relabellings have to reach."""

    values: Numbers
    """Scores less their mean, shape (N, samples), the first group first."""
    n: int
    """Size of the first group."""
    reach: Numbers
    """The observed sum of the first group less the tolerance for ties, shape (samples,)."""
    two_sided: bool
    """Whether sums as far below 0 count too; then `reach` is that of the sum's magnitude."""

    @property
    def mirrored(self) -> bool:
        """Whether groups are of one size: a relabelling's mirror image has the opposite sum."""
        return 2 * self.n == len(self.values)

    def part(self, which: NDArray[np.intp] | slice) -> Samples:
        """Some of the samples."""
        return Samples(self.values[:, which], self.n, self.reach[which], self.two_sided)

    def single(self) -> Samples:
        """The samples in single precision, whose sums take half the time.

        Sums tie within the rounding error of single precision too: of 50 normal scores, within
        4e-5 of the standard deviation of their sum, which adds 4e-6 to a p of .05.
        """
        magnitude = np.abs(self.values)
        # a power of two brings any scores into range and changes no digit
        shift = -np.frexp(magnitude.max(axis=0))[1]
        noise = (len(self.values) + 2) * 2.0**-24 * np.add.reduce(magnitude, axis=0)
        values, reach = np.ldexp(self.values, shift), np.ldexp(self.reach - noise, shift)
        return Samples(values.astype(np.float32), self.n, reach.astype(np.float32), self.two_sided)


def samples(
    rows: Array,
    n: int,
    *,
    two_sided: bool,
    scale: float | None = None,
    precision: float | None = None,
) -> Samples:
    """Ask of each row how many relabellings reach the sum of its first `n` scores.

    Sums tie within ``32 N 2^-53 scale``, twice the tolerance of `permutation_test`, because sums
    of doubles have rounding noise of their own; only sums that differ by less, so ties, notice.
    With a `precision` they tie within ``N precision scale``, if that is more.
    """
    values = np.ascontiguousarray(rows.T)
    values = values - values.mean(axis=0)
    observed = np.add.reduce(values[:n], axis=0)
    size = np.abs(values).max(axis=0) if scale is None else scale
    noise = max(2 * DOUBLE, precision or 0.0) * len(values) * size
    return Samples(values, n, (np.abs(observed) if two_sided else observed) - noise, two_sided)


def drawn(size: int, n: int, rng: np.random.Generator) -> Iterator[Labels]:
    """Random relabellings without end, in blocks."""
    while True:
        keys = rng.integers(0, 2**32, (BLOCK, size), dtype=np.uint32)
        ordered = np.sort(keys, axis=1)
        # a tie at the border, once in 1e8 rows of 50, would take in one term too many
        clear = ordered[:, n - 1] < ordered[:, n]
        yield (keys <= ordered[:, n - 1 : n])[clear]


class Kept:
    """Blocks that are drawn once and read again and again."""

    def __init__(self, blocks: Iterator[Labels]) -> None:
        self._source = blocks
        self._blocks: list[Labels] = []

    def __iter__(self) -> Iterator[Labels]:
        for i in count():
            if i == len(self._blocks):
                self._blocks.append(next(self._source))
            yield self._blocks[i]


def reached(batch: Samples, labels: Labels) -> Counts:
    """Count, for each sample, the draws among some relabellings that reach its sum."""
    counts = np.empty(batch.reach.size, dtype=np.int64)
    members = labels.astype(batch.values.dtype)
    below = batch.two_sided or batch.mirrored
    for start in range(0, counts.size, SAMPLES):
        part = slice(start, start + SAMPLES)
        sums, least = product(members, batch.values[:, part]), batch.reach[part]
        counts[part] = _number(sums >= least)
        if below:
            counts[part] += _number(sums <= -least)
    return counts


def draws_each(batch: Samples) -> int:
    """How many draws one relabelling makes: two where its mirror image is another draw.

    Of a two-sided test an image is as extreme as its original, so it says nothing new.
    """
    return 1 + (batch.mirrored and not batch.two_sided)


def enumerated(batch: Samples, enough: int) -> Counts:
    """Count, for each sample, those of all C(N, n) relabellings that reach its sum.

    The scores of a sample in descending order are cut in the middle. A relabelling takes k of
    the upper half and n - k of the lower: one sum of each, and all pairs of sums are compared.
    From large k to small: most samples far from significance have enough after the first few,
    and for those far beyond it the greatest sum with smaller k is too small.
    """
    counts = np.empty(batch.reach.size, dtype=np.int64)
    for start in range(0, counts.size, TOGETHER):
        part = slice(start, start + TOGETHER)
        values, reach = batch.values[:, part], batch.reach[part]
        if not batch.two_sided:
            counts[part] = _pairs(values, batch.n, reach, enough)
        elif batch.mirrored:
            counts[part] = 2 * _pairs(values, batch.n, reach, -(-enough // 2))
        else:
            found = _pairs(values, batch.n, reach, enough)
            counts[part] = found + _pairs(-values, batch.n, reach, enough)
    return counts


def _pairs(values: Numbers, n: int, reach: Numbers, enough: int) -> Counts:
    """Pairs of a sum over the upper half and one over the lower that reach what they have to."""
    ordered = np.sort(values, axis=0)[::-1]
    middle = len(values) // 2
    upper, lower = ordered[:middle], ordered[middle:]
    counts = np.zeros(reach.size, dtype=np.int64)
    for k in range(min(n, middle), max(0, n - len(lower)) - 1, -1):
        greatest = upper[:k].sum(axis=0) + lower[: n - k].sum(axis=0)
        open_ = np.flatnonzero((counts < enough) & (greatest >= reach))
        high = product(_every(middle, k), upper[:, open_])
        low = product(_every(len(lower), n - k), lower[:, open_])
        counts[open_] += _at_least(high, low, reach[open_])
    return counts


def _at_least(first: Numbers, second: Numbers, reach: Numbers) -> Counts:
    """How many sums of a row of `first` and a row of `second` are `reach` or more."""
    many, few = (first, second) if len(first) > len(second) else (second, first)
    counts, hits = np.zeros(reach.size, dtype=np.int64), np.empty(few.shape, dtype=np.bool_)
    for missing in reach - many:
        counts += _number(np.greater_equal(few, missing, out=hits))
    return counts


def _number(hits: Labels) -> NDArray[np.uint8]:
    """How many of the up to 255 rows are true."""
    total: NDArray[np.uint8] = np.add.reduce(hits.view(np.uint8), axis=0, dtype=np.uint8)
    return total


@lru_cache(maxsize=256)
def _every(size: int, k: int) -> Array:
    """Rows of 0 and 1, shape (C(size, k), size): every k-subset once."""
    return next(every_subset(size, k, math.comb(size, k)))


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
