"""Reliability of word lists: Cronbach's alpha, split halves, and coefficients of two lists.

Items are the terms of a list, observations the terms of the other side, scores the cosines between
them. Some attributes are near to all words; of two lists that are compared, columns are therefore
centred between the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.bootstrap import percentile
from eatlas.stats.inputs import ROUNDING_UNITS, generator, numbers, open_unit, whole

Array = NDArray[np.float64]

NOISE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of a score, as the effect size has it."""
FEWEST_ITEMS, FEWEST_OBSERVATIONS = 2, 3
STEPS = 100
"""Steps in which loadings are found; most settle in thirty."""
SETTLED = 1e-6
"""Change of a loading, of scores whose largest is near 1, that is none."""


@dataclass(frozen=True)
class Coefficient:
    """One coefficient and its interval over the observations; NaN where undefined."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "undefined"
        ends = "" if math.isnan(self.low) else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.value:.2f}{ends}"


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

    With m_j the mean over observation j of the two lists' means, and x_ij - m_j the column-centred
    scores of the k items of a list: alpha is Cronbach's (1951) of these. Omega is McDonald's
    (1999), ``(sum of loadings)**2 / variance of the sum``, with the loadings of one factor by
    minimal residuals (Harman and Jones 1966). Between lists, with D_j the difference of the means,
    ``1 - (v_1 / k_1 + v_2 / k_2) / var(D)``, v the mean over items of their squared distances from
    their list's profile, by k - 1: the share of the variance of D that is not sampling of items.
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
        (low, high), _ = percentile(values[1:][~np.isnan(values[1:])], level)
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
