"""Multivariate least squares of vectors on covariates (Rodriguez, Spirling and Stewart 2023).

An observation is the mean vector of a term's contexts in one document, or in those documents of a
unit that have the same covariates; the observations of a unit weigh 1 together. The squared norm of
a coefficient is too large by the sum of its components' variances, which is subtracted (Green et
al. 2025, Measuring distances in high dimensional spaces). Variances are HC2 of MacKinnon and White
(1985), CR2 of Bell and McCaffrey (2002) where units have several observations: they are unbiased
where the spread is the same, and for two groups they are those of Welch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Array = NDArray[np.float64]

GROUPS = 200
"""Groups of units that the jackknife leaves out; of fewer units each is one."""
CELLS = 1 << 23
"""Numbers that are permuted together: 64 MB."""
TIE = 1e-9
"""Statistics that differ by less, relative to their magnitude, tie."""
ROUNDING = 1e-12
"""Share of a unit's spread below which an eigenvalue is 0."""


@dataclass(frozen=True)
class Observations:
    """Vectors with their covariates."""

    x: Array
    """Constant and covariates, shape (n, k)."""
    y: Array
    """Vectors, shape (n, d)."""
    unit: NDArray[np.int64]
    """Number of the unit of each."""
    weights: Array
    """Of each; those of a unit sum to 1."""

    @cached_property
    def units(self) -> int:
        """Number of units."""
        return len(np.unique(self.unit))

    @cached_property
    def scaled(self) -> tuple[Array, Array]:
        """Covariates and vectors times the roots of the weights."""
        root = np.sqrt(self.weights)[:, None]
        return self.x * root, self.y * root

    @cached_property
    def inverse(self) -> Array:
        """Inverse of X'WX."""
        x, _ = self.scaled
        return np.asarray(np.linalg.pinv(x.T @ x))

    @cached_property
    def coefficients(self) -> Array:
        """Least squares, shape (k, d)."""
        x, y = self.scaled
        return np.asarray(self.inverse @ (x.T @ y))

    @cached_property
    def lifted(self) -> Array:
        """Rows of X (X'X)^-1, each unit's times (I - H)^-1/2 of the unit, shape (n, k)."""
        x, _ = self.scaled
        rows = x @ self.inverse
        left = np.maximum(1 - (rows * x).sum(axis=1), ROUNDING)
        lifted: Array = rows / np.sqrt(left)[:, None]
        order = np.argsort(self.unit, kind="stable")
        ends = np.flatnonzero(np.diff(self.unit[order])) + 1
        for own in np.split(order, ends):
            if len(own) > 1:
                values, axes = np.linalg.eigh(np.eye(len(own)) - rows[own] @ x[own].T)
                roots = np.where(values > ROUNDING, np.maximum(values, ROUNDING) ** -0.5, 0.0)
                lifted[own] = (axes * roots) @ (axes.T @ rows[own])
        return lifted

    def over_units(self, values: Array) -> Array:
        """Sums over the rows of each unit; the rows themselves where each is a unit."""
        if self.units == len(self.unit):
            return values
        number = np.unique(self.unit, return_inverse=True)[1]
        sums = np.zeros((self.units, *values.shape[1:]))
        np.add.at(sums, number, values)
        return sums

    def squared_norms(self) -> tuple[Array, Array]:
        """Squared norm of each coefficient, and the part of it that is sampling error."""
        x, y = self.scaled
        residuals = y - x @ self.coefficients
        noise = [
            np.square(self.over_units(column[:, None] * residuals)).sum()
            for column in self.lifted.T
        ]
        return np.square(self.coefficients).sum(axis=1), np.array(noise)

    def left_out(self) -> list[Observations]:
        """The observations without one group of units after the other.

        A group is every so manieth unit in the order of the covariates, so that each has of all.
        """
        first = np.unique(self.unit, return_index=True)[1]
        order = np.lexsort(self.x[first].T)
        groups = min(GROUPS, self.units)
        group_of = np.empty(self.units, np.int64)
        group_of[order] = np.arange(self.units) % groups
        number = group_of[np.unique(self.unit, return_inverse=True)[1]]
        return [
            Observations(*(part[number != g] for part in (self.x, self.y, self.unit, self.weights)))
            for g in range(groups)
        ]


def standard_error(without: Array) -> Array:
    """Jackknife standard errors from the estimates without each group, shape (groups, ...)."""
    n = len(without)
    spread = np.square(without - without.mean(axis=0)).sum(axis=0)
    return np.asarray(np.sqrt((n - 1) / n * spread))


def half_width(groups: int, confidence: float) -> float:
    """Half of an interval, in standard errors, by Student's t."""
    return float(student.ppf((1 + confidence) / 2, groups - 1))


def permuted_p(
    observations: Observations, column: int, draws: int, rng: np.random.Generator
) -> float:
    """p-value of one coefficient.

    The statistic is the squared norm over its sampling error, so that groups may differ in spread.
    The residuals given the other covariates (Freedman and Lane 1983) are permuted; where units have
    several observations, the signs of whole units are changed instead (Winkler et al. 2014).
    """
    o = observations
    x, y = o.scaled
    others, _ = np.linalg.qr(np.delete(x, column, axis=1))
    residuals = y - others @ (others.T @ y)
    lifted = o.lifted[:, column]
    n, k = x.shape
    d = y.shape[1]
    across = o.over_units(lifted[:, None] * x)
    mixed = across.T @ across
    if o.units == n:
        left = np.concatenate([x.T, np.square(lifted) * x.T])
        squares = np.square(residuals).sum(axis=1)
    else:
        of_units = o.over_units(lifted[:, None] * residuals)
        sums = [o.over_units(x[:, [i]] * residuals) for i in range(k)]
        right = np.concatenate([*sums, *(across[:, [i]] * of_units for i in range(k))], axis=1)
        constant = np.square(of_units).sum()
    observed, noise = (each[column] for each in o.squared_norms())
    least = observed / noise * (1 - TIE)
    at_once, as_far = max(1, CELLS // (2 * k * max(n, d))), 0
    for start in range(0, draws, at_once):
        many = min(at_once, draws - start)
        if o.units == n:
            orders = rng.permuted(np.tile(np.arange(n), (many, 1)), axis=1)
            both = left[:, orders].transpose(1, 0, 2).reshape(-1, n) @ residuals
            spread = np.square(lifted)[orders] @ squares
        else:
            both = rng.choice([-1.0, 1.0], (many, o.units)) @ right
            spread = np.full(many, constant)
        both = both.reshape(many, 2, k, d)
        fitted = o.inverse @ both[:, 0]
        inner = np.einsum("sld,sld->s", fitted, both[:, 1])
        errors = spread - 2 * inner + np.einsum("sld,lm,smd->s", fitted, mixed, fitted)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.square(fitted[:, column]).sum(axis=1) / errors
        as_far += int((~(drawn < least)).sum())
    return (as_far + 1) / (draws + 1)
