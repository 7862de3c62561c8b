"""A contrast of the means of a table of several facets, and the variance of it.

Words are one facet of a result; templates of prompts, documents, models and training runs are
others. A facet is *random* where the claim is about other units of its kind, and *fixed* where it
is about these. This is the D study of generalisability theory (Brennan 2001, Generalizability
theory) for facets whose units come in groups: the variance of the contrast adds what each random
facet brings, less what pairs of them hold in common, and so on by inclusion and exclusion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from operator import truediv
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from eatlas.stats.inputs import least_spread, remember, t_outside, t_quantile
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stats.regression import Regression

Array = NDArray[np.float64]
Axes = tuple[int, ...]
TWO_FACETS = 2
FITS = 10_000
"""Steps of the fit to a table with missing cells."""
CONVERGED = 1e-12
"""Change of a fitted cell, relative to the largest value, below which a step is the last."""


@dataclass(frozen=True, eq=False)
class Facet:
    """The units along one axis of a table, as the contrast of its groups weighs them."""

    contrast: Array
    """Weight of each unit in the contrast, shape (n,)."""
    basis: Array
    """Orthonormal columns of what groups and covariates explain, shape (n, columns)."""
    squares: Array
    """Weight of each unit's squared residual in the variance that its group brings (HC2), shape
    (n, groups)."""
    freedom: Array
    """Degrees of freedom of each group."""

    @classmethod
    @remember(256)
    def of_groups(cls, sizes: Sequence[int]) -> Facet:
        """The mean of one group, or the difference of the means of two.

        Groups of a random facet have two units or more.
        """
        labels = np.repeat(np.eye(len(sizes)), sizes, axis=0)
        n = np.asarray(sizes, np.float64)
        signs = np.array([1.0, -1.0])[: len(sizes)]
        free = np.maximum(n - 1, 0)
        squares = np.where(free > 0, 1 / (n * np.where(free > 0, free, 1)), np.nan)
        return cls(labels @ (signs / n), labels / np.sqrt(n), labels * squares, free)

    @classmethod
    @remember(256)
    def of_regression(cls, regression: Regression) -> Facet:
        """The difference of two groups at equal covariates, by least squares."""
        label = regression.labels[:, 0]
        groups = np.repeat(np.eye(2), regression.sizes, axis=0)
        return cls(
            np.asarray(label / (label @ label)),
            regression.full,
            groups * regression.weights[:, None],
            regression.free @ groups,
        )

    def residuals(self, values: Array, axis: int) -> Array:
        """What groups and covariates leave of the values along an axis."""
        last = np.moveaxis(values, axis, -1)
        return np.moveaxis(last - (last @ self.basis) @ self.basis.T, -1, axis)


class Contrast(NamedTuple):
    """A contrast and its variance, by the sets of facets that bring it."""

    estimate: float
    variances: dict[Axes, float]
    """By axes: of one axis what that facet brings, with what it shares; of two what they share."""
    freedom: dict[Axes, float]
    """Degrees of freedom of each of these variances, by Welch."""

    @property
    def single(self) -> list[float]:
        """The variance component of each random facet."""
        return [value for axes, value in self.variances.items() if len(axes) == 1]

    @property
    def variance(self) -> float:
        """Variance of the estimate: by inclusion and exclusion, and at least that of any facet.

        The bound sets negative estimates of components to 0.
        """
        signed = (value if len(axes) % 2 else -value for axes, value in self.variances.items())
        return max(sum(signed), *self.single, 0.0)

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance.

        For two facets their mean, harmonic and weighted by variance. For more Satterthwaite's, of
        the components of variance that are estimated above 0.
        """
        if len(self.single) > TWO_FACETS:
            return self._df_of_components()
        return self._harmonic_df([axes for axes in self.variances if len(axes) == 1])

    def _harmonic_df(self, chosen: Sequence[Axes]) -> float:
        """Mean of degrees of freedom, harmonic and weighted by variance."""
        variances = [self.variances[axes] for axes in chosen]
        freedom = [self.freedom[axes] for axes in chosen]
        return float(sum(variances) / sum(map(truediv, variances, freedom)))

    def _df_of_components(self) -> float:
        """Satterthwaite's degrees of freedom of the sum of components that are above 0.

        The component of a set of facets is its variance, less what larger sets bring to it: again
        by inclusion and exclusion. Each is a sum of variances with signs, and so is their sum.
        """
        sets = [set(axes) for axes in self.variances]
        signs = np.array([[(-1) ** len(b - a) * (a <= b) for b in sets] for a in sets])
        variances = np.array(list(self.variances.values()))
        parts = ((signs @ variances > 0) @ signs) * variances
        return 1 / float(np.sum(np.square(parts / parts.sum()) / list(self.freedom.values())))

    def between(self, axis: int, scale: float = 0.0) -> Between:
        """How far the units of a random facet differ in the contrast of the others.

        They do not if what they bring is rounding of values of magnitude `scale`.
        """
        shared = {axes: value for axes, value in self.variances.items() if axis in axes}
        own = shared.pop((axis,))
        pairs = [axes for axes in shared if len(axes) == TWO_FACETS]
        signed = sum(value if len(axes) % 2 == 0 else -value for axes, value in shared.items())
        chance = max(signed, *(shared[axes] for axes in pairs), 0.0)
        units = self.freedom[axis,] + 1
        sd = math.sqrt(units * max(own - signed, 0.0))
        if not chance > 0 or math.sqrt(own) <= least_spread(scale, None):
            return Between(sd, math.nan)
        f, df = own / chance, self._harmonic_df(pairs)
        return Between(sd, max(float(special.fdtrc(units - 1, df, f)), SMALLEST))


class Between(NamedTuple):
    """How far the units of a facet differ."""

    sd: float
    """Standard deviation of their contrasts beyond what other facets and chance give, by the method
    of moments; 0 where an estimate of the variance is negative."""
    p: float
    """That they differ, an F test; NaN where nothing else varies."""


class ContrastTest(NamedTuple):
    """Student's test and interval of a contrast; NaN from `t` on where nothing varies."""

    difference: float
    se: float
    t: float
    df: float
    p_greater: float
    p_less: float
    p_two_sided: float
    low: float
    high: float
    variances: dict[Axes, float]
    """As of :class:`Contrast`."""


def contrast(table: Array, facets: Sequence[Facet], fixed: Sequence[int] = ()) -> Contrast:
    """The contrast of a table, and what its variance has from each set of random facets.

    Parameters
    ----------
    table : array, shape (n1, n2, ...)
        A value for each combination of units; no missing ones (:func:`fill_missing`).
    facets : sequence of Facet
        One for each axis.
    fixed : sequence of int
        Axes whose units are all that the claim is about.

    Returns
    -------
    Contrast

    Notes
    -----
    With c the weights of units in the contrast and h their leverages, the variance that a set S of
    random facets brings is the sum over its units of ``prod c**2 / (1 - h) * e**2``, where e is
    the residual, of groups and covariates along every axis of S, of the table that is contracted
    by the weights along all other axes. With groups alone and one facet that is Welch's variance,
    ``sum_g var / n_g``; with two it has the parts of the quasi-F of Clark (1973). All are unbiased
    for any variances of groups and cells.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.add.outer([1.0, 3.0, 0.0, 0.0], [0.0, 1.0, 2.0])
    >>> found = contrast(table, [Facet.of_groups([2, 2]), Facet.of_groups([3])])
    >>> found.estimate, {axes: round(value, 9) for axes, value in found.variances.items()}
    (2.0, {(0,): 1.0, (1,): 0.0, (0, 1): 0.0})
    """
    random = [axis for axis in range(table.ndim) if axis not in fixed]
    variances: dict[Axes, float] = {}
    freedom: dict[Axes, float] = {}
    for axes in _subsets(random):
        left = table
        for axis in reversed(range(table.ndim)):
            if axis not in axes:
                left = np.tensordot(left, facets[axis].contrast, (axis, 0))
        variances[axes], freedom[axes] = _variance(left, [facets[axis] for axis in axes])
    estimate = table
    for facet in reversed(facets):
        estimate = estimate @ facet.contrast
    return Contrast(float(estimate), variances, freedom)


def _variance(values: Array, facets: Sequence[Facet]) -> tuple[float, float]:
    """Variance that facets bring together, and its degrees of freedom (Welch).

    `values` have one axis for each facet.
    """
    for axis, facet in enumerate(facets):
        values = facet.residuals(values, axis)
    parts, freedom = np.square(values), np.ones(())
    for facet in facets:
        parts = np.tensordot(parts, facet.squares, (0, 0))
        freedom = np.multiply.outer(freedom, facet.freedom)
    whole = float(parts.sum())
    if not whole > 0:
        return whole, float(freedom.sum())
    some = parts > 0
    return whole, 1 / float(np.sum(np.square(parts[some] / whole) / freedom[some]))


def _subsets(axes: Sequence[int]) -> Iterator[Axes]:
    """Every set of axes but the empty one, small ones first."""
    return chain.from_iterable(combinations(axes, size) for size in range(1, len(axes) + 1))


@remember(512)
def contrast_test(
    table: Array,
    facets: Sequence[Facet],
    fixed: Sequence[int] = (),
    *,
    level: float = 0.95,
    scale: float | None = None,
    precision: float | None = None,
) -> ContrastTest:
    """Student's test and interval of a contrast, for other units of the random facets.

    Parameters
    ----------
    table, facets, fixed
        As in :func:`contrast`.
    level : float
        Coverage of the interval, between 0 and 1.
    scale, precision : float, optional
        A spread must exceed the rounding of values of magnitude `scale` and unit roundoff
        `precision`; by default that of the largest value, in double precision.

    Returns
    -------
    ContrastTest

    Notes
    -----
    With two random facets this is the crossed test: ``t**2 = difference**2 / max(V_T + V_A - V_R,
    V_T, V_A)`` with V_T the variance from the spread of the targets' associations, V_A that from
    the attributes' and V_R the residual that both contain. In a balanced layout the first is the
    quasi-F of Clark (1973), MS(XY by AB) / (MS(targets by AB) + MS(attributes by XY) -
    MS(residual)).
    """
    found = contrast(table, facets, fixed)
    se = math.sqrt(found.variance)
    scale = float(np.abs(table).max()) if scale is None else scale
    t = df = outside = reach = math.nan
    if se > least_spread(scale, precision):
        df, t = found.df, found.estimate / se
        outside, reach = t_outside(t, df), t_quantile(1 - level, df) * se
    # P(T >= t) and P(T <= t) from P(abs(T) >= abs(t))
    near, far = max(outside / 2, SMALLEST), 1 - outside / 2
    return ContrastTest(
        difference=found.estimate,
        se=se,
        t=t,
        df=df,
        p_greater=near if t > 0 else far,
        p_less=near if t < 0 else far,
        p_two_sided=outside,
        low=found.estimate - reach,
        high=found.estimate + reach,
        variances=found.variances,
    )


def fill_missing(table: Array, sizes: Sequence[Sequence[int]]) -> Array:
    """Fill missing cells (NaN) by what the units of all facets add up to in the others.

    Parameters
    ----------
    table : array, shape (n1, n2, ...)
    sizes : sequence of sequences of int
        Units of each group, for each axis.

    Returns
    -------
    array, shape (n1, n2, ...)
        NaN remains where a unit has no value in a block, which is a combination of groups.

    Notes
    -----
    In each block an additive model of all facets is fitted to the values that are there, by
    least squares (alternating projections). A filled cell adds nothing to what facets hold in
    common, which inclusion and exclusion subtracts: the test becomes conservative.

    Examples
    --------
    >>> import numpy as np
    >>> fill_missing(np.array([[1.0, 2.0], [3.0, np.nan]]), [[2], [2]])
    array([[1., 2.],
           [3., 4.]])
    """
    filled = table.copy()
    edges = [np.split(np.arange(sum(groups)), np.cumsum(groups)[:-1]) for groups in sizes]
    for units in product(*edges):
        block = np.ix_(*units)
        if np.isnan(filled[block]).any():
            filled[block] = _fill_block(filled[block])
    return filled


def _fill_block(block: Array) -> Array:
    """Fill one combination of groups; all of it is NaN where a unit has no value."""
    missing = np.isnan(block)
    others = [tuple(i for i in range(block.ndim) if i != axis) for axis in range(block.ndim)]
    if any(missing.all(axis=axes).any() for axes in others):
        return np.full_like(block, np.nan)
    enough = CONVERGED * float(np.nanmax(np.abs(block)))
    values = np.where(missing, np.nanmean(block), block)
    for _ in range(FITS):
        mean = values.mean()
        fitted = sum((values.mean(axis=axes, keepdims=True) - mean for axes in others), mean)
        change = float(np.abs(fitted - values)[missing].max())
        values = np.where(missing, fitted, values)
        if change <= enough:
            break
    return values
