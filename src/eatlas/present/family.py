"""The family over which p-values are adjusted, in words and by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

from eatlas.errors import ResultsError, listed
from eatlas.present.numbers import all_of, count, level_of
from eatlas.results import AssociationResult, Results
from eatlas.results.collection import METHODS, Family, FamilyMember, Levels, Setting, named
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
_WHAT: dict[Levels, tuple[str, str]] = {
    "level1": ("level 1 comparison", ""),
    "level2": ("level 2 association", " (of an SC-EAT: single terms)"),
    "both": ("effect size", " of levels 1 and 2 (of an SC-EAT: single terms)"),
}
_LEVELS: dict[Levels, str] = {"level1": "level 1", "level2": "level 2", "both": "levels 1 and 2"}


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
        given = tuple(results)
        found = None
        if levels != "none" and given:
            found = Results(given).family(levels, method=adjust, settings=counted)  # type: ignore[arg-type]
        alphas = {result.signature: result.rule.alpha for result in given}
        return cls(found if found is not None and len(found) else None, counted, alphas)

    def of_several(self) -> DeclaredFamily:
        """The same, or without a family where each setting has one p-value alone."""
        one = self.family is not None and self.size == 1
        return replace(self, family=None, alone=True) if one else self

    @cached_property
    def _adjusted(self) -> dict[tuple[Any, ...], float]:
        """By the finding and its raw p."""
        return {(*m.place, m.p): m.adjusted for m in self.family or ()}

    @cached_property
    def _levels(self) -> frozenset[str]:
        return frozenset(m.level for m in self.family or ())

    def adjusted(self, result: AssociationResult, effect: Effect) -> float | None:
        """Adjusted p of an effect size; None outside the family."""
        if effect.p is None:
            return None
        key = (*named(result), effect.place, effect.term, effect.p.two_sided)
        return self._adjusted.get(key)

    def has(self, level: str) -> bool:
        """Whether any member is of this level, such as ``"level2"``."""
        return any(place.startswith(level) for place in self._levels)

    @property
    def method(self) -> str:
        """The procedure as papers call it; empty where nothing is adjusted."""
        return self.family.method_name if self.family else ""

    @property
    def settings(self) -> tuple[Setting, ...]:
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
        one, more = _WHAT[self.family.levels]
        several = len(self.settings) > 1
        of = f" of each of the {count(len(self.settings))} settings" if several else ""
        if self.size == 1:
            return f"one p-value alone of the {one}s{more}{of}"
        if len(set(map(len, self.settings))) > 1:
            return f"all {one}s{more}{of}"
        return f"{all_of(self.size)} {one}s{more}{of}"

    def alpha(self, setting: Setting) -> float | None:
        """The level to compare with; None where the measures of a setting have several."""
        found = {self.alphas[member.signature] for member in setting.members}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def counts(self) -> list[tuple[Setting, float, int]]:
        """Each setting of several findings, its alpha, and how many remain below it."""
        known = [(one, self.alpha(one)) for one in self.settings if len(one) > 1]
        return [(one, alpha, len(one.below(alpha))) for one, alpha in known if alpha is not None]

    @property
    def finding(self) -> str:
        """How many findings remain, in a sentence; empty where nothing is adjusted."""
        alphas = {alpha for _, alpha, _ in self.counts}
        if not self.counts or self.family is None or len(alphas) > 1:
            return ""
        text = f"Adjusted by {self.method} for looking at {self.what}, "
        limit = f"below {level_of(alphas.pop())}"
        remaining = [_remaining(below, len(one)) for one, _, below in self.counts]
        if len(remaining) == 1:
            below = self.counts[0][2]
            return f"{text}{remaining[0]} {'remains' if below == 1 else 'remain'} {limit}."
        if len(remaining) <= LISTED:
            names = (one.name for one, *_ in self.counts)
            each = ", ".join(f"{n} ({name})" for n, name in zip(remaining, names, strict=True))
            return f"{text}these remain {limit}: {each}."
        return f"{text}{_span(below for *_, below in self.counts)} remain {limit} in each."

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name of a setting or nothing, and which findings remain; for a terminal."""
        if self.family is None or not self.counts:
            return
        many, what = len(self.counts), f"({_LEVELS[self.family.levels]}, two-sided)"
        if many == 1:
            ((one, alpha, _),) = self.counts
            over = f"these {count(len(one))} {self._members}"
            name, found = one.name if len(self.settings) > 1 else "", _which(one, alpha)
        else:
            sizes = _span(len(one) for one, *_ in self.counts)
            over = f"the {sizes} {self._members} of each of {count(many)} settings"
            name, below = "", _span(below for *_, below in self.counts)
            said = [(one.name, _which(one, alpha)) for one, alpha, _ in self.counts[:LISTED]]
            found = "; ".join(map(": ".join, said))
            if many > LISTED:
                below = "none" if below == "0" else below
                found = f"{below} have an adjusted p below alpha in each"
            elif len({text for _, text in said}) == 1:
                found = f"in each, {said[0][1]}"
        yield name, f"{self.method} over {over} {what}: {found}."

    @property
    def _members(self) -> str:
        """What the members are called: tests, where each has one p-value in a family."""
        if self.counted or (self.family and self.family.levels != "level1"):
            return "effect sizes"
        return "tests"


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


def _remaining(below: int, size: int) -> str:
    return all_of(below) if below == size else count(below) if below else "none"


def _span(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return f"{found[0]} to {found[-1]}" if len(found) > 1 else str(found[0])


def _which(one: Setting, alpha: float) -> str:
    """Which findings remain; the shorter list is named."""
    below = one.below(alpha)
    kept = {id(member) for member in below}
    others = [member for member in one.members if id(member) not in kept]
    found = "all" if not others else count(len(below)) if below else "none"
    has = "has" if len(below) < 2 and others else "have"
    text = f"{found} {has} an adjusted p below {alpha:g}"
    if not (below and others):
        return text
    if len(below) < len(others):
        return f"{text}: {_listed(one, below)}"
    return f"{text}, not {_listed(one, others)}"


def _listed(one: Setting, members: Iterable[FamilyMember]) -> str:
    return listed((_called(member, within=bool(one.name)) for member in members), NAMED)


def _called(member: FamilyMember, *, within: bool) -> str:
    """The test, its setting unless a heading has it, and what else distinguishes its findings."""
    place = member.level.removeprefix("level2.") if member.level.startswith("level2.") else ""
    setting = f"({member.setting})" if member.setting and not within else ""
    return " ".join(filter(None, (member.test, setting, place, member.term)))
