"""Records of WEAT, ML-EAT and SC-EAT: what embedding association tests found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect, Primary, shown
from eatlas.results.inference import (
    Equivalence,
    Generalisation,
    Influence,
    Power,
    Uncertainty,
)
from eatlas.results.levels import (
    CELLS,
    Level,
    Level2,
    Level3,
    Pattern,
    Scores,
    StimulusMLEAT,
    StimulusWEAT,
    TargetScores,
    effect_of,
)
from eatlas.results.parts import Record


class WEATResult(AssociationResult):
    """What :class:`eatlas.WEAT` found."""

    display_name: ClassVar[str] = "WEAT"
    full_name: ClassVar[str] = (
        "the Word Embedding Association Test (WEAT; Caliskan, Bryson and Narayanan 2017)"
    )
    remark: ClassVar[str] = (
        "A WEAT compares two targets; it does not say what either is associated with by itself."
    )
    places: ClassVar[tuple[str, ...]] = ("level1",)

    measure: Literal["weat"] = "weat"
    level1: Level
    """The differential association of X and Y with A and B."""
    scores: TargetScores
    stimulus_level: StimulusWEAT | None = None
    """The same over stimuli; None in tests of words, and where each has one sentence."""
    uncertainty: Uncertainty | None = None
    """Intervals; None where the measure does not resample, or a group has one term alone."""
    influence: Influence | None = None
    """Change of the effect size without each term; None where a group has one term alone."""
    generalisation: Generalisation | None = None
    """Whether other targets and other attributes would show it; None in results of older versions
    alone."""
    power: Power | None = None
    """What a design of these sizes can find."""
    equivalence: Equivalence | None = None
    """Whether the effect is smaller than the smallest one of interest; None where none was
    stated."""

    @property
    def effect_size(self) -> float | None:
        """Effect size d that is read, in standard deviations.

        Over stimuli where one has several sentences. None where the scores have no spread, and
        where a target group has one stimulus alone.
        """
        return effect_of(self.primary.level1)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the effect size and the three tails, then those over single sentences."""
        (effect,) = self.effects()
        row = {
            **self.head(),
            "read_over": effect.read_over,
            **effect.columns(),
            "method": effect.p and effect.p.method_of("greater"),
            **inference_columns(self.effects(), self.equivalence),
            **self.frequency_columns(),
            **self.columns_over_sentences(),
        }
        return [row]

    def summary(self) -> str:
        """Effect size and one-sided p."""
        (effect,) = self.effects()
        if effect.p is None:
            return "d is undefined over stimuli"
        low, p = effect.p.low("greater"), f"{effect.p.greater:.3g}"
        known = (
            f"= {p}" if low is None else f"in [{0 if low < sys.float_info.min else low:.3g}, {p}]"
        )
        over = " over stimuli" * self.primary.over_stimuli
        return f"d = {shown(effect.d)}, p(greater) {known}{over}"


LARGEST_COSINE = 1 + 1e-6
"""That of a vector with itself is 1 but for rounding."""


class ThreeLevelResult(AssociationResult):
    """What a measure at three levels found, whatever associates a target with an attribute."""

    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y")

    level1: Level
    level2: Level2
    level3: Level3
    pattern: Pattern
    scores: Scores
    stimulus_level: StimulusMLEAT | None = None
    """Levels 1 and 2 and the pattern over stimuli; None in tests of words, and where each stimulus
    has one sentence."""
    uncertainty: Uncertainty | None = None
    """Intervals and shares of patterns; None where the measure does not resample."""
    influence: Influence | None = None
    """Change of each effect size without each term; None where a group has one term alone."""
    similarities: tuple[tuple[float, ...], ...] | None = None
    """Cosines of each target (X then Y) with each attribute (A then B), to 6 decimals; None where
    there are too many to keep."""
    generalisation: Generalisation | None = None
    """Whether other targets and other attributes would show it; None in results of older versions
    alone."""
    power: Power | None = None
    """What a design of these sizes can find; None where that is not known."""
    equivalence: Equivalence | None = None
    """Whether effects are smaller than the smallest one of interest; None where none was stated."""

    @model_validator(mode="after")
    def _cosines_are_cosines(self) -> Self:
        if self.unit != "cosine":
            return self
        cells = [self.level3.cell(name) for name in CELLS]
        values = [abs(value) for cell in cells for value in (cell.mean, *cell.quantiles)]
        if self.similarities:
            values += [abs(value) for row in self.similarities for value in row]
        if max(values) > LARGEST_COSINE:
            raise ValueError(f"a cosine of {max(values):g} is outside -1 to 1")
        return self

    def rows(self) -> list[dict[str, Any]]:
        """One row, the columns of the papers' Table 1 and the p-values behind its stars.

        Where stimuli are read, the same over single sentences follows, in columns `sentence_...`.
        """
        read = self.primary
        row = {**self.head(), "read_over": read.over}
        for one in self.levels():
            row.update(one.columns())
        for name in CELLS:
            cell = self.level3.cell(name)
            row[f"mean_{name}"], row[f"sd_{name}"] = cell.mean, cell.sd
        row["pattern"] = read.pattern and read.pattern.label
        row["two_sided_pattern"] = read.pattern and read.pattern.two_sided_label
        row["pattern_share"] = read.share
        row["used"], row["missing"] = self.coverage.counts()
        row.update(inference_columns(self.levels(), self.equivalence))
        row.update(self.frequency_columns(self.pattern.label))
        if read.over_stimuli:
            row.update(self.columns_over_sentences())
            row["sentence_pattern"] = self.pattern.label
            row["sentence_two_sided_pattern"] = self.pattern.two_sided_label
        return [row]

    def levels(self) -> list[Effect]:
        """Effect sizes of levels 1 and 2."""
        return [one for one in self.effects() if one.place.startswith("level")]

    def summary(self) -> str:
        """Pattern and the three effect sizes, over stimuli where these are read."""
        read = self.primary
        told = ", ".join(f"d{one.suffix} = {shown(one.d)}" for one in self.levels())
        return f"{read.label}, {told}{', over stimuli' if read.over_stimuli else ''}"


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
    power: Power | None = None
    """What the attributes of the test can find of one term; None in results of older versions."""
    stimulus_terms: tuple[TermAssociation, ...] | None = None
    """The same for each target stimulus, its cosines averaged over its sentences and those of each
    attribute stimulus, whose labels are permuted. None in tests of words, and where each stimulus
    has one sentence; empty where A or B has one stimulus alone."""

    @property
    def primary_terms(self) -> tuple[TermAssociation, ...]:
        """The associations that are read: of stimuli where one has several sentences."""
        return self.terms if self.stimulus_terms is None else self.stimulus_terms

    @property
    def over_stimuli(self) -> bool:
        """Whether stimuli are read, not terms."""
        return self.stimulus_terms is not None

    @property
    def primary(self) -> Primary:
        """What is read: terms, or stimuli where one has several sentences."""
        return replace(super().primary, over="stimuli" if self.over_stimuli else "terms")

    def effects(self) -> tuple[Effect, ...]:
        """The effect size of each term, or of each stimulus in tests of sentences."""
        rule, over = self.rule, self.primary.over
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
            )
            for entry in self.primary_terms
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target term, or stimulus in a test of sentences."""
        return [
            {
                **self.head(),
                "read_over": one.read_over,
                "group": one.roles[0],
                "term": one.term,
                **self._rank(one),
                **{k: v for k, v in one.columns().items() if k.startswith(("effect", "p_"))},
                "smallest_d_level2": one.design and one.design.smallest_d,
            }
            for one in self.effects()
        ]

    def _rank(self, effect: Effect) -> dict[str, Any]:
        """How frequent a term is, where that is known."""
        if self.frequency is None:
            return {}
        return {"rank": self.frequency.ranks.group(effect.roles[0]).terms.get(effect.name)}

    def summary(self) -> str:
        """How many terms, and the ones at either end."""
        what = "stimuli" if self.over_stimuli else "terms"
        number = len(self.primary_terms)
        known = [one for one in self.effects() if one.d is not None]
        if not known:
            return f"{number} {what}"
        low, *_, high = sorted(known * 2, key=lambda one: one.d or 0.0)
        return f"{number} {what} from {low.name} ({shown(low.d)}) to {high.name} ({shown(high.d)})"


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
