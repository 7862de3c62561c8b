"""The family over which p-values are adjusted, in words and by place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from eatlas.errors import ResultsError
from eatlas.numbers import all_of, count
from eatlas.results import AssociationResult, Results
from eatlas.results.collection import Family
from eatlas.results.effects import Effect
from eatlas.results.settings import test_and_setting

_WHAT = {
    "level1": ("level 1 comparison", ""),
    "level2": ("level 2 association", " (of an SC-EAT: single terms)"),
    "both": ("effect size", " of levels 1 and 2 (of an SC-EAT: single terms)"),
}
"""A member of a family, and what else to say of several."""
SETTINGS = ",settings"
"""Declares that each setting of a test counts as a test of its own."""
DECLARED = (*_WHAT, *(f"{levels}{SETTINGS}" for levels in _WHAT), "none")


@dataclass(frozen=True)
class DeclaredFamily:
    """Adjusted p-values of the results that a page, table or terminal shows."""

    family: Family | None
    alone: bool = False
    """Whether each setting has one p-value alone, which needs no adjustment."""
    of_verdicts: bool = False
    """Whether verdicts are adjusted over the same tests by the same procedure."""

    @classmethod
    def of(
        cls, results: Iterable[AssociationResult], family: str = "level1", adjust: str = "holm"
    ) -> DeclaredFamily:
        """Declare the two-sided p-values of some results a family."""
        if family not in DECLARED:
            raise ResultsError(
                "--family has no such value", got=repr(family), allowed="; ".join(DECLARED)
            )
        results, levels = Results(results), family.removesuffix(SETTINGS)
        made = None
        if levels != "none":
            how: Any = {"method": adjust, "settings": family.endswith(SETTINGS)}
            made = results.family(levels, **how)  # type: ignore[arg-type]
        return cls(made or None, of_verdicts=(family, adjust) == ("level1", "holm"))

    def of_several(self) -> DeclaredFamily:
        """The same, or without a family where each setting has one p-value alone."""
        single = self.family is not None and self.size == 1
        return replace(self, family=None, alone=True) if single else self

    @cached_property
    def _p_by_finding(self) -> dict[tuple[Any, ...], float]:
        """By the finding and its raw p."""
        return {(*m.place, m.p): m.adjusted for m in self.family or ()}

    def p_adjusted(self, result: AssociationResult, effect: Effect) -> float | None:
        """Adjusted p of an effect size; None outside the family."""
        p = effect.p and effect.p.two_sided
        return self._p_by_finding.get((*test_and_setting(result), effect.place, effect.term, p))

    def has(self, level: str) -> bool:
        """Whether any member is of this level, such as ``"level2"``."""
        return any(member.level.startswith(level) for member in self.family or ())

    @property
    def method(self) -> str:
        """The procedure as papers call it; empty where nothing is adjusted."""
        return self.family.method_name if self.family else ""

    @property
    def settings(self) -> tuple[Family, ...]:
        """Members that are adjusted together."""
        return self.family.settings if self.family else ()

    @property
    def size(self) -> int:
        """The most p-values that are adjusted together."""
        return max(map(len, self.settings), default=0)

    @property
    def what(self) -> str:
        """What belongs to the family, such as "all 10 level 1 comparisons"."""
        if self.family is None:
            return ""
        single, more = _WHAT[self.family.levels]
        several = len(self.settings) > 1
        more += f" of each of the {count(len(self.settings))} settings" if several else ""
        if self.size == 1:
            return f"one {single}{more}"
        equal = len(set(map(len, self.settings))) == 1
        return f"{all_of(self.size) if equal else 'all'} {single}s{more}"
