"""*A la carte* vectors: the transformation of mean contexts (Khodak et al. 2018)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import t_quantile

Array = NDArray[np.float64]

LEAST_CONTEXTS = 20
"""Of a word that the transformation is learned from."""


def transformation(
    means: Array, counts: NDArray[np.int64], vectors: Array
) -> tuple[Array, float, int]:
    """The matrix that carries mean contexts of words nearest to their vectors, ``means @ matrix``.

    Least squares, words weighted by the logarithm of their number of contexts (Khodak et al. 2018,
    A la carte embedding, equation 2; weights as in Rodriguez, Spirling and Stewart 2023); those
    with fewer than 20 are left out. Also its quality, the median cosine of a word's refitted vector
    with its own, each half of the words with the matrix of the other; and how many words there are.
    """
    usable = (counts >= LEAST_CONTEXTS) & np.isfinite(vectors).all(axis=1)
    d, n = vectors.shape[1], int(usable.sum())
    if n < 2 * d + 2:
        raise EatlasError(
            "the corpus is too small to learn a transformation",
            got=f"{n:,} words with {LEAST_CONTEXTS} contexts or more",
            allowed=f"{2 * d + 2:,} at least, for vectors of {d} components",
            remedy="use one learned on a larger corpus: --transformation FILE.npz",
        )
    x, y = means[usable], vectors[usable]
    weights = np.sqrt(np.log(counts[usable]))[:, None]

    def fit(rows: NDArray[np.bool_]) -> Array:
        w = weights[rows]
        return np.asarray(np.linalg.lstsq(x[rows] * w, y[rows] * w, rcond=None)[0])

    even = np.arange(n) % 2 == 0
    refitted = np.empty_like(y)
    refitted[even], refitted[~even] = x[even] @ fit(~even), x[~even] @ fit(even)
    return fit(np.ones(n, np.bool_)), _median_cosine(refitted, y), n


def _median_cosine(rows: Array, others: Array) -> float:
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(others, axis=1)
    cosines = (rows * others).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)
    return float(np.median(cosines))


def quality_of(
    matrix: Array, means: Array, counts: NDArray[np.int64], vectors: Array
) -> tuple[float, int]:
    """Median cosine of words' mean contexts, transformed, with their vectors; and of how many.

    Words have 20 contexts or more; if none has, one or more.
    """
    enough = counts >= LEAST_CONTEXTS
    usable = (enough if enough.any() else counts > 0) & np.isfinite(vectors).all(axis=1)
    if not usable.any():
        return 0.0, 0
    return _median_cosine(means[usable] @ matrix, vectors[usable]), int(usable.sum())


@dataclass(frozen=True)
class ContextSums:
    """Sums of the contexts of terms in one part of a corpus, by block of documents and by tier."""

    block: NDArray[np.int64]
    term: NDArray[np.int64]
    tier: NDArray[np.int64]
    """Of the tier k or a later one is a random 2**-k of all contexts."""
    sums: NDArray[np.float32]
    counts: NDArray[np.int64]
    shape: tuple[int, int]
    """Number of blocks and of terms."""

    @property
    def contexts(self) -> NDArray[np.int64]:
        """Contexts of each term."""
        return np.bincount(self.term, self.counts, self.shape[1]).astype(np.int64)

    def draw(self, most: NDArray[np.int64], rng: np.random.Generator) -> ContextSums:
        """The same with about so many random contexts of each term; all of those that have fewer.

        Late tiers are taken first, whose sums are of few contexts each, from all blocks.
        """
        order = np.lexsort((rng.random(len(self.term)), -self.tier))
        chosen = [np.empty(0, np.int64)]
        for term, limit in enumerate(most.tolist()):
            own = order[self.term[order] == term]
            counts = self.counts[own]
            # a sum is taken if at least half of it is within the limit
            chosen.append(own[np.cumsum(counts) - counts / 2 <= limit])
        rows = np.sort(np.concatenate(chosen))
        return ContextSums(
            self.block[rows], self.term[rows], self.tier[rows], self.sums[rows], self.counts[rows],
            self.shape,
        )  # fmt: skip

    def blocks(self) -> Blocks:
        """The sums of each block."""
        sums = np.zeros((*self.shape, self.sums.shape[1]), np.float32)
        counts = np.zeros(self.shape)
        np.add.at(sums, (self.block, self.term), self.sums)
        np.add.at(counts, (self.block, self.term), self.counts)
        return Blocks(sums, counts)


@dataclass(frozen=True)
class Blocks:
    """Sums of the contexts of terms in blocks of documents of one part of a corpus."""

    sums: NDArray[np.float32]
    """Shape (blocks, terms, d)."""
    counts: Array
    """Contexts, shape (blocks, terms)."""

    @property
    def number(self) -> int:
        """Number of blocks."""
        return len(self.counts)

    def __add__(self, other: Blocks) -> Blocks:
        """The blocks of both."""
        sums = np.concatenate([self.sums, other.sums])
        return Blocks(sums, np.concatenate([self.counts, other.counts]))

    def transform(self, matrix: NDArray[np.floating[Any]]) -> Blocks:
        """The same with sums that are of vectors and no more of contexts."""
        sums = self.sums.reshape(-1, len(matrix)) @ matrix.astype(np.float32)
        return Blocks(sums.reshape(self.sums.shape), self.counts)


@dataclass(frozen=True)
class LocalTest:
    """A test whose terms, X, Y, A and B, have vectors of subcorpora, or of none."""

    sizes: tuple[int, int, int, int]
    fixed: Array
    """Unit vectors of terms that are not of the part, shape (terms, d); NaN of those that are."""
    ddof: int

    @property
    def is_local(self) -> NDArray[np.bool_]:
        """Which terms have vectors of the part."""
        return np.asarray(np.isnan(self.fixed[:, 0]))

    def cosines(self, blocks: Blocks, weights: Array) -> Array:
        """Cosines where blocks of the local terms count so often, (draws, targets, attributes).

        `weights` have the shape (draws, blocks); NaN of terms without a context.
        """
        draws, (number, terms, d) = len(weights), blocks.sums.shape
        rows = weights.astype(np.float32) @ blocks.sums.reshape(number, terms * d)
        rows = rows.reshape(draws, terms, d)
        with np.errstate(divide="ignore", invalid="ignore"):
            rows /= np.linalg.norm(rows, axis=2, keepdims=True)
        rows[weights @ blocks.counts == 0] = np.nan
        table = np.broadcast_to(self.fixed.astype(np.float32), (draws, *self.fixed.shape)).copy()
        table[:, self.is_local] = rows
        targets = sum(self.sizes[:2])
        cosines = table[:, :targets] @ np.swapaxes(table[:, targets:], 1, 2)
        return np.asarray(cosines, np.float64)

    def effects(self, cosines: Array, words: Sequence[Array] | None = None) -> Array:
        """Effect sizes of level 1 and of both of level 2, shape (draws, 3).

        `words` say how often each target, and each attribute, counts, shapes (draws, targets) and
        (draws, attributes); once, by default.
        """
        x, _, a, _ = self.sizes
        shape = cosines.shape
        of_targets, of_attributes = words or (np.ones(shape[:2]), np.ones((shape[0], shape[2])))
        there = np.isfinite(cosines)
        cosines = np.where(there, cosines, 0.0)

        def association(weights: Array, first: slice, second: slice, axis: int) -> Array:
            """Difference of the means over two groups of the other side, for each term."""
            means = []
            for part in (first, second):
                own = np.where(there, np.expand_dims(weights, axis), 0.0)
                index = (slice(None), slice(None), part) if axis == 1 else (slice(None), part)
                total = own[index].sum(axis=3 - axis)
                with np.errstate(divide="ignore", invalid="ignore"):
                    means.append((own * cosines)[index].sum(axis=3 - axis) / total)
            return np.asarray(means[0] - means[1])

        level1 = _d(
            association(of_attributes, slice(a), slice(a, None), 1), of_targets, x, self.ddof
        )
        sides = []
        for part in (slice(x), slice(x, None)):
            own = np.where(there[:, part], of_targets[:, part, None], 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores = (own * cosines[:, part]).sum(axis=1) / own.sum(axis=1)
            sides.append(_d(scores, of_attributes, a, self.ddof))
        return np.column_stack([level1, *sides])

    def blocks_behind(self, blocks: Blocks) -> Array:
        """Blocks that the vectors rest on, of level 1 and of both of level 2.

        Of a term as many as would vary so much had they the same number of contexts (Kish 1965,
        Survey sampling), and of terms the harmonic mean, as variances add.
        """
        counts = blocks.counts
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = np.square(counts).sum(axis=0) / np.square(counts.sum(axis=0))
        place, (x, y, *_) = np.flatnonzero(self.is_local), self.sizes
        sides = place >= 0, (place < x) | (place >= x + y), place >= x
        means = [inverse[side & np.isfinite(inverse)] for side in sides]
        return np.array([1 / mean.mean() if mean.size else np.inf for mean in means])


def _d(scores: Array, weights: Array, n: int, ddof: int) -> Array:
    """Effect size of the first n terms against the others in each sample; NaN where it has none."""
    weights = np.where(np.isfinite(scores), weights, 0.0)
    scores = np.where(np.isfinite(scores), scores, 0.0)
    total = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [
            (weights[:, part] * scores[:, part]).sum(axis=1) / weights[:, part].sum(axis=1)
            for part in (slice(n), slice(n, None))
        ]
        centre = (weights * scores).sum(axis=1) / total
        squares = (weights * np.square(scores - centre[:, None])).sum(axis=1)
        return np.asarray((means[0] - means[1]) / np.sqrt(squares / (total - ddof)))


def effective_level(level: float, blocks: float) -> float:
    """The proportion of resamples that an interval has to span, where it rests on so few blocks.

    Resamples of n vary less than samples, by the root of (n - 1) / n, and have no longer tails than
    a normal distribution. So the ends of the percentile interval move out to where those of an
    interval by Student's t would be (Hesterberg 2015, What teachers should know about the
    bootstrap, The American Statistician 69).
    """
    n = max(blocks, 2.0)
    if not math.isfinite(n):
        return level
    return 2 * NormalDist().cdf(t_quantile(1 - level, n - 1) * math.sqrt(n / (n - 1))) - 1


def bootstrap_blocks(number: int, draws: int, rng: np.random.Generator) -> Array:
    """How often each block is in each resample, shape (draws, blocks)."""
    return rng.multinomial(number, np.full(number, 1 / number), draws).astype(np.float64)


def permute_blocks(contexts: Array, draws: int, rng: np.random.Generator) -> Array:
    """Which blocks of two parts are of the first in each permutation, shape (draws, blocks).

    The first has half of the contexts, as nearly as whole blocks allow: two parts with as many
    contexts have the same noise, however many blocks each has.
    """
    order = rng.permuted(np.tile(np.arange(len(contexts)), (draws, 1)), axis=1)
    counts = contexts[order]
    middle = np.cumsum(counts, axis=1) - counts / 2
    labels = np.zeros(order.shape)
    np.put_along_axis(labels, order, (middle <= contexts.sum() / 2).astype(float), axis=1)
    return labels
