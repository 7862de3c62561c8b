"""Tails from random subsets: uniform ones, ones near the observed sum, and of any statistic.

**Uniform.** Each draw is a subset without replacement, and the p-value is (b + 1) / (B + 1): the
observed subset is one more draw (Phipson and Smyth 2010), so p is valid whatever B, and never 0.

**Near the observed sum.** Unbiased however small p is. A subset S of size n is drawn
with probability Q(S) = exp(lam T(S)) / e_n, where e_n sums exp(lam T) over all such subsets; the
tilt lam of `saddlepoint` makes about half of them reach the observed sum t. Then

    P(T >= t) = e_n exp(-lam t) / C(N, n) * E_Q[y],  y = exp(-lam (T - t)) if T >= t, else 0.

The draw is exact: item by item, each with its probability given how many are still to be taken
(conditional Bernoulli sampling; Chen, Dempster and Liu 1994). y is between 0 and 1, so that the
interval needs no normal approximation (Maurer and Pontil 2009).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.inputs import checked_precision, generator, whole
from eatlas.stats.permutation.problem import SMALLEST, PermutationResult, Problem, Tail
from eatlas.stats.permutation.saddlepoint import Tilt, solve, standardised, targets, unit_of
from eatlas.stats.relabelling import every_subset, random_subsets

CELLS = 1 << 18
"""Scores shuffled at once: 2 MB, which stay in the second-level cache."""
LONG = 512
"""Of so many scores a shuffle of all takes as long as choosing some, 23 microseconds; of 50 it
takes 1, and choosing 30."""


def sampled(question: Problem, draws: int, rng: np.random.Generator) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail from the same `draws` subsets."""
    reached = np.zeros(3, np.int64)
    for sums in _sums(question.values, question.n, draws, rng):
        in_upper, in_lower = sums >= question.at_least, sums < question.below
        in_both = in_upper | (sums <= question.at_most)
        reached += [np.count_nonzero(found) for found in (in_upper, in_lower, in_both)]
    upper, lower, both = (_tail(b, draws, question.least_p) for b in reached.tolist())
    if question.central:
        both = Tail.exact(question.total, question.total)
    return upper, lower, both


def _tail(b: int, draws: int, least: float) -> Tail:
    """Clopper and Pearson's interval is exact: the draws are independent."""
    interval = clopper_pearson(b, draws)
    return Tail.estimated("sampled", (b + 1) / (draws + 1), interval, draws, least)


def _sums(
    values: NDArray[np.int64], n: int, draws: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Sums of `draws` random subsets of size n, in blocks, whose size does not change them."""
    rows = max(1, CELLS // values.size)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        if values.size < LONG:
            shuffled = np.repeat(values[None], count, axis=0)
            # numpy's Fisher-Yates shuffle of each row
            yield rng.permuted(shuffled, axis=1, out=shuffled)[:, :n].sum(axis=1)
        else:
            picks = (rng.choice(values, n, replace=False, shuffle=False) for _ in range(count))
            yield np.array([pick.sum() for pick in picks])


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
class ProbabilityEstimate:
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


NOTHING = ProbabilityEstimate(0.0, 0.0, 0.0, 2)
"""No subset reaches the threshold: certain."""


def importance(question: Problem, draws: int, rng: np.random.Generator) -> tuple[Tail, Tail, Tail]:
    """The upper, the lower and the two-sided tail."""
    n, least = question.n, question.least_p
    upper, lower = _estimates(question.values, n, [question.at_least, question.below], draws, rng)
    near, rest = (
        _weighted_tail([upper], draws, least),
        _weighted_tail([lower], draws, least, complement=True),
    )
    if question.central:
        return near, rest, Tail.exact(question.total, question.total)
    far = upper
    if not question.balanced:
        (far,) = _estimates(-question.values[::-1], n, [-question.at_most], draws, rng)
        return near, rest, _weighted_tail([upper, far], draws, least)
    return near, rest, _weighted_tail([_twice(upper)], draws, least)


def _twice(estimate: ProbabilityEstimate) -> ProbabilityEstimate:
    """Both sides of a symmetric distribution from one."""
    return replace(estimate, factor=2 * estimate.factor)


def _weighted_tail(
    parts: list[ProbabilityEstimate], draws: int, least: float, *, complement: bool = False
) -> Tail:
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
) -> list[ProbabilityEstimate]:
    """P(T >= t) for thresholds t at or above the mean, close to each other, from one sample."""
    greatest, unit = int(values[values.size - n :].sum()), unit_of(values)
    if min(thresholds) > greatest:
        return [NOTHING] * len(thresholds)
    aims = targets(values, n, thresholds)
    tilt, wanted = _tilted(standardised(values), n, float(aims.min()))
    log_chance, table = _table(tilt.chance, n)
    moments = np.zeros((2, len(thresholds)))
    for sums in _tilted_sums(values, n, table, draws, rng):
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


def _estimate(factor: float, moment: list[float], draws: int) -> ProbabilityEstimate:
    total, squares = moment
    mean = total / draws
    variance = max(0.0, squares - draws * mean * mean) / (draws - 1)
    return ProbabilityEstimate(factor, mean, variance, draws)


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


def _tilted_sums(
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
eigenvector's rounding error stays below it by far, real differences are above."""
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
    """Test a statistic of two groups, computed anew for each relabelling."""
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
