"""The EAT-Map of an ML-EAT: what it shows. :mod:`eatlas.report.eat_map_svg` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eatlas.errors import ResultsError
from eatlas.report import eat_map_svg
from eatlas.report.numerals import effect, p_equals
from eatlas.report.rule import Rule
from eatlas.report.text import isolated
from eatlas.results import ThreeLevelResult
from eatlas.results.files import atomic_file

Size = Literal["full", "mini"]
SUFFIX = ".svg"


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
class EATMap:
    """Four cells that show which target is associated with which attribute.

    Columns are the target groups X and Y, rows the attributes A and B; a cell is red where the
    target is associated with the attribute, else gray (Wolfe, Hiniker and Howe 2024, section
    "EAT-Maps"). A cell that is red is also darker and carries a mark, so that the map can be
    read without colours.

    Parameters
    ----------
    X, Y : Column
    A, B : str
        Names of the attributes.
    label, two_sided_label : str
        EAT pattern under the measure's rule and under the two-sided rule.
    rule : Rule
        Level and tail by which the level 2 p-values were read.
    test : str
        Id of the test.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="weat-6")
    >>> sorted(eatlas.plot(results[0]).associated)
    ['YB']
    """

    X: Column
    Y: Column
    A: str
    B: str
    label: str
    two_sided_label: str
    rule: Rule
    test: str = ""

    @classmethod
    def of(cls, result: ThreeLevelResult) -> EATMap:
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

    def svg(self, size: Size = "full") -> str:
        """Draw the map as SVG that stands alone or in a page.

        Parameters
        ----------
        size : {"full", "mini"}
            With names and numbers, or 44 pixels for the cell of a table.

        Raises
        ------
        ResultsError
            If there is no such size.
        """
        if size == "full":
            return eat_map_svg.full(self)
        if size == "mini":
            return eat_map_svg.mini(self)
        raise ResultsError(
            "an EAT-Map has no such size", got=repr(size), allowed="'full' or 'mini'"
        )

    def save(self, path: str | Path) -> None:
        """Write the map as an SVG file, whole or not at all.

        Raises
        ------
        ResultsError
            If the name does not end in .svg, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() != SUFFIX:
            raise ResultsError(
                f"{path}: an EAT-Map is saved as SVG",
                got=path.suffix or "a name without an ending",
                allowed=SUFFIX,
                remedy=f"save it as {path.with_suffix(SUFFIX).name}; PDF, PNG and HTML come from "
                'eatlas.plot(result, kind="eat-map").save(...)',
            )
        with atomic_file(path) as file:
            file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg()}\n')

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}</div>"

    def __str__(self) -> str:
        return self.alt

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What the star says, and the two-sided pattern where it differs."""
        if self.two_sided_label == self.label:
            return (self.rule.meaning,)
        return self.rule.meaning, f"under the two-sided rule: {self.two_sided_label}"
