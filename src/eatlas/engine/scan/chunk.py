"""One chunk of a vocabulary, measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.engine.scan.p_values import word_tests
from eatlas.engine.scan.plan import ScanPlan
from eatlas.stats.effect_size import effect_sizes

Array = NDArray[np.float64]

BLOCK = 1024
"""Words whose unit rows and products are at hand together: 2.5 MB at 300 components."""
EXAMPLES = 5
"""Missing words that are named, of each reason."""
ZERO, INFINITE = "its vector is zero (norm 0)", "its vector has a component that is not finite"
REASONS = (ZERO, INFINITE)


@dataclass(frozen=True)
class Chunk:
    """What a scan keeps of some words: columns of those with a usable vector, and counts."""

    index: int
    """Number of the chunk in the source, from 0."""
    read: int
    """Words that the source gave."""
    rising: int
    """Neighbours of which the second does not stand before the first in the alphabet."""
    words: list[str]
    rank: NDArray[np.int64]
    side: NDArray[np.uint8]
    """0 for a word, 1 and 2 for an attribute of A and of B."""
    effect_size: Array
    """NaN without spread."""
    difference: Array
    p: Array
    """Shape (3, k): greater, less, two_sided."""
    method: NDArray[np.uint8]
    rel_err: Array
    reached: Array
    """What the word has reached for maxT."""
    maxima: Array
    """The greatest statistic of each relabelling over the words that are no attributes."""
    missing: NDArray[np.int64]
    """Words without a usable vector, by reason."""
    examples: list[list[str]]
    """The first few of them, by reason."""


def measure_chunk(
    plan: ScanPlan,
    index: int,
    words: Sequence[str],
    vectors: NDArray[np.floating],
    stop: Callable[[], None],
) -> Chunk:
    """Measure the words of one chunk; `stop` is called now and then and may raise."""
    finite = np.isfinite(vectors).all(axis=1)
    present = vectors.any(axis=1)
    usable = np.flatnonzero(finite & present)
    bad = np.flatnonzero(finite & ~present), np.flatnonzero(~finite)
    kept = [words[i] for i in usable.tolist()]
    n = plan.found.sizes[0]
    scores = _scores(plan.found.rows, vectors, usable, stop)
    difference, d = effect_sizes(scores, n, ddof=plan.measure.ddof)
    tails = word_tests(scores, n, stop)
    flagged = plan.found.flagged
    side = np.array([" AB".index(flagged.get(word, " ")) for word in kept], np.uint8)
    reached, maxima = _family(plan, scores, side == 0)
    return Chunk(
        index=index,
        read=len(words),
        rising=sum(a <= b for a, b in pairwise(words)),
        words=kept,
        rank=usable + index * plan.rows + 1,
        side=side,
        effect_size=d,
        difference=difference,
        p=tails.p,
        method=tails.method,
        rel_err=tails.rel_err,
        reached=reached,
        maxima=maxima,
        missing=np.array([rows.size for rows in bad], np.int64),
        examples=[[words[i] for i in rows[:EXAMPLES].tolist()] for rows in bad],
    )


def _scores(
    attributes: Array,
    vectors: NDArray[np.floating],
    usable: NDArray[np.intp],
    stop: Callable[[], None],
) -> Array:
    """Cosines of the usable words with all attributes, shape (k, N)."""
    scores = np.empty((usable.size, len(attributes)))
    for start in range(0, usable.size, BLOCK):
        stop()
        part = slice(start, start + BLOCK)
        scores[part] = kernels.similarities(kernels.unit_rows(vectors[usable[part]]), attributes)
    return scores


def _family(plan: ScanPlan, scores: Array, member: NDArray[np.bool_]) -> tuple[Array, Array]:
    """What words have reached, and the maxima of the family; attributes are in none."""
    reached = np.full(len(scores), np.nan)
    reached[member], maxima = plan.shared.statistics(scores[member])
    return reached, maxima
