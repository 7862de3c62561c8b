"""The family over which p-values are adjusted, in words and by place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from eatlas.errors import ResultsError
from eatlas.report.numerals import all_of, number_of
from eatlas.results import AssociationResult, Results
from eatlas.results.family import METHODS, Family, Levels, Method
from eatlas.results.parts import Level

Declared = Literal["level1", "level2", "both", "none"]
"""Which effect sizes of the results are judged together."""
DECLARED: tuple[Declared, ...] = ("level1", "level2", "both", "none")
_WHAT: dict[Levels, str] = {
    "level1": "level 1 comparisons",
    "level2": "level 2 associations (of an SC-EAT: single terms)",
    "both": "effect sizes of levels 1 and 2 (of an SC-EAT: single terms)",
}
_MEANING: dict[Method, str] = {
    "holm": "where the adjusted p is below alpha, the chance of even one false finding in the "
    "whole family stays below alpha",
    "bh": "of the findings whose adjusted p is below alpha, an expected share of at most alpha is "
    "false, if the tests are independent or positively dependent",
    "by": "of the findings whose adjusted p is below alpha, an expected share of at most alpha is "
    "false, however the tests depend on each other",
}


@dataclass(frozen=True)
class DeclaredFamily:
    """Adjusted p-values of the results that a page or table shows.

    Parameters
    ----------
    family : Family or None
        None where nothing is adjusted.
    results : int
        How many results are shown.
    """

    family: Family | None
    results: int

    @classmethod
    def of(
        cls, results: Iterable[AssociationResult], levels: str = "level1", adjust: str = "holm"
    ) -> DeclaredFamily:
        """Declare the two-sided p-values of some results a family.

        Parameters
        ----------
        results : iterable of results
        levels : {"level1", "level2", "both", "none"}
        adjust : {"holm", "bh", "by"}

        Raises
        ------
        ResultsError
            If an argument has no such value.
        """
        for name, value, allowed in (
            ("--family", levels, DECLARED),
            ("--adjust", adjust, tuple(METHODS)),
        ):
            if value not in allowed:
                raise ResultsError(
                    f"{name} has no such value", got=repr(value), allowed=", ".join(allowed)
                )
        given = tuple(results)
        family = None
        if levels != "none" and given:
            family = Results(given).family(levels, method=adjust)  # type: ignore[arg-type]
        return cls(family if family is not None and len(family) else None, len(given))

    @cached_property
    def _adjusted(self) -> dict[float, float]:
        """By the raw p: these procedures adjust equal p-values equally."""
        return {member.p: member.adjusted for member in self.family or ()}

    @cached_property
    def _levels(self) -> frozenset[str]:
        return frozenset(m.level for m in self.family or ())

    def adjusted(self, place: str, level: Level | None) -> float | None:
        """Adjusted p of an effect size at a place such as ``level2.X``; None outside the family."""
        if level is None:
            return None
        return self._adjusted.get(level.p.two_sided) if place in self._levels else None

    def has(self, level: str) -> bool:
        """Whether any member is of this level, such as ``"level2"``."""
        return any(place.startswith(level) for place in self._levels)

    @property
    def method(self) -> str:
        """The procedure as papers call it; empty where nothing is adjusted."""
        return self.family.method_name if self.family else ""

    @property
    def size(self) -> int:
        """Members of the family."""
        return len(self.family) if self.family else 0

    @property
    def what(self) -> str:
        """What belongs to the family, such as "all 10 level 1 comparisons"."""
        if self.family is None:
            return ""
        if self.size == 1:
            return f"one p-value alone of the {_WHAT[self.family.levels]}"
        return f"{all_of(self.size)} {_WHAT[self.family.levels]}"

    @property
    def words(self) -> str:
        """The family and what its adjustment promises, in sentences."""
        if self.family is None:
            return (
                "No family was declared, so no p-value is adjusted for the number of tests: each "
                "test is one more chance of a false finding."
            )
        shown = number_of(self.results, "result")
        return (
            f"The family: {self.what} of the {shown} shown here, by their two-sided p-values, "
            f"adjusted by {self.method}: {_MEANING[self.family.method]}. Which tests belong to one "
            "family is for you to decide, best before you see results."
        )
