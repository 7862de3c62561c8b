"""Effect sizes of tests whose terms come in clusters: sentences, several made of each stimulus.

Units are stimuli, drawn or left out with all their sentences; means and standard deviations remain
those of sentences. Each stimulus is held as the first and second moments of its sentences, so that
a resample costs the same for ten sentences of a stimulus as for a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.inputs import ROUNDING_UNITS, rounding_noise
from eatlas.stats.weighted import Array, Layout, greatest

EPS = 2.0**-52
Places = NDArray[np.intp]


@dataclass(frozen=True)
class ClusterLevel:
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
    others: tuple[tuple[slice, float], ...]
    """Groups of the other side, each with the sign its mean has in a score."""
    noise: float
    """Rounding error of a score."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of clusters and of terms that score them."""
        units, others = self.sums.shape
        return units, others

    def effect(
        self,
        units: Array,
        others: Array,
        ddof: int,
        *,
        whole: bool = False,  # noqa: ARG002  (clusters have sizes of their own)
    ) -> Array:
        """Effect size for each set of weights, shape (sets,).

        With S_i the sum of the scores s of cluster i and n_i its rows, weights u:
        ``m_k = sum_k u S / sum_k u n``, ``sd**2 = sum over rows of u (s - m)**2 / (N - ddof)``
        with ``N = sum u n``, and ``d = (m_1 - m_2) / sd``.
        """
        return self._found(units, others, ddof).d

    def effect_and_variance(
        self, units: Array, others: Array, ddof: int, over: tuple[bool, bool]
    ) -> tuple[Array, Array]:
        """Effect sizes and their sampling variances over clusters, the other side, or both."""
        found, variance = self._found(units, others, ddof), np.zeros(1)
        if over[0]:
            variance = variance + self._unit_variance(found, units, ddof)
        if over[1]:
            variance = variance + self._other_variance(found, units, others, ddof)
        return found.d, variance

    def bound(self, units: Array, ddof: int) -> Array:
        """The greatest effect size of so many rows, shape (sets,)."""
        rows = units * self.sizes
        return greatest(rows[:, : self.n].sum(axis=1), rows[:, self.n :].sum(axis=1), ddof)

    @property
    def _groups(self) -> tuple[tuple[slice, float], ...]:
        return (slice(0, self.n), 1.0), (slice(self.n, None), -1.0)

    def _coefficients(self, others: Array) -> Array:
        """What each term of the other side counts in a score."""
        weight = others * self.weights
        parts = [
            weight[:, where] * (sign / weight[:, where].sum(axis=1, keepdims=True))
            for where, sign in self.others
        ]
        return np.concatenate(parts, axis=1)

    def _found(self, units: Array, others: Array, ddof: int) -> _Found:
        """Effect sizes of resampled stimuli, from sums over the sentences of each."""
        with np.errstate(divide="ignore", invalid="ignore"):
            a = self._coefficients(others).T
            totals, scores = product(self.sums, a).T, product(self.rows, a).T
            inner = np.add.reduceat(scores * scores, self.starts, axis=1)
            rows = units * self.sizes
            counts = [rows[:, where].sum(axis=1) for where, _ in self._groups]
            parts = [(units[:, w] * totals[:, w]).sum(axis=1) for w, _ in self._groups]
            means = [part / count for part, count in zip(parts, counts, strict=True)]
            count = counts[0] + counts[1]
            m = (parts[0] + parts[1]) / count
            about = inner - 2 * m[:, None] * totals + m[:, None] ** 2 * self.sizes
            squares = (units * about).sum(axis=1)
            # moments about one centre are taken about another, which may cancel
            rest = EPS * ROUNDING_UNITS * (units * inner + m[:, None] ** 2 * rows).sum(axis=1)
            sd = np.sqrt(np.maximum(squares, 0.0) / (count - ddof))
            sd[squares <= count * self.noise**2 + rest] = np.nan
            d = (means[0] - means[1]) / sd
            return _Found(totals, scores, about, counts, means, m, sd, d)

    def _unit_variance(self, found: _Found, units: Array, ddof: int) -> Array:
        """Infinitesimal jackknife over clusters: the sum of ``u_i (U_i)**2``.

        ``U_i = (+-)(S_i - n_i m_k) / (N_k sd) - d (Q_i - n_i sd**2) / (2 sd**2 (N - ddof))``,
        less its mean over the group, is the derivative of d by the weight of cluster i, with Q_i
        the sum of its squares about m.
        """
        squared, count = found.sd**2, found.counts[0] + found.counts[1]
        pull = found.d / (2 * squared * (count - ddof))
        variance = np.zeros(len(found.d))
        for k, (where, sign) in enumerate(self._groups):
            n = self.sizes[where]
            away = found.totals[:, where] - n * found.means[k][:, None]
            change = (sign / (found.counts[k] * found.sd))[:, None] * away
            change = change - pull[:, None] * (found.about[:, where] - n * squared[:, None])
            u = np.broadcast_to(units[:, where], change.shape)
            centre = (u * change).sum(axis=1) / u.sum(axis=1)
            variance += (u * (change - centre[:, None]) ** 2).sum(axis=1)
        return variance

    def _other_variance(self, found: _Found, units: Array, others: Array, ddof: int) -> Array:
        """Infinitesimal jackknife over the terms that score, each a cluster itself.

        As the influence of a column in `weighted.other_variance`, times what the column counts.
        """
        count = found.counts[0] + found.counts[1]
        pull = found.d / (found.sd**2 * (count - ddof))
        share = np.empty((len(found.d), self.shape[0]))
        for k, (where, sign) in enumerate(self._groups):
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
class _Found:
    """One level under many sets of weights; figures of sets in the first dimension."""

    totals: Array
    """Sums of the scores of each cluster."""
    scores: Array
    """Scores of the rows that are kept."""
    about: Array
    """Sums of squares of the scores of each cluster about the mean of all."""
    counts: list[Array]
    """Rows of both groups."""
    means: list[Array]
    m: Array
    sd: Array
    d: Array


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
    others: tuple[tuple[slice, float], ...],
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
