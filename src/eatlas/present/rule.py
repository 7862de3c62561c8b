"""Which tail a measure reads, and what earns a star."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eatlas.errors import SignatureError
from eatlas.present.numerals import level_of, p_value
from eatlas.results import AssociationResult, ThreeLevelResult
from eatlas.results.parts import TAILS, Level, Tail
from eatlas.signature import Signature

DEFAULT_ALPHA = 0.05
BOUNDS = "A p after ≤, or between brackets, is known by certain bounds alone."
"""What a legend adds where a p-value is shown by bounds."""


@dataclass(frozen=True)
class Rule:
    """The level and the tail by which a result is read.

    Parameters
    ----------
    alpha : float
        Significance level.
    tail : {"directional", "two-sided"}
        Directional reads the tail of the sign that was observed, as the published tables do.
    """

    alpha: float = DEFAULT_ALPHA
    tail: Literal["directional", "two-sided"] = "directional"

    @classmethod
    def of(cls, result: AssociationResult) -> Rule:
        """The rule of the measure that gave a result."""
        if isinstance(result, ThreeLevelResult):
            return cls(result.pattern.alpha, result.pattern.tail)
        try:
            alpha = dict(Signature.parse(result.signature).params).get("alpha")
        except SignatureError:  # of another package's measure; its own figures still stand
            alpha = None
        return cls(alpha if isinstance(alpha, float) else DEFAULT_ALPHA)

    @staticmethod
    def studentised(result: AssociationResult) -> bool:
        """Whether a measure relabels the difference of means over its standard error."""
        try:
            found = dict(Signature.parse(result.signature).params).get("statistic")
        except SignatureError:
            return False
        return found == "studentised"

    def tail_of(self, level: Level) -> Tail:
        """Return the tail that the rule reads."""
        if self.tail == "two-sided":
            return "two_sided"
        return "greater" if (level.effect_size or 0.0) > 0 else "less"

    def p(self, level: Level) -> float:
        """Return the p-value that the rule reads."""
        return level.p.tail(self.tail_of(level))

    def p_low(self, level: Level) -> float | None:
        """Return the lower bound of that p-value where only bounds are known, else None."""
        return level.p.low(self.tail_of(level))

    def significant(self, level: Level) -> bool:
        """Whether the effect size is defined and its p-value is below alpha."""
        return level.effect_size is not None and self.p(level) < self.alpha

    def star(self, level: Level) -> str:
        """A star for a significant effect size, as in the papers' tables."""
        return "*" if self.significant(level) else ""

    def bounds_shown(self, level: Level) -> bool:
        """Whether any p-value of a level is shown by bounds, as its one number is not known."""
        shown = (p_value(level.p.tail(t), self.alpha, level.p.low(t)) for t in TAILS)
        return any(text.startswith(("≤", "[")) for text in shown)

    @property
    def meaning(self) -> str:
        """What the star says."""
        tail = "two-sided" if self.tail == "two-sided" else "in the direction of d"
        return f"* p < {level_of(self.alpha)} {tail}"
