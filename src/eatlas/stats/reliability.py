"""Reliability of word lists: Cronbach's alpha, split halves, and coefficients of two lists.

Items are the terms of a list, observations the terms of the other side, scores the cosines between
them. Some attributes are near to all words; of two lists that are compared, columns are therefore
centred between the two.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.stats.inputs import ROUNDING_UNITS, generator, numbers, open_unit, whole
from eatlas.stats.relabelling import every_subset, random_subsets
from eatlas.stats.resampling import percentile

Array = NDArray[np.float64]

BLOCK = 2**18
"""Numbers in one block of half scores: 2 MB, whatever the number of splits."""
NOISE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of a score, as the effect size has it."""
FEWEST_ITEMS, FEWEST_OBSERVATIONS = 2, 3
STEPS = 100
"""Steps in which loadings are found; most settle in thirty."""
SETTLED = 1e-6
"""Change of a loading, of scores whose largest is near 1, that is none."""


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
    """Mean, quantiles and number of undefined values over splits."""
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


@dataclass(frozen=True)
class Coefficient:
    """One coefficient and its interval over the observations; NaN where undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ListReliability:
    """Coefficients of one list, beside the other list of its side."""

    items: int
    raw_alpha: float
    """Cronbach's alpha of the scores as they are, which what all words have in common raises."""
    alpha: Coefficient
    """Of column-centred scores; near -1 for two lists of the same kind of words."""
    omega: Coefficient
    """Share of one common factor in the variance of the sum of column-centred scores."""


@dataclass(frozen=True)
class PairReliability:
    """Two lists on the same observations."""

    first: ListReliability
    second: ListReliability
    between: Coefficient
    """Reliability of the difference of their mean profiles: 0 on average for lists drawn from one
    population of words, 1 where each list's words are all alike."""
    observations: int


def list_reliability(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
) -> PairReliability:
    """Reliability of two lists that are compared.

    Parameters
    ----------
    first, second : array_like, shape (items, observations)
        Scores of each list on the same observations; 2 items and 3 observations or more.
    rng : numpy.random.Generator
        Draws the observations again, for the intervals.
    resamples : int
        1 or more.
    level : float
        Confidence of the percentile intervals, in (0, 1).

    Returns
    -------
    PairReliability

    Raises
    ------
    EatlasError
        For scores that do not fit, or numbers outside these ranges.

    Notes
    -----
    With m_j the mean over observation j of the two lists' means, and x_ij - m_j the column-centred
    scores of the k items of a list: alpha is Cronbach's (1951) of these. Omega is McDonald's
    (1999), ``(sum of loadings)**2 / variance of the sum``, with the loadings of one factor by
    minimal residuals (Harman and Jones 1966). Between lists, with D_j the difference of the means,
    ``1 - (v_1 / k_1 + v_2 / k_2) / var(D)``, v the mean over items of their squared distances from
    their list's profile, by k - 1: the share of the variance of D that is not sampling of items.

    Examples
    --------
    >>> one = [[1.0, 0.0, 0.0, 1.0], [1.1, 0.1, 0.0, 1.0]]
    >>> other = [[0.0, 1.0, 1.0, 0.0], [0.0, 1.1, 1.0, 0.1]]
    >>> found = list_reliability(one, other, rng=np.random.default_rng(0), resamples=50)
    >>> round(found.between.value, 2), round(found.first.omega.value, 2)
    (1.0, 1.0)
    """
    one, other = numbers(first, "scores", 2), numbers(second, "scores", 2)
    _check(one, other)
    resamples, level = whole(resamples, "resamples", 1), open_unit(level)
    peak = max(float(np.abs(one).max()), float(np.abs(other).max()))
    if peak > 0:  # a power of two keeps squares in range and changes no digit
        one, other = (np.ldexp(rows, -math.frexp(peak)[1]) for rows in (one, other))
    m = one.shape[1]
    as_is = np.full((1, m), 1 / m)
    drawn = generator(rng).multinomial(m, as_is[0], resamples) / m
    weights = np.concatenate([as_is, drawn])
    middle = (one.mean(axis=0) + other.mean(axis=0)) / 2
    centred = [rows - middle for rows in (one, other)]

    def coefficient(values: Array) -> Coefficient:
        low, high = percentile(values[1:][~np.isnan(values[1:])], level)
        return Coefficient(float(values[0]), low, high)

    lists = [
        ListReliability(
            items=len(rows),
            raw_alpha=float(_alpha(_covariances(raw, as_is))[0]),
            alpha=coefficient(_alpha(of := _covariances(rows, weights))),
            omega=coefficient(_omega(of)),
        )
        for raw, rows in zip((one, other), centred, strict=True)
    ]
    between = coefficient(_between(one, other, weights))
    return PairReliability(lists[0], lists[1], between, m)


def _check(one: Array, other: Array) -> None:
    sizes = f"{one.shape[0]} and {other.shape[0]} items on {one.shape[1]} and {other.shape[1]} "
    enough = min(len(one), len(other)) >= FEWEST_ITEMS and one.shape[1] >= FEWEST_OBSERVATIONS
    if one.shape[1] != other.shape[1] or not enough:
        raise EatlasError(
            "reliability needs two lists measured on the same observations",
            got=f"{sizes}observations",
            allowed=f"{FEWEST_ITEMS} items a list and {FEWEST_OBSERVATIONS} observations, or more",
        )


def _covariances(rows: Array, weights: Array) -> Array:
    """Covariances of items for each set of weights of the observations, shape (sets, k, k)."""
    second = np.einsum("bj,ij,hj->bih", weights, rows, rows, optimize=True)
    means = weights @ rows.T
    found: Array = second - means[:, :, None] * means[:, None, :]
    return found


def _alpha(covariances: Array) -> Array:
    k = covariances.shape[1]
    single = np.trace(covariances, axis1=1, axis2=2)
    total = covariances.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Array = np.where(
            total > _none(covariances), k / (k - 1) * (1 - single / total), np.nan
        )
    return found


def _omega(covariances: Array) -> Array:
    """Share of one factor in the variance of the sum, by minimal residuals."""
    k = covariances.shape[1]
    apart = covariances * (1 - np.eye(k))
    total = covariances.sum(axis=(1, 2))
    some = total > _none(covariances)
    limit = np.sqrt(np.maximum(np.einsum("bii->bi", covariances), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        values, vectors = np.linalg.eigh(covariances)
        loadings = vectors[:, :, -1] * np.sqrt(np.maximum(values[:, -1:], 0))
        for _ in range(STEPS):
            squares = loadings**2
            rest = squares.sum(axis=1, keepdims=True) - squares
            along = np.matmul(apart, loadings[:, :, None])[:, :, 0]
            best = np.where(rest > 0, along / rest, 0.0)
            # half a step: whole ones may swing to and fro
            moved = (loadings + np.clip(best, -limit, limit)) / 2
            change, loadings = float(np.abs(moved - loadings).max(initial=0.0)), moved
            if change <= SETTLED:
                break
        share = loadings.sum(axis=1) ** 2 / total
    return np.asarray(np.where(some, np.minimum(share, 1.0), np.nan))


def _between(one: Array, other: Array, weights: Array) -> Array:
    """Share of the variance of the difference of two profiles that is not sampling of items."""
    difference = one.mean(axis=0) - other.mean(axis=0)
    noise = np.zeros(len(weights))
    for rows in (one, other):
        away = rows - rows.mean(axis=0)
        k = len(rows)
        # distances of items from the profile, beside what each item is nearer to all observations
        spread = np.einsum("bii->b", _covariances(away, weights)) / (k - 1)
        noise += spread / k
    mean = weights @ difference
    variance = weights @ difference**2 - mean**2
    m = weights.shape[1]
    least = (NOISE * (len(one) + len(other))) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        # variances over m observations alike, so that no correction for their number is needed
        found: Array = np.where(variance > least * m, 1 - noise / variance, np.nan)
    return found


def _none(covariances: Array) -> Array:
    """Variances of a sum that are rounding alone."""
    k = covariances.shape[1]
    return np.full(len(covariances), (NOISE * k) ** 2 * k)
