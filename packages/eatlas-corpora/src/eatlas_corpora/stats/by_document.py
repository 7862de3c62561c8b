"""Differences of PMI in documents: their variance over blocks of documents, and over targets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.facets import ContrastTest, Facet, contrast_test

Array = NDArray[np.float64]
TWO = 2
"""Blocks, or targets, that have a variance."""


class DocumentTests(NamedTuple):
    """Tests of differences of PMI that blocks of documents give."""

    blocks: int
    """Blocks with a word of a group."""
    intervals: Array
    """Of each target, shape (targets, 2)."""
    p: Array
    """Two-sided, of each target."""
    whole: ContrastTest
    """The mean of the targets, for other documents."""
    crossed: ContrastTest | None
    """The same, for other targets and other documents; None of a single target."""


def document_tests(counts: Array, smoothing: float, level: float) -> DocumentTests | None:
    """Test differences of PMI over blocks of documents; None if there are fewer than two.

    Parameters
    ----------
    counts : array, shape (blocks, targets + 1, 2)
        Of each target with either group, and behind them of the groups with any word.
    smoothing : float
        Added to each count of a target, and of the groups without it.
    level : float
        Coverage of the intervals.

    Notes
    -----
    A block changes the difference by its influence, ``n_bA/n_A - N_bA/N_A`` less the same of B: the
    first term of its expansion in the counts. Pseudo-values of blocks, the difference plus the
    number of blocks times the influence, have the difference as their mean, and its variance over
    documents is that of their mean. P-values of targets are of the score at no difference, ``(n_bA
    - q N_bA)/N_A`` less the same of B with q the proportion of the target with both groups, whose
    variance does not depend on how large the difference is (Rao and Scott 1987, On simple
    adjustments to chi-square tests with sample survey data, Annals of Statistics 15).
    """
    counts = counts[counts[:, -1].sum(axis=1) > 0]
    number = len(counts)
    if number < TWO:
        return None
    of_targets, totals = np.moveaxis(counts[:, :-1], 0, 1), counts[:, -1]
    n, of_groups = of_targets.sum(axis=1) + smoothing, totals.sum(axis=0) + 2 * smoothing
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.log(n / of_groups)
        influences = of_targets / n[:, None] - totals / of_groups
    values = logarithms[:, 0] - logarithms[:, 1]
    pseudo = values[:, None] + number * (influences[..., 0] - influences[..., 1])
    share = n.sum(axis=1) / of_groups.sum()
    parts = (of_targets - share[:, None, None] * totals) / of_groups
    scores = number * (parts[..., 0] - parts[..., 1])
    blocks = Facet.of_groups([number])
    defined = np.isfinite(pseudo).all(axis=1)
    intervals, p = np.full((len(n), 2), np.nan), np.full(len(n), np.nan)
    for i in np.flatnonzero(defined).tolist():
        tested = contrast_test(pseudo[i], [blocks], level=level)
        reach = tested.high - tested.difference
        intervals[i] = values[i] - reach, values[i] + reach
        p[i] = contrast_test(scores[i], [blocks]).p_two_sided
    known = pseudo[defined]
    if not len(known):
        return None
    crossed = None
    if len(known) >= TWO:
        crossed = contrast_test(known, [Facet.of_groups([len(known)]), blocks], level=level)
    whole = contrast_test(known.mean(axis=0), [blocks], level=level)
    return DocumentTests(number, intervals, p, whole, crossed)


def is_known(test: ContrastTest | None) -> bool:
    """Whether a test found a variance."""
    return test is not None and not math.isnan(test.t)
