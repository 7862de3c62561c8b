"""How alike the words of a list behave: Cronbach's alpha and split-half reliability.

Items are the terms of a group; observations are what each is measured on, such as its cosines
with the terms of the other side. Neither tells one thing from several, and both are high where some
observations are near to all items: `eatlas.stats.list_reliability` compares two lists.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.stats.inputs import generator, numbers, whole
from eatlas.stats.precision import ROUNDING_UNITS
from eatlas.stats.subsets import every_subset, random_subsets

Array = NDArray[np.float64]

BLOCK = 2**18
"""Numbers in one block of half scores: 2 MB, whatever the number of splits."""
NOISE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of a score, as the effect size has it."""


@dataclass(frozen=True)
class SplitHalf:
    """Reliability over many ways to halve a list."""

    mean: float
    """Mean of the corrected correlations; NaN if every split is undefined."""
    low: float
    """Their 2.5 % quantile."""
    median: float
    """Their 50 % quantile."""
    high: float
    """Their 97.5 % quantile."""
    splits: int
    """Splits looked at."""
    undefined: int
    """Splits among them that have no value and are left out of the other figures."""
    exact: bool
    """Whether these are all splits there are, not random ones."""


def cronbach_alpha(scores: ArrayLike) -> float:
    """Cronbach's alpha, ``k / (k - 1) (1 - sum of item variances / variance of the sum)``.

    Parameters
    ----------
    scores : array_like, shape (n_items, n_observations)
        Finite; 2 items and 2 observations or more.

    Returns
    -------
    float
        At most 1; negative where the items oppose one another. NaN where the sum over items does
        not vary.

    Raises
    ------
    EatlasError
        For fewer items or observations, or a score that is not finite.

    Warns
    -----
    UndefinedWarning
        When the sum over items does not vary.

    Notes
    -----
    Cronbach (1951), Coefficient alpha and the internal structure of tests, Psychometrika 16.

    Examples
    --------
    >>> round(cronbach_alpha([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), 12)
    0.666666666667
    """
    centred, noise = _centred(scores, 2)
    k, total = len(centred), np.add.reduce(centred, axis=0)
    if np.abs(total).max() <= noise:
        warnings.warn(
            "Cronbach's alpha is not defined: the sum over items does not vary",
            UndefinedWarning,
            stacklevel=2,
        )
        return math.nan
    return float(k / (k - 1) * (1 - np.sum(centred**2) / np.sum(total**2)))


def split_half(scores: ArrayLike, *, rng: np.random.Generator, splits: int = 1000) -> SplitHalf:
    """Correlate the sums of two halves of the items, corrected to the full length.

    Parameters
    ----------
    scores : array_like, shape (n_items, n_observations)
        Finite; 2 items and 3 observations or more. Of an odd number of items, one half has one
        more.
    rng : numpy.random.Generator
        Draws the halves; not used where all are enumerated.
    splits : int
        Random halves. All are enumerated instead when they are no more than this.

    Returns
    -------
    SplitHalf

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Warns
    -----
    UndefinedWarning
        When a half does not vary over the observations, or the halves cancel (r = -1).

    Notes
    -----
    ``2 r / (1 + r)`` for each split, Spearman (1910) and Brown (1910). At most 1, but without a
    lower bound: it is far below 0 where halves oppose each other, and then the median says more
    than the mean.

    Examples
    --------
    >>> halves = split_half([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]], rng=np.random.default_rng(0))
    >>> round(halves.mean, 12), halves.splits, halves.exact
    (0.666666666667, 1, True)
    """
    centred, noise = _centred(scores, 3)
    splits = whole(splits, "splits", 1)
    generator(rng)
    k = len(centred)
    # of an even number of items, the half with the last item names the same split as the other
    free = k if k % 2 else k - 1
    exact = math.comb(free, k // 2) <= splits
    rows = max(1, BLOCK // max(centred.shape))
    blocks = (
        every_subset(free, k // 2, rows) if exact else random_subsets(k, k // 2, splits, rows, rng)
    )
    halves = (half @ centred[: half.shape[1]] for half in blocks)
    values = np.concatenate([_corrected(half, centred, noise) for half in halves])
    return _summary(values, exact=exact)


def _centred(scores: ArrayLike, least: int) -> tuple[Array, float]:
    """Items less their means, and the rounding error of a sum of them."""
    rows = numbers(scores, "scores", 2)
    if rows.shape[0] < 2 or rows.shape[1] < least:
        raise EatlasError(
            "reliability needs several items measured on several observations",
            got=f"{rows.shape[0]} items and {rows.shape[1]} observations",
            allowed=f"2 items and {least} observations, or more",
        )
    peak = float(np.abs(rows).max())
    if peak > 0:  # a power of two keeps squares and sums in range and changes no digit
        rows = np.ldexp(rows, -math.frexp(peak)[1])
    return rows - rows.mean(axis=1, keepdims=True), NOISE * len(rows)


def _corrected(first: Array, centred: Array, noise: float) -> Array:
    """Spearman and Brown's 2 r / (1 + r) for each split, NaN where there is none."""
    second = np.add.reduce(centred, axis=0) - first
    flat = np.minimum(np.abs(first).max(axis=1), np.abs(second).max(axis=1)) <= noise
    squares = np.sum(first**2, axis=1) * np.sum(second**2, axis=1)
    r = np.sum(first * second, axis=1) / np.sqrt(np.where(flat, 1.0, squares))
    r = np.clip(r, -1.0, 1.0)
    undefined = flat | (1 + r <= NOISE * centred.shape[1])
    return np.where(undefined, np.nan, 2 * r / np.where(undefined, 1.0, 1 + r))


def _summary(values: Array, *, exact: bool) -> SplitHalf:
    defined = values[~np.isnan(values)]
    undefined = values.size - defined.size
    if undefined:
        warnings.warn(
            f"split-half reliability is not defined for {undefined} of {values.size} splits: "
            "a half does not vary, or the halves cancel",
            UndefinedWarning,
            stacklevel=3,
        )
    if not defined.size:
        nothing = math.nan
        return SplitHalf(nothing, nothing, nothing, nothing, values.size, undefined, exact)
    low, median, high = (float(x) for x in np.quantile(defined, [0.025, 0.5, 0.975]))
    return SplitHalf(float(defined.mean()), low, median, high, values.size, undefined, exact)
