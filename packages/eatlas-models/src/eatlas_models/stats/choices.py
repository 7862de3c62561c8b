"""Paired comparisons: shares that are won, and how far they hang on pairs, answers and places.

A table of wins has the shape (subjects, pairs, templates, 2): the share of its answers that the
first of a pair wins, where it is named first and where it is named second; NaN where no answer
chooses. A subject is what is asked about, and its competitors are numbered from 0.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import t_quantile
from eatlas.stats.shares import jeffreys

Array = NDArray[np.float64]
Pairs = NDArray[np.intp]
"""Competitors of each pair, shape (pairs, 2)."""
Counts = NDArray[np.int64]


def mean_of_those_there(values: Array, axis: int | tuple[int, ...]) -> Array:
    """Mean of the values that are no NaN; NaN of none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing are NaN, and meant
        return np.asarray(np.nanmean(values, axis=axis))


def won(wins: Array) -> Array:
    """Share of each pair that its first wins, shape (subjects, pairs), free of the place.

    The mean over templates of either order, and the mean of both orders; NaN where an order has no
    answer in any template, since what is left would show the place.
    """
    return np.asarray(mean_of_those_there(wins, 2).mean(axis=-1))


def shares_won(won: Array, pairs: Pairs, count: int) -> Array:
    """Share of its comparisons that each competitor wins for each subject, shape (subjects, count).

    `won` has the shape (subjects, pairs), `pairs` (pairs, 2). Sums run over pairs in their order,
    so that the order of subjects and of competitors changes no bit. NaN where a competitor has no
    comparison.

    >>> shares_won(np.array([[1.0, 0.5, 0.25]]), np.array([[0, 1], [0, 2], [1, 2]]), 3)
    array([[0.75 , 0.125, 0.625]])
    """
    wins, of = _tally(won, pairs, count)
    with np.errstate(invalid="ignore"):
        return wins / of


def _tally(won: Array, pairs: Pairs, count: int) -> tuple[Array, Array]:
    """Comparisons that each competitor wins, and has, for each subject."""
    wins, of = np.zeros((2, count, len(won)))
    there = ~np.isnan(won)
    for side, shares in enumerate((won, 1.0 - won)):
        np.add.at(wins, pairs[:, side], np.where(there, shares, 0.0).T)
        np.add.at(of, pairs[:, side], there.T)
    return wins.T, of.T


def standard_error(won: Array, pairs: Pairs, contrast: Array, noise: Array) -> float:
    """Standard error of a contrast of shares won, as an estimate of that over all pairs.

    Pairs are a sample of all pairs, and answers a sample within each, as in two-stage sampling
    (Cochran 1977, chapter 10). `contrast` has weights of the shares, shape (subjects, competitors),
    and `noise` the variance of each share of `won` by chance in answers.
    """
    wins, of = _tally(won, pairs, contrast.shape[1])
    # what one competitor wins another loses: a constant changes no contrast, but its deviations
    contrast = contrast - contrast.mean(axis=1, keepdims=True)
    deviations = weights = np.zeros_like(won)
    with np.errstate(invalid="ignore", divide="ignore"):
        # deviations from a mean of k are too small: independent shares show as much
        # (k - 1) (k - 1/2) / k^2 of their variance in the difference of two such means
        unbiased = np.where(of > 1, contrast / np.sqrt((of - 1) * (of - 0.5)), 0.0)
        for side, sign, shares in ((0, 1, won), (1, -1, 1.0 - won)):
            at = pairs[:, side]
            deviations = deviations + unbiased[:, at] * (shares - (wins / of)[:, at])
            weights = weights + sign * (contrast / of)[:, at]
        over_answers = np.where(np.isnan(won), 0.0, weights**2 * noise).sum()
    over_pairs = (np.nansum(deviations, axis=0) ** 2).sum()
    known = (~np.isnan(won)).mean() * len(pairs) / math.comb(contrast.shape[1], 2)
    return math.sqrt(over_answers + (1 - known) * max(0.0, over_pairs - over_answers))


def noise_of(wins: Array, usable: Counts) -> Array:
    """Variance by chance in answers of the share of each pair, shape (subjects, pairs).

    That of independent answers to each order, templates counted together. Where an order has one
    answer, how far the two orders differ, the mean of all such differences aside.
    """
    shares, n = mean_of_those_there(wins, 2), usable.sum(axis=2)
    apart = shares[..., 0] - shares[..., 1]
    of_orders = (shares * (1 - shares) / np.maximum(n - 1, 1)).sum(axis=-1)
    of_ones = (apart - np.nanmean(apart)) ** 2
    return np.where((n > 1).all(axis=-1), of_orders, of_ones) / 4


def first_place(wins: Array, confidence: float = 0.95) -> tuple[float, tuple[float, float] | None]:
    """Share won by the option that is named first, and its interval over pairs by Student's t.

    None where fewer than two pairs have answers, or all show the same.
    """
    named_first = np.stack([wins[..., 0], 1.0 - wins[..., 1]], axis=-1)
    by_pair = mean_of_those_there(named_first, (0, 2, 3))
    return mean_interval(by_pair[~np.isnan(by_pair)], confidence, 0.0)


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
) -> Array:
    """Share of each pair as :func:`won`, had all answers without a choice gone one way.

    `lean`, shape (subjects, pairs), says where: 1 to the first of the pair, -1 to the second, 0 to
    both by halves. `usable` and `asked` are numbers of answers in the shape of `wins`. `counted`,
    shape (subjects, pairs), is the share of them that counts; the rest is left out.
    """
    chosen = np.where(usable > 0, np.nan_to_num(wins), 0.0) * usable
    others = np.broadcast_to(counted, lean.shape)[:, :, None, None] * (asked - usable)
    with np.errstate(invalid="ignore"):
        leaning = ((1 + lean) / 2)[:, :, None, None] * others
        return won((chosen + leaning) / (usable + others))


def beyond_chance(
    usable: Counts, asked: Counts, kinds: NDArray[np.intp], count: int
) -> tuple[Array, float]:
    """Share of the answers without a choice of each cell that a random refusal does not explain.

    `kinds` numbers the kinds of questions from 0 to `count`, shape (subjects, pairs), as the other
    tables without templates and orders. What declines at random declines all kinds alike: the rate
    of all is at most the smallest upper limit of a kind's (95%, Jeffreys). A kind counts as far as
    its own rate is above; where there are no questions of some kind, wholly. Returns the shares,
    shape (subjects, pairs), and that rate.
    """
    answered, of = (
        np.bincount(kinds.ravel(), counts.sum(axis=(2, 3)).ravel(), count)
        for counts in (usable, asked)
    )
    lacking = of - answered
    alike = float(np.min(jeffreys(np.stack([lacking, answered], axis=1), 0.95)[1, :, 0]))
    alike = 0.0 if math.isnan(alike) else alike
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = np.where(lacking > 0, np.maximum(0.0, 1 - alike * of / lacking), 0.0)
    return beyond[kinds], alike
