"""Effect sizes of an association test whose stimuli carry weights.

A resample gives each term the number of times it was drawn, a leave-one-out gives one term the
weight 0. Many sets of weights are worked off together, by matrix products.

Tests whose terms come in clusters (sentences, several made of each stimulus) have stimuli as units,
drawn or left out with all their sentences; means and standard deviations remain those of sentences.
Each stimulus is held as the first and second moments of its sentences, so that a resample costs the
same for ten sentences of a stimulus as for a thousand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.inputs import ROUNDING_UNITS, rounding_noise

Array = NDArray[np.float64]
TARGETS, ATTRIBUTES = "XY", "AB"
Groups = tuple[tuple[slice, float], ...]
ROLES = TARGETS + ATTRIBUTES
"""The groups of a test: those of the targets, in rows, and those of the attributes, in columns."""
EPS = 2.0**-52
Places = NDArray[np.intp]
CANCELLED = 1e-6
"""Share of a sum of squares that is left about another mean, below which too few digits are."""


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


class EffectLevel(ABC):
    """One effect size, for any weights of its units and of the terms that score them.

    Weights come in sets, one a row; a side that is left as it is has one set of ones.
    """

    n: int
    """Units of the first group."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of units and of terms that score them."""

    @abstractmethod
    def effects(self, units: Array, others: Array, ddof: int) -> Effects:
        """Scores and effect sizes for each set of weights."""

    @abstractmethod
    def unit_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:
        """Sampling variance of d over its units, shape (sets,): the infinitesimal jackknife."""

    @abstractmethod
    def other_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:
        """The same over the terms that score the units."""

    def effect(self, units: Array, others: Array, ddof: int, *, whole: bool = False) -> Array:  # noqa: ARG002
        """Effect size for each set of weights, shape (sets,); see `Weights.whole`."""
        return self.effects(units, others, ddof).d

    def effect_and_variance(
        self, units: Array, others: Array, ddof: int, over: tuple[bool, bool]
    ) -> tuple[Array, Array]:
        """Effect sizes and their sampling variances over units, over the other side, or both."""
        found, variance = self.effects(units, others, ddof), np.zeros(1)
        if over[0]:
            variance = variance + self.unit_variance(found, units, others, ddof)
        if over[1]:
            variance = variance + self.other_variance(found, units, others, ddof)
        return found.d, variance

    def bound(self, units: Array, ddof: int) -> Array:
        """The greatest effect size there is, shape (sets,): no spread within the two groups."""
        first, second = (units[:, where].sum(axis=1) for where, _ in self.groups)
        size = first + second
        return np.asarray(np.sqrt((size - ddof) * size / (first * second)))

    @property
    def groups(self) -> Groups:
        """The two groups of units, each with the sign its mean has in the difference."""
        return (slice(0, self.n), 1.0), (slice(self.n, None), -1.0)


@dataclass(frozen=True)
class Level(EffectLevel):
    """One effect size: units in two groups, each scored over the terms of the other side.

    Level 1 has targets as units, scored by the mean over A less the mean over B. Level 2 has
    attributes as units, scored by the mean over one target group.
    """

    block: Array
    """Cosines, shape (n_units, n_others)."""
    n: int
    """The first `n` units are the first group."""
    others: Groups
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

    def effects(self, units: Array, others: Array, ddof: int) -> Effects:
        """Scores and effect sizes for each set of weights."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = self.scores(others)
        return effects_of_scores(scores, units, self.n, self.noise, ddof)

    def scores(self, others: Array) -> Array:
        """Score of each unit, shape (sets or 1, n_units)."""
        # transposed, as `product` makes rows that lie together in memory: a row for each unit
        return product(self.block, score_weights(others, self.others).T).T

    def unit_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:  # noqa: ARG002
        """Sampling variance of d over its units."""
        return unit_variance(self.n, found, units, ddof)

    def other_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:
        """Sampling variance of d over the terms that score its units.

        As :func:`unit_variance`. The influence of a column S_j of the block, in a group whose mean
        has the sign (+-), is, but for its mean over the group,

        ``(+-)[(mean of S_j in the first group - in the second) / sd
        - d / (sd**2 (N - ddof)) sum over units of w (s - m) S_j]``.
        """
        gradient = product(self.block.T, score_gradient(self.n, found, units, ddof).T).T
        variance = np.zeros(len(found.d))
        for where, _ in self.others:
            w = others[:, where]
            variance += mean_variance(w, gradient[:, where], w.sum(axis=1))
        return variance

    @cached_property
    def peak(self) -> float:
        """The greatest magnitude of what associates."""
        return float(np.abs(self.block).max())

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
    def levels(self) -> tuple[EffectLevel, EffectLevel, EffectLevel]:
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
    """Effect sizes as :meth:`Level.effects` finds them, in a third of the time, and nothing else.

    Squares are summed about the mean of the scores as they are, and moved to the mean of each set
    of weights. Where that cancels most of their digits, :meth:`Level.effects` finds d.
    `whole` says that the weights of each group sum to its size.
    """
    weights, n = units.T, level.n
    sizes: tuple[Array | int, Array | int] = n, len(weights) - n
    with np.errstate(divide="ignore", invalid="ignore"):
        if whole:
            s = product(level.averaging, others.T)
        else:
            s = product(level.centred, score_weights(others, level.others).T)
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
        d[lost] = level.effects(u, o, ddof).d
    return d


def _sum(w: Array, x: Array) -> Array:
    """Sum of w x over each column."""
    return np.asarray(np.einsum("ib,ib->b", w, x))


def score_weights(others: Array, groups: Groups) -> Array:
    """What each cosine counts in a score: its weight over its group's, with the group's sign."""
    parts = [
        others[:, where] * (sign / others[:, where].sum(axis=1, keepdims=True))
        for where, sign in groups
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


def mean_variance(w: Array, values: Array, size: Array) -> Array:
    """Sampling variance of the weighted mean of each row; `size` is the sum of weights."""
    away = values - (_dot(w, values) / size)[:, None]
    return np.asarray(_dot(w, away * away) / size**2)


def _dot(w: Array, x: Array) -> Array:
    """Sum of w x over each row."""
    return np.asarray(np.einsum("bi,bi->b", w, x))


@dataclass(frozen=True)
class ClusterEffects(Effects):
    """Effect sizes of clusters; `scores` are those of the rows that are kept."""

    totals: Array
    """Sums of the scores of each cluster."""
    about: Array
    """Sums of squares of the scores of each cluster about the mean of all."""
    counts: list[Array]
    """Rows of both groups."""
    means: list[Array]
    m: Array


@dataclass(frozen=True)
class ClusterLevel(EffectLevel):
    """One effect size: clusters of rows in two groups, each row scored over the other side."""

    rows: Array
    """Shape (rows, others): as many as there are, or fewer with the same sums of squares."""
    starts: Places
    """First row of each cluster, shape (units,)."""
    sums: Array
    """Sum over the rows of each cluster, shape (units, others)."""
    sizes: Array
    """Rows that each cluster had, shape (units,)."""
    weights: Array
    """What each term of the other side counts in a mean, shape (others,)."""
    n: int
    """The first `n` clusters are the first group."""
    others: Groups
    """Groups of the other side, each with the sign its mean has in a score."""
    noise: float
    """Rounding error of a score."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of clusters and of terms that score them."""
        units, others = self.sums.shape
        return units, others

    def bound(self, units: Array, ddof: int) -> Array:
        """The greatest effect size of so many rows, shape (sets,)."""
        return super().bound(units * self.sizes, ddof)

    def effects(self, units: Array, others: Array, ddof: int) -> ClusterEffects:
        """Effect sizes of resampled clusters, from sums over the rows of each.

        With S_i the sum of the scores s of cluster i and n_i its rows, weights u:
        ``m_k = sum_k u S / sum_k u n``, ``sd**2 = sum over rows of u (s - m)**2 / (N - ddof)``
        with ``N = sum u n``, and ``d = (m_1 - m_2) / sd``.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            a = score_weights(others * self.weights, self.others).T
            totals, scores = product(self.sums, a).T, product(self.rows, a).T
            inner = np.add.reduceat(scores * scores, self.starts, axis=1)
            rows = units * self.sizes
            counts = [rows[:, where].sum(axis=1) for where, _ in self.groups]
            parts = [(units[:, w] * totals[:, w]).sum(axis=1) for w, _ in self.groups]
            means = [part / count for part, count in zip(parts, counts, strict=True)]
            count = counts[0] + counts[1]
            m = (parts[0] + parts[1]) / count
            about = inner - 2 * m[:, None] * totals + m[:, None] ** 2 * self.sizes
            squares = (units * about).sum(axis=1)
            # moments about one centre are taken about another, which may cancel
            rest = EPS * ROUNDING_UNITS * (units * inner + m[:, None] ** 2 * rows).sum(axis=1)
            sd = np.sqrt(np.maximum(squares, 0.0) / (count - ddof))
            sd[squares <= count * self.noise**2 + rest] = np.nan
            difference = means[0] - means[1]
            d = difference / sd
            return ClusterEffects(scores, difference, sd, d, totals, about, counts, means, m)

    def unit_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:  # noqa: ARG002
        """Infinitesimal jackknife over clusters: the sum of ``u_i (U_i)**2``.

        ``U_i = (+-)(S_i - n_i m_k) / (N_k sd) - d (Q_i - n_i sd**2) / (2 sd**2 (N - ddof))``,
        less its mean over the group, is the derivative of d by the weight of cluster i, with Q_i
        the sum of its squares about m.
        """
        found = cast("ClusterEffects", found)
        squared, count = found.sd**2, found.counts[0] + found.counts[1]
        pull = found.d / (2 * squared * (count - ddof))
        variance = np.zeros(len(found.d))
        for k, (where, sign) in enumerate(self.groups):
            n = self.sizes[where]
            away = found.totals[:, where] - n * found.means[k][:, None]
            change = (sign / (found.counts[k] * found.sd))[:, None] * away
            change = change - pull[:, None] * (found.about[:, where] - n * squared[:, None])
            u = np.broadcast_to(units[:, where], change.shape)
            centre = (u * change).sum(axis=1) / u.sum(axis=1)
            variance += (u * (change - centre[:, None]) ** 2).sum(axis=1)
        return variance

    def other_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:
        """Infinitesimal jackknife over the terms that score, each a cluster itself.

        As the influence of a column in `other_variance`, times what the column counts.
        """
        found = cast("ClusterEffects", found)
        count = found.counts[0] + found.counts[1]
        pull = found.d / (found.sd**2 * (count - ddof))
        share = np.empty((len(found.d), self.shape[0]))
        for k, (where, sign) in enumerate(self.groups):
            share[:, where] = (sign / (found.counts[k] * found.sd))[:, None]
        share = (share + (pull * found.m)[:, None]) * units
        of = np.diff(np.append(self.starts, len(self.rows)))
        within = np.repeat(units, of, axis=1) * found.scores * pull[:, None]
        gradient = product(self.sums.T, share.T).T - product(self.rows.T, within.T).T
        variance = np.zeros(len(found.d))
        for where, _ in self.others:
            v, size = others[:, where], self.weights[where]
            weight = v * size
            total = weight.sum(axis=1)
            mean = (weight * gradient[:, where]).sum(axis=1) / total
            change = size * (gradient[:, where] - mean[:, None]) / total[:, None]
            variance += (v * change * change).sum(axis=1)
        return variance


@dataclass(frozen=True)
class ClusterDesign(Layout):
    """The three levels of a test of clusters."""

    level1: ClusterLevel
    level2_x: ClusterLevel
    level2_y: ClusterLevel
    n_x: int
    """Clusters of X."""
    n_a: int
    """Clusters of A."""

    @property
    def levels(self) -> tuple[ClusterLevel, ClusterLevel, ClusterLevel]:
        """Level 1, level 2 of X, level 2 of Y."""
        return self.level1, self.level2_x, self.level2_y

    @property
    def shape(self) -> tuple[int, int]:
        """Number of target clusters and of attribute clusters."""
        return self.level1.shape

    @property
    def work(self) -> int:
        """Products of a weight and a cosine in the scores of level 1: of rows, and of sums."""
        units, others = self.shape
        return (units + len(self.level1.rows)) * others


@dataclass(frozen=True)
class Side:
    """Targets or attributes: the cosines of their rows with the clusters of the other side."""

    cosines: Array
    """Mean cosine of each row with each cluster of the other side, shape (rows, others)."""
    of: Places
    """Cluster of each row, 0 to units - 1, none empty; the first group's first."""
    n: int
    """Clusters of the first group."""
    weights: Array | None = None
    """What each cluster counts in means of the other side; its rows by default."""

    @property
    def sizes(self) -> Array:
        """Rows of each cluster."""
        return np.bincount(self.of).astype(np.float64)

    @property
    def counted(self) -> Array:
        """What each cluster counts in means of the other side."""
        return self.sizes if self.weights is None else self.weights


def cluster_design(
    targets: Side, attributes: Side, precision: float | None = None
) -> ClusterDesign:
    """Take the moments of both sides; `precision` is the unit roundoff of computed vectors."""
    a, b, every = slice(0, attributes.n), slice(attributes.n, None), ((slice(None), 1.0),)
    x, y = slice(0, targets.n), slice(targets.n, None)
    level2_x, level2_y = (
        cluster_level(
            Side(attributes.cosines[:, t], attributes.of, attributes.n), size, every, precision
        )
        for t, size in ((x, targets.counted[x]), (y, targets.counted[y]))
    )
    level1 = cluster_level(targets, attributes.counted, ((a, 1.0), (b, -1.0)), precision)
    return ClusterDesign(level1, level2_x, level2_y, targets.n, attributes.n)


def cluster_level(
    side: Side,
    weights: Array,
    others: Groups,
    precision: float | None = None,
) -> ClusterLevel:
    """Take the moments of the rows of each cluster, about the mean of all rows.

    A cluster of more rows than the other side has terms is replaced by the triangular factor of
    its rows, which has the same second moments.
    """
    peak = float(np.abs(side.cosines).max())
    order = np.argsort(side.of, kind="stable")
    rows = (side.cosines - side.cosines.mean(axis=0))[order]
    starts = np.concatenate([[0], np.cumsum(side.sizes).astype(np.intp)])
    sums = np.add.reduceat(rows, starts[:-1], axis=0)
    parts = [_compressed(rows[start:stop]) for start, stop in pairwise(starts)]
    kept = np.cumsum([0, *(len(part) for part in parts)])[:-1]
    noise = rounding_noise(rows.shape[1], peak, precision)
    return ClusterLevel(
        np.concatenate(parts), kept, sums, side.sizes, weights, side.n, others, noise
    )


def _compressed(rows: Array) -> Array:
    if rows.shape[0] <= rows.shape[1]:
        return rows
    return np.asarray(np.linalg.qr(rows, mode="r"))
