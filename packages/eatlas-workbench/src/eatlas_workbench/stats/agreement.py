"""Agreement of annotators on nominal labels: Fleiss' kappa, Krippendorff's alpha, Cohen's kappa.

Each is one less a ratio of disagreements, observed and expected, and the disagreement over all
categories is the sum of those of each category against the rest. So one pass over the items gives
a coefficient for all labels and one for each category, for any weights of the items: a bootstrap
over items is a product of two matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.stats.bootstrap import central
from eatlas.stats.shares import bootstrap_counts

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

MISSING = -1
"""Code of an item that an annotator has not labelled."""
TOGETHER = 2_000_000
"""Weights that are in memory at once: 16 MB."""
MOST_PAIRS = 190
"""Pairs of annotators that are compared, those of 20: each takes resamples of its own."""


Estimate = tuple[float, tuple[float, float] | None]
"""A coefficient, NaN where it is not defined, with a percentile interval over items; None without
resamples, and where more than one in a hundred of them leave it undefined."""


def label_counts(codes: ArrayLike, k: int) -> Array:
    """How many annotators gave each item each category."""
    labelled = np.asarray(codes, np.int64)
    return np.stack([(labelled == j).sum(axis=1) for j in range(k)], axis=1).astype(np.float64)


def rater_agreement(
    codes: ArrayLike,
    k: int,
    *,
    resamples: int = 1_000,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> dict[str, Any]:
    """Agreement of annotators over all labels, by category and in pairs, with intervals.

    Items are sampled again with replacement, each with all its labels; intervals are percentiles.

    The fields of an `Agreement`. Alpha and the proportion of agreement rest on the items with two
    labels or more (`compared`), kappa on those with as many labels as most items have (`rated`
    items with `raters` labels). For each category, how often it was given, alpha and Fleiss' kappa
    against all others (`labels`); for each two annotators, of many for the `MOST_PAIRS` with the
    most items in common, the number of items that both labelled, the proportion on which they
    agree, and Cohen's kappa (`pairs`).
    """
    if resamples and rng is None:
        raise ValueError("resamples need a generator, rng")
    labelled = np.asarray(codes, np.int64)
    counts = label_counts(labelled, k)
    sizes = counts.sum(axis=1).astype(np.int64)
    # the number of labels, from two, that most items have; the largest of several; 0 for none
    tally = np.bincount(sizes[sizes >= 2], minlength=1)
    raters = int(len(tally) - 1 - tally[::-1].argmax()) if tally.any() else 0
    several, equal = counts[sizes >= 2], counts[sizes == raters] if raters else counts[:0]

    def estimates(of: Callable[[Array], Array], items: int) -> Iterator[Estimate]:
        """Each column of what a function of weights gives, with its interval."""
        drawn = None
        if resamples and items and rng is not None:
            step = max(1, TOGETHER // items)
            blocks = [min(step, resamples - first) for first in range(0, resamples, step)]
            each = [of(bootstrap_counts(items, block, rng)) for block in blocks]
            drawn = central(np.concatenate(each), confidence)
        for i, value in enumerate(of(np.ones((1, items)))[0].tolist()):
            ends = None if drawn is None or np.isnan(drawn[:, i]).any() else drawn[:, i].tolist()
            yield value, None if ends is None else (ends[0], ends[1])

    observed, alpha, *alphas = estimates(lambda weights: _alpha(several, weights), len(several))
    kappa, *kappas = estimates(lambda weights: _kappa(equal, weights), len(equal))
    pairs = []
    for first, second in _annotator_pairs(labelled != MISSING):
        both = labelled[:, [first, second]]
        both = both[(both != MISSING).all(axis=1)]
        agreed, of_pair = estimates(lambda weights, b=both: _cohen(b, k, weights), len(both))  # type: ignore[misc]
        pairs.append((first, second, len(both), agreed, of_pair))
    times = counts.sum(axis=0).astype(int).tolist()
    return {
        "compared": len(several),
        "raters": raters,
        "rated": len(equal),
        "alpha": alpha,
        "kappa": kappa,
        "agreement": observed,
        "labels": list(zip(times, alphas, kappas, strict=True)),
        "pairs": pairs,
    }


def _annotator_pairs(labelled: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Pairs of annotators in order; of many those with the most items in common."""
    pairs = list(combinations(range(labelled.shape[1]), 2))
    if len(pairs) <= MOST_PAIRS:
        return pairs
    common = labelled.T.astype(np.float32) @ labelled.astype(np.float32)
    most = np.argsort([-common[pair] for pair in pairs], kind="stable")[:MOST_PAIRS]
    return [pairs[i] for i in sorted(most.tolist())]


def _kappa(counts: Array, weights: Array) -> Array:
    """Fleiss' kappa over all categories, then of each, shape (sets, 1 + k)."""
    observed, shares, _ = _disagreement(counts, weights)
    return _coefficients(observed, shares * (1 - shares))


def _alpha(counts: Array, weights: Array) -> Array:
    """Observed agreement, then Krippendorff's alpha over all categories and of each."""
    apart, shares, labels = _disagreement(counts, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = shares * (1 - shares) * labels / (labels - 1)
    agreed = 1 - apart.sum(axis=1, keepdims=True)
    return np.concatenate([agreed, _coefficients(apart, expected)], axis=1)


def _disagreement(counts: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Observed disagreement on each category, its proportion of all labels, and their number.

    Of an item with m labels, n of them of a category, ``n (m - n) / (m - 1)``; its sum over items
    is divided by the number of labels.
    """
    sizes = counts.sum(axis=1, keepdims=True)
    labels = weights @ sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = weights @ (counts * (sizes - counts) / (sizes - 1)) / labels
        return apart, weights @ counts / labels, labels


def _coefficients(observed: Array, expected: Array) -> Array:
    """One less the ratio of disagreements, over all categories and for each; NaN for 0 by 0."""
    above = np.concatenate([observed.sum(axis=1, keepdims=True), observed], axis=1)
    below = np.concatenate([expected.sum(axis=1, keepdims=True), expected], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, 1 - above / below, np.nan)


def _cohen(codes: Codes, k: int, weights: Array) -> Array:
    """Proportion of agreement and Cohen's kappa, shape (sets, 2)."""
    total = weights.sum(axis=1, keepdims=True)
    one, other = ((codes[:, [i]] == np.arange(k)).astype(np.float64) for i in range(2))
    with np.errstate(divide="ignore", invalid="ignore"):
        agreed = weights @ (codes[:, [0]] == codes[:, [1]]) / total
        chance = ((weights @ one) * (weights @ other)).sum(axis=1, keepdims=True) / total**2
        kappa = np.where(chance < 1, 1 - (1 - agreed) / (1 - chance), np.nan)
    return np.concatenate([agreed, kappa], axis=1)
