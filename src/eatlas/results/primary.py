"""The findings of a result that are read: over stimuli where one has several sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from eatlas.results.parts import Coverage, Level, SentenceCounts, TargetScores

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult
    from eatlas.results.influence import Influence
    from eatlas.results.ml_eat import Attribute, Level2, Pattern
    from eatlas.results.uncertainty import Uncertainty

ReadOver = Literal["terms", "stimuli"]
UNDEFINED = "undefined"
"""Stands for the label of a pattern that is not defined."""


@dataclass(frozen=True)
class Primary:
    """Levels, pattern and uncertainty that tables, maps, sentences and families read.

    In a test of words they are those of the result itself. Where a stimulus has several sentences
    they are those over stimuli: the sentences of one stimulus are not independent, so p-values that
    relabel single sentences are smaller than the number of stimuli warrants. What is undefined over
    stimuli is None here; the figures over sentences never stand in for it.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample")[0]
    >>> result.primary.over, result.primary.level1.n, result.level1.n
    ('stimuli', (6, 6), (18, 73))
    """

    over: ReadOver
    """What a score belongs to and what is relabelled."""
    level1: Level | None
    """None where a target group has one stimulus alone, and in measures without it."""
    level2: Level2 | None
    """None where an attribute group has one stimulus alone, and in measures without it."""
    pattern: Pattern | None
    """None where level 2 is."""
    scores: TargetScores
    """Of the stimuli of X and Y, or of their terms."""
    uncertainty: Uncertainty | None
    influence: Influence | None
    """Change of these effect sizes without each term or stimulus."""
    coverage: Coverage
    sentences: SentenceCounts | None = None
    """Sentences of each stimulus; None where terms are read."""

    @property
    def over_stimuli(self) -> bool:
        """Whether stimuli are read, not terms."""
        return self.over == "stimuli"

    @property
    def label(self) -> str:
        """Label of the EAT pattern, or "undefined"."""
        return self.pattern.label if self.pattern else UNDEFINED

    @property
    def two_sided_label(self) -> str:
        """Label of the pattern under the two-sided rule, or "undefined"."""
        return self.pattern.two_sided_label if self.pattern else UNDEFINED

    @property
    def share(self) -> float | None:
        """Share of the resamples that show the pattern; None where it is not known."""
        if self.pattern is None or self.uncertainty is None:
            return None
        return self.uncertainty.share(self.pattern.label)

    def group(self, role: str) -> Level | None:
        """Return the level 2 of X or Y; None where it is undefined over stimuli."""
        return None if self.level2 is None else self.level2.group(role)

    def attribute(self, role: str) -> Attribute | None:
        """Return the attribute that X or Y is associated with."""
        return None if self.pattern is None else self.pattern.of(role)

    def names(self, role: str) -> tuple[str, ...]:
        """Return what is relabelled in X, Y, A or B: stimuli, or terms."""
        if self.sentences is not None:
            return tuple(self.sentences.group(role))
        return self.coverage.group(role).scored

    @property
    def alone(self) -> tuple[str, ...]:
        """The groups with one stimulus alone, so that a level over stimuli is undefined."""
        if self.sentences is None:
            return ()
        return tuple(role for role in self.coverage if len(self.names(role)) < 2)


def primary_of(result: AssociationResult) -> Primary:
    """Take the findings over stimuli where there are any, else those of the result itself."""
    found = result.stimulus_level
    read = result if found is None else found
    return Primary(
        over="terms" if found is None else "stimuli",
        level1=getattr(read, "level1", None),
        level2=getattr(read, "level2", None),
        pattern=getattr(read, "pattern", None),
        scores=getattr(read, "scores", TargetScores(X=(), Y=())),
        uncertainty=read.uncertainty,
        influence=read.influence,
        coverage=result.coverage,
        sentences=None if found is None else found.sentences,
    )
