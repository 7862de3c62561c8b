"""Resamples of the stimuli of a test: intervals, the influence of each term, shares of patterns.

Stimuli are sampled within their groups, targets and attributes alike. An interval is the percentile
interval of the effect sizes of the resamples (Efron 1987, Better bootstrap confidence intervals,
Journal of the American Statistical Association 82). Its ends would move a little with more
resamples; their Monte Carlo errors say how far.

A resample gives each term the number of times it was sampled, a leave-one-out gives one term the
weight 0. Many sets of weights are worked off together: arrays of weights have a row for each term
and a column for each set, or one column of ones for a side that is left as it is.

Tests whose terms come in clusters (sentences, several made of each stimulus) have stimuli as units,
drawn or left out with all their sentences; means and standard deviations remain those of sentences.
Each stimulus is held as the mean and the second moments of its sentences, so that a resample costs
the same for ten sentences of a stimulus as for a thousand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.designs import Judge, enumerable
from eatlas.stats.inputs import remember, rounding_noise

Array = NDArray[np.float64]
Counts = NDArray[np.unsignedinteger]
Places = NDArray[np.intp]
Terms = Places | slice
"""Some of the terms of a side."""
Signs = NDArray[np.int64]
"""1 with A, 0 with neither, -1 with B, one a resample."""
Streams = Mapping[str, np.random.Generator]
"""Where the draws of each group come from. Each group has numbers of its own, so that another list
in place of one group leaves the draws of the three others as they are."""
Moments = Callable[[Array, Array], tuple[Array, Array | None]]
Groups = tuple[tuple[slice, int], ...]
"""Groups of the terms that score, each with the sign that its mean has in a score."""

ROLES = "XYAB"
EVERY: Groups = ((slice(None), 1),)
BLOCK = 1024
"""Lists of each group that are sampled together. Fixed, as it decides which resamples there are."""
MANY = 512
"""Designs with more terms on a side are sampled in smaller blocks, for their memory."""
FEW = 64
"""Lists in such a block."""
HELD = 2**16
"""Weights of leave-one-out that are in memory at once: 0.5 MB."""
CANCELLED = 1e-4
"""Part of a sum of squares that is left of it without the mean; of less, rounding is too much."""
RETAINED, MOST_RETAINED = 400, 32
"""Drawn lists of groups of so many terms that a process retains: of the lists of four tests with
100,000 resamples, 13 MB at most."""
ROTATIONS = 4
"""Resamples that each drawn list serves: as it is, and with all terms moved on by one, two and
three places. Every term is equally likely in each of them, as in a list drawn afresh, and takes
the places of its neighbours in the others. Drawing takes most of the time, so that four lists
cost little more than one."""


@dataclass(frozen=True)
class ResampledLevel:
    """One effect size: units in two groups, each scored over the terms of the other side.

    Level 1 has targets as units, scored by the mean over A less the mean over B. Level 2 has
    attributes as units, scored by the mean over one target group.
    """

    n: int
    """The first `n` units are the first group."""
    shape: tuple[int, int]
    """Number of units and of terms that score them."""
    moments: Moments
    """For weights of units and of the others: mean score of each unit, shape (units, sets), and the
    sum of squares within each unit, None where units are single rows."""
    sizes: Array | None = None
    """Rows of each unit, shape (units, 1); None for single rows."""
    peak: float = 1.0
    """The greatest magnitude of what associates."""
    precision: float | None = None
    """Unit roundoff of the vectors behind the cosines; None where they are exact."""
    block: SignedBlock | None = None
    """The block whose rows' means are the scores; None where scores are anything else."""

    @cached_property
    def noise(self) -> float:
        """Rounding error of a score."""
        return rounding_noise(self.shape[1], self.peak, self.precision)

    def moments_without(self, terms: Terms) -> tuple[Array, Array | None]:
        """Moments of all units without each of some of the others, in as many sets."""
        if self.block is not None:
            return self.block.means_without(terms), None
        columns = np.arange(self.shape[1])[terms]
        left = np.ones((self.shape[1], columns.size))
        left[columns, np.arange(columns.size)] = 0.0
        return self.moments(np.ones((self.shape[0], 1)), left)

    def effects(self, units: Array, others: Array, ddof: int) -> Array:
        """Effect size for each set of weights, shape (sets,); NaN where scores have no spread."""
        with np.errstate(divide="ignore", invalid="ignore"):
            moments = self.moments(units, others)
        return self.effects_of(moments, units, ddof)

    def effects_without_each(self, ddof: int) -> Array:
        """Effect size of all units without each of the others, shape (others,)."""
        units, parts = np.ones((self.shape[0], 1)), list[Array]()
        for terms in _parts(self.shape[1], HELD // max(self.shape)):
            with np.errstate(divide="ignore", invalid="ignore"):
                moments = self.moments_without(terms)
            parts.append(self.effects_of(moments, units, ddof))
        return np.concatenate(parts)

    def effects_of_samples(self, units: Array, others: Array, ddof: int) -> Array:
        """:meth:`effects` of samples as large as the groups are, which need fewer sums."""
        if self.block is None:
            return self.effects(units, others, ddof)
        n, size = self.n, self.shape[0]
        means = product(self.block.values_in_scores, others)
        weighted = units * means
        first, second = np.add.reduce(weighted[:n], axis=0), np.add.reduce(weighted[n:], axis=0)
        whole, centre = _sum(weighted, means), (first + second) / size
        squares = whole - size * np.square(centre)
        cancelled = squares < CANCELLED * whole
        if cancelled.any():
            away = means[:, cancelled] - centre[cancelled]
            squares[cancelled] = _sum(units[:, cancelled], np.square(away))
        squares[squares <= size * self.noise**2] = np.nan
        d: Array = (first / n - second / (size - n)) / np.sqrt(squares / (size - ddof))
        return d

    def effects_of(self, moments: tuple[Array, Array | None], units: Array, ddof: int) -> Array:
        """Effect sizes of scores, whose means are overwritten."""
        n, noise = self.n, self.noise
        means, within = moments
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = units if self.sizes is None else units * self.sizes
            first, second = (np.add.reduce(part, axis=0) for part in (rows[:n], rows[n:]))
            of_first, of_second = _sum(rows[:n], means[:n]), _sum(rows[n:], means[n:])
            total = first + second
            centre = (of_first + of_second) / total
            away = np.subtract(means, centre, out=means if means.shape[1] == centre.size else None)
            squares = _sum(rows, np.multiply(away, away, out=away))
            if within is not None:
                squares = squares + _sum(units, within)
            d: Array = (of_first / first - of_second / second) / np.sqrt(squares / (total - ddof))
        d[squares <= total * noise**2] = np.nan
        return d


def _sum(w: Array, x: Array) -> Array:
    """Sum of w x over each column."""
    return np.asarray(np.einsum("ib,ib->b", w, x))


@dataclass(frozen=True, eq=False)
class Layout:
    """The three effect sizes of a test, and which weights belong to which."""

    levels: tuple[ResampledLevel, ResampledLevel, ResampledLevel]
    """Level 1, level 2 of X, level 2 of Y."""
    sizes: dict[str, int]
    """Units of X, Y, A and B."""
    work: int
    """Products of a weight and a cosine in the scores of level 1."""

    def sides(self, targets: Array, attributes: Array) -> tuple[tuple[Array, Array], ...]:
        """Weights of units and of the other side, for each of the three levels."""
        n_x = self.sizes["X"]
        return (targets, attributes), (attributes, targets[:n_x]), (attributes, targets[n_x:])


@dataclass(frozen=True)
class SignedBlock:
    """A block of associations whose scores are means over groups of columns, with their signs."""

    values: Array
    """Shape (units, others)."""
    groups: Groups

    @cached_property
    def values_in_scores(self) -> Array:
        """The block with the sign of each column over the size of its group."""
        weights = np.empty(self.values.shape[1])
        for group, sign in self.groups:
            weights[group] = sign / weights[group].size
        return np.asarray(np.multiply(self.values, weights, order="C"))

    def means_without(self, terms: Terms) -> Array:
        """Scores of all rows without each of some columns, shape (units, terms)."""
        means, of, factors = self._group_means
        away = means[:, of[terms]] - self.values[:, terms]
        away *= factors[terms]
        away += self.values_in_scores.sum(axis=1, keepdims=True)
        return away

    @cached_property
    def _group_means(self) -> tuple[Array, Places, Array]:
        """Means of the groups, the group of each column, and how a score moves with one of it."""
        means = np.stack([self.values[:, group].mean(axis=1) for group, _ in self.groups], axis=1)
        of, factors = np.empty(self.values.shape[1], np.intp), np.empty(self.values.shape[1])
        for i, (group, sign) in enumerate(self.groups):
            of[group], n = i, factors[group].size
            factors[group] = sign / (n - 1) if n > 1 else np.nan
        return means, of, factors


def averages(block: Array, others: Array, groups: Groups, counts: Array | None = None) -> Array:
    """Weighted mean of each row over each group of columns, with the group's sign, all summed.

    `counts` is what each column counts in a mean besides its weight.
    """
    weights = others if counts is None else others * counts[:, None]
    totals = [np.add.reduce(weights[group], axis=0) for group, _ in groups]
    if all((total == total[0]).all() for total in totals):  # as in resamples: one product does
        smaller = block.T if block.size <= weights.size else weights
        scaled = smaller.copy("K")
        for (group, sign), total in zip(groups, totals, strict=True):
            scaled[group] *= sign / total[0]
        return product(block, scaled) if smaller is weights else product(scaled.T, weights)
    means = np.zeros((len(block), weights.shape[1]))
    for (group, sign), total in zip(groups, totals, strict=True):
        means += product(block[:, group], weights[group]) * (sign / total)
    return means


@remember(32)
def block_layout(
    block: Array,
    n_x: int,
    n_a: int,
    *,
    counts: tuple[Array, Array] | None = None,
    precision: float | None = None,
) -> Layout:
    """Lay out the associations of all targets with all attributes: X then Y, A then B.

    `counts` is what each target, and each attribute, counts in means of the other side.
    """

    def level(block: Array, n: int, groups: Groups, counts: Array | None) -> ResampledLevel:
        centred = block - block.mean(axis=0)  # what all units have in common changes no d

        def moments(units: Array, others: Array) -> tuple[Array, None]:  # noqa: ARG001
            return averages(centred, others, groups, counts), None

        peak = float(np.abs(block).max())
        scored = SignedBlock(centred, groups) if counts is None else None
        return ResampledLevel(n, block.shape, moments, peak=peak, precision=precision, block=scored)

    of_targets, of_attributes = counts or (None, None)
    x, y = slice(0, n_x), slice(n_x, None)
    of_x, of_y = (None if of_targets is None else of_targets[part] for part in (x, y))
    levels = (
        level(block, n_x, _contrast_slices(n_a), of_attributes),
        level(block[x].T, n_a, EVERY, of_x),
        level(block[y].T, n_a, EVERY, of_y),
    )
    return Layout(levels, sizes_of(block.shape, n_x, n_a), block.size)


def cluster_layout(
    targets: Array,
    attributes: Array,
    of: tuple[Places, Places],
    n_x: int,
    n_a: int,
    precision: float | None = None,
) -> Layout:
    """Lay out clusters of rows, such as sentences of stimuli, `n_x` of X and `n_a` of A.

    `targets` and `attributes` have the mean cosine of each row with each cluster of the other side,
    shape (rows, clusters), and `of` the cluster of each row, none empty, those of X and A first.
    """
    of_targets, of_attributes = (np.bincount(places).astype(np.float64) for places in of)
    x, y = slice(0, n_x), slice(n_x, None)
    level1, rows = _cluster_level(
        targets, of[0], n_x, _contrast_slices(n_a), of_attributes, precision
    )
    level2 = [
        _cluster_level(attributes[:, part], of[1], n_a, EVERY, of_targets[part], precision)[0]
        for part in (x, y)
    ]
    units, others = level1.shape
    work = (units + rows) * others
    return Layout((level1, level2[0], level2[1]), sizes_of(level1.shape, n_x, n_a), work)


def _cluster_level(
    cosines: Array, of: Places, n: int, groups: Groups, counts: Array, precision: float | None
) -> tuple[ResampledLevel, int]:
    """One effect size of clusters, and how many rows stand for what is within them.

    A cluster of more rows than the other side has terms is replaced by the triangular factor of
    its rows, which has the same second moments.
    """
    order, sizes = np.argsort(of, kind="stable"), np.bincount(of)
    rows = (cosines - cosines.mean(axis=0))[order]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    means = np.add.reduceat(rows, starts[:-1], axis=0) / sizes[:, None]
    parts = [rows[a:b] - mean for (a, b), mean in zip(pairwise(starts), means, strict=True)]
    parts = [np.linalg.qr(p, mode="r") if p.shape[0] > p.shape[1] else p for p in parts]
    within, first = np.concatenate(parts), np.cumsum([0, *map(len, parts)])[:-1]

    def moments(units: Array, others: Array) -> tuple[Array, Array]:  # noqa: ARG001
        away = averages(within, others, groups, counts)
        squares = np.add.reduceat(away * away, first, axis=0)
        return averages(means, others, groups, counts), squares

    peak = float(np.abs(cosines).max())
    each = sizes[:, None].astype(np.float64)
    return ResampledLevel(n, means.shape, moments, each, peak, precision), len(within)


def _contrast_slices(n: int) -> Groups:
    """The first `n` terms less the others."""
    return (slice(0, n), 1), (slice(n, None), -1)


def sizes_of(shape: tuple[int, int], n_x: int, n_a: int) -> dict[str, int]:
    """Units of the four groups of a block of targets by attributes."""
    return dict(zip(ROLES, (n_x, shape[0] - n_x, n_a, shape[1] - n_a), strict=True))


def draw(sizes: Mapping[str, int], count: int, streams: Streams) -> Iterator[tuple[Array, Array]]:
    """How often each target, and each attribute, was sampled, in chunks of resamples.

    Rows and columns: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1. Each
    drawn list of terms serves in several rotations, a form of the balanced bootstrap (Davison,
    Hinkley and Schechtman 1986, Efficient bootstrap simulation, Biometrika 73).
    """
    x, y, a, b = (sizes[role] for role in ROLES)
    block = BLOCK if max(x + y, a + b) <= MANY else FEW
    moved = range(min(ROTATIONS, x, y, a, b))
    of_targets, of_attributes = ([_move_on(n, m, by) for by in moved] for n, m in ((x, y), (a, b)))
    left = count
    while left > 0:
        lists = [_lists(streams[role], sizes[role], block) for role in ROLES]
        targets = np.concatenate(lists[:2], dtype=np.float64)
        attributes = np.concatenate(lists[2:], dtype=np.float64)
        for rows, columns in zip(of_targets, of_attributes, strict=True):
            yield targets[rows, :left], attributes[columns, :left]
            left -= block
            if left <= 0:
                return


def _move_on(n: int, m: int, by: int) -> Places:
    """Terms of two groups, each moved on by some places within its group."""
    return np.concatenate([np.roll(np.arange(n), -by), n + np.roll(np.arange(m), -by)])


def _lists(rng: np.random.Generator, size: int, block: int) -> Counts:
    """How often each term of a group is in each list, shape (size, block)."""
    bits = rng.bit_generator
    if size > MOST_RETAINED or not isinstance(bits, np.random.PCG64):
        return _draw_lists(rng, size, block)
    position = Position(bits, rng)
    lists = _lists_at(position, size, block)
    if position == Position(bits, rng):  # nothing was drawn
        bits.advance(size * block)
    return lists


class Position:
    """Where a generator is in its stream: the lists of a test are the same on every source."""

    def __init__(self, bits: np.random.PCG64, rng: np.random.Generator) -> None:
        self.rng, self.state = rng, tuple(bits.state["state"].values())

    def __hash__(self) -> int:
        return hash(self.state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.state == other.state


@lru_cache(maxsize=RETAINED)
def _lists_at(position: Position, size: int, block: int) -> Counts:
    """Draw lists at a position, once."""
    lists = _draw_lists(position.rng, size, block)
    lists.setflags(write=False)
    return lists


def _draw_lists(rng: np.random.Generator, size: int, block: int) -> Counts:
    """Draw lists of `size` terms each."""
    at = (rng.random((size, block)) * size).astype(np.int64)
    at *= block
    at += np.arange(block)
    counts = np.bincount(at.ravel(), minlength=size * block)
    return counts.astype(np.min_scalar_type(size)).reshape(size, block)


def bootstrap_effects(
    layout: Layout, count: int, streams: Streams, ddof: int, levels: int = 3
) -> list[Array]:
    """The first effect sizes in resamples, shape (count,) each; every group needs 2 units."""
    parts: list[list[Array]] = [[] for _ in range(levels)]
    for weights in draw(layout.sizes, count, streams):
        for part, level, pair in zip(parts, layout.levels, layout.sides(*weights), strict=False):
            part.append(level.effects_of_samples(*pair, ddof))
    return [np.concatenate(part) for part in parts]


def percentile(drawn: Array, level: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The central share `level` of the resamples, and the Monte Carlo errors of both ends.

    An error is half the distance of the quantiles a standard error below and above the proportion.
    """
    shares = (1 - level) / 2, (1 + level) / 2
    error = math.sqrt(shares[0] * shares[1] / max(1, drawn.size))
    near = [min(1.0, max(0.0, share + sign * error)) for share in shares for sign in (-1, 1)]
    values = np.sort(drawn) if drawn.size else [math.nan]  # many quantiles of sorted numbers
    low, high, *around = np.quantile(values, [*shares, *near]).tolist()
    return (low, high), ((around[1] - around[0]) / 2, (around[3] - around[2]) / 2)


def central(drawn: Array, confidence: float) -> Array:
    """Percentile interval over the first axis, shape (2, ...); NaN where a value is undefined.

    A quantity that is undefined in more than one in a hundred resamples has no interval.
    """
    tail, finite = (1 - confidence) / 2, np.isfinite(drawn)
    few = finite.sum(axis=0) < 0.99 * len(drawn)
    values = np.where(few, 0.0, np.where(finite, drawn, np.nan))
    return np.where(few, np.nan, np.nanquantile(values, [tail, 1 - tail], axis=0))


@remember(32)
def influence(layout: Layout, ddof: int, levels: int = 3) -> list[tuple[float, dict[str, Array]]]:
    """Each of the first effect sizes, and its change without each unit of its groups.

    Every group needs 2 units. A change is NaN where no effect size is left.
    """
    sides = ("XY", "AB"), ("AB", "X"), ("AB", "Y")
    changes = []
    for level, roles in zip(layout.levels[:levels], sides, strict=False):
        units, others = (np.ones((size, 1)) for size in level.shape)
        d = float(level.effects(units, others, ddof)[0])
        of_units = [level.effects(left, others, ddof) for left in _leaving_one(len(units))]
        without = np.concatenate(of_units), level.effects_without_each(ddof)
        of_roles: dict[str, Array] = {}
        for groups, effects in zip(roles, without, strict=True):
            borders = np.cumsum([layout.sizes[role] for role in groups])[:-1]
            each = np.split(effects - d, borders)
            of_roles |= dict(zip(groups, each, strict=True))
        changes.append((d, of_roles))
    return changes


def _leaving_one(size: int) -> Iterator[Array]:
    """Columns of ones with one 0, the next place in each column."""
    for part in _parts(size, HELD // size):
        terms = np.arange(size)[part]
        left = np.ones((size, terms.size))
        left[terms, np.arange(terms.size)] = 0.0
        yield left


def _parts(size: int, most: int) -> Iterator[slice]:
    """Some units after the others, at most so many at a time."""
    for start in range(0, size, max(1, most)):
        yield slice(start, start + max(1, most))


TailRule = Literal["directional", "two-sided"]
"""Which p-value decides: in the tail of the observed sign, or two-sided."""
DECIDED = 2_048
"""Resamples whose p-values are compared with alpha. Of more, the others are judged by d alone, by
limits that judge as many of the first ones associated as their p-values do; the proportions are
then corrected by what differs among the first. Of 7 or 8 attributes a group, d alone judged .3% to
2% otherwise; of 25 a group, .1% to .3%."""
DECIDED_BY_DRAWS = 1_024
"""The same where permutations are too many to visit each, so that a decision takes longer."""


@dataclass(frozen=True)
class PatternRule:
    """When a target group counts as associated with an attribute group."""

    alpha: float = 0.05
    threshold: float = 0.2
    tail: TailRule = "directional"
    ddof: int = 1


def pattern_stability(
    layout: Layout,
    d: tuple[Array, Array],
    *,
    streams: Streams,
    aside: np.random.Generator,
    rule: PatternRule,
) -> tuple[Array, Array]:
    """Proportions of the nine EAT patterns in resamples of single rows, and their standard errors.

    Both have the shape (3, 3): X, and Y, with A, with neither, with B. `d` are the level 2 effect
    sizes of all resamples. Each resample is tested as the lists themselves are: an attribute drawn
    twice counts as two that score alike, and all N of them are relabelled. The p-values of the
    first ones are compared with alpha; the others are judged by d, by the limits that fit the
    first, and the proportions are corrected by what differs among these (a regression estimator;
    Cochran 1977, Sampling Techniques, section 12.1).
    """
    n, count = layout.sizes["A"], d[0].size
    size, two_sided = n + layout.sizes["B"], rule.tail == "two-sided"
    first = min(count, DECIDED if enumerable(size, n) else DECIDED_BY_DRAWS)
    judged = min(count, DECIDED)
    judge = Judge(size, n, rule.alpha, two_sided=two_sided, samples=judged, rng=aside)
    signs: tuple[list[Signs], list[Signs]] = [], []
    done = 0
    for weights in draw(layout.sizes, count, streams):
        if done >= first:
            break
        chunk = slice(done, done + weights[0].shape[1])
        for some, level, pair, effects in zip(
            signs, layout.levels[1:], layout.sides(*weights)[1:], d, strict=True
        ):
            scores, counts = level.moments(*pair)[0].T, pair[0].T.astype(np.int64)
            copies = np.repeat(scores.ravel(), counts.ravel()).reshape(scores.shape)
            some.append(
                judge.associations(
                    copies, effects[chunk], rule.threshold, level.peak, level.precision
                )
            )
        done = chunk.stop
    return _shares((np.concatenate(signs[0]), np.concatenate(signs[1])), d)


def _shares(signs: tuple[Signs, Signs], d: tuple[Array, Array]) -> tuple[Array, Array]:
    """Proportions of the nine patterns and their standard errors, both of shape (3, 3)."""
    first, count = signs[0].size, d[0].size
    decided = _table(*signs)
    if first == count:
        share = decided / count
        return share, np.sqrt(share * (1 - share) / count)
    x, y = (_by_effect(*pair) for pair in zip(signs, d, strict=True))
    alike = (x[:first] == signs[0]) & (y[:first] == signs[1])
    # a resample that is judged otherwise leaves one pattern and enters another
    moved = _table(x[:first][~alike], y[:first][~alike]) + _table(*(s[~alike] for s in signs))
    raw = _table(x, y) / count
    shares = (raw + (decided - _table(x[:first], y[:first])) / first).clip(0)
    errors = np.sqrt(raw * (1 - raw) / count + moved / first * (1 / first - 1 / count))
    return shares / shares.sum(), errors


def _by_effect(signs: Signs, d: Array) -> Signs:
    """Associations judged only by d, as many of the first ones as `signs` has, either way."""
    judged = np.zeros(d.size, dtype=np.int64)
    for sign in (1, -1):
        many = int((signs == sign).sum())
        ahead = sign * d[: signs.size]
        ahead = np.sort(ahead[~np.isnan(ahead)])[::-1]
        if many:
            # half way to the first one that is not associated
            judged[sign * d >= ahead[many - 1 : many + 1].mean()] = sign
    return judged


def _table(x: Signs, y: Signs) -> Array:
    """How many resamples show each pattern, shape (3, 3)."""
    return np.bincount(3 * (1 - x) + 1 - y, minlength=9).reshape(3, 3).astype(np.float64)
