"""From resampling and leave-one-out statistics to the records that a result keeps."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from eatlas.errors import UndefinedWarning
from eatlas.measures.patterns import eat_pattern
from eatlas.results.influence import Influence, Level2Influence, TermInfluence
from eatlas.results.ml_eat import Attribute
from eatlas.results.uncertainty import EffectInterval, Interval, Level2Intervals, Uncertainty, Unit
from eatlas.stats.bootstrap import EffectIntervals, EffectsDrawn, bootstrap_layout
from eatlas.stats.influence import Influence as Changes
from eatlas.stats.influence import influence_in
from eatlas.stats.pattern_stability import PatternRule, pattern_stability_in
from eatlas.stats.resampling import Over, Streams, fewest
from eatlas.stats.weighted import Design, Layout

STUDENTISED = 2_048
"""Resamples behind the studentised interval where the percentile interval is the one to report."""
_MOST_WORK = 2 * 10**10
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
    streams: Callable[[], Streams]
    """Makes the generators of the groups anew, so that all figures rest on the same resamples."""
    aside: Callable[[], np.random.Generator]
    """Makes the generator of relabellings."""

    def intervals(
        self, test: Layout, unit: Unit, notes: list[str], what: str = ""
    ) -> tuple[Uncertainty, EffectsDrawn]:
        """Intervals of all three effect sizes, and these in the resamples.

        `what` is said in notes.
        """
        with _noted(notes, what):
            found, drawn = bootstrap_layout(
                test,
                streams=self.streams(),
                over=self.over,
                resamples=self.resamples,
                level=self.confidence,
                ddof=self.ddof,
                with_errors=STUDENTISED if self.over == "both" else None,
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
        ), drawn

    def patterns(
        self,
        test: Design,
        rule: PatternRule,
        drawn: EffectsDrawn,
        notes: list[str],
        what: str = "",
    ) -> dict[str, Any]:
        """Share of the resamples that show each EAT pattern, the nine in one order.

        Returns the fields of :class:`eatlas.results.uncertainty.Uncertainty` that say so.
        """
        with _noted(notes, what):
            found = pattern_stability_in(
                test,
                streams=self.streams(),
                aside=self.aside(),
                over=self.over,
                resamples=self.resamples,
                rule=rule,
                drawn=(drawn.d[1], drawn.d[2]),
            )
        return {"patterns": _by_label(found.share), "patterns_error": _by_label(found.error)}


def allows(test: Layout, over: Over) -> bool:
    """Whether every group that is resampled has two terms, or stimuli."""
    return all(test.groups[role] >= least for role, least in fewest(over).items())


Places = Mapping[str, Sequence[int]]
"""For each unit of a group, in the order of the coverage: its place in the layout."""


def leave_one_out(
    test: Layout, unit: Unit, places: Places, ddof: int, notes: list[str], what: str = ""
) -> Influence | None:
    """Change of each effect size without each term, or without all sentences of each stimulus.

    None where a group has one alone, and where the lists are so long that it would take minutes.
    """
    if min(test.groups.values()) < 2:
        return None
    targets = test.groups["X"] + test.groups["Y"]
    attributes = test.groups["A"] + test.groups["B"]
    if _work(targets, attributes) > _MOST_WORK:
        notes.append(
            f"No influence{what}: {'terms' if unit == 'term' else 'stimuli'} are not left out one "
            f"by one, as that grows with the square of their number ({targets:,} targets, "
            f"{attributes:,} attributes)."
        )
        return None
    with _noted(notes, what):
        found = influence_in(test, ddof=ddof)
    return Influence(
        unit=unit,
        level1=_changes(found.level1, test, "XY", places),
        level2=Level2Influence(
            X=_changes(found.level2_x, test, "X", places),
            Y=_changes(found.level2_y, test, "Y", places),
        ),
    )


def _work(targets: int, attributes: int) -> int:
    """How much leaving out one by one costs: 10**10 of these are about two seconds."""
    return 40 * (targets**2 + attributes**2) + targets * attributes * (targets + attributes)


@contextmanager
def _noted(notes: list[str], what: str = "") -> Iterator[None]:
    """Turn warnings about undefined figures into notes of the result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UndefinedWarning)
        yield
    notes.extend(f"Resampled{what}: {w.message}." for w in caught)


def _by_label(of: Callable[[int, int], float]) -> dict[str, float]:
    signs = product(_OF_SIGN, _OF_SIGN)
    return {eat_pattern(_OF_SIGN[x], _OF_SIGN[y])[0]: round(of(x, y), DECIMALS) for x, y in signs}


def _interval(found: EffectIntervals, over: Over) -> EffectInterval:
    # what covers: with both sides resampled percentile held 94% to 95% on real lists and
    # studentised 93% to 94.5%; with one side percentile held 81% to 93% and studentised 94% to 96%
    reported, error = (
        (found.percentile, found.percentile_error)
        if over == "both"
        else (found.studentised, found.studentised_error)
    )
    return EffectInterval(
        interval=_ends(reported),
        error=_ends(error),
        se=_number(found.se),
        percentile=_ends(found.percentile),
        bca=_ends(found.bca),
        studentised=_ends(found.studentised),
        undefined=found.undefined,
    )


def _ends(ends: Interval) -> Interval | None:
    low, high = map(_number, ends)
    return None if low is None or high is None else (low, high)


def _changes(found: Changes, test: Layout, targets: str, places: Places) -> TermInfluence:
    n_x, n_a = test.groups["X"], test.groups["A"]
    groups = {
        "X": found.targets[:n_x] if "X" in targets else (),
        "Y": found.targets[n_x:] if "Y" in targets else (),
        "A": found.attributes[:n_a],
        "B": found.attributes[n_a:],
    }
    return TermInfluence(
        **{
            role: tuple(_number(values[place]) for place in places[role] if len(values))
            for role, values in groups.items()
        }
    )


def _number(value: float) -> float | None:
    return round(value, DECIMALS) if math.isfinite(value) else None
