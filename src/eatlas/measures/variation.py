"""From resampling and leave-one-out statistics to the records that a result keeps."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

import numpy as np

from eatlas.errors import UndefinedWarning
from eatlas.measures.patterns import eat_pattern
from eatlas.results.influence import Influence, Level2Influence, TermInfluence
from eatlas.results.ml_eat import Attribute
from eatlas.results.uncertainty import EffectInterval, Interval, Level2Intervals, Uncertainty, Unit
from eatlas.stats.bootstrap import EffectIntervals, bootstrap_layout
from eatlas.stats.influence import Influence as Changes
from eatlas.stats.influence import influence_in
from eatlas.stats.pattern_stability import PatternRule, PatternStability, pattern_stability_in
from eatlas.stats.resampling import Over, fewest
from eatlas.stats.weighted import Design, Layout

DECIMALS = 6
"""Kept of figures whose own error is larger by far."""
_OF_SIGN: dict[int, Attribute | None] = {1: "A", 0: None, -1: "B"}


@dataclass(frozen=True)
class Variation:
    """How the findings of one test vary with its stimuli."""

    influence: Influence | None
    uncertainty: Uncertainty | None = None
    over_stimuli: Uncertainty | None = None
    """The same of the effect sizes over stimuli, where stimuli have several sentences."""
    influence_over_stimuli: Influence | None = None

    @property
    def of_level1(self) -> Variation:
        """Without what belongs to level 2."""
        drop: dict[str, None] = {"level2": None}
        return Variation(
            self.influence and self.influence.model_copy(update=drop),
            self.uncertainty and self.uncertainty.model_copy(update=drop),
            self.over_stimuli and self.over_stimuli.model_copy(update=drop),
            self.influence_over_stimuli and self.influence_over_stimuli.model_copy(update=drop),
        )

    @property
    def of_stimuli(self) -> dict[str, Uncertainty | Influence | None]:
        """Fields of a record over stimuli."""
        return {"uncertainty": self.over_stimuli, "influence": self.influence_over_stimuli}


@dataclass(frozen=True)
class Resampling:
    """How the stimuli of a test are drawn again."""

    resamples: int
    over: Over
    confidence: float
    ddof: int

    def intervals(
        self, test: Layout, unit: Unit, rng: np.random.Generator, notes: list[str], what: str = ""
    ) -> Uncertainty:
        """Intervals of all three effect sizes; `what` is said in notes."""
        with _noted(notes, what):
            found = bootstrap_layout(
                test,
                rng=rng,
                over=self.over,
                resamples=self.resamples,
                level=self.confidence,
                ddof=self.ddof,
            )
        return Uncertainty(
            over=self.over,
            unit=unit,
            resamples=self.resamples,
            confidence=self.confidence,
            level1=_interval(found.level1, self.over),
            level2=Level2Intervals(
                X=_interval(found.level2_x, self.over), Y=_interval(found.level2_y, self.over)
            ),
        )

    def patterns(
        self,
        test: Design,
        rule: PatternRule,
        rng: np.random.Generator,
        notes: list[str],
        what: str = "",
    ) -> dict[str, float]:
        """Share of the resamples that show each EAT pattern, the nine in one order."""
        with _noted(notes, what):
            found = pattern_stability_in(
                test, rng=rng, over=self.over, resamples=self.resamples, rule=rule
            )
        return _by_label(found)


def allows(test: Layout, over: Over) -> bool:
    """Whether every group that is resampled has two terms, or stimuli."""
    return all(test.groups[role] >= least for role, least in fewest(over).items())


def leave_one_out(
    test: Layout, unit: Unit, ddof: int, notes: list[str], what: str = ""
) -> Influence | None:
    """Change of each effect size without each term, or without all sentences of each stimulus.

    None where a group has one alone.
    """
    if min(test.groups.values()) < 2:
        return None
    with _noted(notes, what):
        found = influence_in(test, ddof=ddof)
    return Influence(
        unit=unit,
        level1=_changes(found.level1, test, "XY"),
        level2=Level2Influence(
            X=_changes(found.level2_x, test, "X"), Y=_changes(found.level2_y, test, "Y")
        ),
    )


@contextmanager
def _noted(notes: list[str], what: str = "") -> Iterator[None]:
    """Turn warnings about undefined figures into notes of the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UndefinedWarning)
        yield
    notes.extend(f"Resampled{what}: {w.message}." for w in caught)


def _by_label(found: PatternStability) -> dict[str, float]:
    signs = product(_OF_SIGN, _OF_SIGN)
    return {eat_pattern(_OF_SIGN[x], _OF_SIGN[y])[0]: round(found.share(x, y), 6) for x, y in signs}


def _interval(found: EffectIntervals, over: Over) -> EffectInterval:
    # what covers: with both sides resampled percentile held 94% to 95% on real lists and
    # studentised 93% to 94.5%; with one side percentile held 81% to 93% and studentised 94% to 96%
    return EffectInterval(
        interval=_ends(found.percentile if over == "both" else found.studentised),
        se=_number(found.se),
        percentile=_ends(found.percentile),
        bca=_ends(found.bca),
        studentised=_ends(found.studentised),
        undefined=found.undefined,
    )


def _ends(ends: Interval) -> Interval | None:
    low, high = map(_number, ends)
    return None if low is None or high is None else (low, high)


def _changes(found: Changes, test: Layout, targets: str) -> TermInfluence:
    n_x, n_a = test.groups["X"], test.groups["A"]
    groups = {
        "X": found.targets[:n_x] if "X" in targets else (),
        "Y": found.targets[n_x:] if "Y" in targets else (),
        "A": found.attributes[:n_a],
        "B": found.attributes[n_a:],
    }
    return TermInfluence(**{role: tuple(map(_number, values)) for role, values in groups.items()})


def _number(value: float) -> float | None:
    return round(value, DECIMALS) if math.isfinite(value) else None
