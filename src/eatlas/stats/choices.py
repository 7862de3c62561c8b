"""Paired comparisons: shares that are won, and how far they hang on pairs, answers and places.

A table of wins has the shape (subjects, pairs, templates, 2): the share of its answers that the
first of a pair wins, where it is named first and where it is named second; NaN where no answer
chooses. A subject is what is asked about, and its competitors are numbered from 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.inputs import t_quantile

Array = NDArray[np.float64]
Pairs = NDArray[np.intp]
"""Competitors of each pair, shape (pairs, 2)."""


def won(wins: Array) -> Array:
    """Share of each pair that its first wins, shape (subjects, pairs), free of the place.

    The mean over templates of either order, and the mean of both orders; NaN where an order has no
    answer in any template, since what is left would show the place.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing are NaN, and meant
        return np.asarray(np.nanmean(wins, axis=2).mean(axis=-1))


def shares_won(won: Array, pairs: Pairs, count: int, weights: Array | None = None) -> Array:
    """Share of its comparisons that each competitor wins for each subject.

    Parameters
    ----------
    won : array, shape (subjects, pairs)
    pairs : array of int, shape (pairs, 2)
    count : int
        Number of competitors.
    weights : array, shape (draws, pairs), optional
        Weights of pairs; all 1 by default.

    Returns
    -------
    array, shape (subjects, count), or (draws, subjects, count) with weights
        NaN where a competitor has no comparison.
    """
    members = np.zeros((2, len(pairs), count))
    for side in (0, 1):
        members[side, np.arange(len(pairs)), pairs[:, side]] = 1.0
    there = ~np.isnan(won)
    first, second = np.where(there, won, 0.0), np.where(there, 1.0 - won, 0.0)
    weighted = np.ones((1, 1, len(pairs))) if weights is None else weights[:, None, :]
    wins = (weighted * first) @ members[0] + (weighted * second) @ members[1]
    of = (weighted * there) @ members.sum(axis=0)
    with np.errstate(invalid="ignore"):
        shares = np.asarray(wins / of)
    return shares[0] if weights is None else shares


def pair_weights(pairs: int, draws: int, rng: np.random.Generator) -> Array:
    """Weights of pairs in draws of the Bayesian bootstrap (Rubin 1981), which leaves none out."""
    return rng.standard_exponential((draws, pairs))


def first_place(wins: Array, confidence: float = 0.95) -> tuple[float, tuple[float, float] | None]:
    """Share won by the option that is named first, and its interval over pairs by Student's t.

    None where fewer than two pairs have answers, or all show the same.
    """
    named_first = np.stack([wins[..., 0], 1.0 - wins[..., 1]], axis=-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        by_pair = np.nanmean(named_first, axis=(0, 2, 3))
    by_pair = by_pair[~np.isnan(by_pair)]
    mean = float(by_pair.mean()) if len(by_pair) else float("nan")
    if len(by_pair) < 2 or np.ptp(by_pair) == 0:
        return mean, None
    margin = t_quantile(1 - confidence, len(by_pair) - 1)
    margin *= by_pair.std(ddof=1) / np.sqrt(len(by_pair))
    return mean, (max(0.0, mean - margin), min(1.0, mean + margin))


def all_gone(
    wins: Array,
    usable: NDArray[np.integer],
    answers: int,
    pairs: Pairs,
    sides: Sequence[int],
    of: Array,
) -> Array:
    """Share of each pair as :func:`won`, had all answers without a choice gone one way.

    Parameters
    ----------
    wins, usable : array, shape (subjects, pairs, templates, 2)
        Shares that the first of a pair wins, and the number of answers that choose.
    answers : int
        Answers to each question.
    pairs : array of int, shape (pairs, 2)
    sides : sequence of int, length competitors
        1 or -1: the group of each competitor.
    of : array, shape (subjects,)
        1 or -1: whether subjects would have preferred competitors of the group 1.
    """
    signs = np.asarray(sides)[pairs]
    lean = of[:, None] * (signs[:, 0] - signs[:, 1])[None, :] / 2
    fill = ((1 + lean) / 2)[:, :, None, None]
    known = np.where(usable > 0, np.nan_to_num(wins), 0.0) * usable
    return won((known + fill * (answers - usable)) / answers)
