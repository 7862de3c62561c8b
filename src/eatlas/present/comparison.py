"""The same test on several sources, or on one model encoded in several ways, side by side."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from markupsafe import Markup

from eatlas.present.numbers import number_of
from eatlas.present.rendering import said
from eatlas.present.sections import Section
from eatlas.present.series import figure_of
from eatlas.results.levels import CELLS
from eatlas.results.sensitivity import (
    NUMBERED,
    By,
    Varied,
    choices_beside,
    model_of,
    sizes_beside,
    value_of,
    varied,
)

KINDS = Path(__file__).parent / "data" / "comparisons.toml"
Respect = Literal["source"] | By


class Kind(NamedTuple):
    """One kind of comparison and its part of the page."""

    id: str
    heading: str
    about: str
    """What it shows."""
    several: str
    """What is compared, as a plural."""


@cache
def kinds() -> dict[str, Kind]:
    """Kinds of comparison by the respect in which results differ, in the order of the page."""
    text = KINDS.read_text(encoding="utf-8")
    return {by: Kind(**words) for by, words in tomllib.loads(text).items()}


@dataclass(frozen=True)
class Comparison:
    """One test, one measure, several sources, or several ways to ask one model."""

    members: tuple[Section, ...]
    by: Respect = "source"
    others: tuple[By, ...] = ()
    """Choices of encoding in which other comparisons of the same test differ from this one."""

    @property
    def first(self) -> Section:
        """The first source's result, for what all have in common."""
        return self.members[0]

    @property
    def model(self) -> str:
        """The model that was encoded in several ways."""
        return "" if self.by == "source" else model_of(self.first.result, self.by)

    @property
    def beside(self) -> str:
        """What else is the same for all, such as "distance 18" or "layer 3"."""
        if self.by == "source":
            return ""
        choices = choices_beside(self.first.result, self.by)
        varied = [choices[one] for one in self.others if one in choices]
        return ", ".join(filter(None, (sizes_beside(self.first.result, self.by), *varied)))

    def value(self, section: Section) -> str:
        """In what a member differs from the others."""
        return section.source if self.by == "source" else value_of(section.result, self.by)

    @property
    def called(self) -> str:
        """In which respect the members differ, apart from the levels of a result."""
        return "encoding" if self.by == "level" else self.by

    @property
    def sentence(self) -> str:
        """Whether the members agree."""
        return said("sentences", "compared", self, kinds()[self.by].several)

    @property
    def labels(self) -> list[tuple[str, str]]:
        """In what each member differs, and its EAT pattern."""
        return [(self.value(s), s.result.primary.label) for s in self.members if s.result.pattern]

    @property
    def means(self) -> list[float]:
        """The means of level 3 of all members."""
        found = [s.result.level3 for s in self.members if s.result.level3 is not None]
        return [level.cell(name).mean for level in found for name in CELLS]

    @cached_property
    def figure(self) -> Markup:
        """Effect sizes by layer, window or distance, of those that have a number."""
        numbered = [(int(n), s) for s in self.members if (n := self.value(s)).isdigit()]
        if self.by not in NUMBERED or len(numbered) < 2:
            return Markup()
        title = f"Effect sizes of {self.first.result.test} by {self.by}"
        return figure_of(numbered, {}, title=title, unit=self.by)

    @property
    def title(self) -> str:
        """What is compared, in words."""
        if self.by == "source":
            return f"{self.first.result.test} on {number_of(len(self.members), 'source')}"
        beside = f" ({self.beside})" if self.beside else ""
        return f"{self.first.result.test} by {self.called}{beside}, {self.first.result.source}"


def comparisons(shown: Iterable[Section]) -> list[Comparison]:
    """Group the results that differ in their source alone; groups of one are left out.

    Where one source is a model encoded in several ways, the comparison by that way stands
    in the place of the one by source.
    """
    given = [section for section in shown if section.levels]
    encoded = [found for by in get_args(By) for found in _by_encoding(given, by)]
    groups: dict[tuple[object, ...], list[Section]] = {}
    for section in given:
        of = section.result
        key = of.test, of.signature, of.contexts and of.contexts.size
        groups.setdefault(key, []).append(section)
    covered = {frozenset(s.anchor for s in found.members) for found in encoded}
    by_source = [
        Comparison(tuple(group))
        for group in groups.values()
        if _several(group) and frozenset(s.anchor for s in group) not in covered
    ]
    return by_source + encoded


def _by_encoding(given: Sequence[Section], by: By) -> list[Comparison]:
    sections = {id(section.result): section for section in given}
    groups = varied([section.result for section in given], by)
    found: dict[tuple[str, str, str], dict[By, set[str]]] = {}
    for group in groups:
        of = found.setdefault(_subject(group, by), {})
        for one, value in choices_beside(group.members[0], by).items():
            of.setdefault(one, set()).add(value)
    return [
        Comparison(
            tuple(sections[id(result)] for result in group.members),
            by,
            tuple(one for one, values in found[_subject(group, by)].items() if len(values) > 1),
        )
        for group in groups
    ]


def _subject(group: Varied, by: By) -> tuple[str, str, str]:
    """Test, measure and model, for which several comparisons may stand."""
    first = group.members[0]
    return first.test, first.signature, model_of(first, by)


def _several(group: Sequence[Section]) -> bool:
    return len({section.source for section in group}) > 1
