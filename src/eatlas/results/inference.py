"""Records of what a test says beyond its p-values: other words, power, and small effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from eatlas.results.parts import ByGroup, Probability, Record, is_empty
from eatlas.results.variation import Unit
from eatlas.stimuli.model import TARGETS

if TYPE_CHECKING:
    from eatlas.results.effects import Effect

SesoiUnit = Literal["d", "difference"]
"""Of the smallest effect of interest: standard deviations of the union, or the unit of what
associates, such as cosine."""


class CrossedLevel(Record):
    """One contrast tested against the spread of targets and of attributes together."""

    difference: float
    """Difference of mean associations; at level 1 difference of two such differences."""
    se: float
    """Its standard error."""
    t: float | None
    """difference / se; None where nothing varies within the groups, as all below."""
    df: float | None
    p_greater: Probability | None
    """P(T >= t)."""
    p_less: Probability | None
    p_two_sided: Probability | None
    low: float | None
    """Lower end of the confidence interval of the difference."""
    high: float | None
    targets: float
    """Variance of the difference estimated from the targets alone, residual included."""
    attributes: float
    """Variance of the difference estimated from the attributes alone, residual included."""
    residual: float
    """The part that both contain."""


class CrossedLevel2(ByGroup[CrossedLevel | None]):
    """Both level 2 contrasts; None for a group of one term."""

    names: ClassVar = TARGETS


class Generalisation(Record):
    """Whether other targets and other attributes would show it: a crossed random-effects test."""

    unit: Unit = "term"
    """What varies: terms, or stimuli, over whose sentences associations are averaged first."""
    confidence: float
    """Of the intervals, such as 0.95."""
    level1: CrossedLevel | None
    """None where a group has one term, and where `reason` says so."""
    level2: CrossedLevel2 | None
    """None where the measure has no level 2, and where `reason` says so."""
    reason: str = Field(default="", exclude_if=is_empty)
    """Why there is no answer."""

    def level(self, place: str) -> CrossedLevel | None:
        """Return the contrast of ``level1``, ``level2.X`` or ``level2.Y``."""
        if place == "level1":
            return self.level1
        return self.level2.group(place[-1]) if self.level2 and place.startswith("level2") else None


class DesignPower(Record):
    """What the permutation of one pair of groups can find."""

    n: tuple[int, int]
    """Sizes of the two groups whose labels are permuted."""
    min_p: float
    """The smallest p-value of the design in this tail."""
    smallest_d: float | None
    """The smallest effect size that is found with the wanted power; None where the design cannot
    reach alpha."""


class Power(Record):
    """What a design can find, if the scores are normal and of one variance within the groups."""

    power: float
    """Wanted power, such as 0.8."""
    alpha: float
    tail: Literal["greater", "less", "two_sided"]
    """The p-value that is compared with alpha."""
    unit: Unit = "term"
    """What is permuted: terms, or stimuli with all their sentences."""
    level1: DesignPower | None
    """Targets permuted; None where there is no level 1."""
    level2: DesignPower | None
    """Attributes permuted, for X as for Y; None where there is no level 2."""
    patterns: dict[str, float] | None = None
    """Chance of each of the nine EAT patterns with other attributes, if the effects at level 2 were
    those of `effects`; None without a pattern."""
    effects: tuple[float, float] | None = None
    """Effect sizes of X and of Y at level 2 that `patterns` supposes: those observed, or stated."""
    chance: dict[str, float] | None = Field(default=None, exclude_if=is_empty)
    """Where an effect size was stated: the power at ``level1`` and ``level2``."""
    d: float | None = Field(default=None, exclude_if=is_empty)
    """That effect size."""
    terms_needed: dict[str, int] | None = Field(default=None, exclude_if=is_empty)
    """Terms that each of two groups of one size needs, by the effect size that they should find."""


class EquivalentLevel(Record):
    """Whether one contrast is smaller than what matters, by two one-sided tests."""

    margin: float
    """The smallest effect of interest as a difference, in units of what associates."""
    difference: float
    p: Probability
    """The greater p of both tests: permutations, the other side's terms taken as given."""
    equivalent: bool
    """Whether p is below alpha."""
    reachable: bool
    """Whether any scores in this design could show it."""
    p_generalised: Probability | None = None
    """The same for other targets and other attributes, by the crossed test."""


class EquivalentLevel2(ByGroup[EquivalentLevel | None]):
    """Both level 2 contrasts."""

    names: ClassVar = TARGETS


class Equivalence(Record):
    """Whether effects are smaller than a stated smallest effect of interest."""

    sesoi: float
    """The smallest effect size of interest."""
    unit: SesoiUnit
    """``d``: in standard deviations of the union, turned into a margin by the deviation within
    groups; ``difference``: in units of what associates."""
    alpha: float
    level1: EquivalentLevel | None
    level2: EquivalentLevel2 | None = None

    def level(self, place: str) -> EquivalentLevel | None:
        """Return what was found for ``level1``, ``level2.X`` or ``level2.Y``."""
        if place == "level1":
            return self.level1
        return self.level2.group(place[-1]) if self.level2 and place.startswith("level2") else None


CROSSED_COLUMNS = ("low", "high", "p_greater", "p_less", "p_two_sided")


def inference_columns(effects: Sequence[Effect], equivalence: Equivalence | None) -> dict[str, Any]:
    """Columns of a table: crossed tests, what the design can find, and small effects."""
    columns: dict[str, Any] = {}
    for one in effects:
        for name in CROSSED_COLUMNS:
            columns[f"crossed_{name}{one.suffix}"] = one.crossed and getattr(one.crossed, name)
    for one in effects:
        level = one.place.partition(".")[0]
        columns[f"smallest_d_{level}"] = one.design and one.design.smallest_d
    if equivalence is not None:
        for one in effects:
            found = one.equivalent
            columns[f"equivalence_p{one.suffix}"] = found and found.p
            columns[f"equivalence_p_generalised{one.suffix}"] = found and found.p_generalised
    return columns
