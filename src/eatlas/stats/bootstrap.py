"""Bootstrap intervals of the effect sizes of an association test over its stimuli."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eatlas.errors import UndefinedWarning
from eatlas.stats.bootstrap_intervals import acceleration, bca, percentile, studentised
from eatlas.stats.inputs import generator, open_unit, whole
from eatlas.stats.leave_one_out import without_each_other, without_each_unit
from eatlas.stats.resampling import Over, draw, fewest, sides
from eatlas.stats.weighted import Array, Layout, Weights, design

NAMES = ("level 1", "level 2 of X", "level 2 of Y")
"""The three effect sizes in order."""


@dataclass(frozen=True)
class EffectIntervals:
    """One effect size and how it varies with the stimuli."""

    estimate: float
    """The effect size d of the terms as they are; NaN without spread."""
    se: float
    """Standard deviation (ddof 1) of d over the resamples; NaN for fewer than 2 defined ones."""
    percentile: tuple[float, float]
    """Central share of the resamples. Too narrow for short lists."""
    bca: tuple[float, float]
    """Efron's bias-corrected and accelerated interval."""
    studentised: tuple[float, float]
    """Bootstrap-t on Fisher's scale: the one to report where one side alone is resampled."""
    undefined: int
    """Resamples whose scores have no spread, left out of all figures."""
    unstudentised: int
    """Further resamples that have an effect size but no standard error (groups without spread of
    their own), left out of the studentised interval alone."""


@dataclass(frozen=True)
class Bootstrap:
    """Intervals of the three effect sizes of one test."""

    level1: EffectIntervals
    """Of the differential association of X and Y."""
    level2_x: EffectIntervals
    """Of the association of X alone."""
    level2_y: EffectIntervals
    """Of the association of Y alone."""
    over: Over
    """Which stimuli were resampled: targets, attributes or both."""
    resamples: int
    """Resamples drawn, undefined ones among them."""
    level: float
    """Nominal confidence of the intervals."""


def bootstrap_effects(
    cosines: ArrayLike,
    n_x: int,
    n_a: int,
    *,
    rng: np.random.Generator,
    over: Over = "targets",
    resamples: int = 10_000,
    level: float = 0.95,
    ddof: int = 1,
) -> Bootstrap:
    """Resample the stimuli of a test within their groups and find intervals of its effect sizes.

    Parameters
    ----------
    cosines : array_like, shape (n_targets, n_attributes)
        Rows X then Y, columns A then B. Every resampled group needs 2 terms.
    n_x, n_a : int
        Rows of X, columns of A.
    rng : numpy.random.Generator
        Draws the resamples. Those of `pattern_stability` are the same for the same state.
    over : {"targets", "attributes", "both"}
        Which stimuli are a sample of what they stand for. Both: rows and columns are drawn
        independently (the pigeonhole bootstrap).
    resamples : int
        1 or more.
    level : float
        Confidence, in (0, 1).
    ddof : {1, 0}
        The standard deviation divides by N - ddof.

    Returns
    -------
    Bootstrap

    Raises
    ------
    EatlasError
        For input outside these ranges.

    Warns
    -----
    UndefinedWarning
        When resamples have no spread, or an interval does not exist.

    Notes
    -----
    Percentile and BCa: Efron (1987), Better bootstrap confidence intervals, Journal of the
    American Statistical Association 82. Both sides: Owen (2007), The pigeonhole bootstrap,
    Annals of Applied Statistics 1.

    Examples
    --------
    >>> block = np.add.outer([3.0, 2.0, 4.0, -1.0, -2.0, 1.0], [0.0, 0.1, 0.0, 0.1])
    >>> block[:, 2:] *= -1
    >>> found = bootstrap_effects(block, 3, 2, rng=np.random.default_rng(0), resamples=500)
    >>> round(found.level1.estimate, 6), found.over, found.level1.undefined
    (1.582775, 'targets', 0)
    """
    test = design(cosines, n_x, n_a, fewest(over))
    return bootstrap_layout(test, rng=rng, over=over, resamples=resamples, level=level, ddof=ddof)


def bootstrap_layout(
    test: Layout,
    *,
    rng: np.random.Generator,
    over: Over,
    resamples: int,
    level: float,
    ddof: int,
) -> Bootstrap:
    """As :func:`bootstrap_effects`, of a layout whose resampled groups have 2 units or more."""
    count, ddof = whole(resamples, "resamples", 1), whole(ddof, "ddof", 0, 1)
    sample = _Sample(test, over, ddof, open_unit(level))
    chunks = [sample.errors(weights) for weights in draw(test, over, count, generator(rng))]
    notes: list[str] = []
    level1, x, y = (sample.intervals(i, _joined([c[i] for c in chunks]), notes) for i in range(3))
    if notes:
        warnings.warn("; ".join(notes), UndefinedWarning, stacklevel=3)
    return Bootstrap(level1, x, y, over=over, resamples=count, level=sample.level)


Drawn = tuple[Array, Array, Array]
"""Effect sizes of one level, their standard errors and greatest magnitudes, one a resample."""


def _joined(parts: list[Drawn]) -> Drawn:
    d, se, bound = (np.concatenate(column) for column in zip(*parts, strict=True))
    return d, se, bound


@dataclass(frozen=True)
class _Sample:
    """A test and what is taken as a sample in it."""

    test: Layout
    over: Over
    ddof: int
    level: float

    def resampled(self, i: int) -> tuple[bool, bool]:
        """Whether the units of a level, and the terms of their other side, are resampled."""
        targets, attributes = sides(self.over)
        return (targets, attributes) if i == 0 else (attributes, targets)

    def errors(self, weights: Weights) -> list[Drawn]:
        """Effect size and standard error of the three levels."""
        return [self._error(i, *pair) for i, pair in enumerate(self.test.sides(weights))]

    def _error(self, i: int, units: Array, others: Array) -> Drawn:
        level, over = self.test.levels[i], self.resampled(i)
        d, variance = level.effect_and_variance(units, others, self.ddof, over)
        bound = np.broadcast_to(level.bound(units, self.ddof), d.shape)
        return d, np.sqrt(variance), bound

    def intervals(self, i: int, drawn: Drawn, notes: list[str]) -> EffectIntervals:
        """All figures of one level; what is undefined goes into `notes`."""
        estimate = self._error(i, *self.test.sides(self.test.as_is)[i])
        d, se, bound = (float(figure[0]) for figure in estimate)
        defined = ~np.isnan(drawn[0])
        values, errors, bounds = (figures[defined] for figures in drawn)
        student, left_out = studentised((d, se), (values, errors), bound, self.level, bounds)
        found = EffectIntervals(
            estimate=d,
            se=float(np.std(values, ddof=1)) if values.size > 1 else math.nan,
            percentile=percentile(values, self.level),
            bca=bca(values, d, acceleration(self._leaving_one_out(i)), self.level),
            studentised=student,
            undefined=defined.size - values.size,
            unstudentised=left_out,
        )
        notes.extend(_remarks(NAMES[i], found, defined.size))
        return found

    def _leaving_one_out(self, i: int) -> list[Array]:
        """Effect sizes without each term, for each resampled group."""
        level, groups = self.test.levels[i], []
        over_units, over_others = self.resampled(i)
        if over_units:
            d = without_each_unit(level, self.ddof)
            groups += [d[: level.n], d[level.n :]]
        if over_others:
            d = without_each_other(level, self.ddof)
            groups += [d[where] for where, _ in level.others]
        return groups


def _remarks(name: str, found: EffectIntervals, count: int) -> list[str]:
    """What the reader must know about the figures of one level."""
    remarks = []
    if found.undefined:
        remarks.append(
            f"{name}: {found.undefined} of {count} resamples have no spread and are left out"
        )
    kinds = {"percentile": found.percentile, "BCa": found.bca, "studentised": found.studentised}
    missing = [kind for kind, ends in kinds.items() if math.isnan(ends[0])]
    if missing:
        remarks.append(f"{name} has no {' or '.join(missing)} interval")
    return remarks
