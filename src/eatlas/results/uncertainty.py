"""Records of how effect sizes and patterns vary when the stimuli are drawn again."""

from __future__ import annotations

from typing import ClassVar, Literal

from eatlas.results.parts import ByGroup, Record
from eatlas.stimuli.model import TARGETS

Over = Literal["targets", "attributes", "both"]
Interval = tuple[float, float]
Unit = Literal["term", "stimulus", "cluster"]
"""What is drawn again or left out: a term, a stimulus with all its sentences, or a cluster of words
that the test names, with all of them."""


class EffectInterval(Record):
    """One effect size over bootstrap resamples of the stimuli; None where undefined."""

    se: float | None
    """Standard deviation over the resamples."""
    percentile: Interval | None
    bca: Interval | None
    """Efron's bias-corrected and accelerated interval."""
    studentised: Interval | None
    """Bootstrap-t on Fisher's scale."""
    interval: Interval | None
    """The one to report, which tables and charts show: of the three, the one that covers best where
    the same stimuli were resampled in simulations. Percentile for both, else studentised."""
    error: Interval | None = None
    """Monte Carlo standard errors of its ends: how far other resamples of the same number would
    move them. None in results of versions that did not say."""
    undefined: int = 0
    """Resamples whose scores have no spread, left out."""


class Level2Intervals(ByGroup[EffectInterval]):
    """Intervals of both level 2 effect sizes."""

    names: ClassVar = TARGETS


class Uncertainty(Record):
    """How far the findings depend on the very terms that stand for the concepts."""

    over: Over
    """Which stimuli were resampled, within their groups."""
    unit: Unit = "term"
    """Sentences are resampled by stimulus, all of one together, where one has several."""
    resamples: int
    confidence: float
    """Nominal confidence of the intervals, such as 0.95."""
    level1: EffectInterval
    level2: Level2Intervals | None = None
    """None where the measure has no level 2."""
    patterns: dict[str, float] | None = None
    """Share of the resamples that show each of the nine EAT patterns, under the measure's rule: no
    probability that a study with other stimuli replicates a pattern.

    None without level 2, and over the sentences of a test: see ``stimulus_level``."""
    patterns_error: dict[str, float] | None = None
    """Monte Carlo standard errors of these shares. None in results of versions that did not say."""

    def share(self, label: str) -> float | None:
        """Share of the resamples that show one pattern."""
        return None if self.patterns is None else self.patterns.get(label)
