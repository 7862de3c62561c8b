"""Paired comparisons: proportions won, and how sensitive they are to refusals and positions.

A comparison is a pair of competitors in one question. A table of wins has the shape (subjects,
comparisons, 2): the proportion of its answers that the first of a pair wins, where it is named
first and where it is named second; NaN where no answer chooses. A subject is what is asked about,
and its competitors are numbered from 0.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.facets import fill_missing
from eatlas.stats.inputs import t_quantile
from eatlas.stats.shares import jeffreys

Array = NDArray[np.float64]
Pairs = NDArray[np.intp]
"""Competitors of each comparison, shape (comparisons, 2)."""
Counts = NDArray[np.int64]


def mean_of_those_there(values: Array, axis: int | tuple[int, ...]) -> Array:
    """Mean of the values that are no NaN; NaN of none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing are NaN, and meant
        return np.asarray(np.nanmean(values, axis=axis))


def won(wins: Array) -> Array:
    """Proportion of each comparison that its first wins, shape (subjects, comparisons).

    The mean of both orders; NaN where one has no answer, since what is left would show the place.
    """
    return np.asarray(wins.mean(axis=-1))


def shares_won(won: Array, pairs: Pairs, count: int, weights: Array | float = 1.0) -> Array:
    """Proportion of comparisons won by competitor and subject, shape (subjects, count).

    `won`, and weights, have the shape (subjects, comparisons). Sums run over comparisons in their
    order, so that the order of subjects and of competitors changes no bit. NaN where a competitor
    has none.

    >>> shares_won(np.array([[1.0, 0.5, 0.25]]), np.array([[0, 1], [0, 2], [1, 2]]), 3)
    array([[0.75 , 0.125, 0.625]])
    """
    wins, of = np.zeros((2, count, len(won)))
    weights = np.where(np.isnan(won), 0.0, weights)
    for side, shares in enumerate((won, 1.0 - won)):
        np.add.at(wins, pairs[:, side], np.where(weights > 0, weights * shares, 0.0).T)
        np.add.at(of, pairs[:, side], weights.T)
    with np.errstate(invalid="ignore"):
        return (wins / of).T


def complete_questions(
    shares: Array, sizes: Sequence[Sequence[int]], overall: Array
) -> Array | None:
    """Shares by question, the last axis, without missing cells; None of fewer than two questions.

    `sizes` are units of each group for the other axes. A question without a value in a block, which
    is a combination of groups, is left out. A missing cell is filled by the additive model of its
    block, or by `overall` if a unit has no value in the block.
    """
    known = ~np.isnan(shares)
    for axis, groups in enumerate(sizes):
        parts = np.split(known, np.cumsum(groups)[:-1], axis=axis)
        known = np.stack([part.any(axis=axis) for part in parts], axis=axis)
    shares = shares[..., known.all(axis=tuple(range(len(sizes))))]
    if shares.shape[-1] < 2:
        return None
    filled = fill_missing(shares, (*sizes, shares.shape[-1:]))
    return np.where(np.isnan(filled), overall[..., None], filled)


def first_place(wins: Array, confidence: float = 0.95) -> tuple[float, tuple[float, float] | None]:
    """Share won by the option that is named first, with an interval over comparisons (Student's t).

    None where fewer than two comparisons have answers, or all show the same.
    """
    named_first = np.stack([wins[..., 0], 1.0 - wins[..., 1]], axis=-1)
    shares = mean_of_those_there(named_first, (0, 2))
    return mean_interval(shares[~np.isnan(shares)], confidence, 0.0)


def mean_interval(
    values: Array, confidence: float = 0.95, least: float = -1.0
) -> tuple[float, tuple[float, float] | None]:
    """Mean of numbers from `least` to 1, and its interval by Student's t.

    None for fewer than two numbers, and where all are the same.
    """
    mean = float(values.mean()) if len(values) else float("nan")
    if len(values) < 2 or np.ptp(values) == 0:
        return mean, None
    margin = t_quantile(1 - confidence, len(values) - 1)
    margin *= values.std(ddof=1) / np.sqrt(len(values))
    return mean, (max(least, mean - margin), min(1.0, mean + margin))


def assignment_scores(counts: NDArray[np.integer], added: float = 0.0) -> Array:
    """D of Bai et al. (2025) of each list of words, from counts of shape (lists, 2, 2).

    Words of A and of B that the target x of X was given, then those of the target y of Y:
    ``N(x, A) / (N(x, A) + N(x, B)) + N(y, B) / (N(y, A) + N(y, B)) - 1``, with `added` to both
    denominators. NaN where a target was given nothing and nothing is added, and where both were
    given nothing.

    >>> assignment_scores(np.array([[[7, 0], [0, 7]], [[7, 1], [0, 6]], [[7, 7], [0, 0]]]))
    array([1.   , 0.875,   nan])
    """
    with np.errstate(invalid="ignore"):
        shares = counts / (counts.sum(axis=2, keepdims=True) + added)
    scores = shares[:, 0, 0] + shares[:, 1, 1] - 1
    return np.where(counts.any(axis=(1, 2)), scores, np.nan)


def all_gone(
    wins: Array, usable: Counts, asked: Counts, lean: Array, counted: Array | float = 1.0
) -> tuple[Array, Array]:
    """Proportions as :func:`won`, if all refusals and unusable answers had gone one way.

    And its weight: of one that lacks an order, as far as its answers count.

    `lean`, shape (subjects, comparisons), says where: 1 to the first of the pair, -1 to the second,
    0 to both by halves. `usable` and `asked` are numbers of answers in the shape of `wins`.
    `counted`, in the shape of `lean`, is the proportion of them that counts; the rest is left out.
    """
    chosen = np.where(usable > 0, np.nan_to_num(wins), 0.0) * usable
    counted = np.broadcast_to(counted, lean.shape)
    others = counted[:, :, None] * (asked - usable)
    with np.errstate(invalid="ignore"):
        leaning = ((1 + lean) / 2)[:, :, None] * others
        shares = won((chosen + leaning) / (usable + others))
    return shares, np.where((usable > 0).all(axis=-1), 1.0, counted)


def beyond_chance(
    usable: Counts, asked: Counts, kinds: NDArray[np.intp], count: int
) -> tuple[Array, float]:
    """Proportion of each cell's refusals and unusable answers beyond random refusal.

    `kinds` numbers the kinds of questions from 0 to `count`, shape (subjects, comparisons), as the
    other tables without orders. What declines at random declines all kinds alike: the rate
    of all is at most the smallest upper limit of a kind's (95%, Jeffreys). A kind counts as far as
    its own rate is above; where there are no questions of some kind, wholly. Returns the
    proportions, shape (subjects, comparisons), and that rate.
    """
    answered, of = (
        np.bincount(kinds.ravel(), counts.sum(axis=2).ravel(), count) for counts in (usable, asked)
    )
    lacking = of - answered
    alike = float(np.min(jeffreys(np.stack([lacking, answered], axis=1), 0.95)[1, :, 0]))
    alike = 0.0 if math.isnan(alike) else alike
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = np.where(lacking > 0, np.maximum(0.0, 1 - alike * of / lacking), 0.0)
    return beyond[kinds], alike
