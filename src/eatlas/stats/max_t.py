"""Adjusted p-values for rows that share relabellings: Westfall and Young's step-down maxT.

Rows measured on the same terms depend on one another. Relabelling all rows alike keeps that
dependence, so the family-wise error rate is held without Holm's price for correlated rows.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import checked_scale, generator, numbers, whole
from eatlas.stats.lattice_rows import lattice_deviations
from eatlas.stats.subsets import every_subset, random_subsets

Array = NDArray[np.float64]

BLOCK_ROWS = 8
BLOCK_WORK = 2**18
"""Multiplications in one matrix product. OpenBLAS keeps a product of this size on one thread; on
a busy machine the waiting of larger ones took 5 to 13 s where these take 0.8 s (20,000 rows of 16
scores, 10,000 draws). Memory is bounded with it, whatever the number of rows."""
LEAST_DRAWS = 64
"""Relabellings in one block, however long the rows are."""


def max_t(
    scores: ArrayLike,
    n: int,
    *,
    rng: np.random.Generator,
    draws: int = 10_000,
    studentised: bool = True,
    scale: float | None = None,
) -> Array:
    """Two-sided p of each row's difference of means, adjusted for the family of all rows.

    Parameters
    ----------
    scores : array_like, shape (k, N)
        k rows of finite scores of the same N terms; the first `n` columns are the first group.
    n : int
        Size of the first group, 1 to N - 1.
    rng : numpy.random.Generator
        Draws the relabellings; not used where all C(N, n) are enumerated.
    draws : int
        Relabellings. All C(N, n) are enumerated instead when they are no more than this.
    studentised : bool
        Divide each row by its standard deviation, so that rows of any scale have an equal say.
        The union's standard deviation does not change under relabelling.
    scale : float, optional
        Magnitude of the quantities that were added up to make one score (1.0 for cosines); by
        default the greatest magnitude of each row.

    Returns
    -------
    array, shape (k,)
        Adjusted p-values in (0, 1]: count / C(N, n) when enumerated, (b + 1) / (B + 1) when
        B relabellings were drawn. A row without spread has 1.

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Notes
    -----
    Westfall and Young (1993), algorithm 4.1; Ge, Dudoit and Speed (2003), box 2. With rows in
    order of their observed statistic t_(1) >= t_(2) >= ..., the p of row i is the share of
    relabellings with ``max over j >= i of t_(j) >= t_(i)``, and no less than the p of row i - 1.

    As in `permutation_test`, a sum ties with the observed one when it falls short of it by no
    more than ``16 N 2^-53 scale`` (and the rounding of N deviations to units of the sum of their
    magnitudes over 2^52). Rows are ordered by the observed statistic less that tolerance, so
    that a row of mere rounding noise ranks last and cannot raise the others' p.

    Examples
    --------
    >>> rows = [[9.0, 8.0, 7.0, 1.0, 2.0, 3.0], [1.0, 2.0, 4.0, 3.0, 6.0, 5.0]]
    >>> max_t(rows, 3, rng=np.random.default_rng(0)).round(6)
    array([0.1, 0.2])
    """
    rows = numbers(scores, "scores", 2)
    n = whole(n, "n", 1, _columns(rows) - 1)
    draws = whole(draws, "draws", 1)
    generator(rng)
    deviations, tolerance = lattice_deviations(rows, checked_scale(scale), studentised=studentised)
    reached = np.abs(np.add.reduce(deviations[:, :n], axis=1)) - tolerance
    order = np.argsort(reached, kind="stable")
    ascending, thresholds = deviations[order], reached[order]
    total = math.comb(rows.shape[1], n)
    sampled = total > draws
    size = rows.shape[1]
    block = max(LEAST_DRAWS, BLOCK_WORK // (BLOCK_ROWS * size))
    blocks = random_subsets(size, n, draws, block, rng) if sampled else every_subset(size, n, block)
    counts = np.zeros(len(rows), dtype=np.int64)
    for labels in blocks:
        counts += _counts(ascending, thresholds, labels.T)
    p = (counts + 1) / (draws + 1) if sampled else counts / total
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[::-1])[::-1]
    return adjusted


def _columns(rows: Array) -> int:
    if min(rows.shape[0], rows.shape[1] - 1) < 1:
        raise EatlasError(
            "a family needs a row, and a row scores of two groups",
            got=f"an array of shape {rows.shape}",
            allowed="at least 1 row of 2 scores",
        )
    return int(rows.shape[1])


def _counts(ascending: Array, thresholds: Array, labels: Array) -> NDArray[np.int64]:
    """How many relabellings reach each row's threshold in it or in a row ranked below it."""
    counts = np.empty(len(thresholds), dtype=np.int64)
    below = np.zeros(labels.shape[1])
    for start in range(0, len(thresholds), BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        reach = ascending[part] @ labels
        np.abs(reach, out=reach)
        for row in reach:  # maximum.accumulate over columns takes 25 times as long
            below = np.maximum(row, below, out=row)
        counts[part] = np.count_nonzero(reach >= thresholds[part, None], axis=1)
    return counts
