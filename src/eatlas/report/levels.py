"""The effect sizes of a result that have a p-value, each with all that is known about it."""

from __future__ import annotations

from dataclasses import dataclass

from eatlas.report.drawings.interval import MARKS, Estimate
from eatlas.report.family import DeclaredFamily
from eatlas.report.rule import Rule
from eatlas.results import (
    AssociationResult,
    LogRatioResult,
    LPBSResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.influence import TermInfluence
from eatlas.results.parts import Level, Tail
from eatlas.results.uncertainty import EffectInterval


@dataclass(frozen=True)
class LevelRow:
    """One effect size of one result."""

    place: str
    """``level1``, ``level2.X``, ``level2.Y`` or, of an LPBS, ``over_attributes``."""
    title: str
    """Such as "Level 2, X"."""
    what: str
    """What is compared, in the concepts' names."""
    level: Level
    rule: Rule
    resampled: EffectInterval | None
    adjusted: float | None
    """p adjusted over the declared family, where the family has it."""
    influence: TermInfluence | None

    @property
    def d(self) -> float | None:
        """Effect size."""
        return self.level.effect_size

    @property
    def interval(self) -> tuple[float, float] | None:
        """Bootstrap interval of the effect size."""
        return self.resampled.interval if self.resampled else None

    @property
    def significant(self) -> bool:
        """Whether the p-value that the rule reads is below alpha."""
        return self.rule.significant(self.level)

    @property
    def one_sided_tail(self) -> Tail:
        """The tail of the sign that was observed."""
        return Rule(self.rule.alpha, "directional").tail_of(self.level)

    @property
    def one_sided(self) -> float:
        """The p-value in the direction of d."""
        return self.level.p.tail(self.one_sided_tail)

    @property
    def two_sided(self) -> float:
        """The two-sided p-value."""
        return self.level.p.two_sided

    @property
    def estimate(self) -> Estimate:
        """As it is drawn."""
        return Estimate(self.d, self.interval, MARKS[self.place], self.significant)


def levels_of(result: AssociationResult, rule: Rule, family: DeclaredFamily) -> list[LevelRow]:
    """Levels 1 and 2 of an ML-EAT or LPBS, level 1 of a WEAT; of other results nothing."""
    if not isinstance(result, ThreeLevelResult | WEATResult):
        return []
    names, given, influence = result.concepts, result.uncertainty, result.influence
    rows = [
        LevelRow(
            "level1",
            "Level 1",
            f"{names.X} against {names.Y}",
            result.level1,
            rule,
            given.level1 if given else None,
            family.adjusted("level1", result.level1),
            influence.level1 if influence else None,
        )
    ]
    if isinstance(result, ThreeLevelResult):
        resampled = given.level2 if given else None
        driven = influence.level2 if influence else None
        rows += [
            LevelRow(
                f"level2.{role}",
                f"Level 2, {role}",
                names.name(role),
                result.level2.group(role),
                rule,
                resampled.group(role) if resampled else None,
                family.adjusted(f"level2.{role}", result.level2.group(role)),
                driven.group(role) if driven else None,
            )
            for role in "XY"
        ]
    if isinstance(result, LogRatioResult):
        rows.append(
            LevelRow(
                "over_attributes",
                "Over attributes",
                f"{names.A} against {names.B}: the published effect size",
                result.over_attributes,
                rule,
                result.over_attributes_uncertainty if isinstance(result, LPBSResult) else None,
                None,
                None,
            )
        )
    return rows
