"""Resamples of the stimuli of one association test, drawn within their groups, and intervals.

Intervals from a bootstrap distribution: percentile, BCa and studentised.

Each has ends that more resamples would move a little; their Monte Carlo errors say how far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from eatlas.errors import EatlasError
from eatlas.kernels import quantiles
from eatlas.stats.weighted import (
    ATTRIBUTES,
    ROLES,
    TARGETS,
    Array,
    Layout,
    Weighable,
    Weights,
)

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


NORMAL = NormalDist()
UNDEFINED = (math.nan, math.nan)
TIE = 1e-9
"""Effect sizes that differ by less are one."""
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


def acceleration(groups: Sequence[Array]) -> float:
    """Efron's acceleration from the values that leave out one term, for each group of terms.

    NaN where no term changes the value, or where a value is undefined.

    With ``U = (n - 1) (mean of the values - value)`` for a group of n terms,
    ``a = sum(U**3 / n**3) / (6 sum(U**2 / n**2)**1.5)``, sums over all terms of all groups
    (Efron 1987, section 6; Davison and Hinkley 1997, equations 5.31 and 5.36).
    """
    cubes = squares = 0.0
    for values in groups:
        u = (values.size - 1) / values.size * (values.mean() - values)
        cubes, squares = cubes + float(np.sum(u**3)), squares + float(np.sum(u**2))
    return cubes / (6 * squares**1.5) if squares > 0 else math.nan


def bca_tails(drawn: Array, estimate: float, a: float, level: float) -> tuple[float, float] | None:
    """Shares of the resamples below the ends of :func:`bca`; None where it is undefined."""
    if not drawn.size or math.isnan(a):
        return None
    # a resample of every term once has the estimate itself, but for rounding
    share = float(np.mean(drawn < estimate - TIE) + np.mean(drawn <= estimate + TIE)) / 2
    if not 0 < share < 1:
        return None
    z0, z = NORMAL.inv_cdf(share), NORMAL.inv_cdf((1 - level) / 2)
    low, high = (NORMAL.cdf(z0 + (z0 + x) / (1 - a * (z0 + x))) for x in (z, -z))
    return low, high


@dataclass(frozen=True)
class Studentised:
    """A studentised interval."""

    ends: tuple[float, float]
    """NaN where there is none."""
    errors: tuple[float, float]
    """Monte Carlo standard errors of the ends."""
    left_out: int
    """Resamples without a finite ``(z* - z) / se(z*)``."""


def studentised(
    estimate: tuple[float, float],
    drawn: tuple[Array, Array],
    bound: float,
    level: float,
    bounds: Array | None = None,
) -> Studentised:
    """Bootstrap-t interval on Fisher's scale, where the effect size has no bound.

    Bootstrap-t: Efron (1982), section 10.10; on a transformed scale: Tibshirani (1988), Variance
    stabilization and the bootstrap, Biometrika 75.
    """
    z, se = (float(x) for x in _fisher(np.array(estimate[0]), np.array(estimate[1]), bound))
    zs, ses = _fisher(*drawn, bound if bounds is None else bounds)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (zs - z) / ses
    usable = t[np.isfinite(t)]
    left_out = t.size - usable.size
    if not usable.size or not math.isfinite(se) or se <= 0:
        return Studentised(UNDEFINED, UNDEFINED, left_out)
    ends = tails(level)
    low, high, *near = quantiles(usable, [*ends, *around(ends, usable.size)]).tolist()
    moved = [bound * math.tanh(z - q * se) for q in (near[3], near[2], near[1], near[0])]
    return Studentised(
        (bound * math.tanh(z - high * se), bound * math.tanh(z - low * se)),
        errors(moved),
        left_out,
    )


def _fisher(d: Array, se: Array, bound: float | Array) -> tuple[Array, Array]:
    """Effect sizes and standard errors on the scale of artanh; NaN at the bounds."""
    r = d / bound
    free = np.where(1 - r**2 > NEAR_BOUND, 1 - r**2, np.nan)
    return np.arctanh(np.where(np.isnan(free), np.nan, r)), se / bound / free


def without_each_unit(level: Weighable, ddof: int) -> Array:
    """Effect size of a level without each of its units, shape (n_units,)."""
    units, others = level.shape
    every = np.ones((1, others))
    return np.concatenate([level.effect(kept, every, ddof) for kept in _kept(units)])


def without_each_other(level: Weighable, ddof: int) -> Array:
    """Effect size of a level without each of the terms that score its units, shape (n_others,)."""
    units, others = level.shape
    every = np.ones((1, units))
    return np.concatenate([level.effect(every, kept, ddof) for kept in _kept(others)])


def _kept(size: int) -> Iterator[Array]:
    """Rows of ones with one 0, the next place in each row."""
    rows = max(1, HELD // size)
    for start in range(0, size, rows):
        stop = min(start + rows, size)
        kept = np.ones((stop - start, size))
        kept[np.arange(stop - start), np.arange(start, stop)] = 0.0
        yield kept
