"""Records of WEAT, ML-EAT, SC-EAT and functions: what measures of association tests found."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from eatlas.numbers import effect as format_effect
from eatlas.numbers import number
from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect, ReadOver
from eatlas.results.levels import Level, Level2, Level3, Pattern, Scores
from eatlas.results.parts import Record, at
from eatlas.stats.multiplicity import holm


class WEATResult(AssociationResult):
    """What :class:`eatlas.WEAT` found."""

    display_name: ClassVar[str] = "WEAT"
    full_name: ClassVar[str] = (
        "the Word Embedding Association Test (WEAT; Caliskan, Bryson and Narayanan 2017)"
    )
    remark: ClassVar[str] = (
        "A WEAT compares two targets; it does not show what each target is associated with."
    )
    places: ClassVar[tuple[str, ...]] = ("level1",)

    measure: Literal["weat"] = "weat"
    level1: Level
    scores: Scores

    @property
    def effect_size(self) -> float | None:
        """Effect size d that is read, in standard deviations.

        Over stimuli where one has several sentences. None where the scores have no spread, and
        where a target group has one stimulus alone.
        """
        return self.value


LARGEST_COSINE = 1 + 1e-6
"""A cosine of a vector with itself is 1 except for rounding."""


class ThreeLevelResult(AssociationResult):
    """What a measure at three levels found, whatever associates a target with an attribute."""

    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y")
    over_attributes_is: ClassVar[str] = ""
    """What the effect size over attributes is, where there is one."""
    over_attributes_name: ClassVar[str] = ""
    """What it is called in texts; empty for the difference between X and Y."""

    level1: Level
    scores: Scores
    level2: Level2
    level3: Level3
    pattern: Pattern

    def effect(self, place: str) -> Effect:
        """The effect size at one place; that over attributes has draws and intervals of its own."""
        effect = super().effect(place)
        if place != "over_attributes":
            return effect
        resampled = at(self, "over_attributes_uncertainty")
        return replace(
            effect,
            remark=self.over_attributes_is,
            in_family=False,
            resampled=resampled,
            confidence=at(self.uncertainty, "confidence") if resampled else None,
        )

    @model_validator(mode="after")
    def _cosines_are_cosines(self) -> Self:
        values = [abs(value) for _, cell in self.level3 for value in (cell.mean, *cell.quantiles)]
        values += [abs(value) for row in self.similarities or () for value in row]
        if self.unit == "cosine" and max(values) > LARGEST_COSINE:
            raise ValueError(f"a cosine of {max(values):g} is outside -1 to 1")
        return self


class MLEATResult(ThreeLevelResult):
    """What :class:`eatlas.MLEAT` found."""

    display_name: ClassVar[str] = "ML-EAT"
    full_name: ClassVar[str] = (
        "the Multilevel Embedding Association Test (ML-EAT; Wolfe, Hiniker and Howe 2024), which "
        "compares two groups of target terms with two groups of attribute terms at three levels"
    )

    measure: Literal["ml-eat"] = "ml-eat"


class TermAssociation(Record):
    """One target term's differential association with A and B."""

    term: str
    group: Literal["X", "Y"]
    level2: Level


class SCEATResult(AssociationResult):
    """What :class:`eatlas.SCEAT` found, one entry for each target term."""

    display_name: ClassVar[str] = "SC-EAT"
    full_name: ClassVar[str] = (
        "the Single-Category Embedding Association Test (SC-EAT; Caliskan, Bryson and Narayanan "
        "2017) for each target term"
    )

    measure: Literal["sc-eat"] = "sc-eat"
    terms: tuple[TermAssociation, ...]
    stimulus_terms: tuple[TermAssociation, ...] | None = None
    """The same for each target stimulus, its cosines averaged over its sentences and those of each
    attribute stimulus, whose labels are permuted. None in tests of words, and where each stimulus
    has one sentence; empty where A or B has one stimulus alone."""

    @property
    def primary_terms(self) -> tuple[TermAssociation, ...]:
        """The associations that are read: of stimuli where one has several sentences."""
        return self.terms if self.stimulus_terms is None else self.stimulus_terms

    @property
    def read_over(self) -> ReadOver:
        """What a score belongs to: terms, or stimuli where one has several sentences."""
        return "terms" if self.stimulus_terms is None else "stimuli"

    @property
    def value(self) -> float | None:
        """Mean effect size of the terms that have one; None if none has."""
        sizes = [effect.d for effect in self.effects() if effect.d is not None]
        return math.fsum(sizes) / len(sizes) if sizes else None

    def effects(self) -> tuple[Effect, ...]:
        """The effect size of each term, or of each stimulus in tests of sentences."""
        rule, over = self.rule, self.read_over
        terms = (self.adjusted and self.adjusted.terms) or ()
        adjusted = {(entry.group, entry.term): entry.level2 for entry in terms}
        return tuple(
            Effect(
                place="level2",
                title="Level 2",
                roles=entry.group,
                names=(entry.term,),
                d=entry.level2.effect_size,
                rule=rule,
                difference=entry.level2.difference,
                n=entry.level2.n,
                p=entry.level2.p,
                term=entry.term,
                read_over=over,
                design=self.power.level2 if self.power else None,
                adjusted=adjusted.get((entry.group, entry.term)),
            )
            for entry in self.primary_terms
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target term, or stimulus in a test of sentences."""
        rows, ranks = [], self.frequency and self.frequency.ranks
        for effect in self.effects():
            row = {**self.head(), "read_over": effect.read_over}
            row |= {"group": effect.roles[0], "term": effect.term}
            if ranks is not None:
                row["rank"] = ranks[effect.roles[0]].terms.get(effect.name)
            columns = {k: v for k, v in effect.columns().items() if k not in {"low", "high"}}
            smallest = effect.design and effect.design.smallest_d
            more = {k: v for k, v in effect.more_columns().items() if k.startswith("adjusted")}
            rows.append({**row, **columns, **more, "smallest_d_level2": smallest})
        return rows

    def numbers(self) -> dict[str, float | None]:
        """The terms as a few numbers; see :meth:`AssociationResult.metrics`."""
        effects = [effect for effect in self.effects() if effect.d is not None]
        sizes = [effect.d or 0.0 for effect in effects]
        p_holm = holm([effect.p_of("two_sided") or 0.0 for effect in effects]) if effects else ()
        used, missing = self.coverage.counts()
        return {
            "d": self.value,
            "d_lowest": min(sizes, default=None), "d_highest": max(sizes, default=None),
            "p_holm": min(p_holm, default=None), "used": used, "missing": missing,
        }  # fmt: skip

    def summary(self) -> str:
        """How many terms, and the ones at either end."""
        what = "stimuli" if self.over_stimuli else "terms"
        number = len(self.primary_terms)
        defined = [shown for shown in self.effects() if shown.d is not None]
        if not defined:
            return f"{number} {what}"
        low, *_, high = sorted(defined * 2, key=lambda shown: shown.d or 0.0)
        ends = (f"{end.name} ({format_effect(end.d)})" for end in (low, high))
        return f"{number} {what} from {' to '.join(ends)}"


class FunctionResult(AssociationResult):
    """What a function found that was a measure: a number without a significance test."""

    places: ClassVar[tuple[str, ...]] = ("value",)

    measure: str = Field(pattern=r"^[a-z][\w-]*$")
    value: float | None
    """The number that the function returned; None if it was not finite."""
    function: str
    """Where the function was, as ``module:name``. The record does not hold its code; the signature
    has a hash of it."""

    @property
    def display_name(self) -> str:  # type: ignore[override]
        """Name of the measure in texts."""
        return self.measure

    @property
    def full_name(self) -> str:  # type: ignore[override]
        """The measure as a methods section names it."""
        return f"{self.measure}, a function of our own"

    @property
    def remark(self) -> str:  # type: ignore[override]
        """A sentence that a reader of any result of the measure needs."""
        return f"{self.measure} is a function of the authors, and has no significance test."

    def summary(self) -> str:
        """The number, and that it has no test."""
        value = "undefined" if self.value is None else number(self.value)
        return f"{self.measure} = {value}, no test"

    def rows(self) -> list[dict[str, Any]]:
        """One row, with the number."""
        used, missing = self.coverage.counts()
        return [self.head() | {"value": self.value, "used": used, "missing": missing}]
