"""Effect sizes of a test over other stimuli: bootstrap intervals, and each term left out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eatlas.errors import UndefinedWarning
from eatlas.kernels import quantiles
from eatlas.stats.inputs import open_unit, whole
from eatlas.stats.resampling import (
    UNDEFINED,
    Over,
    Streams,
    Studentised,
    acceleration,
    around,
    bca_tails,
    draw,
    errors,
    sides,
    studentised,
    tails,
    without_each_other,
    without_each_unit,
)
from eatlas.stats.weighted import (
    TARGETS,
    Array,
    Layout,
    Weighable,
)

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
    percentile_error: tuple[float, float] = UNDEFINED
    """Monte Carlo standard errors of the ends of the percentile interval: how far other resamples
    of the same number would move them."""
    studentised_error: tuple[float, float] = UNDEFINED
    """The same of the studentised interval."""


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


def bootstrap_layout(
    test: Layout,
    *,
    streams: Streams,
    over: Over,
    resamples: int,
    level: float,
    ddof: int,
    with_errors: int | None = None,
) -> tuple[Bootstrap, EffectsDrawn]:
    """As :func:`bootstrap_effects`, of a layout whose resampled groups have 2 units or more."""
    count, ddof = whole(resamples, "resamples", 1), whole(ddof, "ddof", 0, 1)
    sample = _Sample(test, over, ddof, open_unit(level))
    drawn = sample.draw(count, streams, count if with_errors is None else with_errors)
    notes: list[str] = []
    level1, x, y = (sample.intervals(i, drawn, notes) for i in range(3))
    if notes:
        warnings.warn("; ".join(notes), UndefinedWarning, stacklevel=3)
    found = Bootstrap(level1, x, y, over=over, resamples=count, level=sample.level)
    return found, drawn


@dataclass(frozen=True)
class EffectsDrawn:
    """Effect sizes of resamples, of each of the three levels; NaN without spread."""

    d: tuple[Array, Array, Array]
    """Each of shape (resamples,)."""
    se: tuple[Array, Array, Array]
    """Standard errors of the first of them."""
    bound: tuple[Array, Array, Array]
    """Greatest magnitudes of these."""


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

    def draw(self, count: int, streams: Streams, with_errors: int) -> EffectsDrawn:
        """Effect sizes of all resamples, and standard errors of the first of them."""
        parts: list[list[tuple[Array, Array, Array]]] = [[], [], []]
        further: list[list[Array]] = [[], [], []]
        done = 0
        for weights in draw(self.test, self.over, count, streams):
            for i, pair in enumerate(self.test.sides(weights)):
                if done < with_errors:
                    parts[i].append(self._error(i, *pair))
                else:
                    further[i].append(
                        self.test.levels[i].effect(*pair, self.ddof, whole=weights.whole)
                    )
            done += max(len(weights.targets), len(weights.attributes))
        joined = [
            [np.concatenate(column) for column in zip(*some, strict=True)]
            if some
            else [np.empty(0)] * 3
            for some in parts
        ]
        d, se, bound = zip(*joined, strict=True)
        d = tuple(np.concatenate([first, *rest]) for first, rest in zip(d, further, strict=True))
        return EffectsDrawn(d, se, bound)

    def _error(self, i: int, units: Array, others: Array) -> tuple[Array, Array, Array]:
        """Effect size, its standard error and greatest magnitude, one a set of weights."""
        level, over = self.test.levels[i], self.resampled(i)
        d, variance = level.effect_and_variance(units, others, self.ddof, over)
        bound = np.broadcast_to(level.bound(units, self.ddof), d.shape)
        return d, np.sqrt(variance), bound

    def intervals(self, i: int, drawn: EffectsDrawn, notes: list[str]) -> EffectIntervals:
        """All figures of one level; what is undefined goes into `notes`."""
        estimate = self._error(i, *self.test.sides(self.test.as_is)[i])
        d, se, bound = (float(figure[0]) for figure in estimate)
        every = drawn.d[i]
        values = every[~np.isnan(every)]
        student = self._studentised((d, se, bound), i, drawn)
        ends = tails(self.level)
        wanted = [*ends, *around(ends, max(1, values.size))]
        corrected = bca_tails(values, d, acceleration(self._leaving_one_out(i)), self.level)
        at = quantiles(values, [*wanted, *(corrected or ())]).tolist()
        found = EffectIntervals(
            estimate=d,
            se=float(np.std(values, ddof=1)) if values.size > 1 else math.nan,
            percentile=(at[0], at[1]),
            bca=(at[6], at[7]) if corrected else UNDEFINED,
            studentised=student.ends,
            undefined=every.size - values.size,
            unstudentised=student.left_out,
            percentile_error=errors(at[2:6]),
            studentised_error=student.errors,
        )
        notes.extend(_remarks(NAMES[i], found, every.size))
        return found

    def _studentised(
        self, estimate: tuple[float, float, float], i: int, drawn: EffectsDrawn
    ) -> Studentised:
        """The studentised interval from the resamples that have standard errors."""
        d, se, bound = estimate
        first = drawn.d[i][: drawn.se[i].size]
        defined = ~np.isnan(first)
        some = first[defined], drawn.se[i][defined]
        return studentised((d, se), some, bound, self.level, drawn.bound[i][defined])

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


Side = Literal["targets", "attributes"]


@dataclass(frozen=True)
class Driver:
    """A term that holds an effect size up: without it, d is nearer to 0."""

    side: Side
    """Whether it is a target or an attribute."""
    index: int
    """Its row or column in the block of cosines."""
    change: float
    """d without the term less d; of the sign opposite to d."""


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

    def drivers(self, count: int | None = None) -> tuple[Driver, ...]:
        """Terms without which d is nearer to 0 (or past it), the strongest first.

        Parameters
        ----------
        count : int, optional
            So many at most; all by default.

        Raises
        ------
        EatlasError
            For a negative count.

        Examples
        --------
        >>> found = Influence(1.0, (-0.2, 0.1, 0.0), (-0.5, 0.3)).drivers()
        >>> [(driver.side, driver.index, driver.change) for driver in found]
        [('attributes', 0, -0.5), ('targets', 0, -0.2)]
        """
        changes: dict[Side, tuple[float, ...]] = {
            "targets": self.targets,
            "attributes": self.attributes,
        }
        holding = [
            Driver(side, i, change)
            for side, values in changes.items()
            for i, change in enumerate(values)
            if change * self.estimate < 0
        ]
        holding.sort(key=lambda driver: -abs(driver.change))
        return tuple(holding if count is None else holding[: whole(count, "count", 0)])


@dataclass(frozen=True)
class Influences:
    """The influence of every term on the three effect sizes of one test."""

    level1: Influence
    """On the differential association of X and Y."""
    level2_x: Influence
    """On the association of X alone."""
    level2_y: Influence
    """On the association of Y alone."""


def influence_in(test: Layout, *, ddof: int = 1) -> Influences:
    """As :func:`influence`, of a layout whose groups have 2 units or more."""
    ddof = whole(ddof, "ddof", 0, 1)
    level1, x, y = test.levels
    unused_x, unused_y = (np.zeros(test.groups[role]) for role in TARGETS)
    d1, d_x, d_y = (_estimate(level, ddof) for level in test.levels)
    found = Influences(
        _influence(d1, without_each_unit(level1, ddof) - d1, without_each_other(level1, ddof) - d1),
        _influence(
            d_x,
            np.concatenate([without_each_other(x, ddof) - d_x, unused_y]),
            without_each_unit(x, ddof) - d_x,
        ),
        _influence(
            d_y,
            np.concatenate([unused_x, without_each_other(y, ddof) - d_y]),
            without_each_unit(y, ddof) - d_y,
        ),
    )
    _warn(found)
    return found


def _estimate(level: Weighable, ddof: int) -> float:
    units, others = level.shape
    return float(level.effect(np.ones((1, units)), np.ones((1, others)), ddof)[0])


def _influence(d: float, targets: Array, attributes: Array) -> Influence:
    return Influence(d, tuple(targets.tolist()), tuple(attributes.tolist()))


def _warn(found: Influences) -> None:
    """Warn of effect sizes that are undefined, or would be without one of the terms."""
    named = {
        "level 1": found.level1,
        "level 2 of X": found.level2_x,
        "level 2 of Y": found.level2_y,
    }
    notes = []
    for name, one in named.items():
        lost = sum(map(math.isnan, one.targets + one.attributes))
        if math.isnan(one.estimate):
            notes.append(f"{name} has no effect size: its scores do not differ")
        elif lost:
            notes.append(f"{name} has no effect size without any one of {lost} terms")
    if notes:
        warnings.warn("; ".join(notes), UndefinedWarning, stacklevel=4)
