"""Record of an ML-EAT: three levels and the EAT pattern they make.

Measures that associate targets with attributes in another way than by vectors share it.
"""

from __future__ import annotations

from typing import Any, Literal

from eatlas.results.base import AssociationResult, interval_columns, p_columns, show_effect
from eatlas.results.influence import Influence
from eatlas.results.parts import Cell, Level, Record
from eatlas.results.uncertainty import Interval, Uncertainty
from eatlas.results.weat import StimulusWEAT, TargetScores, stimulus_columns

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


class Level2(Record):
    """Differential association of each target group, taken alone, with A and B."""

    X: Level
    Y: Level

    def group(self, role: str) -> Level:
        """Return the level 2 of X or Y."""
        level: Level = getattr(self, role)
        return level


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


class AttributeScores(Record):
    """Mean cosine u(T, a) of one target group with each attribute term."""

    A: tuple[float, ...]
    B: tuple[float, ...]


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

    def columns(self) -> dict[str, Any]:
        """Columns of a table, beside those of the sentences."""
        columns = super().columns()
        for role in "XY":
            level = None if self.level2 is None else self.level2.group(role)
            columns.update(stimulus_columns(level, f"_{role}"))
        return {**columns, "stimulus_pattern": self.pattern and self.pattern.label}


class ThreeLevelResult(AssociationResult):
    """What a measure at three levels found, whatever associates a target with an attribute."""

    level1: Level
    level2: Level2
    level3: Level3
    pattern: Pattern
    scores: Scores
    stimulus_level: StimulusMLEAT | None = None
    """Levels 1 and 2 and the pattern over stimuli; None in tests of words, and where each stimulus
    has one sentence."""
    uncertainty: Uncertainty | None = None
    """Intervals and pattern stability; None where the measure was told not to resample."""
    influence: Influence | None = None
    """Change of each effect size without each term; None where a group has one term alone."""
    similarities: tuple[tuple[float, ...], ...] | None = None
    """Cosines of each target (X then Y) with each attribute (A then B), to 6 decimals; None where
    there are too many to keep."""

    def rows(self) -> list[dict[str, Any]]:
        """One row, the columns of the papers' Table 1 and the p-values behind its stars."""
        row = self.head()
        for suffix, (level, interval) in self._levels().items():
            row[f"effect_size{suffix}"] = level.effect_size
            row.update(interval_columns(interval, suffix))
            row.update(p_columns(level.p, suffix))
        for name in CELLS:
            row[f"mean_{name}"], row[f"sd_{name}"] = (
                self.level3.cell(name).mean,
                self.level3.cell(name).sd,
            )
        used, missing = self.coverage.counts()
        return [
            {
                **row,
                "pattern": self.pattern.label,
                "two_sided_pattern": self.pattern.two_sided_label,
                "pattern_share": self.uncertainty and self.uncertainty.share(self.pattern.label),
                "used": used,
                "missing": missing,
                **({} if self.stimulus_level is None else self.stimulus_level.columns()),
            }
        ]

    def _levels(self) -> dict[str, tuple[Level, Interval | None]]:
        """The three effect sizes with their intervals, by the suffix of their columns."""
        levels = {"": self.level1, "_X": self.level2.X, "_Y": self.level2.Y}
        given = self.uncertainty
        if given is None or given.level2 is None:
            return {suffix: (level, None) for suffix, level in levels.items()}
        intervals = (given.level1, given.level2.X, given.level2.Y)
        return {
            suffix: (level, found.interval)
            for (suffix, level), found in zip(levels.items(), intervals, strict=True)
        }

    def summary(self) -> str:
        """Pattern and the three effect sizes."""
        d, d_x, d_y = (
            show_effect(level.effect_size) for level in (self.level1, self.level2.X, self.level2.Y)
        )
        return f"{self.pattern.label}, d = {d}, d_X = {d_x}, d_Y = {d_y}"


class MLEATResult(ThreeLevelResult):
    """What :class:`eatlas.MLEAT` found."""

    measure: Literal["ml-eat"] = "ml-eat"
