"""Shares of labels in a softmax, and effect sizes of shares whose stimuli carry weights.

A target is read as a zero-shot classifier reads it: each attribute is a label, and the softmax of
the logits of all labels gives each its share. The shares of one reading sum to 1, so that a label
that is left out, or drawn twice, changes the shares of all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from eatlas.kernels.cosines import product
from eatlas.stats.bootstrap import Over, Streams, draw
from eatlas.stats.inputs import rounding_noise
from eatlas.stats.weighted import (
    Array,
    Effects,
    Layout,
    Weights,
    effects_of_scores,
    greatest,
    mean_variance,
    score_gradient,
    unit_influence,
    unit_variance,
)

LARGEST_SCALE = 300.0
"""Of a logit scale: exponentials of differences of twice as much are still in the range of float64.
CLIP limits its own to 100."""
WORK = 4
"""A set of weights costs so many times what it does where associations do not depend on it."""


def label_powers(cosines: ArrayLike, scale: float) -> Array:
    """Exponentials of logits, each row over its greatest."""
    logits = scale * np.asarray(cosines, dtype=np.float64)
    powers: Array = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers


@dataclass(frozen=True)
class _ShareLevel(ABC):
    """One level of a zero-shot reading: its units in two groups, each scored by a share."""

    powers: Array
    """Of the logits, shape (targets, labels)."""
    n: int
    """The first `n` units are those of the first group."""
    precision: float | None = None
    """Unit roundoff of the logits; None where they are exact to double precision."""
    peak: float = 1.0
    """By how much the rounding of cosines is larger in a share."""

    @abstractmethod
    def scores(self, units: Array, others: Array) -> Array:
        """Score of each unit for each set of weights, shape (sets or 1, units)."""

    def effects(self, units: Array, others: Array, ddof: int) -> Effects:
        """Scores and effect sizes for each set of weights."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = self.scores(units, others)
        noise = rounding_noise(max(self.powers.shape), self.peak, self.precision)
        return effects_of_scores(scores, units, self.n, noise, ddof)

    def effect(
        self,
        units: Array,
        others: Array,
        ddof: int,
        *,
        whole: bool = False,  # noqa: ARG002  (changes nothing here)
    ) -> Array:
        """Effect size for each set of weights, shape (sets,)."""
        return self.effects(units, others, ddof).d

    def bound(self, units: Array, ddof: int) -> Array:
        """The greatest effect size there is, shape (sets,)."""
        return greatest(units[:, : self.n].sum(axis=1), units[:, self.n :].sum(axis=1), ddof)


@dataclass(frozen=True)
class TargetLevel(_ShareLevel):
    """Level 1: targets as units, X first, each scored by the share of A in its reading."""

    n_a: int = field(kw_only=True)
    """The first `n_a` labels are those of A."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of targets and of labels."""
        targets, labels = self.powers.shape
        return targets, labels

    @property
    def others(self) -> tuple[tuple[slice, float], ...]:
        """Labels of A and of B."""
        return (slice(0, self.n_a), 1.0), (slice(self.n_a, None), -1.0)

    def shares(self, others: Array) -> tuple[Array, Array]:
        """Share of A in each reading, and the sum of the powers, shape (sets or 1, targets)."""
        of_a = product(self.powers[:, : self.n_a], others[:, : self.n_a].T).T
        total = product(self.powers, others.T).T
        return of_a / total, total

    def scores(self, units: Array, others: Array) -> Array:  # noqa: ARG002  (each by itself)
        """Share of A in each reading."""
        return self.shares(others)[0]

    def effect_and_variance(
        self, units: Array, others: Array, ddof: int, over: tuple[bool, bool]
    ) -> tuple[Array, Array]:
        """Effect sizes and their sampling variances over targets, over labels, or both."""
        found, variance = self.effects(units, others, ddof), np.zeros(1)
        if over[0]:
            variance = variance + unit_variance(self.n, found, units, ddof)
        if over[1]:
            variance = variance + self._label_variance(found, units, others, ddof)
        return found.d, variance

    def _label_variance(self, found: Effects, units: Array, others: Array, ddof: int) -> Array:
        """Infinitesimal jackknife over labels.

        With c the derivative of d by the share S of a target, powers e and their weighted sum N,
        that by the weight of a label of A is the sum over targets of ``c (1 - S) e / N``, and of a
        label of B that of ``-c S e / N``.
        """
        shares, total = self.shares(others)
        c = score_gradient(self.n, found, units, ddof) / total
        of_a, of_b = self.powers[:, : self.n_a], self.powers[:, self.n_a :]
        toward = product(of_a.T, (c * (1 - shares)).T).T, product(of_b.T, (-c * shares).T).T
        return _variance(others, np.concatenate(toward, axis=1), self.n_a)


@dataclass(frozen=True)
class LabelLevel(_ShareLevel):
    """Level 2: labels as units, A first, each scored by its mean share in one group's readings."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of labels and of targets."""
        targets, labels = self.powers.shape
        return labels, targets

    @property
    def others(self) -> tuple[tuple[slice, float], ...]:
        """The targets."""
        return ((slice(None), 1.0),)

    def _reading(self, units: Array, others: Array) -> tuple[Array, Array]:
        """Weight of each target in a mean over the sum of its powers; and these sums."""
        total = product(self.powers, units.T).T
        return others / others.sum(axis=1, keepdims=True) / total, total

    def scores(self, units: Array, others: Array) -> Array:
        """Mean share of each label."""
        reading, _ = self._reading(units, others)
        return product(self.powers.T, reading.T).T

    def effect_and_variance(
        self, units: Array, others: Array, ddof: int, over: tuple[bool, bool]
    ) -> tuple[Array, Array]:
        """Effect sizes and their sampling variances over labels, over targets, or both.

        With c the derivative of d by the mean share of a label, powers e, their weighted sum N in
        the reading of a target, and v the target's weight in the mean: that by the weight of a
        label is what its score contributes, less the sum over targets of
        ``v e / N**2 (sum over labels of c e)``; that by the weight of a target is the sum over
        labels of ``c e / N``.
        """
        found, variance = self.effects(units, others, ddof), np.zeros(1)
        c = score_gradient(self.n, found, units, ddof)
        reading, total = self._reading(units, others)
        pulled = product(self.powers, c.T).T / total
        if over[0]:
            moved = product(self.powers.T, (reading * pulled).T).T
            direct = [
                influence / size[:, None]
                for _, influence, size in unit_influence(self.n, found, units, ddof)
            ]
            change = np.concatenate(direct, axis=1) - moved
            variance = variance + _variance(units, change, self.n)
        if over[1]:
            variance = variance + mean_variance(others, pulled, others.sum(axis=1))
        return found.d, variance


@dataclass(frozen=True)
class ShareDesign(Layout):
    """The three levels of a zero-shot reading, and where its groups end."""

    powers: Array
    """Of the logits, shape (targets, labels): rows X then Y, columns A then B."""
    n_x: int
    n_a: int
    precision: float | None = None
    """Unit roundoff of the logits; None where they are exact to double precision."""
    peak: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of targets and of labels."""
        targets, labels = self.powers.shape
        return targets, labels

    @property
    def work(self) -> int:
        """Products of a weight and a power at level 1, and what level 2 costs beside it."""
        return WORK * super().work

    @cached_property
    def levels(self) -> tuple[TargetLevel, LabelLevel, LabelLevel]:
        """Level 1, level 2 of X, level 2 of Y."""
        return (
            TargetLevel(self.powers, self.n_x, self.precision, self.peak, n_a=self.n_a),
            LabelLevel(self.powers[: self.n_x], self.n_a, self.precision, self.peak),
            LabelLevel(self.powers[self.n_x :], self.n_a, self.precision, self.peak),
        )

    def mean_shares(self, weights: Weights) -> Array:
        """Mean share of A in the readings of X and of Y, shape (sets, 2)."""
        shares, _ = self.levels[0].shares(weights.attributes)
        means = []
        for where in (slice(0, self.n_x), slice(self.n_x, None)):
            w = weights.targets[:, where]
            means.append((w * shares[:, where]).sum(axis=1) / w.sum(axis=1))
        return np.stack(means, axis=1)

    def mean_shares_drawn(self, over: Over, count: int, streams: Streams) -> Array:
        """The same in resamples of the stimuli, shape (count, 2)."""
        drawn: Iterator[Weights] = draw(self, over, count, streams)
        return np.concatenate([self.mean_shares(weights) for weights in drawn])


def _variance(weights: Array, change: Array, n: int) -> Array:
    """Sum over stimuli of the squared change of d by their weights, sizes of groups kept."""
    variance = np.zeros(len(change))
    for where in (slice(0, n), slice(n, None)):
        w, size = weights[:, where], weights[:, where].sum(axis=1)
        variance = variance + mean_variance(w, change[:, where] * size[:, None], size)
    return variance
