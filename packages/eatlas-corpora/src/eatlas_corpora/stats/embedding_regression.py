"""Multivariate least squares of vectors on covariates (Rodriguez, Spirling and Stewart 2023).

An observation is the mean vector of a term's contexts in one document, or in those documents of a
unit that have the same covariates; the observations of a unit weigh 1 together. The squared norm of
a coefficient is too large by the sum of its components' variances, which is subtracted (Green et
al. 2025, Measuring distances in high dimensional spaces). Variances are HC2 of MacKinnon and White
(1985), CR2 of Bell and McCaffrey (2002) where units have several observations: they are unbiased
where the spread is the same, and for two groups they are those of Welch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

GROUPS = 200
"""Groups of units that the jackknife leaves out; of fewer units each is one."""
CELLS = 1 << 23
"""Numbers that are permuted together: 64 MB."""
LARGE = 1 << 20
"""Components of residuals beyond which they are multiplied in single precision."""
TIE = 1e-9
"""Statistics that differ by less, relative to their magnitude, tie."""
ROUNDING = 1e-12
"""Eigenvalues below which there is nothing, relative to the largest."""


@dataclass(frozen=True)
class Observations:
    """Vectors with their covariates."""

    x: Array
    """Constant and covariates, shape (n, k)."""
    y: Array
    """Vectors, shape (n, d)."""
    unit: NDArray[np.int64]
    """Number of the unit of each; those of a unit stand together."""
    weights: Array
    """Of each; those of a unit sum to 1."""

    @cached_property
    def lengths(self) -> Array:
        """Squared lengths of the vectors."""
        return np.asarray(np.einsum("nd,nd->n", self.y, self.y))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """First row of each unit."""
        return np.flatnonzero(np.diff(self.unit, prepend=-1))

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self.starts)

    @property
    def single(self) -> bool:
        """Whether each unit is one observation."""
        return self.units == len(self.unit)

    def over_units(self, values: Array) -> Array:
        """Sums over the rows of each unit."""
        return values if self.single else np.add.reduceat(values, self.starts, axis=0)

    @cached_property
    def root(self) -> Array:
        """A matrix L with (X'WX)^-1 = LL'."""
        values, axes = np.linalg.eigh(self.x.T @ (self.weights[:, None] * self.x))
        usable = values > ROUNDING * values[-1]
        return np.asarray(axes[:, usable] / np.sqrt(values[usable]))

    @cached_property
    def coefficients(self) -> Array:
        """Least squares, shape (k, d)."""
        return np.asarray(self.root @ (self.root.T @ ((self.weights[:, None] * self.x).T @ self.y)))

    @cached_property
    def residual_weights(self) -> Array:
        """What a residual counts in the score of a unit, shape (n, k).

        Rows of WX (X'WX)^-1, those of each unit times (I - H)^-1/2 of the unit, which is taken by
        way of the small matrix Z'Z, where H = ZZ'.
        """
        z = np.sqrt(self.weights)[:, None] * (self.x @ self.root)
        if self.single:
            left = np.maximum(1 - np.square(z).sum(axis=1), ROUNDING)
            rows = z / np.sqrt(left)[:, None]
        else:
            values, axes = np.linalg.eigh(self.over_units(z[:, :, None] * z[:, None]))
            roots = np.maximum(1 - values, ROUNDING) ** -0.5
            change = (axes * roots[:, None]) @ np.swapaxes(axes, 1, 2)
            number = np.repeat(np.arange(self.units), np.diff(self.starts, append=len(z)))
            rows = np.einsum("nk,nkl->nl", z, change[number])
        return np.asarray(np.sqrt(self.weights)[:, None] * (rows @ self.root.T))

    def coefficient_norms(self) -> tuple[Array, Array]:
        """Squared norm of each coefficient, and the part of it that is sampling error."""
        b = self.coefficients
        if self.single:  # lengths of residuals, without a table of them
            across = 2 * self.y @ b.T - self.x @ (b @ b.T)
            squares = self.lengths - (self.x * across).sum(axis=1)
            noise = np.square(self.residual_weights).T @ np.maximum(squares, 0)
        else:
            residuals = self.y - self.x @ b
            scores = (
                self.over_units(column[:, None] * residuals) for column in self.residual_weights.T
            )
            noise = np.array([np.square(score).sum() for score in scores])
        return np.square(self.coefficients).sum(axis=1), noise

    def without_groups(self) -> Iterator[Observations]:
        """Give no weight to one group of units after the other.

        A group is every so manieth unit in the order of the covariates, so that each has of all.
        """
        order = np.lexsort(self.x[self.starts].T)
        groups = min(GROUPS, self.units)
        group_of = np.empty(self.units, np.int64)
        group_of[order] = np.arange(self.units) % groups
        of_row = np.repeat(group_of, np.diff(self.starts, append=len(self.unit)))
        for group in range(groups):
            rest = replace(self, weights=np.where(of_row == group, 0.0, self.weights))
            rest.__dict__["lengths"] = self.lengths  # cached: they stay the same
            yield rest


def standard_error(without: Array) -> Array:
    """Jackknife standard errors from the estimates without each group, shape (groups, ...)."""
    n = len(without)
    spread = np.square(without - without.mean(axis=0)).sum(axis=0)
    return np.asarray(np.sqrt((n - 1) / n * spread))


def half_width(groups: int, confidence: float) -> float:
    """Half of an interval, in standard errors, by Student's t."""
    return float(scipy.stats.t.ppf((1 + confidence) / 2, groups - 1))


def permutation_p(
    observations: Observations, column: int, draws: int, rng: np.random.Generator
) -> float:
    """p-value of one coefficient.

    The statistic is the squared norm over its sampling error, so that groups may differ in spread.
    The residuals given the other covariates (Freedman and Lane 1983) are permuted; where units have
    several observations, the signs of whole units are changed instead (Winkler et al. 2014).
    """
    o = observations
    scale = np.sqrt(o.weights)[:, None]
    others, _ = np.linalg.qr(scale * np.delete(o.x, column, axis=1))
    residuals = scale * o.y
    residuals -= others @ (others.T @ residuals)
    x, lifted = scale * o.x, (o.residual_weights / scale)[:, [column]]
    (n, k), d = x.shape, o.y.shape[1]
    across = o.over_units(lifted * x)
    mixed = across.T @ across
    if o.single:
        squares = np.square(residuals).sum(axis=1)
        kind = np.float32 if residuals.size > LARGE else np.float64
        left: NDArray[Any] = np.concatenate([x.T, np.square(lifted.T) * x.T]).astype(kind)
        right: NDArray[Any] = residuals.astype(kind)
    else:
        of_units = o.over_units(lifted * residuals)
        sums = [o.over_units(x[:, [i]] * residuals) for i in range(k)]
        right = np.concatenate([*sums, *(across[:, [i]] * of_units for i in range(k))], axis=1)
        constant = np.square(of_units).sum()
    observed, noise = (each[column] for each in o.coefficient_norms())
    least = observed / noise * (1 - TIE)
    at_once, as_far = max(1, CELLS // (2 * k * max(n, d))), 0
    for start in range(0, draws, at_once):
        many = min(at_once, draws - start)
        if o.single:
            orders = rng.permuted(np.tile(np.arange(n), (many, 1)), axis=1)
            both = left[:, orders].transpose(1, 0, 2).reshape(-1, n) @ right
            spread = np.square(lifted[:, 0])[orders] @ squares
        else:
            both = rng.choice([-1.0, 1.0], (many, o.units)) @ right
            spread = np.full(many, constant)
        both = both.reshape(many, 2, k, d).astype(np.float64)
        fitted = (o.root @ o.root.T) @ both[:, 0]
        inner = np.einsum("sld,sld->s", fitted, both[:, 1])
        errors = (
            spread - 2 * inner + np.einsum("sld,lm,smd->s", fitted, mixed, fitted, optimize=True)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.square(fitted[:, column]).sum(axis=1) / errors
        as_far += int((~(drawn < least)).sum())
    return (as_far + 1) / (draws + 1)
