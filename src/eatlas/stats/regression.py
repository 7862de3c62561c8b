"""Difference of two groups given covariates of their units: least squares, and p by permutation.

The model is ``s = b0 + g [unit in the first group] + c'z + e``, for scores s and covariates z. The
p-values are those of Freedman and Lane (1983), A nonstochastic interpretation of reported
significance levels, Journal of Business and Economic Statistics 1: the residuals of the scores
given the covariates alone are permuted. The statistic is g over its standard error (Anderson and
Robinson 2001, Permutation tests for linear models, Australian and New Zealand Journal of Statistics
43), which is HC2 of MacKinnon and White (1985), so that groups may differ in spread (DiCiccio and
Romano 2017, Robust permutation tests for correlation and regression coefficients, Journal of the
American Statistical Association 112). By its degrees of freedom it is carried to the normal scale
(Wallace 1959), without which small groups of unequal spread are rejected too often.

Without covariates g is the difference of the means, the statistic that of Welch, and permuting
units is permutation them (Janssen 1997; Chung and Romano 2013).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, require_whole
from eatlas.stats.inputs import check_noise, least_spread, numbers, relative_tolerance, remember
from eatlas.stats.permutation.problem import ALWAYS_EXACT, PermutationResult, Tail
from eatlas.stats.permutation.sampled import DRAWS, memberships, tails_among

Array = NDArray[np.float64]
Orders = NDArray[np.intp]
"""Orders of units, shape (permutations, N)."""

ORDERS = 9_999
"""Orders drawn by default: a p of .05 is known within .004."""
LISTED = 8
"""Units all of whose orders are looked at: 40,320."""
CELLS = 1 << 15
"""Permuted residuals that are worked off together: 256 kB."""
LISTED_CELLS = 1 << 18
"""Units in all orders of the largest design whose orders a process retains: 2 MB."""
ROWS = 500
"""Rows whose statistics are in memory together: 40 MB."""
TIE = 1e-9
"""Statistics that differ by less, relative to their magnitude, tie: rounding errors stay below."""
ROUNDING = (64 * 2.0**-52) ** 2
"""Of a sum of squares that are all rounding, relative to the sum over scores."""
DEPENDENT = 1e-8
"""A column of which so small a part is left next to the others is a combination of them."""


def standard_scores(values: Array) -> Array | None:
    """A covariate with mean 0 and standard deviation 1; None of one that is constant."""
    spread = values.std()
    return (values - values.mean()) / spread if np.ptp(values) and spread else None


@dataclass(frozen=True, eq=False)
class Regression:
    """Units of two or more groups with their covariates, as least squares sees them."""

    sizes: tuple[int, ...]
    """Units of each group, the first group first."""
    basis: Array
    """Orthonormal columns of the constant and the covariates, shape (N, 1 + covariates)."""
    labels: Array
    """What the covariates leave of the label of each group but the last, shape (N, groups - 1)."""
    shared: float
    """Proportion of the labels' variance that the covariates explain, from 0 to 1."""

    @classmethod
    def of(
        cls, size: int, n: int, covariates: ArrayLike | None = None, names: Sequence[str] = ()
    ) -> Regression:
        """Prepare the design of `size` units, the first `n` against the others."""
        n = require_whole("n", n, 1, most=size - 1)
        return cls.of_groups((n, size - n), covariates, names)

    @classmethod
    @remember(256)
    def of_groups(
        cls, sizes: Sequence[int], covariates: ArrayLike | None = None, names: Sequence[str] = ()
    ) -> Regression:
        """Prepare the design of groups of such sizes.

        `names` are the names of the columns, for errors.
        """
        size, k = sum(sizes), len(sizes)
        columns = np.empty((size, 0)) if covariates is None else _columns(covariates, size)
        left = size - columns.shape[1] - k
        if left < 2 and columns.shape[1]:
            raise EatlasError(
                "there are too few units for so many covariates",
                got=f"{size} units, {columns.shape[1]} columns of covariates",
                allowed=f"at least {columns.shape[1] + k + 2} units",
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
        labels = np.repeat(np.eye(k)[:, :-1], sizes, axis=0)
        labels -= labels.mean(axis=0)
        whole_of, left_of = labels.T @ labels, labels
        for _ in range(2):
            left_of = left_of - basis @ (basis.T @ left_of)
        shares = np.linalg.eigvals(np.linalg.solve(whole_of, left_of.T @ left_of)).real
        if shares.min() <= DEPENDENT:
            raise EatlasError("the covariates determine the groups")
        return cls(tuple(sizes), basis, left_of, 1 - float(shares.mean()))

    @property
    def n(self) -> int:
        """Size of the first group."""
        return self.sizes[0]

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.labels)

    @property
    def labellings(self) -> int:
        """In how many ways units can be put in groups of these sizes."""
        return math.factorial(self.size) // math.prod(map(math.factorial, self.sizes))

    def estimates(self, scores: Array) -> Array:
        """Difference of the first of two groups given the covariates, for each row of scores."""
        group = self.labels[:, 0]
        return np.asarray(scores @ group / (group @ group))

    def means(self, scores: Array) -> Array:
        """Means of the groups at the mean of the covariates over all units, (rows, groups)."""
        away = np.linalg.lstsq(self.labels, scores.T, rcond=None)[0].T
        away = np.column_stack([away, np.zeros(len(scores))])
        centre = away @ (np.array(self.sizes) / self.size)
        return np.asarray(away + (scores.mean(axis=1) - centre)[:, None])

    def residuals(self, scores: Array) -> Array:
        """What the covariates alone leave of each row."""
        return np.asarray(scores - (scores @ self.basis) @ self.basis.T)

    def variances(self, residuals: Array, orders: Orders | None = None) -> tuple[Array, Array]:
        """Difference of two groups, and the part of each group in its variance, in some orders.

        Residuals have the shape (N,) or (rows, N); estimates (orders,) or (rows, orders), and
        variances one axis more, the first.
        """
        length = float(self.labels[:, 0] @ self.labels[:, 0])
        full, weights = self.full[:, 1:], self.weights
        of_group = np.zeros((self.size, 2))
        of_group[: self.n, 0], of_group[self.n :, 1] = weights[: self.n], weights[self.n :]

        def columns(y: Array, noise: float) -> Array:
            fitted = y @ full
            variances = np.square(y - fitted @ full.T) @ of_group
            variances[variances <= noise * weights.max()] = 0.0
            estimates = fitted[:, -1:] / math.sqrt(length)
            estimates[np.square(estimates) <= noise] = 0.0
            return np.hstack([estimates, variances])

        estimates, *variances = _in_each(residuals, orders, columns)
        return estimates, np.stack(variances)

    @cached_property
    def full(self) -> Array:
        """Orthonormal columns of the constant, the covariates and the label of two groups."""
        group = self.labels[:, 0]
        return np.column_stack([self.basis, group / np.linalg.norm(group)])

    def full_residuals(self, scores: Array) -> Array:
        """What covariates and groups together leave of each row."""
        full = self.full
        return np.asarray(scores - (scores @ full) @ full.T)

    @cached_property
    def weights(self) -> Array:
        """Weight of each squared residual in the HC2 variance of the difference of two groups."""
        group, free = self.labels[:, 0], self.free
        # a unit that the model fits whatever its score has no residual
        fits = free <= DEPENDENT
        return np.where(fits, 0.0, np.square(group / (group @ group)) / np.where(fits, 1.0, free))

    @cached_property
    def free(self) -> Array:
        """What the whole model leaves free of the score of each unit of two groups, from 0 to 1."""
        group = self.labels[:, 0]
        fitted = np.square(self.basis).sum(axis=1) + np.square(group) / (group @ group)
        return np.asarray(np.maximum(1 - fitted, 0.0))

    def errors(self, residuals: Array) -> Array:
        """Standard error of the difference of two groups, for each row of residuals."""
        return np.asarray(np.sqrt(self.variances(residuals)[1].sum(axis=0)[..., 0]))

    def t(self, residuals: Array, orders: Orders | None = None) -> Array:
        """Difference of two groups over its standard error, on the normal scale.

        Infinite where nothing is left to vary and the groups differ, 0 where they do not.
        """
        estimates, variances = self.variances(residuals, orders)
        variance = variances.sum(axis=0)
        t = _ratio(estimates, np.sqrt(variance))
        df = self.freedom(variances)
        z = np.sqrt(df * np.log1p(np.square(t) / df)) * (8 * df + 1) / (8 * df + 3)
        return np.asarray(np.copysign(z, t))

    def margins(self, residuals: Array, z: float) -> Array:
        """Half widths of intervals for the difference of two groups whose :meth:`t` is within z."""
        variances = self.variances(residuals)[1][..., 0]
        variance, df = variances.sum(axis=0), self.freedom(variances)
        with np.errstate(over="ignore", invalid="ignore"):
            t = np.sqrt(df * np.expm1(np.square(z * (8 * df + 3) / (8 * df + 1)) / df))
            return np.asarray(t * np.sqrt(variance))

    def freedom(self, variances: Array) -> Array:
        """Degrees of freedom of the sum of the variances of two groups, as Welch has them.

        The groups are along the first axis.
        """
        variance = variances.sum(axis=0)
        freedom = np.maximum([part.sum() for part in np.split(self.free, [self.n])], DEPENDENT)
        spread = np.tensordot(1 / freedom, np.square(variances), axes=1)
        spread = np.where(spread > 0, spread, 1.0)
        return np.asarray(np.where(variance > 0, np.square(variance) / spread, 1.0))

    def f(self, residuals: Array, orders: Orders | None = None) -> Array:
        """F of the groups given the covariates, in the same shapes."""
        k = len(self.sizes)
        full = np.column_stack([np.linalg.qr(self.labels)[0], self.basis[:, 1:]])

        def columns(y: Array, noise: float) -> Array:
            fitted = y @ full
            explained = np.square(fitted[:, : k - 1]).sum(axis=1)
            rest = np.square(y - fitted @ full.T).sum(axis=1)
            squares = np.stack([explained / (k - 1), rest / (self.size - full.shape[1] - 1)], 1)
            squares[squares <= noise] = 0.0
            return squares

        return _ratio(*_in_each(residuals, orders, columns))


def _in_each(
    residuals: Array, orders: Orders | None, columns: Callable[[Array, float], Array]
) -> Array:
    """What is computed of residuals in each order, shape (columns, rows, orders).

    Residuals have the shape (N,) or (rows, N); of one row the axis of rows is left out. `columns`
    also takes how much of a sum of squares is rounding.
    """
    orders = np.arange(residuals.shape[-1])[None] if orders is None else orders
    step = max(1, CELLS // orders.shape[1])
    rows = []
    for row in np.atleast_2d(residuals):
        noise = ROUNDING * float(row @ row)
        blocks = (orders[start : start + step] for start in range(0, len(orders), step))
        rows.append(np.concatenate([columns(row[block], noise) for block in blocks]))
    values = np.moveaxis(np.stack(rows), 2, 0)
    return values if residuals.ndim > 1 else values[:, 0]


def _ratio(over: Array, under: Array) -> Array:
    """Quotients; 0 of nothing over nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(over / under)
    ratio[(under == 0) & (over == 0)] = 0.0
    return ratio


def _columns(covariates: ArrayLike, size: int) -> Array:
    """Covariates as columns, each in its standard deviations."""
    columns = numbers(covariates, "covariates", 2)
    if len(columns) != size:
        raise EatlasError(
            "every unit needs covariates", got=f"{len(columns)} rows for {size} units"
        )
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


@dataclass(frozen=True)
class Relabellings:
    """Orders of units that stand for all of them."""

    orders: Orders
    total: int
    """How many there are of all."""
    every: bool
    """Whether these are all of them."""


@lru_cache(maxsize=16)
def orders_of(size: int, permutations: int = ORDERS, seed: int = 0) -> Relabellings:
    """Every order of up to 8 units, or so many drawn: the same for all designs of one size."""
    total = math.factorial(size)
    if size <= LISTED:
        return Relabellings(
            np.array(list(itertools.permutations(range(size))), np.intp), total, every=True
        )
    rng = np.random.default_rng([seed, size])
    orders = np.repeat(np.arange(size, dtype=np.int32)[None], permutations, axis=0)
    return Relabellings(rng.permuted(orders, axis=1).astype(np.intp), total, every=False)


@dataclass(frozen=True)
class Regressed:
    """What least squares with permuted residuals found of rows that share their permutations."""

    estimates: Array
    """Difference of the groups given the covariates, shape (rows,)."""
    errors: Array
    """Standard errors of these."""
    shared: float
    """Proportion of the label's variance that the covariates explain."""
    p: tuple[PermutationResult, ...]
    """For each row, unadjusted."""
    p_max_t: Array
    """Two-sided, adjusted for the family of all rows."""


def regression_test(
    scores: ArrayLike,
    n: int,
    covariates: ArrayLike | None = None,
    *,
    permutations: int = ORDERS,
    seed: int = 0,
    scale: float | None = None,
    precision: float | None = None,
    strict: bool = False,
) -> Regressed:
    """Test whether the first `n` units differ from the others, given covariates of the units.

    `scores`, shape (N,) or (rows, N), have the first group first; rows share their permutations.
    `covariates` have the shape (N, k); a constant is in the model anyway. All orders of up to 8
    units are looked at, `draws` of more; `seed` makes them the same for all designs of one size.
    `scale` and `precision` are as in :func:`eatlas.stats.permutation.permutation_test`; `strict`
    counts only what exceeds the observed statistic. `p_max_t` is the step-down maxT of Westfall and
    Young (1993).

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
    relabelled = orders_of(rows.shape[1], require_whole("permutations", permutations, 1), seed)
    residuals = regression.residuals(rows)
    observed, errors = regression.t(residuals)[:, 0], regression.errors(residuals)
    statistics, ties = regression.t(residuals, relabelled.orders), np.zeros(len(rows))
    tested = []
    for i, row in enumerate(residuals):
        peak = float(np.abs(rows[i]).max()) if scale is None else scale
        if float(np.ptp(row)) <= least_spread(peak, precision):
            observed[i], errors[i], statistics[i] = 0.0, 0.0, 0.0
        else:
            ties[i] = _tie(float(observed[i]), float(errors[i]), peak, precision)
        t, tie = float(observed[i]), float(ties[i])
        total, every = relabelled.total, relabelled.every
        tested.append(tails_among(statistics[i], t, total, every=every, tie=tie, strict=strict))
    p_max_t = _step_down(statistics, observed, ties, every=relabelled.every)
    return Regressed(regression.estimates(rows), errors, regression.shared, tuple(tested), p_max_t)


@dataclass(frozen=True)
class FamilyTests:
    """Tests of rows that share their permutations."""

    tails: tuple[Tail, ...]
    """Two-sided, for each row, unadjusted."""
    p_max_t: Array
    """Adjusted for all rows by step-down maxT."""
    maxima: Array
    """The largest statistic of all rows in each permutation."""
    every: bool
    """Whether these are all permutations."""

    def critical(self, alpha: float) -> float:
        """What a statistic exceeds just where its p by single-step maxT is below alpha."""
        drawn = not self.every
        most = math.ceil(alpha * (self.maxima.size + drawn) - TIE) - 1 - drawn
        if most < 0:
            return math.inf
        return float(np.sort(self.maxima)[-1 - most]) * (1 + TIE)


def family_test(
    scores: Array,
    regression: Regression,
    *,
    permutations: int = ORDERS,
    seed: int = 0,
    scale: float = 1.0,
    precision: float | None = None,
) -> FamilyTests:
    """Test of each row whether the means of the groups differ given the covariates.

    For two groups, the statistic is :meth:`Regression.t`, two-sided; for more groups, F.
    """
    relabelled = orders_of(regression.size, permutations, seed)
    statistic = regression.t if len(regression.sizes) == 2 else regression.f
    residuals = regression.residuals(scores)
    observed, statistics = statistic(residuals)[:, 0], statistic(residuals, relabelled.orders)
    flat = np.ptp(residuals, axis=1) <= least_spread(scale, precision)
    observed[flat], statistics[flat] = 0.0, 0.0
    noise = relative_tolerance(precision) * scale / np.where(flat, 1.0, residuals.std(axis=1))
    ties = np.where(np.isfinite(observed), np.maximum(1, np.abs(observed)) * (TIE + noise), 0)
    tails = []
    for value, tie, drawn in zip(observed.tolist(), ties.tolist(), statistics, strict=True):
        total, every = relabelled.total, relabelled.every
        tails.append(tails_among(drawn, value, total, every=every, tie=tie).two_sided)
    p_max_t = _step_down(statistics, observed, ties, every=relabelled.every)
    return FamilyTests(tuple(tails), p_max_t, np.abs(statistics).max(axis=0), relabelled.every)


def groups_test(scores: Array, regression: Regression, **how: Any) -> tuple[Tail, ...]:
    """The p of each row by itself, as :func:`family_test` has it, of rows without number."""
    parts = (scores[start : start + ROWS] for start in range(0, len(scores), ROWS))
    return tuple(tail for part in parts for tail in family_test(part, regression, **how).tails)


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


def welch_permutation_test(
    scores: ArrayLike,
    n: int,
    *,
    method: str = "auto",
    scale: float | None = None,
    strict: bool = False,
    rng: np.random.Generator | None = None,
    permutations: int = DRAWS,
    precision: float | None = None,
) -> PermutationResult:
    """Test whether two groups differ in their means, allowing for unequal spreads.

    The regression without covariates: permutations are counted up to a million, and drawn beyond.
    """
    array = numbers(scores, "scores", 1)
    permutations, size = require_whole("permutations", permutations, 1), array.size
    total = math.comb(size, n)
    if min(n, size - n) < 2:
        raise EatlasError(
            "a studentised statistic needs the spread of both groups",
            got=f"groups of {n} and {size - n} scores",
            allowed="2 or more in each",
            remedy="use the difference of means, which needs none",
        )
    if method == "exact" and total > ALWAYS_EXACT:
        raise EatlasError(
            "a studentised statistic is counted by visiting every permutation",
            got=f"{n} of {size} scores, {total:,} permutations",
            allowed=f"at most {ALWAYS_EXACT:,}",
            remedy="use method='auto', which samples permutations beyond that",
        )
    check_noise(scale, precision)
    peak = float(np.abs(array).max()) if scale is None else scale
    if float(np.ptp(array)) <= least_spread(peak, precision):
        return PermutationResult.exact([total] * 3, total)
    if method != "sampled" and total <= ALWAYS_EXACT:
        return _test_all_labels(array.tobytes(), n, peak, precision, strict=strict)
    blocks = memberships(size, n, listed=0, permutations=permutations, rng=rng)
    return _welch_test_among(map(_orders_of, blocks), array, n, peak, precision, strict=strict)


@lru_cache(maxsize=2_048)
def _test_all_labels(
    scores: bytes, n: int, scale: float, precision: float | None, *, strict: bool
) -> PermutationResult:
    """Count all permutations of some scores; specifications of a study often have the same."""
    array = np.frombuffer(scores)
    total = math.comb(array.size, n)
    orders = _all_orders if total * array.size <= LISTED_CELLS else _iter_all_orders
    return _welch_test_among(
        orders(array.size, n), array, n, scale, precision, strict=strict, every=True
    )


def _iter_all_orders(size: int, n: int) -> Iterator[Orders]:
    """All permutations of labels as orders of units, block by block."""
    blocks = memberships(size, n, listed=ALWAYS_EXACT, permutations=0, rng=None)
    return map(_orders_of, blocks)


@lru_cache(maxsize=8)
def _all_orders(size: int, n: int) -> tuple[Orders, ...]:
    """The same of a small design, made once for all of its tests."""
    return tuple(_iter_all_orders(size, n))


def _orders_of(block: Array) -> Orders:
    """The order of units, the first group first, by rows that say which units are in it."""
    return np.argsort(-block, axis=1, kind="stable")


def _welch_test_among(
    orders: Iterable[Orders],
    scores: Array,
    n: int,
    scale: float,
    precision: float | None,
    *,
    strict: bool,
    every: bool = False,
) -> PermutationResult:
    """Compare the observed statistic with its values in some orders of the units."""
    regression = Regression.of(scores.size, n)
    residuals = regression.residuals(scores)
    t = np.concatenate([regression.t(residuals, some) for some in orders])
    observed, error = float(regression.t(residuals)[0]), float(regression.errors(residuals))
    tie = _tie(observed, error, scale, precision)
    total = math.comb(scores.size, n)
    return tails_among(t, observed, total, every=every, tie=tie, strict=strict)
