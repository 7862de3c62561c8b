"""Resamples of the stimuli of a test: intervals, the influence of each term, shares of patterns.

Stimuli are drawn within their groups. An interval is the percentile interval where both sides are
resampled, and the studentised one where one side is: what covered best in simulations. The ends
would move a little with more resamples; their Monte Carlo errors say how far.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.kernels import quantiles
from eatlas.notes import Note, warn
from eatlas.stats.designs import Judge, checked_alpha, enumerable
from eatlas.stats.inputs import numbers, whole
from eatlas.stats.weighted import ATTRIBUTES, ROLES, TARGETS, Array, Layout, Level, Weights

Over = Literal["targets", "attributes", "both"]
"""Which stimuli are taken as a sample, and hence resampled."""

Streams = Mapping[str, np.random.Generator]
"""Where the draws of each group come from. Each group has numbers of its own, so that another list
in place of one group leaves the draws of the three others as they are."""

BLOCK = 1024
"""Lists of each group that are drawn together. Fixed, as it decides which resamples there are."""
MANY = 512
"""Designs with more terms on a side are drawn in smaller blocks, for their memory."""
FEW = 64
"""Lists in such a block."""
HELD = 2**18
"""Weights of leave-one-out that are held at once: 2 MB."""
ROTATIONS = 4
"""Resamples that each drawn list serves: as it is, and with all terms moved on by one, two and
three places. Every term is equally likely in each of them, as in a list drawn afresh, and takes
the places of its neighbours in the others. Drawing takes most of the time, so that four lists
cost little more than one."""


def sides(over: Over) -> tuple[bool, bool]:
    """Whether targets, and whether attributes, are resampled."""
    if over not in get_args(Over):
        raise EatlasError(
            "over must say which stimuli are resampled",
            got=repr(over),
            allowed=", ".join(get_args(Over)),
        )
    return over != "attributes", over != "targets"


def fewest(over: Over) -> dict[str, int]:
    """Terms that each group needs: two where it is resampled."""
    targets, attributes = (1 + resampled for resampled in sides(over))
    return {**dict.fromkeys(TARGETS, targets), **dict.fromkeys(ATTRIBUTES, attributes)}


def streams_of(rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """Return a generator for each group of a test, of numbers from one generator."""
    return {role: np.random.default_rng(rng.integers(0, 2**32, size=4)) for role in ROLES}


def draw(test: Layout, over: Over, count: int, streams: Streams) -> Iterator[Weights]:
    """How often each term was drawn, in chunks of resamples.

    Rows and columns: Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1. Each
    drawn list of terms serves in several rotations, a form of the balanced bootstrap (Davison,
    Hinkley and Schechtman 1986, Efficient bootstrap simulation, Biometrika 73).
    """
    (targets, attributes), ones = sides(over), test.as_is
    drawn = TARGETS * targets + ATTRIBUTES * attributes
    resampled = {role: size for role, size in test.groups.items() if role in drawn}
    block = BLOCK if max(test.shape) <= MANY else FEW
    left = count
    while left > 0:
        lists = {role: _lists(streams[role], size, block) for role, size in resampled.items()}
        for by in range(min(ROTATIONS, *resampled.values())):
            rows = min(block, left)
            yield Weights(
                _rotated([lists[r] for r in TARGETS], by, rows) if targets else ones.targets,
                _rotated([lists[r] for r in ATTRIBUTES], by, rows)
                if attributes
                else ones.attributes,
                whole=test.alike,
            )
            left -= block
            if left <= 0:
                return


def _lists(rng: np.random.Generator, size: int, block: int) -> Array:
    """How often each term of a group is in each list, shape (size, block).

    Numbers of one term lie side by side in memory, so that what is summed over terms is summed
    for all lists at once.
    """
    drawn = rng.random((size, block)) * size
    at = drawn.astype(np.int64) * block + np.arange(block)
    return np.bincount(at.ravel(), minlength=size * block).astype(np.float64).reshape(size, block)


def _rotated(groups: list[Array], by: int, rows: int) -> Array:
    """The first lists of two groups with their terms moved on, shape (rows, terms)."""
    out = np.empty((sum(map(len, groups)), rows))
    start = 0
    for lists in groups:
        size = len(lists)
        out[start : start + size - by] = lists[by:, :rows]
        out[start + size - by : start + size] = lists[:by, :rows]
        start += size
    return out.T


UNDEFINED = (math.nan, math.nan)
NEAR_BOUND = 1e-12
"""A correlation whose square is nearer to 1 than this is +-1 but for rounding."""


def percentile(drawn: Array, level: float) -> tuple[float, float]:
    """The central share `level` of the resamples; NaN for none."""
    low, high = quantiles(drawn, tails(level)).tolist()
    return low, high


def tails(level: float) -> tuple[float, float]:
    """Shares of the resamples below the ends of a percentile interval."""
    return (1 - level) / 2, (1 + level) / 2


def around(shares: Sequence[float], count: int) -> list[float]:
    """Shares a standard error below and above each share of `count` resamples."""
    errors = [math.sqrt(share * (1 - share) / count) for share in shares]
    return [
        min(1.0, max(0.0, share + sign * error))
        for share, error in zip(shares, errors, strict=True)
        for sign in (-1, 1)
    ]


def errors(values: Sequence[float]) -> tuple[float, float]:
    """Half the distance of the quantiles at two shares :func:`around` each of two ends."""
    return (values[1] - values[0]) / 2, (values[3] - values[2]) / 2


def studentised(
    estimate: tuple[float, float, float], d: Array, se: Array, bounds: Array, level: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Bootstrap-t interval on Fisher's scale, where the effect size has no bound, and its errors.

    `estimate` is d, its standard error and its bound; the arrays are those of resamples.
    Bootstrap-t: Efron (1982), section 10.10; on a transformed scale: Tibshirani (1988), Variance
    stabilization and the bootstrap, Biometrika 75.
    """
    bound = estimate[2]
    z, error = (
        float(x) for x in _fisher(np.array(estimate[0]), np.array(estimate[1]), np.array(bound))
    )
    zs, errors_ = _fisher(d, se, bounds)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (zs - z) / errors_
    t = t[np.isfinite(t)]
    if not t.size or not math.isfinite(error) or error <= 0:
        return UNDEFINED, UNDEFINED
    ends = tails(level)
    low, high, *near = quantiles(t, [*ends, *around(ends, t.size)]).tolist()
    moved = [bound * math.tanh(z - q * error) for q in reversed(near)]
    return (
        (bound * math.tanh(z - high * error), bound * math.tanh(z - low * error)),
        errors(moved),
    )


def _fisher(d: Array, se: Array, bound: Array) -> tuple[Array, Array]:
    """Effect sizes and standard errors on the scale of artanh; NaN at the bounds."""
    r = d / bound
    free = np.where(1 - r**2 > NEAR_BOUND, 1 - r**2, np.nan)
    return np.arctanh(np.where(np.isnan(free), np.nan, r)), se / bound / free


PLACES = ("level1", "level2.X", "level2.Y")
"""Of the three effect sizes of a test in a result, as notes name them."""


@dataclass(frozen=True)
class EffectInterval:
    """One effect size over resamples; NaN where undefined."""

    se: float
    """Standard deviation (ddof 1) over the resamples."""
    interval: tuple[float, float]
    error: tuple[float, float]
    """Monte Carlo standard errors of its ends: how far other resamples of the same number would
    move them."""
    undefined: int
    """Resamples whose scores have no spread, left out."""


def bootstrap(
    test: Layout, *, streams: Streams, over: Over, resamples: int, level: float, ddof: int
) -> tuple[tuple[EffectInterval, ...], tuple[Array, ...]]:
    """Intervals of the three effect sizes, and these in all resamples, NaN without spread.

    Every resampled group needs 2 units. Percentile intervals: Efron (1987), Better bootstrap
    confidence intervals, Journal of the American Statistical Association 82.
    """
    targets, attributes = sides(over)
    resampled = (targets, attributes), (attributes, targets), (attributes, targets)
    one_side = over != "both"

    def effect(i: int, weights: Weights) -> tuple[Array, ...]:
        """Effect sizes and, where one side is resampled, their errors and bounds."""
        one, pair = test.levels[i], test.sides(weights)[i]
        if not one_side:
            return (one.effect(*pair, ddof, whole=weights.whole),)
        d, variance = one.effect_and_variance(*pair, ddof, resampled[i])
        return d, np.sqrt(variance), np.broadcast_to(one.bound(pair[0], ddof), d.shape)

    parts: tuple[list[tuple[Array, ...]], ...] = ([], [], [])
    for weights in draw(test, over, resamples, streams):
        for i, part in enumerate(parts):
            part.append(effect(i, weights))
    drawn = [[np.concatenate(column) for column in zip(*part, strict=True)] for part in parts]
    intervals = []
    for i, place in enumerate(PLACES):
        defined = ~np.isnan(drawn[i][0])
        d, *others = (column[defined] for column in drawn[i])
        if one_side:
            estimate, se, bound = (float(x[0]) for x in effect(i, test.as_is))
            interval, error = studentised((estimate, se, bound), d, others[0], others[1], level)
        else:
            ends = tails(level)
            at = quantiles(d, [*ends, *around(ends, max(1, d.size))]).tolist()
            interval, error = (at[0], at[1]), errors(at[2:])
        spread = float(np.std(d, ddof=1)) if d.size > 1 else math.nan
        undefined = resamples - d.size
        intervals.append(EffectInterval(spread, interval, error, undefined))
        if undefined:
            warn(Note("resampling.undefined", place, {"count": undefined, "of": resamples}))
        if math.isnan(interval[0]):
            warn(Note("resampling.interval", place))
    return tuple(intervals), tuple(columns[0] for columns in drawn)


@dataclass(frozen=True)
class Influence:
    """One effect size, and how much it changes without each term."""

    estimate: float
    """The effect size d of all terms; NaN without spread."""
    targets: tuple[float, ...]
    """d without each target less d, X then Y. 0 for the targets that a level 2 does not use;
    NaN where no effect size is left."""
    attributes: tuple[float, ...]
    """The same for each attribute, A then B."""


def influence(test: Layout, *, ddof: int) -> tuple[Influence, Influence, Influence]:
    """Leave out each unit of a layout whose groups have 2 units or more, at each level."""
    found = []
    unused_x, unused_y = (np.zeros(test.groups[role]) for role in TARGETS)
    for i, (place, level) in enumerate(zip(PLACES, test.levels, strict=True)):
        count, others = level.shape
        every = np.ones((1, count)), np.ones((1, others))
        d = float(level.effect(*every, ddof)[0])
        of_units = [level.effect(left, every[1], ddof) for left in _leaving_one(count)]
        of_others = [level.effect(every[0], left, ddof) for left in _leaving_one(others)]
        units, terms = (np.concatenate(part) - d for part in (of_units, of_others))
        if i == 0:
            changes = units, terms
        else:
            used = [terms, unused_y] if i == 1 else [unused_x, terms]
            changes = np.concatenate(used), units
        targets, attributes = (tuple(change.tolist()) for change in changes)
        found.append(Influence(d, targets, attributes))
        lost = sum(map(math.isnan, targets + attributes))
        if math.isnan(d):
            warn(Note("resampling.influence", place))
        elif lost:
            warn(Note("resampling.without-a-term", place, {"count": lost}))
    return found[0], found[1], found[2]


def _leaving_one(size: int) -> Iterator[Array]:
    """Rows of ones with one 0, the next place in each row."""
    rows = max(1, HELD // size)
    for start in range(0, size, rows):
        stop = min(start + rows, size)
        left = np.ones((stop - start, size))
        left[np.arange(stop - start), np.arange(start, stop)] = 0.0
        yield left


TailRule = Literal["directional", "two-sided"]
"""Which p decides: that of the tail of the observed sign, or of both."""

ASSOCIATIONS = (1, 0, -1)
"""With A, with neither, with B: the order of rows and columns of the shares."""


DECIDED = 2_048
"""Resamples whose p-values are compared with alpha. Of more, the others are judged by d alone, by
limits that judge as many of the first ones associated as their p-values do; the shares are then
corrected by what differs among the first. Of 7 or 8 attributes a group, d alone judged .3% to 2%
otherwise; of 25 a group, .1% to .3%."""
DECIDED_BY_DRAWS = 1_024
"""The same where relabellings are too many to visit each, so that a decision takes longer."""


@dataclass(frozen=True)
class PatternStability:
    """Shares of the nine pairs of associations, one pair for each EAT pattern.

    A share says in how much of the resamples a pattern is seen. It is no probability that a study
    with other stimuli replicates it.
    """

    shares: Array
    """``shares[i, j]``: of the resamples, those with X associated as ``ASSOCIATIONS[i]`` and Y as
    ``ASSOCIATIONS[j]``; shape (3, 3)."""
    errors: Array
    """Monte Carlo standard errors of the shares, shape (3, 3)."""
    decided: int
    """The first resamples, whose p-values were compared with alpha."""
    undefined: tuple[int, int]
    """Resamples in which X, and Y, has no effect size; they count as associated with neither."""
    p_error: float
    """Standard error of a p-value near alpha, 0 where relabellings were enumerated."""


@dataclass(frozen=True)
class PatternRule:
    """When a target group counts as associated with an attribute group."""

    alpha: float = 0.05
    threshold: float = 0.2
    tail: TailRule = "directional"
    ddof: int = 1

    def __post_init__(self) -> None:
        checked_alpha(self.alpha)
        if not numbers(self.threshold, "threshold", 0) >= 0:
            raise EatlasError(
                "threshold must be a magnitude of d", got=repr(self.threshold), allowed="0 or more"
            )
        if self.tail not in get_args(TailRule):
            raise EatlasError(
                "tail must say which relabellings count as extreme",
                got=repr(self.tail),
                allowed=", ".join(get_args(TailRule)),
            )
        whole(self.ddof, "ddof", 0, 1)


def pattern_stability(
    test: Layout,
    *,
    streams: Streams,
    aside: np.random.Generator,
    over: Over,
    resamples: int,
    rule: PatternRule,
    drawn: tuple[Array, Array] | None = None,
) -> PatternStability:
    """Count which EAT patterns resamples of a layout show, with 2 units where groups need them.

    Each resample is tested as the lists themselves are: an attribute drawn twice counts as two that
    score alike, and all N of them are relabelled. The p-values of the first ones are compared with
    alpha; the others are judged by d, by the limits that fit the first, and the shares are
    corrected by what differs among these (a regression estimator; Cochran 1977, Sampling
    Techniques, section 12.1). `drawn` are the effect sizes of all resamples, where they are known.
    """
    enumerated = enumerable(test.shape[1], test.n_a)
    first = min(resamples, DECIDED if enumerated else DECIDED_BY_DRAWS)
    judged = min(resamples, DECIDED)
    two_sided, size = rule.tail == "two-sided", test.shape[1]
    judge = Judge(size, test.n_a, rule.alpha, two_sided=two_sided, samples=judged, rng=aside)
    many = resamples if drawn is None else first
    signs, effects = _decided(test, draw(test, over, many, streams), first, judge, rule)
    d = effects if drawn is None else drawn
    undefined = int(np.isnan(d[0]).sum()), int(np.isnan(d[1]).sum())
    _warn(undefined, resamples)
    shares, spread = _shares(signs, d)
    return PatternStability(shares, spread, signs[0].size, undefined, judge.error)


Signs = NDArray[np.int64]
"""1 with A, 0 with neither, -1 with B, one a resample."""


def _shares(signs: tuple[Signs, Signs], d: tuple[Array, Array]) -> tuple[Array, Array]:
    """Shares of the nine patterns and their standard errors, both of shape (3, 3)."""
    first, count = signs[0].size, d[0].size
    decided = _table(*signs)
    if first == count:
        share = decided / count
        return share, np.sqrt(share * (1 - share) / count)
    x, y = (_by_effect(*pair) for pair in zip(signs, d, strict=True))
    alike = (x[:first] == signs[0]) & (y[:first] == signs[1])
    # a resample that is judged otherwise leaves one pattern and enters another
    moved = (
        _table(x[:first][~alike], y[:first][~alike]) + _table(*(s[~alike] for s in signs))
    ) / first
    raw = _table(x, y) / count
    shares = raw + (decided - _table(x[:first], y[:first])) / first
    errors = np.sqrt(raw * (1 - raw) / count + moved * (1 / first - 1 / count))
    shares = shares.clip(0)
    return shares / shares.sum(), errors


def _by_effect(signs: Signs, d: Array) -> Signs:
    """Associations judged by d alone, as many of the first ones as `signs` has, either way."""
    found = np.zeros(d.size, dtype=np.int64)
    for sign in (1, -1):
        many = int((signs == sign).sum())
        ahead = sign * d[: signs.size]
        ahead = np.sort(ahead[~np.isnan(ahead)])[::-1]
        if many:
            # half way to the first one that is not associated
            found[sign * d >= ahead[many - 1 : many + 1].mean()] = sign
    return found


def _table(x: Signs, y: Signs) -> Array:
    """How many resamples show each pattern, shape (3, 3)."""
    return np.bincount(3 * (1 - x) + 1 - y, minlength=9).reshape(3, 3).astype(np.float64)


def _decided(
    test: Layout, resamples: Iterable[Weights], first: int, judge: Judge, rule: PatternRule
) -> tuple[tuple[Signs, Signs], tuple[Array, Array]]:
    """Associations in the first resamples, in whole chunks, and effect sizes in all."""
    signs: tuple[list[Signs], list[Signs]] = [], []
    d: tuple[list[Array], list[Array]] = [], []
    done = 0
    for weights in resamples:
        for i, (units, others) in enumerate(test.sides(weights)[1:]):
            level = cast("Level", test.levels[1 + i])
            if done >= first:
                d[i].append(level.effect(units, others, rule.ddof, whole=weights.whole))
                continue
            found = level.effects(units, others, rule.ddof)
            # where one side is not resampled, one row of scores or of weights stands for all
            shape = found.d.size, level.shape[0]
            scores, counts = (np.broadcast_to(x, shape).ravel() for x in (found.scores, units))
            copies = np.repeat(scores, counts.astype(np.int64)).reshape(shape)
            ahead = judge.associations(copies, found.d, rule.threshold, level.peak, level.precision)
            signs[i].append(ahead)
            d[i].append(found.d)
        done += max(len(weights.targets), len(weights.attributes))
    x, y = ((np.concatenate(signs[i]), np.concatenate(d[i])) for i in range(2))
    return (x[0], y[0]), (x[1], y[1])


def _warn(undefined: tuple[int, int], count: int) -> None:
    for place, lost in zip(PLACES[1:], undefined, strict=True):
        if lost:
            warn(Note("resampling.patterns", place, {"count": lost, "of": count}), stacklevel=3)
