"""Tails estimated from subsets drawn near the observed sum: unbiased however small p is.

A subset S of size n is drawn with probability Q(S) = exp(lam T(S)) / e_n, where e_n sums
exp(lam T) over all such subsets; the tilt lam of `saddlepoint` makes about half of them reach the
observed sum t. Then

    P(T >= t) = e_n exp(-lam t) / C(N, n) * E_Q[y],  y = exp(-lam (T - t)) if T >= t, else 0.

The draw is exact: item by item, each with its probability given how many are still to be taken
(conditional Bernoulli sampling; Chen, Dempster and Liu 1994). y lies between 0 and 1, so that the
interval needs no normal approximation (Maurer and Pontil 2009).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.permutation.question import Question
from eatlas.stats.permutation.result import Tail
from eatlas.stats.permutation.saddlepoint import Tilt, solve, standardised, targets, unit_of

LEVEL = 0.95
"""Confidence of the interval."""
TABLE_CELLS = 1 << 23
"""Chances kept, one for each score and number to be taken: 64 MB."""
BLOCK = 1 << 14
"""Subsets drawn at once: a few arrays of 128 kB."""
INSIDE = (1.0, 0.999, 0.99, 0.97, 0.9, 0.75, 0.5)
"""Parts of the way from the mean to t at which a tilt is sought: none exists at the very edge of
the support, and any tilt is unbiased."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of one probability as factor * mean(y) with y in [0, 1]."""

    factor: float
    mean: float
    variance: float
    """Sample variance of y, with B - 1."""
    draws: int

    @property
    def p(self) -> float:
        """Unbiased."""
        return self.factor * self.mean

    @property
    def std_err(self) -> float:
        """Estimated standard error of p."""
        return self.factor * math.sqrt(self.variance / self.draws)

    def margin(self, miss: float) -> float:
        """The expectation of p is further from it with probability `miss` at most.

        Empirical Bernstein bound on both sides (Maurer and Pontil 2009, theorem 4).
        """
        log = math.log(4 / miss)
        spread = math.sqrt(2 * self.variance * log / self.draws)
        return self.factor * (spread + 7 * log / (3 * (self.draws - 1)))


NOTHING = Estimate(0.0, 0.0, 0.0, 2)
"""No subset reaches the threshold: certain."""


def importance(question: Question, draws: int, rng: np.random.Generator) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail.

    Parameters
    ----------
    question : Question
    draws : int
        2 or more subsets, and as many again for the far side where groups differ in size.
    rng : numpy.random.Generator

    Raises
    ------
    EatlasError
        If the table of chances would be too large.
    """
    n, least = question.n, question.least_p
    upper, lower = _estimates(question.values, n, [question.at_least, question.below], draws, rng)
    near, rest = _tail([upper], draws, least), _tail([lower], draws, least, complement=True)
    if question.central:
        return near, rest, Tail.exact(question.total, question.total)
    far = upper
    if not question.balanced:
        (far,) = _estimates(-question.values[::-1], n, [-question.at_most], draws, rng)
        return near, rest, _tail([upper, far], draws, least)
    return near, rest, _tail([_twice(upper)], draws, least)


def _twice(estimate: Estimate) -> Estimate:
    """Both sides of a symmetric distribution from one."""
    return replace(estimate, factor=2 * estimate.factor)


def _tail(parts: list[Estimate], draws: int, least: float, *, complement: bool = False) -> Tail:
    """The sum of independent estimates, or what it leaves of 1; their intervals add up."""
    p = sum(part.p for part in parts)
    margin = sum(part.margin((1 - LEVEL) / len(parts)) for part in parts)
    p = 1.0 - p if complement else p
    tail = Tail.estimated("importance", p, (p - margin, p + margin), draws, least)
    return replace(tail, std_err=math.hypot(*(part.std_err for part in parts)))


def _estimates(
    values: NDArray[np.int64],
    n: int,
    thresholds: list[int],
    draws: int,
    rng: np.random.Generator,
) -> list[Estimate]:
    """P(T >= t) for thresholds t at or above the mean, close to each other, from one sample."""
    greatest, unit = int(values[values.size - n :].sum()), unit_of(values)
    if min(thresholds) > greatest:
        return [NOTHING] * len(thresholds)
    aims = targets(values, n, thresholds)
    tilt, wanted = _tilted(standardised(values), n, float(aims.min()))
    log_chance, table = _table(tilt.chance, n)
    moments = np.zeros((2, len(thresholds)))
    for sums in _sums(values, n, table, draws, rng):
        for i, t in enumerate(thresholds):
            y = np.exp(-tilt.lam * ((sums[sums >= t] - t) / unit))
            moments[:, i] += y.sum(), (y * y).sum()
    log_total = math.log(math.comb(values.size, n))
    log_factors = tilt.dual + tilt.lam * (wanted - aims) + log_chance - log_total
    return [
        NOTHING if t > greatest else _estimate(factor, moment, draws)
        for t, factor, moment in zip(
            thresholds, np.exp(log_factors).tolist(), moments.T.tolist(), strict=True
        )
    ]


def _estimate(factor: float, moment: list[float], draws: int) -> Estimate:
    total, squares = moment
    mean = total / draws
    variance = max(0.0, squares - draws * mean * mean) / (draws - 1)
    return Estimate(factor, mean, variance, draws)


def _tilted(x: NDArray[np.float64], n: int, t: float) -> tuple[Tilt, float]:
    """A tilt and the sum that it makes the expected one; all subsets alike where none is found."""
    for part in INSIDE:
        tilt = solve(x, n, part * max(t, 0.0))
        if tilt is not None:
            return tilt, part * max(t, 0.0)
    mu = math.log(n / (x.size - n))
    dual = x.size * math.log1p(math.exp(mu)) - mu * n
    return Tilt(0.0, mu, np.full(x.size, n / x.size), dual, math.nan), 0.0


def _table(chance: NDArray[np.float64], n: int) -> tuple[float, NDArray[np.float64]]:
    """How likely n are taken by independent choice (its log), and how to take exactly n.

    In the table, [j, k] is the chance of item j when k are still to be taken of it and those
    after it.
    """
    if chance.size * (n + 1) > TABLE_CELLS:
        raise EatlasError(
            "importance sampling keeps one number for each score and each size up to n",
            got=f"{n} of {chance.size} scores, {chance.size * (n + 1):,} numbers",
            allowed=f"at most {TABLE_CELLS:,}",
            remedy="use method='auto', which states its error",
        )
    table = np.zeros((chance.size, n + 1))
    after = np.zeros(n + 1)
    after[0] = 1.0
    for j in range(chance.size - 1, -1, -1):
        taken = np.concatenate([[0.0], chance[j] * after[:-1]])
        after = taken + (1.0 - chance[j]) * after
        np.divide(taken, after, out=table[j], where=after > 0)
        # as many as there are: all of them, whatever was rounded
        table[j, chance.size - j :] = 1.0
    return math.log(after[n]), table


def _sums(
    values: NDArray[np.int64],
    n: int,
    table: NDArray[np.float64],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[NDArray[np.int64]]:
    """Sums of tilted random subsets of size n, in blocks."""
    for start in range(0, draws, BLOCK):
        count = min(BLOCK, draws - start)
        left, sums = np.full(count, n), np.zeros(count, np.int64)
        for value, row in zip(values.tolist(), table, strict=True):
            taken = rng.random(count) < row[left]
            sums += value * taken
            left -= taken
        yield sums
