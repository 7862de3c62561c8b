"""Record of a WEAT: one differential association."""

from __future__ import annotations

from typing import Any, Literal

from eatlas.results.base import AssociationResult, interval_columns, p_columns, show_effect
from eatlas.results.influence import Influence
from eatlas.results.parts import Level, Record
from eatlas.results.uncertainty import Uncertainty


class TargetScores(Record):
    """Association s(w, A, B) of each target term, in the order of the coverage's used terms."""

    X: tuple[float, ...]
    Y: tuple[float, ...]


class WEATResult(AssociationResult):
    """What :class:`eatlas.WEAT` found."""

    measure: Literal["weat"] = "weat"
    level1: Level
    """The differential association of X and Y with A and B."""
    scores: TargetScores
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
            }
        ]

    def summary(self) -> str:
        """Effect size and one-sided p."""
        return f"d = {show_effect(self.effect_size)}, p(greater) = {self.level1.p.greater:.3g}"
