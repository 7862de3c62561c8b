"""Record of an ML-EAT: three levels and the EAT pattern they make.

Measures that associate targets with attributes in another way than by vectors share it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect, shown
from eatlas.results.inference import Equivalence, Generalisation, Power, inference_columns
from eatlas.results.influence import Influence
from eatlas.results.parts import ByGroup, Cell, Level, Record, TargetScores
from eatlas.results.uncertainty import Uncertainty
from eatlas.results.weat import StimulusWEAT
from eatlas.stimuli.model import ATTRIBUTES, TARGETS

Label = Literal[
    "AB-Divergent",
    "BA-Divergent",
    "A-Uniform",
    "B-Uniform",
    "AX-Singular",
    "BX-Singular",
    "AY-Singular",
    "BY-Singular",
    "Non-Directional",
]
Direction = Literal["Divergent", "Uniform", "Singular", "Non-Directional"]
Attribute = Literal["A", "B"]
CELLS = ("XA", "XB", "YA", "YB")
LARGEST_COSINE = 1 + 1e-6
"""That of a vector with itself is 1 but for rounding."""


class Level2(ByGroup[Level]):
    """Differential association of each target group, taken alone, with A and B."""

    names: ClassVar = TARGETS


class Level3(Record):
    """Cosines of each target group with each attribute group."""

    XA: Cell
    XB: Cell
    YA: Cell
    YB: Cell

    def cell(self, name: str) -> Cell:
        """Return one of XA, XB, YA, YB."""
        cell: Cell = getattr(self, name)
        return cell


class Pattern(Record):
    """The EAT pattern, under the rule of the measure and under the two-sided rule."""

    label: Label
    direction: Direction
    two_sided_label: Label
    two_sided_direction: Direction
    X: Attribute | None
    """The attribute that X is associated with under the measure's rule, if any."""
    Y: Attribute | None
    alpha: float
    threshold: float
    tail: Literal["directional", "two-sided"]

    def of(self, role: str) -> Attribute | None:
        """Return the attribute that X or Y is associated with."""
        attribute: Attribute | None = getattr(self, role)
        return attribute


class AttributeScores(ByGroup[tuple[float, ...]]):
    """Mean cosine u(T, a) of one target group with each attribute term."""

    names: ClassVar = ATTRIBUTES


class Scores(TargetScores):
    """Per-term associations: s(w, A, B) of targets (X, Y), u(T, a) of attributes."""

    attributes_with_X: AttributeScores
    attributes_with_Y: AttributeScores


class StimulusMLEAT(StimulusWEAT):
    """An ML-EAT over stimuli: levels 1 and 2, and their pattern.

    At level 2 the associations of an attribute stimulus' sentences are averaged first.
    """

    level2: Level2 | None
    """None where the sentences of A, or of B, are made of one stimulus."""
    pattern: Pattern | None
    """None where level 2 is."""
    scores: Scores
    """Mean association of each stimulus' sentences, in the order of `sentences`."""


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
    """Intervals and shares of patterns; None where the measure was told not to resample."""
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
            raise ValueError(f"a cosine of {max(values):g} is none")
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
