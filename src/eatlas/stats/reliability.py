"""Reliability of word lists: Cronbach's alpha, and a coefficient of two lists.

Items are the terms of a list, observations the terms of the other side, scores the cosines between
them. Some attributes are near to all words; of two lists that are compared, columns are therefore
centred between the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.bootstrap import percentile
from eatlas.stats.inputs import ROUNDING_UNITS

Array = NDArray[np.float64]

NOISE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of a score, as the effect size has it."""
FEWEST_ITEMS, FEWEST_OBSERVATIONS = 2, 3


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
    first: Array,
    second: Array,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
) -> PairReliability:
    """Reliability of two lists that are compared.

    With m_j the mean over observation j of the two lists' means, and x_ij - m_j the column-centred
    scores of the k items of a list: alpha is Cronbach's (1951) of these. Between lists, with D_j
    the difference of the means, ``1 - (v_1 / k_1 + v_2 / k_2) / var(D)``, v the mean over items of
    their squared distances from their list's profile, by k - 1: the share of the variance of D that
    is not sampling of items.
    """
    lists, m = (first, second), first.shape[1]
    if min(map(len, lists)) < FEWEST_ITEMS or m < FEWEST_OBSERVATIONS:
        raise EatlasError(
            "reliability needs two lists measured on the same observations",
            got=f"{len(first)} and {len(second)} items on {m} observations",
            allowed=f"{FEWEST_ITEMS} items a list and {FEWEST_OBSERVATIONS} observations, or more",
        )
    as_is = np.full((1, m), 1 / m)
    weights = np.concatenate([as_is, rng.multinomial(m, as_is[0], resamples) / m])
    middle = (first.mean(axis=0) + second.mean(axis=0)) / 2

    def coefficient(values: Array) -> Coefficient:
        (low, high), _ = percentile(values[1:][~np.isnan(values[1:])], level)
        return Coefficient(float(values[0]), low, high)

    one, other = (
        ListReliability(
            items=len(rows),
            raw_alpha=float(_alpha(rows, as_is)[0]),
            alpha=coefficient(_alpha(rows - middle, weights)),
        )
        for rows in lists
    )
    return PairReliability(one, other, coefficient(_between(first, second, weights)), m)


def _variances(rows: Array, weights: Array) -> Array:
    """Variance of each row for each set of weights of the observations, shape (sets, rows)."""
    return np.asarray(weights @ (rows**2).T - (weights @ rows.T) ** 2)


def _alpha(rows: Array, weights: Array) -> Array:
    """Cronbach's alpha; NaN where the variance of the sum is rounding alone."""
    k = len(rows)
    single = _variances(rows, weights).sum(axis=1)
    total = _variances(rows.sum(axis=0)[None], weights)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = k / (k - 1) * (1 - single / total)
    return np.where(total > (NOISE * k) ** 2 * k, alpha, np.nan)


def _between(first: Array, second: Array, weights: Array) -> Array:
    """Share of the variance of the difference of two profiles that is not sampling of items."""
    noise = np.zeros(len(weights))
    for rows in (first, second):
        k = len(rows)
        # distances of items from the profile, beside what each item is nearer to all observations
        away = _variances(rows - rows.mean(axis=0), weights)
        noise += away.sum(axis=1) / (k - 1) / k
    difference = first.mean(axis=0) - second.mean(axis=0)
    variance = _variances(difference[None], weights)[:, 0]
    least = (NOISE * (len(first) + len(second))) ** 2 * weights.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        # variances over m observations alike, so that no correction for their number is needed
        return np.where(variance > least, 1 - noise / variance, np.nan)
