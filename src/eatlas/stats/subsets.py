"""Permutations of two groups: all or random subsets, and how many of them are extreme.

Many samples of one design are tested at once. They are the columns of a matrix: what is done for
each sample becomes an operation on whole rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.inputs import DOUBLE

Array = NDArray[np.float64]
Numbers = NDArray[np.floating[Any]]
Counts = NDArray[np.int64]
Labels = NDArray[np.bool_]

BLOCK = 250
"""Permutations in one block: their number fits into a byte, in which they are counted 10 times as
fast as in a whole number of 8."""
SAMPLES = 256
"""Samples in one matrix of sums, of 512 kB. 128 take a fifth more time, 512 as much."""
TOGETHER = 2048
"""Samples whose partial sums are in memory together: 4 MB at 8 against 8."""


def iter_subsets(size: int, n: int, rows: int) -> Iterator[Array]:
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
    """Samples of one design, each with the sum that permutations have to reach."""

    values: Numbers
    """Scores less their mean, shape (N, samples), the first group first."""
    n: int
    """Size of the first group."""
    reach: Numbers
    """The observed sum of the first group less the tolerance for ties, shape (samples,)."""
    two_sided: bool
    """Whether sums as far below 0 also count; then `reach` applies to the sum's magnitude."""

    @property
    def is_symmetric(self) -> bool:
        """Whether groups are of one size: a permutation's mirror image has the opposite sum."""
        return 2 * self.n == len(self.values)

    def part(self, which: NDArray[np.intp] | slice) -> Samples:
        """Some of the samples."""
        return Samples(self.values[:, which], self.n, self.reach[which], self.two_sided)

    def single(self) -> Samples:
        """The samples in single precision, whose sums take half the time.

        Sums also tie within the rounding error of single precision: of 50 normal scores, within
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
    """Ask of each row how many permutations reach the sum of its first `n` scores.

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


def random_labels(size: int, n: int, rng: np.random.Generator) -> Iterator[Labels]:
    """Random permutations without end, in blocks."""
    while True:
        keys = rng.integers(0, 2**32, (BLOCK, size), dtype=np.uint32)
        ordered = np.sort(keys, axis=1)
        # a tie at the border, once in 1e8 rows of 50, would take in one term too many
        clear = ordered[:, n - 1] < ordered[:, n]
        yield (keys <= ordered[:, n - 1 : n])[clear]


def count_reaching(batch: Samples, labels: Labels) -> Counts:
    """Count, for each sample, the given permutations that reach its sum."""
    counts = np.empty(batch.reach.size, dtype=np.int64)
    members = labels.astype(batch.values.dtype)
    below = batch.two_sided or batch.is_symmetric
    for start in range(0, counts.size, SAMPLES):
        part = slice(start, start + SAMPLES)
        sums, least = product(members, batch.values[:, part]), batch.reach[part]
        counts[part] = _number(sums >= least)
        if below:
            counts[part] += _number(sums <= -least)
    return counts


def draws_each(batch: Samples) -> int:
    """How many permutations one subset stands for: two if its mirror image is another one.

    Of a two-sided test an image is as extreme as its original, so it says nothing new.
    """
    return 1 + (batch.is_symmetric and not batch.two_sided)


def count_all_reaching(batch: Samples, enough: int) -> Counts:
    """Count, for each sample, the permutations among all C(N, n) that reach its sum.

    The scores of a sample in descending order are cut in the middle. A permutation takes k of
    the upper half and n - k of the lower: one sum of each, and all pairs of sums are compared.
    From large k to small: most samples far from significance have enough after the first few,
    and for those far beyond it the greatest sum with smaller k is too small.
    """
    images = 1 + (batch.two_sided and batch.is_symmetric)
    counts = np.zeros(batch.reach.size, dtype=np.int64)
    for start in range(0, counts.size, TOGETHER):
        part = slice(start, start + TOGETHER)
        values, reach = batch.values[:, part], batch.reach[part]
        counts[part] = images * _pairs(values, batch.n, reach, -(-enough // images))
        if batch.two_sided and not batch.is_symmetric:
            counts[part] += _pairs(-values, batch.n, reach, enough)
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
        high = product(subset_matrix(middle, k), upper[:, open_])
        low = product(subset_matrix(len(lower), n - k), lower[:, open_])
        many, few = (high, low) if len(high) > len(low) else (low, high)
        more, hits = np.zeros(open_.size, np.int64), np.empty(few.shape, np.bool_)
        for missing in reach[open_] - many:
            more += _number(np.greater_equal(few, missing, out=hits))
        counts[open_] += more
    return counts


def _number(hits: Labels) -> NDArray[np.uint8]:
    """How many of the up to 255 rows are true."""
    total: NDArray[np.uint8] = np.add.reduce(hits.view(np.uint8), axis=0, dtype=np.uint8)
    return total


@lru_cache(maxsize=256)
def subset_matrix(size: int, k: int) -> Array:
    """Rows of 0 and 1, shape (C(size, k), size): every k-subset once."""
    members = np.array(list(combinations(range(size), k)), dtype=np.intp)
    return np.asarray(np.eye(size)[members].sum(axis=1))
