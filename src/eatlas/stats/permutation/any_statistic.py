"""The permutation test of a statistic that is no sum: it is computed anew for each relabelling."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.inputs import generator, whole
from eatlas.stats.permutation.result import SMALLEST, PermutationResult, Tail
from eatlas.stats.precision import checked_precision
from eatlas.stats.relabelling import every_subset, random_subsets

Labels = NDArray[np.bool_]
Statistic = Callable[[Labels], NDArray[np.float64]]
"""From memberships of the first group, shape (relabellings, N), to values, shape (relabellings,).
A value may depend on its own row alone."""

LISTED = 20_000
"""Designs with no more relabellings are counted: 8 against 8 has 12,870."""
ROWS = 1024
"""Relabellings handed over at once."""
TIE = 1e-9
"""Statistics tie when they differ by less than this, relative to the greatest magnitude seen: an
eigenvector's rounding error stays below it by far, real differences lie above."""
ROUNDED = 32
"""The same in units of roundoff of computed vectors: those of weat-6 by MiniLM with a learned
direction moved by up to 24 between the kernels of two processors."""


def recomputed_test(
    statistic: Statistic,
    size: int,
    n: int,
    *,
    draws: int,
    rng: np.random.Generator | None = None,
    precision: float | None = None,
) -> PermutationResult:
    """Test a statistic of two groups, computed anew for each relabelling.

    Parameters
    ----------
    statistic : callable
        Takes labels, shape (relabellings, size), True for members of the first group, and gives
        one value for each row.
    size, n : int
        Terms in both groups, and in the first; the observed labels are the first n.
    draws : int
        Relabellings drawn at random, 1 or more, where there are more than 20,000 in all.
    rng : numpy.random.Generator
        Needed where relabellings are drawn.
    precision : float, optional
        Unit roundoff of the vectors behind the statistic; by default they are exact.

    Returns
    -------
    PermutationResult
        ``two_sided`` measures distance from the mean over all relabellings, or over those drawn.
        Exact counts where all are listed, else (b + 1) / (B + 1) with Clopper and Pearson's
        interval.

    Raises
    ------
    EatlasError
        For input outside these ranges, or a statistic that is not finite.

    Examples
    --------
    >>> scores = np.array([0.9, 0.7, 0.8, 0.1, 0.2, 0.3])
    >>> result = recomputed_test(lambda first: first @ scores, 6, 3, draws=100)
    >>> result.greater, result.two_sided.count
    (Tail(p=0.05, method='exact', count=1), 2)
    """
    size = whole(size, "size", 2)
    n, draws = whole(n, "n", 1, size - 1), whole(draws, "draws", 1)
    total = math.comb(size, n)
    every = total <= LISTED
    observed = float(_values(statistic, (np.arange(size) < n)[None])[0])
    labels = (
        every_subset(size, n, ROWS)
        if every
        else random_subsets(size, n, draws, ROWS, generator(rng))
    )
    values = np.concatenate([_values(statistic, block > 0) for block in labels])
    relative = max(TIE, ROUNDED * (checked_precision(precision) or 0.0))
    tie = relative * max(abs(observed), float(np.abs(values).max()))
    centre = float(values.mean())
    distance = abs(observed - centre)
    counts = [
        int(np.count_nonzero(values >= observed - tie)),
        int(np.count_nonzero(values <= observed + tie)),
        int(np.count_nonzero(np.abs(values - centre) >= distance - 2 * tie)),
    ]
    make = (lambda b: Tail.exact(b, total)) if every else (lambda b: _drawn(b, draws, total))
    upper, lower, both = map(make, counts)
    return PermutationResult(upper, lower, both, total)


def _drawn(b: int, draws: int, total: int) -> Tail:
    least = max(1 / total, SMALLEST)
    return Tail.estimated("sampled", (b + 1) / (draws + 1), clopper_pearson(b, draws), draws, least)


def _values(statistic: Statistic, labels: Labels) -> NDArray[np.float64]:
    values = np.asarray(statistic(labels), dtype=np.float64)
    if values.shape != labels.shape[:1] or not np.all(np.isfinite(values)):
        raise EatlasError(
            "a statistic must give one finite number for each relabelling",
            got=f"an array of shape {values.shape}, "
            f"{np.count_nonzero(~np.isfinite(values))} numbers not finite",
            allowed=f"shape {labels.shape[:1]}",
        )
    return values
