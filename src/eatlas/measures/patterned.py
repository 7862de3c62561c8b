"""What measures with an EAT pattern share: the rule by which a target is associated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from eatlas.measures.base import AssociationMeasure
from eatlas.measures.patterns import TailRule, association_of, eat_pattern
from eatlas.results.ml_eat import Attribute, Level2, Pattern


@dataclass(frozen=True)
class PatternMeasure(AssociationMeasure):
    """A measure that finds the EAT pattern of its level 2 associations.

    Parameters
    ----------
    tail : {"directional", "two-sided"}
        Which p-value decides on an association.
    threshold : float
        A level 2 association needs ``|d| > threshold``.
    """

    tail: TailRule = "directional"
    threshold: float = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("tail", " or ".join(get_args(TailRule)), ok=self.tail in get_args(TailRule))
        number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        self._check("threshold", "a number from 0", ok=number and self.threshold >= 0)

    def pattern(self, level2: Level2) -> Pattern:
        """Find the pattern of two associations, under this rule and under the two-sided one."""

        def associations(rule: TailRule) -> dict[str, Attribute | None]:
            limits = {"alpha": self.alpha, "threshold": self.threshold}
            return {r: association_of(level2.group(r), rule, **limits) for r in ("X", "Y")}

        chosen, two_sided = associations(self.tail), associations("two-sided")
        label, direction = eat_pattern(chosen["X"], chosen["Y"])
        two_sided_label, two_sided_direction = eat_pattern(two_sided["X"], two_sided["Y"])
        return Pattern(
            label=label,
            direction=direction,
            two_sided_label=two_sided_label,
            two_sided_direction=two_sided_direction,
            **chosen,
            alpha=self.alpha,
            threshold=self.threshold,
            tail=self.tail,
        )
