"""Difference of two groups given covariates of their units: least squares, and p by permutation.

The model is ``s = b0 + g [unit in the first group] + c'z + e``, for scores s and covariates z. The
p-values are those of Freedman and Lane (1983), A nonstochastic interpretation of reported
significance levels, Journal of Business and Economic Statistics 1: the residuals of the scores
given the covariates alone are permuted. The statistic is g over its standard error (Anderson and
Robinson 2001, Permutation tests for linear models, Australian and New Zealand Journal of Statistics
43), which is HC2 of MacKinnon and White (1985), so that groups may differ in spread (DiCiccio and
Romano 2017, Robust permutation tests for correlation and regression coefficients, Journal of the
American Statistical Association 112).

Without covariates g is the difference of the means, the standard error that of Welch, and permuting
units is relabelling them (Janssen 1997; Chung and Romano 2013).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError
from eatlas.stats.bootstrap import Layout, Streams, draw
from eatlas.stats.inputs import (
    check_noise,
    generator,
    least_spread,
    numbers,
    relative_tolerance,
    whole,
)
from eatlas.stats.permutation.problem import ALWAYS_EXACT, SMALLEST, PermutationResult
from eatlas.stats.permutation.sampled import DRAWS, drawn_tail
from eatlas.stats.subsets import every_subset, random_subsets

Array = NDArray[np.float64]
Orders = NDArray[np.intp]
"""Orders of units, shape (relabellings, N)."""

ORDERS = 9_999
"""Orders drawn by default: a p of .05 is known within .004."""
LISTED = 8
"""Units all of whose orders are looked at: 40,320."""
CELLS = 1 << 16
"""Permuted residuals that are worked off together: 512 kB."""
TIE = 1e-9
"""Statistics that differ by less, relative to their magnitude, tie: rounding errors stay below."""
CANCELLED = 1e-6
"""Share of a sum of squares below which what is left of it is added up anew."""
ROUNDING = (64 * 2.0**-52) ** 2
"""Of a sum of squares that are all rounding, relative to the sum over scores."""
DEPENDENT = 1e-8
"""A column of which so small a part is left beside the others is a combination of them."""


@dataclass(frozen=True)
class Regression:
    """Units of two groups with their covariates, as least squares sees them."""

    n: int
    """Size of the first group, whose units come first."""
    basis: Array
    """Orthonormal columns of the constant and the covariates, shape (N, 1 + covariates)."""
    group: Array
    """What the covariates leave of the first group's label, shape (N,)."""
    shared: float
    """Share of the label's variance that the covariates explain, from 0 to 1."""

    @classmethod
    def of(
        cls, size: int, n: int, covariates: ArrayLike | None = None, names: Sequence[str] = ()
    ) -> Regression:
        """Prepare the design of `size` units, the first `n` against the others.

        `names` are those of the columns, for errors.

        Raises
        ------
        EatlasError
            If covariates are constant or a combination of others, tell the groups apart without
            error, or leave fewer than two degrees of freedom.
        """
        n = whole(n, "n", 1, size - 1)
        columns = np.empty((size, 0)) if covariates is None else _columns(covariates, size)
        left = size - columns.shape[1] - 2
        if left < 2 and columns.shape[1]:
            raise EatlasError(
                "there are too few units for so many covariates",
                got=f"{size} units, {columns.shape[1]} columns of covariates",
                allowed=f"at least {columns.shape[1] + 4} units",
            )
        basis = np.full((size, 1), size**-0.5)
        for i, column in enumerate(columns.T):
            rest = column - column.mean()
            length = float(np.linalg.norm(rest))
            for _ in range(2):  # once more, for what rounding left
                rest = rest - basis @ (basis.T @ rest)
            if not length or float(np.linalg.norm(rest)) <= DEPENDENT * length:
                raise EatlasError(
                    "a covariate is constant, or a combination of the others",
                    got=names[i] if names else None,
                )
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
        label = (np.arange(size) < n).astype(np.float64)
        group = label - basis @ (basis.T @ label)
        group -= basis @ (basis.T @ group)
        share = float(group @ group) * size / (n * (size - n))
        if share <= DEPENDENT:
            raise EatlasError("the covariates tell the two groups apart without error")
        return cls(n, basis, group, 1 - share)

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.group)

    def estimates(self, scores: Array) -> Array:
        """Difference of the groups given the covariates, for each row of scores."""
        return np.asarray(scores @ self.group / (self.group @ self.group))

    def residuals(self, scores: Array) -> Array:
        """What the covariates alone leave of each row."""
        return np.asarray(scores - (scores @ self.basis) @ self.basis.T)

    def errors(self, residuals: Array, orders: Orders | None = None) -> tuple[Array, Array]:
        """Estimate and standard error from residuals of one row in each of some orders."""
        size, length = self.size, float(self.group @ self.group)
        full = np.column_stack([self.basis, self.group / math.sqrt(length)])
        free = 1 - np.square(full).sum(axis=1)
        # a unit that the model fits whatever its score has no residual
        weights = np.where(free > DEPENDENT, np.square(self.group / length) / free, 0.0)
        # sum w (y - F c)^2 from sums of y and y^2 alone
        columns = np.hstack([full, full * weights[:, None]])
        cross = (full * weights[:, None]).T @ full
        estimates, errors = [], []
        squares = np.square(residuals)
        for block in _blocks(np.arange(size)[None] if orders is None else orders):
            y = residuals[block]
            products = y @ columns
            fitted, weighted = np.hsplit(products, 2)
            total = squares[block] @ weights
            variance = total - 2 * _dot(fitted, weighted) + _dot(fitted @ cross, fitted)
            near = np.flatnonzero(variance <= CANCELLED * total)
            variance[near] = np.square(y[near] - fitted[near] @ full.T) @ weights
            variance[variance <= ROUNDING * squares.sum() * weights.max()] = 0.0
            estimate = y @ (self.group / length)
            estimate[np.square(estimate) <= ROUNDING * squares.sum()] = 0.0
            estimates.append(estimate)
            errors.append(np.sqrt(variance))
        return np.concatenate(estimates), np.concatenate(errors)

    def t(self, residuals: Array, orders: Orders | None = None) -> Array:
        """Statistic of one row's residuals in each of some orders.

        Infinite where nothing is left to vary and the groups differ, 0 where they do not.
        """
        estimates, errors = self.errors(residuals, orders)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = estimates / errors
        t[(errors == 0) & (estimates == 0)] = 0.0
        return np.asarray(t)


def _columns(covariates: ArrayLike, size: int) -> Array:
    """Covariates as columns, each in its standard deviations."""
    columns = numbers(covariates, "covariates", 2)
    if len(columns) != size:
        raise EatlasError(
            "every unit needs its covariates", got=f"{len(columns)} rows for {size} units"
        )
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _blocks(orders: Orders) -> Iterator[Orders]:
    step = max(1, CELLS // orders.shape[1])
    for start in range(0, len(orders), step):
        yield orders[start : start + step]


def _dot(first: Array, second: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", first, second))


@dataclass(frozen=True)
class Relabellings:
    """Orders of units that stand for all of them."""

    orders: Orders
    total: int
    """How many there are of all."""
    every: bool
    """Whether these are all of them."""

    def result(self, t: Array, observed: float, tie: float, *, strict: bool) -> PermutationResult:
        """Three tails of an observed statistic."""
        above, below = (np.greater, np.less) if strict else (np.greater_equal, np.less_equal)
        tie = -tie if strict else tie
        tails = (
            above(t, observed - tie),
            below(t, observed + tie),
            above(np.abs(t), abs(observed) - tie),
        )
        counts = [int(np.count_nonzero(tail)) for tail in tails]
        if self.every:
            return PermutationResult.exact(counts, self.total)
        least = max(1 / self.total, SMALLEST)
        greater, less, both = (drawn_tail(b, len(t), least) for b in counts)
        return PermutationResult(greater, less, both, self.total)


@lru_cache(maxsize=16)
def orders_of(size: int, draws: int = ORDERS, seed: int = 0) -> Relabellings:
    """Every order of up to 8 units, or so many drawn: the same for all designs of one size."""
    total = math.factorial(size)
    if size <= LISTED:
        return Relabellings(np.array(list(permutations(range(size))), np.intp), total, every=True)
    rng = np.random.default_rng([seed, size])
    orders = np.repeat(np.arange(size, dtype=np.int32)[None], draws, axis=0)
    return Relabellings(rng.permuted(orders, axis=1).astype(np.intp), total, every=False)


def _subsets(
    size: int, n: int, draws: int, rng: np.random.Generator | None, *, listed: int
) -> Iterator[Relabellings]:
    """Orders that differ in who comes first, for designs without covariates, block by block."""
    total, rows = math.comb(size, n), max(1, CELLS // size)
    every = total <= listed
    if every:
        blocks = every_subset(size, n, rows)
    else:
        blocks = random_subsets(size, n, draws, rows, generator(rng))
    for block in blocks:
        yield Relabellings(np.argsort(-block, axis=1, kind="stable"), total, every)


@dataclass(frozen=True)
class Regressed:
    """What least squares with permuted residuals found of rows that share their relabellings."""

    estimates: Array
    """Difference of the groups given the covariates, shape (rows,)."""
    errors: Array
    """Standard errors of these."""
    shared: float
    """Share of the label's variance that the covariates explain."""
    p: tuple[PermutationResult, ...]
    """Of each row by itself."""
    p_max_t: Array
    """Two-sided, adjusted for the family of all rows."""


def regression_test(
    scores: ArrayLike,
    n: int,
    covariates: ArrayLike | None = None,
    *,
    draws: int = ORDERS,
    seed: int = 0,
    scale: float | None = None,
    precision: float | None = None,
    strict: bool = False,
) -> Regressed:
    """Test whether the first `n` units differ from the others, given covariates of the units.

    Parameters
    ----------
    scores : array, shape (N,) or (rows, N)
        Finite scores, the first group's first. Rows share their relabellings.
    n : int
        Size of the first group, 1 to N - 1.
    covariates : array, shape (N, k), optional
        Finite numbers, for each unit and covariate. A constant is in the model anyway.
    draws : int, default 9,999
        Orders that are drawn; all orders of up to 8 units are looked at.
    seed : int, default 0
        Of the orders, which are the same for all designs of one size.
    scale, precision
        As in :func:`eatlas.stats.permutation.permutation_test`.
    strict : bool, default False
        Count only what exceeds the observed statistic.

    Returns
    -------
    Regressed
        `p_max_t` is the step-down maxT of Westfall and Young (1993).

    Raises
    ------
    EatlasError
        If scores or covariates are no finite numbers, or the groups cannot be told from the
        covariates.

    Examples
    --------
    >>> import numpy as np
    >>> rank = np.arange(12.0)[:, None]
    >>> scores = rank[:, 0] + np.tile([0.5, -0.3, 0.0, 0.2], 3)
    >>> [regression_test(scores, 6, z).p[0].two_sided.p < 0.05 for z in (None, rank)]
    [True, False]
    """
    array = np.atleast_2d(np.asarray(scores, np.float64))
    rows = numbers(array, "scores", 2)
    check_noise(scale, precision)
    regression = Regression.of(rows.shape[1], n, covariates)
    relabelled = orders_of(rows.shape[1], whole(draws, "draws", 1), seed)
    residuals = regression.residuals(rows)
    tested, statistics, observed = [], np.empty((len(rows), len(relabelled.orders))), []
    errors, ties = np.empty(len(rows)), np.empty(len(rows))
    for i, row in enumerate(residuals):
        peak = float(np.abs(rows[i]).max()) if scale is None else scale
        t = float(regression.t(row)[0])
        errors[i] = regression.errors(row)[1][0]
        statistics[i] = 0.0
        if float(np.ptp(row)) <= least_spread(peak, precision):
            t, errors[i], ties[i] = 0.0, 0.0, 0.0
        else:
            statistics[i] = regression.t(row, relabelled.orders)
            ties[i] = _tie(t, float(errors[i]), peak, precision)
        observed.append(t)
        tested.append(relabelled.result(statistics[i], t, float(ties[i]), strict=strict))
    p_max_t = _step_down(statistics, np.array(observed), ties, every=relabelled.every)
    return Regressed(regression.estimates(rows), errors, regression.shared, tuple(tested), p_max_t)


def _tie(t: float, error: float, scale: float, precision: float | None) -> float:
    """How near a statistic may be to the observed one and tie with it."""
    if not math.isfinite(t):
        return 0.0
    return TIE * max(1.0, abs(t)) + relative_tolerance(precision) * scale / error


def _step_down(statistics: Array, observed: Array, ties: Array, *, every: bool) -> Array:
    """Westfall and Young's step-down maxT: each row among the maxima of those not above it."""
    order = np.argsort(-np.abs(observed), kind="stable")
    maxima, p = np.zeros(statistics.shape[1]), np.empty(len(observed))
    for i in order[::-1]:
        np.maximum(maxima, np.abs(statistics[i]), out=maxima)
        count = np.count_nonzero(maxima >= abs(observed[i]) - ties[i])
        p[i] = count / maxima.size if every else (count + 1) / (maxima.size + 1)
    p[order] = np.maximum.accumulate(p[order])
    return p


def studentised_test(
    scores: ArrayLike,
    n: int,
    *,
    method: str = "auto",
    scale: float | None = None,
    strict: bool = False,
    rng: np.random.Generator | None = None,
    draws: int = DRAWS,
    precision: float | None = None,
) -> PermutationResult:
    """Test whether two groups differ in their means, allowing for unequal spreads.

    The regression without covariates: relabellings are counted up to a million, and drawn beyond.
    """
    array = numbers(scores, "scores", 1)
    size, draws, total = array.size, whole(draws, "draws", 1), math.comb(array.size, n)
    if min(n, size - n) < 2:
        raise EatlasError(
            "a studentised statistic needs the spread of both groups",
            got=f"groups of {n} and {size - n} scores",
            allowed="2 or more in each",
            remedy="use the difference of means, which needs none",
        )
    if method == "exact" and total > ALWAYS_EXACT:
        raise EatlasError(
            "a studentised statistic is counted by visiting every relabelling",
            got=f"{n} of {size} scores, {total:,} relabellings",
            allowed=f"at most {ALWAYS_EXACT:,}",
            remedy="use method='auto', which draws relabellings at random beyond that",
        )
    check_noise(scale, precision)
    peak = float(np.abs(array).max()) if scale is None else scale
    if float(np.ptp(array)) <= least_spread(peak, precision):
        return PermutationResult.exact([total] * 3, total)
    regression = Regression.of(size, n)
    residuals = regression.residuals(array)
    listed = 0 if method == "sampled" else ALWAYS_EXACT
    t: list[Array] = []
    for relabelled in _subsets(size, n, draws, rng, listed=listed):
        t.append(regression.t(residuals, relabelled.orders))
    observed, error = float(regression.t(residuals)[0]), float(regression.errors(residuals)[1][0])
    tie = _tie(observed, error, peak, precision)
    return relabelled.result(np.concatenate(t), observed, tie, strict=strict)


def resampled_estimates(
    layout: Layout,
    parts: Sequence[tuple[Regression, NDArray[np.intp]] | None],
    count: int,
    streams: Streams,
    ddof: int,
) -> list[Array]:
    """Effect sizes given covariates in resamples of the units of all four groups.

    `parts` have the regression of each level, and which of its units take part. One array of shape
    (count,) for each level, empty where it has none. NaN where the units that were drawn do not
    tell the groups from the covariates.
    """
    effects: list[list[Array]] = [[] for _ in parts]
    for weights in draw(layout.sizes, count, streams):
        levels = zip(effects, parts, layout.levels, layout.sides(*weights), strict=False)
        for drawn, part, level, (units, others) in levels:
            if part is not None:
                regression, places = part
                scores = level.moments(units, others)[0][places]
                drawn.append(_weighted(regression, scores, units[places], ddof))
    return [np.concatenate(drawn) if drawn else np.empty(0) for drawn in effects]


def _weighted(regression: Regression, scores: Array, weights: Array, ddof: int) -> Array:
    """Effect size given covariates for each set of weights, by the method of Gram and Schmidt.

    Scores and weights have the shape (units, sets).
    """

    def dot(first: Array, second: Array) -> Array:
        return np.asarray(np.einsum("ib,ib,ib->b", weights, first, second))

    ones, total = np.ones_like(weights), weights.sum(axis=0)
    label = (np.arange(regression.size) < regression.n).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = scores - dot(scores, ones) / total
        spread = np.sqrt(dot(centred, centred) / (total - ddof))
        done = [(ones, total)]
        for column in (*regression.basis[:, 1:].T, label):
            rest = np.repeat(column[:, None], weights.shape[1], axis=1)
            whole = dot(rest, rest)
            for earlier, length in done:
                rest = rest - earlier * (dot(rest, earlier) / length)
            left = dot(rest, rest)
            left[left <= DEPENDENT * whole] = np.nan
            done.append((rest, left))
        group, length = done[-1]
        return np.asarray(dot(centred, group) / length / spread)
