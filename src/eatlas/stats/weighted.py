"""Effect sizes of an association test whose stimuli carry weights.

A resample gives each term the number of times it was drawn, a leave-one-out gives one term the
weight 0. Many sets of weights are worked off together, by matrix products.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.inputs import rounding_noise

Array = NDArray[np.float64]
TARGETS, ATTRIBUTES = "XY", "AB"
ROLES = TARGETS + ATTRIBUTES
"""The groups of a test: those of the targets, in rows, and those of the attributes, in columns."""
CANCELLED = 1e-6
"""Share of a sum of squares that is left about another mean, below which too few digits are."""


def greatest(first: Array, second: Array, ddof: int) -> Array:
    """The effect size of two groups of such sizes without a spread of their own."""
    size = first + second
    bound: Array = np.sqrt((size - ddof) * size / (first * second))
    return bound


class Weighable(Protocol):
    """One effect size, for any weights of its units and of the terms that score them."""

    @property
    def n(self) -> int:
        """Units of the first group."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of units and of terms that score them."""

    @property
    def others(self) -> tuple[tuple[slice, float], ...]:
        """Groups of the other side, each with the sign its mean has in a score."""

    def effect(self, units: Array, others: Array, ddof: int, *, whole: bool = False) -> Array:
        """Effect size for each set of weights."""

    def effect_and_variance(
        self, units: Array, others: Array, ddof: int, over: tuple[bool, bool]
    ) -> tuple[Array, Array]:
        """Effect sizes and their sampling variances over units, over the other side, or both."""

    def bound(self, units: Array, ddof: int) -> Array:
        """The greatest effect size there is."""


class Scored(Weighable, Protocol):
    """The same with its scores, one for each unit, which relabelling moves."""

    @property
    def peak(self) -> float:
        """The greatest magnitude of what associates."""

    @property
    def precision(self) -> float | None:
        """Unit roundoff of the vectors; None where they are exact."""

    def effects(self, units: Array, others: Array, ddof: int) -> Effects:
        """Scores and effect sizes for each set of weights."""


@dataclass(frozen=True)
class Level:
    """One effect size: units in two groups, each scored over the terms of the other side.

    Level 1 has targets as units, scored by the mean over A less the mean over B. Level 2 has
    attributes as units, scored by the mean over one target group.
    """

    block: Array
    """Cosines, shape (n_units, n_others)."""
    n: int
    """The first `n` units are the first group."""
    others: tuple[tuple[slice, float], ...]
    """Groups of the other side, each with the sign its mean has in a score."""
    precision: float | None = None
    """Unit roundoff of the vectors behind the cosines; None where they are exact."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of units and of terms that score them."""
        units, others = self.block.shape
        return units, others

    def effect(self, units: Array, others: Array, ddof: int, *, whole: bool = False) -> Array:
        """Effect size for each set of weights, shape (sets,)."""
        return quick_effects(self, units, others, ddof, whole=whole)

    def effect_and_variance(
        self, units: Array, others: Array, ddof: int, over: tuple[bool, bool]
    ) -> tuple[Array, Array]:
        """Effect sizes and their sampling variances over units, over the other side, or both."""
        found, variance = effects(self, units, others, ddof), np.zeros(1)
        if over[0]:
            variance = variance + unit_variance(self.n, found, units, ddof)
        if over[1]:
            variance = variance + other_variance(self, found, units, others, ddof)
        return found.d, variance

    def effects(self, units: Array, others: Array, ddof: int) -> Effects:
        """Scores and effect sizes for each set of weights."""
        return effects(self, units, others, ddof)

    @cached_property
    def peak(self) -> float:
        """The greatest magnitude of what associates."""
        return float(np.abs(self.block).max())

    def bound(self, units: Array, ddof: int) -> Array:
        """The greatest effect size there is, shape (sets,): no spread within the two groups."""
        return greatest(units[:, : self.n].sum(axis=1), units[:, self.n :].sum(axis=1), ddof)

    @cached_property
    def centred(self) -> Array:
        """The block less what all units have in common."""
        centred: Array = self.block - self.block.mean(axis=0)
        return centred

    @cached_property
    def averaging(self) -> Array:
        """The same, each column by what a term counts in a score if weights sum to group sizes."""
        block = self.centred.copy()
        for where, sign in self.others:
            block[:, where] *= sign / block[:, where].shape[1]
        return block

    @property
    def noise(self) -> float:
        """Rounding error of a score: deviations no larger, on quadratic average, are none."""
        return rounding_noise(self.block.shape[1], self.peak, self.precision)


@dataclass(frozen=True)
class Weights:
    """Non-negative weights of terms, one set a row; one row of ones for a side left as it is."""

    targets: Array
    """Shape (sets or 1, n_targets)."""
    attributes: Array
    """Shape (sets or 1, n_attributes)."""
    whole: bool = False
    """Whether the weights of each group sum to its size, as those of resamples do."""


class Layout(ABC):
    """Sizes of the four groups of a test, and which weights belong to which level."""

    n_x: int
    n_a: int

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of targets and of attributes."""

    @property
    @abstractmethod
    def levels(self) -> tuple[Weighable, Weighable, Weighable]:
        """Level 1, level 2 of X, level 2 of Y."""

    @property
    def alike(self) -> bool:
        """Whether all units count alike in means over their group."""
        return True

    @property
    def work(self) -> int:
        """Products of a weight and a cosine in the scores of level 1."""
        targets, attributes = self.shape
        return targets * attributes

    @property
    def groups(self) -> dict[str, int]:
        """Number of terms of X, Y, A and B."""
        targets, attributes = self.shape
        each = self.n_x, targets - self.n_x, self.n_a, attributes - self.n_a
        return dict(zip(ROLES, each, strict=True))

    def sides(self, weights: Weights) -> tuple[tuple[Array, Array], ...]:
        """Weights of units and of the other side, for each of the three levels."""
        targets, attributes = weights.targets, weights.attributes
        return (
            (targets, attributes),
            (attributes, targets[:, : self.n_x]),
            (attributes, targets[:, self.n_x :]),
        )

    @property
    def as_is(self) -> Weights:
        """Every term once."""
        targets, attributes = self.shape
        return Weights(np.ones((1, targets)), np.ones((1, attributes)))


@dataclass(frozen=True)
class Design(Layout):
    """The block of cosines of one test, and where its groups end."""

    block: Array
    """Shape (n_targets, n_attributes): rows X then Y, columns A then B."""
    n_x: int
    n_a: int
    sizes: tuple[Array, Array] | None = None
    """What each target, and each attribute, counts in a mean over its group; 1 by default."""
    precision: float | None = None
    """Unit roundoff of the vectors behind the cosines; None where they are exact."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of targets and of attributes."""
        targets, attributes = self.block.shape
        return targets, attributes

    @cached_property
    def levels(self) -> tuple[Level, Level, Level]:
        """Level 1, level 2 of X, level 2 of Y."""
        a, b, every = slice(0, self.n_a), slice(self.n_a, None), ((slice(None), 1.0),)
        return (
            Level(self.block, self.n_x, ((a, 1.0), (b, -1.0)), self.precision),
            Level(self.block[: self.n_x].T, self.n_a, every, self.precision),
            Level(self.block[self.n_x :].T, self.n_a, every, self.precision),
        )

    @property
    def alike(self) -> bool:
        """Whether all units count alike in means over their group."""
        return self.sizes is None

    def sides(self, weights: Weights) -> tuple[tuple[Array, Array], ...]:
        """Weights of units and of the other side, which counts by `sizes`."""
        given = super().sides(weights)
        if self.sizes is None:
            return given
        of_targets, of_attributes = self.sizes
        others = (of_attributes, of_targets[: self.n_x], of_targets[self.n_x :])
        return tuple(
            (units, weight * size) for (units, weight), size in zip(given, others, strict=True)
        )


@dataclass(frozen=True)
class Effects:
    """Scores and effect sizes of one level, one row or number for each set of weights."""

    scores: Array
    """Deviations of scores from their weighted mean, shape (sets, n_units) or (1, n_units)."""
    difference: Array
    """Mean of the first group less mean of the second, shape (sets,)."""
    sd: Array
    """Standard deviation of the union, shape (sets,); NaN where the scores have no spread."""
    d: Array
    """difference / sd, shape (sets,)."""


def effects(level: Level, units: Array, others: Array, ddof: int) -> Effects:
    """Effect sizes of one level under many sets of weights."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return effects_of_scores(_scores(level, others), units, level.n, level.noise, ddof)


def effects_of_scores(s: Array, units: Array, n: int, noise: float, ddof: int) -> Effects:
    """Effect sizes of scores, shape (sets or 1, n_units), whose rounding error is `noise`."""
    groups = slice(0, n), slice(n, None)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = [units[:, where].sum(axis=1) for where in groups]
        means = [_dot(units[:, g], s[:, g]) / size for g, size in zip(groups, sizes, strict=True)]
        total = sizes[0] + sizes[1]
        s = s - ((sizes[0] * means[0] + sizes[1] * means[1]) / total)[:, None]
        squares = _dot(units, s * s)
        sd = np.sqrt(squares / (total - ddof))
        sd[squares <= total * noise**2] = np.nan
        difference = means[0] - means[1]
        return Effects(s, difference, sd, difference / sd)


def quick_effects(
    level: Level, units: Array, others: Array, ddof: int, *, whole: bool = False
) -> Array:
    """Effect sizes as :func:`effects` finds them, in a third of the time, and nothing else.

    Squares are summed about the mean of the scores as they are, and moved to the mean of each set
    of weights. Where that cancels most of their digits, :func:`effects` finds the effect size.
    `whole` says that the weights of each group sum to its size.
    """
    weights, n = units.T, level.n
    sizes: tuple[Array | int, Array | int] = n, len(weights) - n
    with np.errstate(divide="ignore", invalid="ignore"):
        if whole:
            s = product(level.averaging, others.T)
        else:
            s = product(level.centred, score_weights(level, others).T)
            sizes = np.add.reduce(weights[:n], axis=0), np.add.reduce(weights[n:], axis=0)
        first, second = _sum(weights[:n], s[:n]), _sum(weights[n:], s[n:])
        total, every = sizes[0] + sizes[1], first + second
        about = _sum(weights, np.multiply(s, s, out=s))
        squares = about - every * every / total
        d: Array = (first / sizes[0] - second / sizes[1]) / np.sqrt(squares / (total - ddof))
    floor = CANCELLED * about
    if level.precision is not None:
        floor = np.maximum(floor, total * level.noise**2)
    lost = np.flatnonzero(~(squares > floor))
    if lost.size:
        u, o = (side if len(side) == 1 else side[lost] for side in (units, others))
        d[lost] = effects(level, u, o, ddof).d
    return d


def _sum(w: Array, x: Array) -> Array:
    """Sum of w x over each column."""
    return np.asarray(np.einsum("ib,ib->b", w, x))


def _scores(level: Level, others: Array) -> Array:
    """Score of each unit, shape (sets or 1, n_units)."""
    # transposed, as `product` makes rows that lie together in memory: a row for each unit
    return product(level.block, score_weights(level, others).T).T


def score_weights(level: Level, others: Array) -> Array:
    """What each cosine counts in a score: its weight over its group's, with the group's sign."""
    parts = [
        others[:, where] * (sign / others[:, where].sum(axis=1, keepdims=True))
        for where, sign in level.others
    ]
    return np.concatenate(parts, axis=1)


def unit_variance(n: int, found: Effects, units: Array, ddof: int) -> Array:
    """Sampling variance of d over its units, shape (sets,): the infinitesimal jackknife.

    Efron (1982), section 6.3: the sum over terms of (influence / group size)**2. The influence
    of a score s of group k, which has the share q of all N units, is

    ``(+-)(s - m_k) / sd - d q N / (2 sd**2 (N - ddof)) ((s - m)**2 - mean over k of (s - m)**2)``.
    """
    variance = np.zeros(len(found.d))
    for where, influence, size in unit_influence(n, found, units, ddof):
        variance += mean_variance(units[:, where], influence, size)
    return variance


def unit_influence(
    n: int, found: Effects, units: Array, ddof: int
) -> Iterator[tuple[slice, Array, Array]]:
    """Where each of the two groups is, the influence of its units on d, and its size.

    The influence over the size is the derivative of d by the weight of the unit, but for a number
    that all units of a group share.
    """
    pull = found.d / (2 * found.sd**2 * (units.sum(axis=1) - ddof))
    for where, sign in ((slice(0, n), 1.0), (slice(n, None), -1.0)):
        size, s = units[:, where].sum(axis=1), found.scores[:, where]
        yield where, s * ((sign / found.sd)[:, None] - (pull * size)[:, None] * s), size


def score_gradient(n: int, found: Effects, units: Array, ddof: int) -> Array:
    """Derivative of d by each score, shape (sets, n_units)."""
    pull = found.d / (found.sd**2 * (units.sum(axis=1) - ddof))
    parts = []
    for where, sign in ((slice(0, n), 1.0), (slice(n, None), -1.0)):
        w, s = units[:, where], found.scores[:, where]
        share = sign / (w.sum(axis=1) * found.sd)
        parts.append((share[:, None] - pull[:, None] * s) * w)
    return np.concatenate(parts, axis=1)


def other_variance(level: Level, found: Effects, units: Array, others: Array, ddof: int) -> Array:
    """Sampling variance of d over the terms that score its units, shape (sets,).

    As :func:`unit_variance`. The influence of a column S_j of the block, in a group whose mean
    has the sign (+-), is, but for its mean over the group,

    ``(+-)[(mean of S_j in the first group - in the second) / sd
    - d / (sd**2 (N - ddof)) sum over units of w (s - m) S_j]``.
    """
    gradient = product(level.block.T, score_gradient(level.n, found, units, ddof).T).T
    variance = np.zeros(len(found.d))
    for where, _ in level.others:
        w = others[:, where]
        variance += mean_variance(w, gradient[:, where], w.sum(axis=1))
    return variance


def mean_variance(w: Array, values: Array, size: Array) -> Array:
    """Sampling variance of the weighted mean of each row; `size` is the sum of weights."""
    away = values - (_dot(w, values) / size)[:, None]
    return np.asarray(_dot(w, away * away) / size**2)


def _dot(w: Array, x: Array) -> Array:
    """Sum of w x over each row."""
    return np.asarray(np.einsum("bi,bi->b", w, x))
