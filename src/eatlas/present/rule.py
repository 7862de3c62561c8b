"""What the rule by which a result is read means, in words."""

from __future__ import annotations

from eatlas import results
from eatlas.present.numerals import level_of, p_value
from eatlas.results.parts import TAILS, Level

BOUNDS = "A p after ≤, or between brackets, is known by certain bounds alone."
"""What a legend adds where a p-value is shown by bounds."""


class Rule(results.Rule):
    """The level and the tail by which a result is read, with what a legend says of them."""

    def bounds_shown(self, level: Level) -> bool:
        """Whether any p-value of a level is shown by bounds, as its one number is not known."""
        shown = (p_value(level.p.tail(t), self.alpha, level.p.low(t)) for t in TAILS)
        return any(text.startswith(("≤", "[")) for text in shown)

    @property
    def meaning(self) -> str:
        """What the star says."""
        tail = "two-sided" if self.tail == "two-sided" else "in the direction of d"
        return f"* p < {level_of(self.alpha)} {tail}"
