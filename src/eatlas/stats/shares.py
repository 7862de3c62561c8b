"""Proportions of k groups, how far they are from a reference, and how sure both are.

Associations become a distribution over the groups, and a divergence says how far it is from the
reference distribution (Bommasani and Liang 2022, equations 1 to 3). Arrays have the groups on
their last axis; what is not defined is NaN.

A target can also be read as a zero-shot classifier reads it: each attribute is a label, and the
softmax of the logits of all labels gives each its proportion. A label that is left out, or drawn
twice, changes the proportions of all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from math import comb
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Normalize = Literal["sum", "softmax"]
Divergence = Literal["l1", "tv", "l2", "linf", "js", "kl", "hellinger"]
Negative = Literal["clip", "raw"]

SUM_TOLERANCE = 1e-12
"""A sum of associations that is smaller, relative to their magnitude, is rounding about zero."""
MOST_LISTED = 20_000
"""Designs of more permutations are not listed, but drawn."""
BLOCK = 256
"""Permutations or resamples in one block: of 288 targets half a megabyte for each group."""
TIE = 1e-10
"""Statistics of permutations tie within this, relative to the spread of the scores."""


def distribution(
    associations: Array, normalize: Normalize = "sum", negative: Negative = "clip"
) -> Array:
    """Turn associations with k groups into shares that sum to 1.

    NaN where the associations sum to 0 but for rounding. Raw associations may sum to less than 0:
    divided by their sum, the smallest association has the largest share.
    """
    if normalize == "softmax":
        powers = np.exp(associations - associations.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
    kept = np.maximum(associations, 0.0) if negative == "clip" else associations
    total = kept.sum(axis=-1, keepdims=True)
    size = np.abs(kept).sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(total) > SUM_TOLERANCE * size, kept / total, np.nan)


def divergence(p: Array, p0: Array, kind: Divergence = "l1") -> Array:
    """How far distributions are from a reference."""
    p, p0 = np.asarray(p, np.float64), np.asarray(p0, np.float64)
    return np.asarray(DIVERGENCES[kind](p, p0))


def _l1(p: Array, p0: Array) -> Array:
    return np.asarray(np.abs(p - p0).sum(axis=-1))


def _kl(p: Array, p0: Array) -> Array:
    """A proportion of 0 adds nothing; it is undefined if negative or if the reference is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p == 0, 0.0 * p0, p * np.log(p / p0))
    terms = np.where((p < 0) | (np.isinf(terms)), np.nan, terms)
    return np.asarray(np.maximum(terms.sum(axis=-1), 0.0))


def _js(p: Array, p0: Array) -> Array:
    middle = (p + p0) / 2
    return np.asarray((_kl(p, middle) + _kl(p0, middle)) / 2)


def _hellinger(p: Array, p0: Array) -> Array:
    """The half sum of squares, which keeps small distances that 1 - sum loses."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(((np.sqrt(p) - np.sqrt(p0)) ** 2).sum(axis=-1) / 2))


DIVERGENCES: Mapping[str, Callable[[Array, Array], Array]] = {
    "l1": _l1,
    "tv": lambda p, p0: _l1(p, p0) / 2,
    "l2": lambda p, p0: np.asarray(np.sqrt(((p - p0) ** 2).sum(axis=-1))),
    "linf": lambda p, p0: np.asarray(np.abs(p - p0).max(axis=-1)),
    "js": _js,
    "kl": _kl,
    "hellinger": _hellinger,
}


def bootstrap_counts(size: int, resamples: int, rng: np.random.Generator) -> Array:
    """How often each of some words is sampled when as many are sampled with replacement."""
    drawn = rng.integers(0, size, (resamples, size))
    return np.stack([np.bincount(row, minlength=size) for row in drawn]).astype(np.float64)


def jeffreys(counts: Array, confidence: float) -> Array:
    """Intervals of proportions of counts, shape (2, rows, k); NaN for a row without counts.

    Jeffreys' interval of each proportion alone, with the ends 0 and 1 where it is 0 or 1 (Brown,
    Cai and DasGupta 2001).
    """
    rest = counts.sum(axis=1, keepdims=True) - counts
    x, y = counts + 0.5, rest + 0.5
    tail = (1 - confidence) / 2
    low = np.where(counts > 0, scipy.special.betaincinv(x, y, tail), 0.0)
    high = np.where(rest > 0, 1 - scipy.special.betaincinv(y, x, tail), 1.0)
    return np.where(counts + rest > 0, np.stack([low, high]), np.nan)


def posterior(counts: Array, draws: int, rng: np.random.Generator) -> Array:
    """Counts with the same sums and proportions sampled from their posterior, (draws, ..., k).

    The prior is Dirichlet's with 1/k for each of the k groups, of two groups Jeffreys'. A row
    without counts stays as it is.
    """
    shares = rng.standard_gamma(counts + 1 / counts.shape[-1], (draws, *counts.shape))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.asarray(shares * counts.sum(axis=-1, keepdims=True))


def label_tests(
    scores: Array, sizes: Sequence[int], *, permutations: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Count for each row the permutations of k groups of scores that are at least as extreme.

    Every permutation is listed, up to `MOST_LISTED`; of more, `draws` are sampled at random. The
    statistic is ``sum_j n_j (m_j - m)**2``, the sum of squares between the groups' means; of two
    groups that is two-sided in the difference of the means.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    observed = _between(centred, np.repeat(np.arange(len(sizes)), sizes)[None], sizes)[0]
    least = observed - TIE * np.einsum("rw,rw->r", centred, centred)
    count = np.zeros(len(scores), np.int64)
    for labels in labels_of(sizes, permutations=permutations, rng=rng):
        count += (_between(centred, labels, sizes) >= least).sum(axis=0)
    return count


def labels_of(
    sizes: Sequence[int], *, permutations: int, rng: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Each way to label the words of k groups, up to `MOST_LISTED`; of more, `draws` of them."""
    every = relabellings(sizes) <= MOST_LISTED
    return _all_labellings(sizes) if every else _random(sizes, permutations, rng)


def relabellings(sizes: Sequence[int]) -> int:
    """Ways to divide the words among groups of these sizes."""
    left, ways = sum(sizes), 1
    for size in sizes:
        ways *= comb(left, size)
        left -= size
    return ways


def _between(centred: Array, labels: NDArray[np.intp], sizes: Sequence[int]) -> Array:
    """Sum of squares between groups, shape (permutations, rows)."""
    found = np.zeros((len(labels), len(centred)))
    for group, size in enumerate(sizes):
        sums = (labels == group).astype(np.float64) @ centred.T
        found += sums * sums / size
    return found


def _all_labellings(sizes: Sequence[int]) -> Iterator[NDArray[np.intp]]:
    """Each way to label the words, in blocks."""
    ways = _divisions(frozenset(range(sum(sizes))), sizes)
    while block := list(islice(ways, BLOCK)):
        labels = np.zeros((len(block), sum(sizes)), np.intp)
        for row, groups in zip(labels, block, strict=True):
            for label, members in enumerate(groups):
                row[list(members)] = label
        yield labels


def _divisions(left: frozenset[int], sizes: Sequence[int]) -> Iterator[tuple[Iterable[int], ...]]:
    """Ways to divide places among groups; the first group takes what the others leave."""
    *others, last = sizes
    if not others:
        yield (left,)
        return
    for chosen in combinations(sorted(left), last):
        for groups in _divisions(left - set(chosen), others):
            yield (*groups, chosen)


def _random(
    sizes: Sequence[int], permutations: int, rng: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Random labels, `draws` in all."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    for start in range(0, permutations, BLOCK):
        yield rng.permuted(np.tile(labels, (min(BLOCK, permutations - start), 1)), axis=1)


LARGEST_SCALE = 300.0
"""Of a logit scale: exponentials of differences of twice as much are still in the range of float64.
CLIP limits its own to 100."""


def label_powers(cosines: ArrayLike, scale: float) -> Array:
    """Exponentials of logits, each row over its greatest."""
    logits = scale * np.asarray(cosines, dtype=np.float64)
    powers: Array = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers


def design_effects(counts: Array) -> Array:
    """By how much documents enlarge the variance of the proportions of each target, 1 at least.

    Parameters
    ----------
    counts : array, shape (blocks, targets, k)

    Returns
    -------
    array, shape (targets,)
        The variance of the proportions over blocks over that of as many independent contexts,
        summed over groups (Rao and Scott 1981, The analysis of categorical data from complex sample
        surveys, Journal of the American Statistical Association 76). If all contexts are with one
        group, what it would be if those of a block were all alike.
    """
    sizes = counts.sum(axis=2)
    n = sizes.sum(axis=0)
    number = (sizes.sum(axis=1) > 0).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counts.sum(axis=0) / n[:, None]
        residuals = counts - shares * sizes[..., None]
        spread = np.square(residuals).sum(axis=(0, 2)) * number / max(number - 1, 1)
        independent = n * (shares * (1 - shares)).sum(axis=1)
        alike = np.square(sizes).sum(axis=0) / n
        effects = np.where(independent > 0, spread / independent, alike)
    return np.asarray(np.maximum(np.nan_to_num(effects, nan=1.0), 1.0))
