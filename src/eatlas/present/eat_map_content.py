"""What an EAT-Map shows: which target is associated with which attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from eatlas.present.numerals import effect, p_equals
from eatlas.present.rule import Rule
from eatlas.present.text import isolated
from eatlas.results import ThreeLevelResult
from eatlas.results.parts import effect_of


@dataclass(frozen=True)
class Column:
    """One target group of an EAT-Map."""

    name: str
    effect_size: float | None
    """Level 2 effect size; None where it is undefined."""
    p: float | None
    """The p-value that the pattern's rule reads; None where there is none over stimuli."""
    significant: bool
    """Whether p is below alpha."""
    attribute: Literal["A", "B"] | None
    """The attribute that the group is associated with, if any."""
    p_low: float | None = None
    """Lower bound of p where only bounds are known."""


@dataclass(frozen=True)
class Content:
    """Columns, rows and the label of an EAT-Map, however it is drawn."""

    X: Column
    Y: Column
    A: str
    B: str
    label: str
    two_sided_label: str
    rule: Rule
    test: str = ""
    over_stimuli: bool = False
    """Whether the associations are those of stimuli, each with all its sentences."""

    @classmethod
    def of(cls, result: ThreeLevelResult) -> Self:
        """Make the map of a result."""
        rule, names, read = Rule.of(result), result.concepts, result.primary

        def column(role: str) -> Column:
            level = read.group(role)
            return Column(
                name=names.name(role),
                effect_size=effect_of(level),
                p=None if level is None else rule.p(level),
                p_low=None if level is None else rule.p_low(level),
                significant=level is not None and rule.significant(level),
                attribute=read.attribute(role),
            )

        return cls(
            X=column("X"),
            Y=column("Y"),
            A=names.A,
            B=names.B,
            label=read.label,
            two_sided_label=read.two_sided_label,
            rule=rule,
            test=result.test,
            over_stimuli=read.over_stimuli,
        )

    @property
    def alpha(self) -> float:
        """Significance level."""
        return self.rule.alpha

    @property
    def associated(self) -> frozenset[str]:
        """The red cells, among XA, XB, YA and YB."""
        columns = (("X", self.X), ("Y", self.Y))
        return frozenset(f"{role}{c.attribute}" for role, c in columns if c.attribute)

    @property
    def alt(self) -> str:
        """The map in words, for those who cannot see it."""
        parts = "; ".join(self._in_words(column) for column in (self.X, self.Y))
        over = " over stimuli" if self.over_stimuli else ""
        return f"EAT-Map, pattern {self.label}{over}: {parts}."

    def _in_words(self, column: Column) -> str:
        name, a, b = (isolated(text) for text in (column.name, self.A, self.B))
        if column.effect_size is None or column.p is None:
            return f"{name}, association undefined"
        held = isolated(getattr(self, column.attribute)) if column.attribute else None
        found = f"associated with {held}" if held else f"associated with neither {a} nor {b}"
        numbers = (
            f"d = {effect(column.effect_size)}, {p_equals(column.p, self.alpha, column.p_low)}"
        )
        return f"{name}, {found} ({numbers})"

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What the star says and what is relabelled; the two-sided pattern where it differs."""
        over = ", over stimuli" if self.over_stimuli else ""
        meaning = f"{self.rule.meaning}{over}"
        if self.two_sided_label == self.label:
            return (meaning,)
        return meaning, f"under the two-sided rule: {self.two_sided_label}"
