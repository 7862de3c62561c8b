"""Record of a WEAT: one differential association."""

from __future__ import annotations

from typing import Any, Literal

from eatlas.results.base import AssociationResult, interval_columns, p_columns, show_effect
from eatlas.results.influence import Influence
from eatlas.results.parts import Level, Record
from eatlas.results.uncertainty import Uncertainty


def stimulus_columns(level: Level | None, suffix: str = "") -> dict[str, Any]:
    """Effect size and p-values over stimuli as columns of a table."""
    if level is None:
        tails = ("greater", "less", "two_sided")
        return dict.fromkeys(
            [f"stimulus_{name}{suffix}" for name in ("effect_size", *(f"p_{t}" for t in tails))]
        )
    found = {f"effect_size{suffix}": level.effect_size, **p_columns(level.p, suffix)}
    return {f"stimulus_{name}": value for name, value in found.items()}


class TargetScores(Record):
    """Association s(w, A, B) of each target term, in the order of the coverage's used terms.

    Empty where there are more than 10,000 terms, sentences of a corpus.
    """

    X: tuple[float, ...]
    Y: tuple[float, ...]


class SentenceCounts(Record):
    """Used sentences of each stimulus, in order of its first one."""

    X: dict[str, int]
    Y: dict[str, int]
    A: dict[str, int]
    B: dict[str, int]

    def group(self, role: str) -> dict[str, int]:
        """Return the counts of one of X, Y, A, B."""
        counts: dict[str, int] = getattr(self, role)
        return counts


class StimulusWEAT(Record):
    """A WEAT over stimuli: the associations of a stimulus' sentences are averaged first.

    Sentences of one stimulus are not independent, and some stimuli have more of them than others.
    """

    sentences: SentenceCounts
    level1: Level | None
    """None where the sentences of X, or of Y, are made of one stimulus."""
    scores: TargetScores
    """Mean association of each stimulus' sentences, in the order of `sentences`."""
    uncertainty: Uncertainty | None = None
    """Intervals of these effect sizes, from the same resamples as those of the sentences', and how
    often each EAT pattern over stimuli comes back."""

    def columns(self) -> dict[str, Any]:
        """Columns of a table, beside those of the sentences."""
        return stimulus_columns(self.level1)


class WEATResult(AssociationResult):
    """What :class:`eatlas.WEAT` found."""

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

    @property
    def effect_size(self) -> float | None:
        """Effect size d, in standard deviations; None where the scores have no spread."""
        return self.level1.effect_size

    def rows(self) -> list[dict[str, Any]]:
        """One row: the effect size and the three tails."""
        return [
            {
                **self.head(),
                "effect_size": self.effect_size,
                **interval_columns(self.uncertainty.level1.interval if self.uncertainty else None),
                **p_columns(self.level1.p),
                "method": self.level1.p.method_of("greater"),
                **({} if self.stimulus_level is None else self.stimulus_level.columns()),
            }
        ]

    def summary(self) -> str:
        """Effect size and one-sided p."""
        return f"d = {show_effect(self.effect_size)}, p(greater) = {self.level1.p.greater:.3g}"
