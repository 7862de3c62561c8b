"""Numbers of the same things before and after a change: the mean change, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.inputs import generator, numbers, open_unit, whole
from eatlas.stats.shares import central

Array = NDArray[np.float64]

EXACT_TO = 16
"""Changes up to which all signs are listed: 2^16 = 65,536."""
TIE = 1e-10
"""Sums of changes tie within this, relative to the sum of their sizes."""
BLOCK = 4_096
"""Vectors of signs, or resamples, in one block."""


@dataclass(frozen=True)
class PairedChange:
    """The mean change of numbers of the same things."""

    n: int
    before: float
    """Mean before; NaN where there is nothing."""
    after: float
    change: float
    """Mean of after less before."""
    p: float
    """Two-sided, of a test that flips signs of changes; NaN with fewer than two changes."""
    method: Literal["exact", "sampled", "undefined"]
    """Whether all signs were counted, or some drawn."""
    count: int
    """Signs with a mean as far from 0: of all, those as they are among them; or of those drawn,
    where ``p = (count + 1) / (total + 1)``."""
    total: int
    interval: tuple[float, float] | None
    """Percentile interval of the mean change over resamples; None without."""
    fell: int
    """Numbers that fell."""
    rose: int
    """Numbers that rose."""


def paired_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    draws: int = 9_999,
    resamples: int = 1_000,
    confidence: float = 0.95,
) -> PairedChange:
    """Compare numbers of the same things before and after a change.

    Parameters
    ----------
    before, after : array_like, shape (n,)
        Finite numbers of the same things, in one order.
    rng : numpy.random.Generator
        Draws signs of more than 16 changes, and resamples.
    draws : int
        Vectors of signs that are drawn.
    resamples : int
        Bootstrap resamples of the things; 0 for no interval.
    confidence : float
        Of the interval.

    Returns
    -------
    PairedChange
        Undefined numbers are NaN.

    Raises
    ------
    EatlasError
        If the lists differ in length, or hold what is not finite.

    Notes
    -----
    The null hypothesis is that before and after are exchangeable for each thing: that the changes
    are symmetric about 0 (Fisher's test of paired samples). A zero stays zero under either sign.

    Examples
    --------
    >>> found = paired_change([1, 2, 3, 4], [2, 4, 4, 6], rng=np.random.default_rng(0))
    >>> found.change, found.p, found.method, found.total
    (1.5, 0.125, 'exact', 16)
    """
    first, second = numbers(before, "before", 1), numbers(after, "after", 1)
    if len(first) != len(second):
        raise EatlasError(
            "changes need pairs",
            got=f"{len(first)} numbers before and {len(second)} after",
            allowed="as many of the one as of the other",
        )
    draws, resamples = whole(draws, "draws", 1), whole(resamples, "resamples", 0)
    confidence, rng = open_unit(confidence), generator(rng)
    change, n = second - first, len(first)
    count, total, p = _flipped(change, draws, rng) if n > 1 else (0, 0, math.nan)
    return PairedChange(
        n=n,
        before=_mean(first),
        after=_mean(second),
        change=_mean(change),
        p=p,
        method="undefined" if n < 2 else "exact" if n <= EXACT_TO else "sampled",
        count=count,
        total=total,
        interval=_interval(change, resamples, confidence, rng) if resamples and n > 1 else None,
        fell=int(np.count_nonzero(change < 0)),
        rose=int(np.count_nonzero(change > 0)),
    )


def _mean(values: Array) -> float:
    return math.fsum(values) / len(values) if len(values) else math.nan


def _flipped(change: Array, draws: int, rng: np.random.Generator) -> tuple[int, int, float]:
    """Count the signs whose sum is as far from 0, of how many, and p."""
    n = len(change)
    reach = abs(float(change.sum())) - TIE * float(np.abs(change).sum())
    exact = n <= EXACT_TO
    total, count = 2**n if exact else draws, 0
    for start in range(0, total, BLOCK):
        many = min(BLOCK, total - start)
        if exact:
            bits = np.arange(start, start + many)[:, None] >> np.arange(n) & 1
        else:
            bits = rng.integers(0, 2, size=(many, n))
        count += int(np.count_nonzero(np.abs((1 - 2 * bits) @ change) >= reach))
    return count, total, count / total if exact else (count + 1) / (total + 1)


def _interval(
    change: Array, resamples: int, confidence: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Percentile interval of the mean over resamples, in blocks."""
    means = np.empty(resamples)
    for start in range(0, resamples, BLOCK):
        many = min(BLOCK, resamples - start)
        drawn = rng.integers(len(change), size=(many, len(change)))
        means[start : start + many] = change[drawn].mean(axis=1)
    low, high = central(means, confidence).tolist()
    return low, high


__all__ = ["PairedChange", "paired_change"]
