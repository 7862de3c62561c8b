"""The same test on several sources, or on one asked in several ways, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from markupsafe import Markup

from eatlas.present.drawings.timeline import timeline
from eatlas.present.numbers import count, effects_apart, number_of
from eatlas.present.sections import Section
from eatlas.present.series import lines_of
from eatlas.results import ThreeLevelResult
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

Respect = Literal["source"] | By
RESPECTS: tuple[Respect, ...] = ("source", *get_args(By))
MANY: dict[Respect, str] = {
    "source": "sources",
    "prompt": "prompts",
    "layer": "layers",
    "level": "encodings",
    "weights": "sets of weights",
    "window": "windows",
    "distance": "distances",
}

HEADINGS: dict[Respect, tuple[str, str]] = {
    "source": (
        "Sources compared",
        "The same test with the same measure on several sources of vectors.",
    ),
    "prompt": (
        "Prompts compared",
        "The same test on the same model, with its words put into several prompts. A finding that "
        "comes and goes with the prompt is one about the prompt.",
    ),
    "layer": (
        "Layer by layer",
        "The same test on the vectors of several layers of one model, from the embeddings (0) up.",
    ),
    "level": (
        "Words and whole texts",
        "The same test on the same model: a vector stands for the stimulus in its text (word), or "
        "for the whole text (sentence); in parentheses, how several tokens become one vector. A "
        "vector of a text holds what else the text says, in which the stimulus may drown.",
    ),
    "weights": (
        "Against random weights",
        "The same test on the trained model and on one of the same build whose weights were drawn "
        "at random. An association in a random model is an artefact.",
    ),
    "window": (
        "Windows compared",
        "The same contexts cut to several windows, in words on either side of the stimulus (of a "
        "pair: before the first and behind the second). What comes and goes with the window rests "
        "on the words around the stimuli.",
    ),
    "distance": (
        "Distances compared",
        "The same pairs, those with at most so many words between the two.",
    ),
}
"""Heading of each kind of comparison, and what it shows."""
IDS: dict[Respect, str] = {
    "source": "sources",
    "prompt": "prompts",
    "layer": "layers",
    "level": "levels",
    "weights": "weights",
    "window": "windows",
    "distance": "distances",
}
"""Id of each kind's part of the page."""


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
    def with_maps(self) -> bool:
        """Whether there are EAT-Maps to compare."""
        return isinstance(self.first.result, ThreeLevelResult)

    @property
    def model(self) -> str:
        """The model that was asked in several ways."""
        return "" if self.by == "source" else model_of(self.first.result, self.by)

    @property
    def beside(self) -> str:
        """What else is the same for all, such as "distance 18" or "layer 3"."""
        if self.by == "source":
            return ""
        choices = choices_beside(self.first.result, self.by)
        told = [choices[one] for one in self.others if one in choices]
        return ", ".join(filter(None, (sizes_beside(self.first.result, self.by), *told)))

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
        return " ".join(part for part in (self._patterns(), self._sizes(), self._means()) if part)

    def _patterns(self) -> str:
        labels = Counter(
            s.result.primary.label for s in self.members if isinstance(s.result, ThreeLevelResult)
        )
        if not labels:
            return ""
        if self.by == "weights":
            return self._against_random()
        if len(labels) == 1:
            every = "Both" if len(self.members) == 2 and self.by != "source" else "All"
            number = "" if every == "Both" else f"{count(len(self.members))} "
            return f"{every} {number}{MANY[self.by]} show {next(iter(labels))}."
        kinds = ", ".join(f"{label} in {number}" for label, number in labels.most_common())
        return f"The {MANY[self.by]} differ: {kinds}."

    def _against_random(self) -> str:
        """What an untrained model shows too is no finding about training."""
        found = [
            f"{self.value(s)}: {s.result.primary.label}"
            for s in self.members
            if isinstance(s.result, ThreeLevelResult)
        ]
        return (
            f"{'; '.join(found)}. What random weights show as well comes of the model's build and "
            "of the words' pieces, not of what it learned."
        )

    def _sizes(self) -> str:
        sizes = [s.levels[0].d for s in self.members]
        known = [d for d in sizes if d is not None]
        if len(known) < 2:
            return ""
        low, high = effects_apart(min(known), max(known))
        below = sum(s.levels[0].significant for s in self.members)
        some = 0 < below < len(self.members)
        significant = f" and is significant in {below} of {len(self.members)}" if some else ""
        return f"The effect size d at level 1 goes from {low} to {high}{significant}."

    def _means(self) -> str:
        """How level 3 moves; of sources it is said nowhere else that they are alike."""
        if self.by == "source":
            return ""
        found = [s.result.level3 for s in self.members if isinstance(s.result, ThreeLevelResult)]
        means = [cell.mean for level in found for cell in (level.XA, level.XB, level.YA, level.YB)]
        if not means:
            return ""
        low, high = effects_apart(min(means), max(means))
        return f"Mean {self.first.result.unit}s lie between {low} and {high}."

    @cached_property
    def figure(self) -> Markup:
        """Effect sizes by layer, window or distance, of those that have a number."""
        numbered = [(int(n), s) for s in self.members if (n := self.value(s)).isdigit()]
        if self.by not in NUMBERED or len(numbered) < 2:
            return Markup()
        result = self.first.result
        rule = result.pattern if isinstance(result, ThreeLevelResult) else None
        drawn = timeline(
            lines_of(numbered),
            {},
            title=f"Effect sizes of {result.test} by {self.by}",
            ends=(result.concepts.A, result.concepts.B),
            threshold=None if rule is None else rule.threshold,
            unit=self.by,
        )
        return Markup(drawn)  # noqa: S704  (escaped there)

    @property
    def title(self) -> str:
        """What is compared, in words."""
        if self.by == "source":
            return f"{self.first.result.test} on {number_of(len(self.members), 'source')}"
        beside = f" ({self.beside})" if self.beside else ""
        return f"{self.first.result.test} by {self.called}{beside}, {self.first.result.source}"


def comparisons(shown: Iterable[Section]) -> list[Comparison]:
    """Group the results that differ in their source alone; groups of one are left out.

    Where one source is a model that was asked in several ways, the comparison by that way stands
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
        of = found.setdefault(_asked(group, by), {})
        for one, value in choices_beside(group.members[0], by).items():
            of.setdefault(one, set()).add(value)
    return [
        Comparison(
            tuple(sections[id(result)] for result in group.members),
            by,
            tuple(one for one, values in found[_asked(group, by)].items() if len(values) > 1),
        )
        for group in groups
    ]


def _asked(group: Varied, by: By) -> tuple[str, str, str]:
    """Test, measure and model, for which several comparisons may stand."""
    first = group.members[0]
    return first.test, first.signature, model_of(first, by)


def _several(group: Sequence[Section]) -> bool:
    return len({section.source for section in group}) > 1
