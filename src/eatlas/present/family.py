"""The family over which p-values are adjusted, in words and by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from eatlas.errors import ResultsError, listed
from eatlas.numbers import all_of, count
from eatlas.results import AssociationResult, Results
from eatlas.results.collection import Family, FamilyMember, named
from eatlas.results.confirming import Confirmation
from eatlas.results.effects import Effect

_WHAT = {
    "level1": ("level 1 comparison", "", "level 1"),
    "level2": ("level 2 association", " (of an SC-EAT: single terms)", "level 2"),
    "both": ("effect size", " of levels 1 and 2 (of an SC-EAT: single terms)", "levels 1 and 2"),
}
"""A member of a family, what else to say of several, and the levels."""
SETTINGS = ",settings"
"""Declares that each setting of a test counts as a test of its own."""
DECLARED = (*_WHAT, *(f"{levels}{SETTINGS}" for levels in _WHAT), "none")
LISTED = 6
"""Settings that are listed one by one."""
NAMED = 12
"""Tests that a line of the terminal names."""


@dataclass(frozen=True)
class DeclaredFamily:
    """Adjusted p-values of the results that a page, table or terminal shows."""

    family: Family | None
    alphas: dict[str, float] = field(default_factory=dict)
    """By signature."""
    alone: bool = False
    """Whether each setting has one p-value alone, which needs no adjustment."""
    siblings: Family | None = None
    """The same of the level that was not declared, for findings of that level."""
    confirmations: tuple[Confirmation, ...] = ()
    """What results say of themes that were found before."""

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
        made = siblings = None
        if levels != "none":
            how: Any = {"method": adjust, "settings": family.endswith(SETTINGS)}
            made = results.family(levels, **how)  # type: ignore[arg-type]
            if more := {"level1": "level2", "level2": "level1"}.get(levels):
                siblings = results.family(more, **how)  # type: ignore[arg-type]
        alphas = {result.signature: result.rule.alpha for result in results}
        said = results.confirmations()
        return cls(made or None, alphas, siblings=siblings or None, confirmations=said)

    def of_several(self) -> DeclaredFamily:
        """The same, or without a family where each setting has one p-value alone."""
        single = self.family is not None and self.size == 1
        return replace(self, family=None, alone=True) if single else self

    @cached_property
    def _adjusted(self) -> dict[tuple[Any, ...], float]:
        """By the finding and its raw p."""
        return {(*m.place, m.p): m.adjusted for m in self.family or ()}

    def adjusted(self, result: AssociationResult, effect: Effect) -> float | None:
        """Adjusted p of an effect size; None outside the family."""
        p = effect.p and effect.p.two_sided
        return self._adjusted.get((*named(result), effect.place, effect.term, p))

    @cached_property
    def _of_several_tests(self) -> dict[tuple[Any, ...], tuple[float, int]]:
        """Adjusted p of each finding, and of how many p-values, where several tests are judged."""
        families = [setting for f in (self.family, self.siblings) if f for setting in f.settings]
        return {
            (*member.place, member.p): (member.adjusted, member.together)
            for setting in families
            if len({member.test for member in setting}) > 1
            for member in setting
        }

    def of_tests(self, result: AssociationResult, effect: Effect) -> tuple[float, int] | None:
        """Adjusted p of an effect size of either level, and of how many; None of a single test."""
        p = effect.p and effect.p.two_sided
        return self._of_several_tests.get((*named(result), effect.place, effect.term, p))

    def confirmation(self, result: AssociationResult) -> Confirmation | None:
        """What a result says of the theme that its test is made of; None of other tests."""
        if result.provenance.explored_on is None:
            return None
        of_all = (each for each in self.confirmations if each.result == result)
        return next(of_all, None) or Results([result]).confirmations()[0]

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
        single, more, _ = _WHAT[self.family.levels]
        several = len(self.settings) > 1
        more += f" of each of the {count(len(self.settings))} settings" if several else ""
        if self.size == 1:
            return f"one p-value alone of the {single}s{more}"
        equal = len(set(map(len, self.settings))) == 1
        return f"{all_of(self.size) if equal else 'all'} {single}s{more}"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name of a setting or nothing, and which of its findings remain."""
        below = []
        for setting in self.settings:
            alphas = {self.alphas[member.signature] for member in setting}
            if len(setting) > 1 and len(alphas) == 1:
                below.append((setting, alphas.pop()))
        if self.family is None or not below:
            return
        noun = "tests" if self.family.levels == "level1" else "effect sizes"
        what = f"{noun} ({_WHAT[self.family.levels][2]}, two-sided)"
        for setting, alpha in below if len(below) <= LISTED else ():
            over = f"{self.method} over these {count(len(setting))} {what}"
            yield setting.name, f"{over}: {_which(setting, alpha)}."
        if len(below) > LISTED:
            sizes, remain = (
                " to ".join(map(str, sorted({min(numbers), max(numbers)})))
                for numbers in zip(*((len(s), len(s.below(a))) for s, a in below), strict=True)
            )
            yield (
                "",
                f"{self.method} over the {sizes} {what} of each of {len(below)} settings: {remain} "
                "have an adjusted p below alpha in each.",
            )


def _which(setting: Family, alpha: float) -> str:
    """Which findings remain; the shorter list is named."""
    below = setting.below(alpha)
    others = [member for member in setting if member.adjusted >= alpha]
    number = "all" if not others else count(len(below)) if below else "none"
    has = "has" if len(below) < 2 and others else "have"
    text = f"{number} {has} an adjusted p below {alpha:g}"
    if not (below and others):
        return text
    shorter, word = (below, ":") if len(below) < len(others) else (others, ", not")
    names = (_called(member, within=bool(setting.name)) for member in shorter)
    return f"{text}{word} {listed(names, NAMED)}"


def _called(member: FamilyMember, *, within: bool) -> str:
    """The test, its setting unless a heading has it, and what else distinguishes its findings."""
    side = member.level.partition("level2.")[2]
    setting = f"({member.setting})" if member.setting and not within else ""
    return " ".join(filter(None, (member.test, setting, side, member.term)))
