"""The same test on several sources, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eatlas.report.numerals import count, effects_apart, number_of
from eatlas.report.sections import Section
from eatlas.results import MLEATResult


@dataclass(frozen=True)
class Comparison:
    """One test, one measure, several sources."""

    members: tuple[Section, ...]

    @property
    def first(self) -> Section:
        """The first source's result, for what all have in common."""
        return self.members[0]

    @property
    def with_maps(self) -> bool:
        """Whether there are EAT-Maps to compare."""
        return isinstance(self.first.result, MLEATResult)

    @property
    def sentence(self) -> str:
        """Whether the sources agree."""
        return " ".join(part for part in (self._patterns(), self._sizes()) if part)

    def _patterns(self) -> str:
        labels = Counter(
            s.result.pattern.label for s in self.members if isinstance(s.result, MLEATResult)
        )
        if not labels:
            return ""
        if len(labels) == 1:
            return f"All {count(len(self.members))} sources show {next(iter(labels))}."
        kinds = ", ".join(f"{label} in {number}" for label, number in labels.most_common())
        return f"The sources differ: {kinds}."

    def _sizes(self) -> str:
        sizes = [s.levels[0].d for s in self.members]
        known = [d for d in sizes if d is not None]
        if len(known) < 2:
            return ""
        low, high = effects_apart(min(known), max(known))
        return f"The effect size d at level 1 goes from {low} to {high}."

    @property
    def title(self) -> str:
        """What is compared, in words."""
        return f"{self.first.result.test} on {number_of(len(self.members), 'source')}"


def comparisons(shown: Iterable[Section]) -> list[Comparison]:
    """Group the results that differ in their source alone; groups of one are left out."""
    groups: dict[tuple[str, str], list[Section]] = {}
    for section in shown:
        if section.levels:
            key = section.result.test, section.result.signature
            groups.setdefault(key, []).append(section)
    return [Comparison(tuple(group)) for group in groups.values() if _several(group)]


def _several(group: Sequence[Section]) -> bool:
    return len({section.source for section in group}) > 1
