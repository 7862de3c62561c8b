"""The family over which p-values are adjusted, in words and by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

from eatlas.errors import ResultsError, listed
from eatlas.present.numbers import all_of, count, level_of
from eatlas.results import AssociationResult, Results
from eatlas.results.collection import METHODS, Family, FamilyMember, named
from eatlas.results.effects import Effect

Declared = Literal["level1", "level2", "both", "none"]
"""Which effect sizes of the results are judged together."""
DECLARED: tuple[Declared, ...] = get_args(Declared)
SETTINGS = "settings"
"""Declares that each setting of a test counts as a test of its own."""

LISTED = 6
"""Settings that are listed one by one."""
NAMED = 12
"""Tests that a line of the terminal names."""
_WHAT = {
    "level1": ("level 1 comparison", "", "level 1"),
    "level2": ("level 2 association", " (of an SC-EAT: single terms)", "level 2"),
    "both": ("effect size", " of levels 1 and 2 (of an SC-EAT: single terms)", "levels 1 and 2"),
}
"""A member of a family, what else to say of several, and the levels."""


@dataclass(frozen=True)
class DeclaredFamily:
    """Adjusted p-values of the results that a page, table or terminal shows."""

    family: Family | None
    counted: bool = False
    alphas: dict[str, float] = field(default_factory=dict)
    alone: bool = False

    @classmethod
    def of(
        cls, results: Iterable[AssociationResult], family: str = "level1", adjust: str = "holm"
    ) -> DeclaredFamily:
        """Declare the two-sided p-values of some results a family."""
        levels, counted = declared(family)
        if adjust not in METHODS:
            raise ResultsError(
                "--adjust has no such value", got=repr(adjust), allowed=", ".join(METHODS)
            )
        results = Results(results)
        made = None
        if levels != "none":
            made = results.family(levels, method=adjust, settings=counted)  # type: ignore[arg-type]
        alphas = {result.signature: result.rule.alpha for result in results}
        return cls(made or None, counted, alphas)

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

    @cached_property
    def counts(self) -> list[tuple[Family, float, int]]:
        """Each setting of several findings, its one alpha, and how many remain below it."""
        counts = []
        for setting in self.settings:
            alphas = {self.alphas[member.signature] for member in setting}
            if len(setting) > 1 and len(alphas) == 1:
                (alpha,) = alphas
                counts.append((setting, alpha, len(setting.below(alpha))))
        return counts

    @property
    def finding(self) -> str:
        """How many findings remain, in a sentence; empty where nothing is adjusted."""
        alphas = {alpha for _, alpha, _ in self.counts}
        if len(alphas) != 1:
            return ""
        limit = f"below {level_of(alphas.pop())}"
        remaining = [
            (setting.name, all_of(n) if n == len(setting) else count(n) if n else "none")
            for setting, _, n in self.counts
        ]
        if len(remaining) == 1:
            verb = "remains" if self.counts[0][2] == 1 else "remain"
            text = f"{remaining[0][1]} {verb} {limit}"
        elif len(remaining) <= LISTED:
            text = f"these remain {limit}: {', '.join(f'{n} ({name})' for name, n in remaining)}"
        else:
            text = f"{_span(n for *_, n in self.counts)} remain {limit} in each"
        return f"Adjusted by {self.method} for looking at {self.what}, {text}."

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name of a setting or nothing, and which findings remain; for a terminal."""
        if self.family is None or not self.counts:
            return
        tests = "effect sizes" if self.counted or self.family.levels != "level1" else "tests"
        what, many = f"({_WHAT[self.family.levels][2]}, two-sided)", len(self.counts)
        for setting, alpha, _ in self.counts if many <= LISTED else ():
            over = f"{self.method} over these {count(len(setting))} {tests}"
            yield setting.name, f"{over} {what}: {_which(setting, alpha)}."
        if many > LISTED:
            over = f"the {_span(len(setting) for setting, *_ in self.counts)} {tests} of each"
            below = _span(n for *_, n in self.counts)
            yield (
                "",
                (
                    f"{self.method} over {over} of {count(many)} settings {what}: {below} have an "
                    "adjusted p below alpha in each."
                ),
            )


def declared(text: str) -> tuple[Declared, bool]:
    """Take apart what --family says: levels, and whether settings count."""
    parts = [part.strip() for part in text.split(",")]
    levels = [part for part in parts if part != SETTINGS]
    known = len(levels) < 2 and set(levels) <= set(DECLARED) and parts.count(SETTINGS) < 2
    if not known or (levels == ["none"] and len(parts) > 1):
        raise ResultsError(
            "--family has no such value",
            got=repr(text),
            allowed=f"{', '.join(DECLARED)}; with ,{SETTINGS} each setting of a test counts as a "
            "test of its own",
        )
    chosen: Any = levels[0] if levels else "level1"
    return chosen, SETTINGS in parts


def _span(numbers: Iterable[int]) -> str:
    ordered = sorted(set(numbers))
    return f"{ordered[0]} to {ordered[-1]}" if len(ordered) > 1 else str(ordered[0])


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
