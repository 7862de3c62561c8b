"""Effect sizes as they are read: by which rule, over terms or stimuli, with all that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eatlas import results
from eatlas.present.drawings.cells import MARKS, Estimate
from eatlas.present.numbers import ends_of, interval, level_of, p_value
from eatlas.results import (
    AssociationResult,
    LogRatioResult,
    LPBSResult,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.inference import CrossedLevel
from eatlas.results.influence import TermInfluence
from eatlas.results.parts import TAILS, Level, PValues, Tail, effect_of
from eatlas.results.uncertainty import EffectInterval

if TYPE_CHECKING:
    from eatlas.present.family import DeclaredFamily

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


@dataclass(frozen=True)
class LevelRow:
    """One effect size of one result."""

    place: str
    """``level1``, ``level2.X``, ``level2.Y`` or, of an LPBS, ``over_attributes``."""
    title: str
    """Such as "Level 2, X"."""
    what: str
    """What is compared, in the concepts' names."""
    level: Level | None
    """The level that is read; None where it is undefined over stimuli."""
    rule: Rule
    resampled: EffectInterval | None
    adjusted: float | None
    """p adjusted over the declared family, where the family has it."""
    influence: TermInfluence | None
    adjusted_low: float | None = None
    """Lower bound of the adjusted p, where only bounds are known; `adjusted` is then the upper."""
    crossed: CrossedLevel | None = None
    """Whether other targets and other attributes would show it."""

    @property
    def d(self) -> float | None:
        """Effect size."""
        return effect_of(self.level)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Bootstrap interval of the effect size."""
        return self.resampled.interval if self.resampled else None

    @property
    def ends(self) -> tuple[str, str] | None:
        """The ends of that interval, with the digits that resampling can tell."""
        return ends_of(self.interval, errors=self._errors) if self.interval else None

    @property
    def bracketed(self) -> str:
        """The interval in brackets; a dash where it is undefined."""
        return interval(self.interval, errors=self._errors)

    @property
    def _errors(self) -> tuple[float, float] | None:
        return self.resampled.error if self.resampled else None

    @property
    def significant(self) -> bool:
        """Whether the p-value that the rule reads is below alpha."""
        return self.level is not None and self.rule.significant(self.level)

    @property
    def star(self) -> str:
        """A star for a significant effect size."""
        return "*" if self.significant else ""

    @property
    def p(self) -> float | None:
        """The p-value that the rule reads; None where d is undefined."""
        return self.rule.p(self.level) if self.level is not None and self._p else None

    @property
    def p_low(self) -> float | None:
        """Lower bound of that p-value where only bounds are known."""
        return self.rule.p_low(self.level) if self.level is not None and self._p else None

    @property
    def one_sided_low(self) -> float | None:
        """Lower bound of the p-value in the direction of d where only bounds are known."""
        return None if self._p is None else self._p.low(self.one_sided_tail)

    @property
    def two_sided_low(self) -> float | None:
        """Lower bound of the two-sided p-value where only bounds are known."""
        return None if self._p is None else self._p.low("two_sided")

    @property
    def one_sided_tail(self) -> Tail:
        """The tail of the sign that was observed."""
        return "greater" if (self.d or 0.0) > 0 else "less"

    @property
    def one_sided(self) -> float | None:
        """The p-value in the direction of d; None where d is undefined."""
        return None if self._p is None else self._p.tail(self.one_sided_tail)

    @property
    def two_sided(self) -> float | None:
        """The two-sided p-value; None where d is undefined."""
        return None if self._p is None else self._p.two_sided

    @property
    def _p(self) -> PValues | None:
        return None if self.level is None or self.d is None else self.level.p

    @property
    def estimate(self) -> Estimate:
        """As it is drawn."""
        return Estimate(self.d, self.interval, MARKS[self.place], self.significant)


def bounds_shown(result: AssociationResult) -> bool:
    """Whether any p-value of a result is shown by bounds."""
    rule, found = Rule.of(result), []
    if isinstance(result, ThreeLevelResult | WEATResult):
        found.append(result.primary.level1)
    if isinstance(result, ThreeLevelResult):
        found += [result.primary.group(role) for role in "XY"]
    if isinstance(result, LogRatioResult):
        found.append(result.over_attributes)
    if isinstance(result, SCEATResult):
        found += [entry.level2 for entry in result.primary_terms]
    return any(level is not None and rule.bounds_shown(level) for level in found)


def levels_of(result: AssociationResult, rule: Rule, family: DeclaredFamily) -> list[LevelRow]:
    """Levels 1 and 2 of an ML-EAT or LPBS, level 1 of a WEAT; of other results nothing.

    Over stimuli, where one has several sentences.
    """
    if not isinstance(result, ThreeLevelResult | WEATResult):
        return []
    read, names = result.primary, result.concepts
    given, influence, crossed = read.uncertainty, read.influence, result.generalisation
    rows = [
        LevelRow(
            "level1",
            "Level 1",
            f"{names.X} against {names.Y}",
            read.level1,
            rule,
            given.level1 if given else None,
            family.adjusted(result, "level1", read.level1),
            influence.level1 if influence else None,
            family.adjusted_low(result, "level1", read.level1),
            crossed.level1 if crossed else None,
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
                read.group(role),
                rule,
                resampled.group(role) if resampled else None,
                family.adjusted(result, f"level2.{role}", read.group(role)),
                driven.group(role) if driven else None,
                family.adjusted_low(result, f"level2.{role}", read.group(role)),
                crossed.level(f"level2.{role}") if crossed else None,
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


EXPLANATION = (
    "Sentences of one stimulus are not independent, so p-values that relabel single sentences are "
    "smaller than the number of stimuli warrants. What is read, starred and adjusted is over "
    "stimuli: the associations of the sentences of one stimulus are averaged first, and the "
    "p-values relabel stimuli."
)


@dataclass(frozen=True)
class StimulusRow:
    """One effect size in both readings."""

    title: str
    """Such as "Level 2, X"."""
    what: str
    """What is compared, in the concepts' names."""
    sentences: Level
    stimuli: Level | None
    """None where a group has one stimulus alone."""
    interval: tuple[float, float] | None
    """Of the effect size over sentences."""
    rule: Rule


def over_stimuli(result: AssociationResult) -> bool:
    """Whether the findings of a result are read over stimuli."""
    if isinstance(result, SCEATResult):
        return result.over_stimuli
    return isinstance(result, ThreeLevelResult | WEATResult) and result.primary.over_stimuli


def stimulus_rows(result: AssociationResult) -> list[StimulusRow]:
    """Levels 1 and 2 over sentences and over stimuli; none in tests of words.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample")
    >>> [(row.title, row.sentences.n, row.stimuli.n) for row in stimulus_rows(results[0])][0]
    ('Level 1', (18, 73), (6, 6))
    """
    if not isinstance(result, ThreeLevelResult | WEATResult) or not result.primary.over_stimuli:
        return []
    rule, names, read, given = Rule.of(result), result.concepts, result.primary, result.uncertainty
    rows = [
        StimulusRow(
            "Level 1",
            f"{names.X} against {names.Y}",
            result.level1,
            read.level1,
            given.level1.interval if given else None,
            rule,
        )
    ]
    if isinstance(result, ThreeLevelResult):
        within = given.level2 if given else None
        rows += [
            StimulusRow(
                f"Level 2, {role}",
                names.name(role),
                result.level2.group(role),
                read.group(role),
                within.group(role).interval if within else None,
                rule,
            )
            for role in "XY"
        ]
    return rows
