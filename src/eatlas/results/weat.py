"""Record of a WEAT: one differential association."""

from __future__ import annotations

import sys
from typing import Annotated, Any, ClassVar, Literal

from eatlas.results.base import AssociationResult
from eatlas.results.effects import shown
from eatlas.results.inference import Equivalence, Generalisation, Power, inference_columns
from eatlas.results.influence import Influence
from eatlas.results.parts import OF_ROLES, Level, Record, SentenceCounts, TargetScores, effect_of
from eatlas.results.uncertainty import Uncertainty


class StimulusWEAT(Record):
    """A WEAT over stimuli: the associations of a stimulus' sentences are averaged first.

    Sentences of one stimulus are not independent, and some stimuli have more of them than others.
    """

    sentences: Annotated[SentenceCounts, OF_ROLES]
    level1: Level | None
    """None where the sentences of X, or of Y, are made of one stimulus."""
    scores: TargetScores
    """Mean association of each stimulus' sentences, in the order of `sentences`."""
    uncertainty: Uncertainty | None = None
    """Intervals of these effect sizes, from the same resamples as those of the sentences', and how
    often each EAT pattern over stimuli is seen."""
    influence: Influence | None = None
    """Change of these effect sizes without each stimulus; None where a group has one
    stimulus alone, and in older results."""


class WEATResult(AssociationResult):
    """What :class:`eatlas.WEAT` found."""

    display_name: ClassVar[str] = "WEAT"
    full_name: ClassVar[str] = (
        "the Word Embedding Association Test (WEAT; Caliskan, Bryson and Narayanan 2017)"
    )
    remark: ClassVar[str] = (
        "A WEAT compares two targets; it does not say what either is associated with by itself."
    )
    places: ClassVar[tuple[str, ...]] = ("level1",)

    measure: Literal["weat"] = "weat"
    level1: Level
    """The differential association of X and Y with A and B."""
    scores: TargetScores
    stimulus_level: StimulusWEAT | None = None
    """The same over stimuli; None in tests of words, and where each has one sentence."""
    uncertainty: Uncertainty | None = None
    """Intervals; None where the measure was told not to resample, or a group has one term alone."""
    influence: Influence | None = None
    """Change of the effect size without each term; None where a group has one term alone."""
    generalisation: Generalisation | None = None
    """Whether other targets and other attributes would show it; None in results of older versions
    alone."""
    power: Power | None = None
    """What a design of these sizes can find."""
    equivalence: Equivalence | None = None
    """Whether the effect is smaller than the smallest one of interest; None where none was
    stated."""

    @property
    def effect_size(self) -> float | None:
        """Effect size d that is read, in standard deviations.

        Over stimuli where one has several sentences. None where the scores have no spread, and
        where a target group has one stimulus alone.
        """
        return effect_of(self.primary.level1)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the effect size and the three tails, then those over single sentences."""
        (effect,) = self.effects()
        row = {
            **self.head(),
            "read_over": effect.read_over,
            **effect.columns(),
            "method": effect.p and effect.p.method_of("greater"),
            **inference_columns(self.effects(), self.equivalence),
            **self.frequency_columns(),
            **self.columns_over_sentences(),
        }
        return [row]

    def summary(self) -> str:
        """Effect size and one-sided p."""
        (effect,) = self.effects()
        if effect.p is None:
            return "d is undefined over stimuli"
        low, p = effect.p.low("greater"), f"{effect.p.greater:.3g}"
        known = (
            f"= {p}" if low is None else f"in [{0 if low < sys.float_info.min else low:.3g}, {p}]"
        )
        over = " over stimuli" * self.primary.over_stimuli
        return f"d = {shown(effect.d)}, p(greater) {known}{over}"
