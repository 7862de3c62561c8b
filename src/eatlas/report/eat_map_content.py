"""What an EAT-Map shows: which target is associated with which attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from eatlas.report.numerals import effect, p_equals
from eatlas.report.rule import Rule
from eatlas.report.text import isolated
from eatlas.results import ThreeLevelResult


@dataclass(frozen=True)
class Column:
    """One target group of an EAT-Map."""

    name: str
    effect_size: float | None
    """Level 2 effect size; None where it is undefined."""
    p: float
    """The p-value that the pattern's rule reads."""
    significant: bool
    """Whether p is below alpha."""
    attribute: Literal["A", "B"] | None
    """The attribute that the group is associated with, if any."""


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

    @classmethod
    def of(cls, result: ThreeLevelResult) -> Self:
        """Make the map of a result."""
        rule, names = Rule.of(result), result.concepts

        def column(role: str) -> Column:
            level = result.level2.group(role)
            return Column(
                name=names.name(role),
                effect_size=level.effect_size,
                p=rule.p(level),
                significant=rule.significant(level),
                attribute=result.pattern.of(role),
            )

        return cls(
            X=column("X"),
            Y=column("Y"),
            A=names.A,
            B=names.B,
            label=result.pattern.label,
            two_sided_label=result.pattern.two_sided_label,
            rule=rule,
            test=result.test,
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
        return f"EAT-Map, pattern {self.label}: {parts}."

    def _in_words(self, column: Column) -> str:
        name, a, b = (isolated(text) for text in (column.name, self.A, self.B))
        if column.effect_size is None:
            return f"{name}, association undefined"
        held = isolated(getattr(self, column.attribute)) if column.attribute else None
        found = f"associated with {held}" if held else f"associated with neither {a} nor {b}"
        numbers = f"d = {effect(column.effect_size)}, {p_equals(column.p, self.alpha)}"
        return f"{name}, {found} ({numbers})"

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What the star says, and the two-sided pattern where it differs."""
        if self.two_sided_label == self.label:
            return (self.rule.meaning,)
        return self.rule.meaning, f"under the two-sided rule: {self.two_sided_label}"
