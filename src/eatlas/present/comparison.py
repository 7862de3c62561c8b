"""One test over periods, on several sources, or on one model encoded in several ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from markupsafe import Markup

from eatlas.decoding import own_toml
from eatlas.present.drawings.curves import steps, timeline_of
from eatlas.present.rendering import phrase
from eatlas.present.sections import SERIES, Section, source_of
from eatlas.present.sentences import finding, level_statements
from eatlas.results import AssociationResult, Failure
from eatlas.results.compare import (
    NO_PROMPT,
    NUMBERED,
    By,
    choices_of,
    model_of,
    pivot,
)
from eatlas.results.levels import CELLS
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    from eatlas.results import TrendResult

NOT_GIVEN = "no result of this year is among those that were given"
KINDS = Path(__file__).parent / "data" / "comparisons.toml"
LEAST = 3
"""Settings that make a line."""
Respect = Literal["source"] | By


@dataclass(frozen=True)
class Series:
    """One test, one source, one measure, several periods."""

    anchor: str
    """Id of its heading."""
    members: tuple[Section, ...]
    """Those with a result, in the order of the years."""
    gaps: dict[int, str]
    """Years without a result, and why, without paths."""
    trend: TrendResult | None

    @property
    def first(self) -> AssociationResult:
        """The result of the first year, for what all have in common."""
        return self.members[0].result

    @property
    def settings(self) -> Settings:
        """What the series is called beside others."""
        return self.members[0].settings

    @property
    def name(self) -> str:
        """The test, with what tells it from other series of the test."""
        return self.settings.series(self.first)

    @property
    def span(self) -> str:
        """First and last year, and how many have a result."""
        years = sorted({*self.gaps, *(section.result.period or 0 for section in self.members)})
        return f"{years[0]} to {years[-1]}, {len(self.members)} of {len(years)} periods"

    @property
    def finding(self) -> str:
        """Where the effect size of level 1 goes with the years."""
        return "" if self.trend is None else finding(self.trend, self.first.rule.alpha)

    @property
    def way(self) -> int:
        """1 where the effect size of level 1 rises significantly with the years, -1 or 0."""
        level = None if self.trend is None else self.trend.level1
        if level is None or level.p.p >= self.first.rule.alpha:
            return 0
        return 1 if level.rho > 0 else -1

    @property
    def statements(self) -> list[tuple[str, str]]:
        """The rank correlation of each effect size with the year."""
        return [] if self.trend is None else level_statements(self.trend)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is doubtful about the trend."""
        told = self.settings.without_paths
        return () if self.trend is None else tuple(told(str(note)) for note in self.trend.warnings)

    @property
    def figure(self) -> Markup:
        """The timeline."""
        members = [(section.result.period or 0, section.result) for section in self.members]
        title = f"Effect sizes of {self.name} by year"
        return Markup(timeline_of(members, self.gaps, title=title))  # noqa: S704


def series_of(
    shown: Iterable[Section],
    trends: Iterable[TrendResult] = (),
    failures: Iterable[Failure] = (),
) -> list[Series]:
    """Group results that differ in their period alone; of one year there is no series."""
    groups: dict[tuple[object, ...], list[Section]] = {}
    for section in shown:
        if section.result.period is not None and section.levels:
            groups.setdefault(_subject(section.result), []).append(section)
    by_subject = {_subject(trend): trend for trend in trends}
    failed: dict[tuple[object, ...], dict[int, str]] = {}
    for failure in failures:
        if failure.period is not None:
            failed.setdefault(_subject(failure), {})[failure.period] = failure.error.what
    series: list[Series] = []
    for subject, sections in groups.items():
        by_year = {section.result.period or 0: section for section in sections}
        members = tuple(section for _, section in sorted(by_year.items()))
        trend, why = by_subject.get(subject), failed.get(subject, {})
        if trend is not None:
            why |= {missing.period: missing.reason for missing in trend.missing}
        told = members[0].settings.without_paths
        gaps = {
            year: told(why.get(year, NOT_GIVEN))
            for year in steps({*by_year, *why})
            if year not in by_year
        }
        if len(members) + len(gaps) > 1:
            series.append(Series(f"{SERIES}{len(series) + 1}", members, gaps, trend))
    return series


def _subject(record: AssociationResult | TrendResult | Failure) -> tuple[object, ...]:
    return record.test, record.source, record.signature


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
    return {by: Kind(**words) for by, words in own_toml(KINDS).items()}


@dataclass(frozen=True)
class Comparison:
    """One test, one measure, several sources, or several encodings of one model."""

    members: tuple[Section, ...]
    by: Respect = "source"
    level: str = ""
    """How stimuli became vectors, where comparisons of the same test differ in that."""

    @property
    def first(self) -> Section:
        """The first source's result, for what all have in common."""
        return self.members[0]

    @cached_property
    def about(self) -> str:
        """The measure, and what else all members have in common: model, layer, window."""
        first = self.first.result
        sizes = ""
        if first.contexts is not None and self.by != "source":
            columns = first.contexts.columns().items()
            sizes = ", ".join(f"{name} {size}" for name, size in columns if name != self.by)
        common = Settings.among(member.result for member in self.members).common
        on = ", ".join(filter(None, (common, sizes, self.level)))
        measure = self.first.settings.short(first)
        return f"{measure} on {on}" if on else measure

    def value(self, section: Section) -> str:
        """In what a member differs from the others."""
        if self.by == "source":
            return source_of(section.result)
        return choices_of(section.result).get(self.by, "")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each member's setting is called for people, without a path."""
        if self.by == "source":
            return tuple(s.settings.sources[s.result.source] for s in self.members)
        values = [self.value(section) for section in self.members]
        if self.by == "prompt":
            return tuple("no prompt" if v == NO_PROMPT else f"prompt “{v}”" for v in values)
        return tuple(f"{self.by} {v}" if self.by in NUMBERED else v for v in values)

    @property
    def differs(self) -> str:
        """How the EAT pattern moves from the first setting on; empty where it stays."""
        labels = [label for _, label in self.labels]
        moves = [label for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
        return " → ".join(moves) if len(moves) > 1 else ""

    @property
    def called(self) -> str:
        """In which respect the members differ, apart from the levels of a result."""
        return "encoding" if self.by == "level" else self.by

    @property
    def sentence(self) -> str:
        """Whether the members agree."""
        return phrase("sentences", "compared", self, kinds()[self.by].several)

    @property
    def labels(self) -> list[tuple[str, str]]:
        """What each member's setting is called, and its EAT pattern."""
        pairs = zip(self.names, self.members, strict=True)
        return [(name, s.result.primary.label) for name, s in pairs if s.result.pattern]

    @property
    def means(self) -> list[float]:
        """The means of level 3 of all members."""
        levels = [s.result.level3 for s in self.members if s.result.level3 is not None]
        return [level[name].mean for level in levels for name in CELLS]

    @property
    def figure(self) -> Markup:
        """Effect sizes by layer, window or distance, of those that have a number."""
        numbered = [(int(n), s.result) for s in self.members if (n := self.value(s)).isdigit()]
        if self.by not in NUMBERED or len(numbered) < LEAST:
            return Markup()
        title = f"Effect sizes of {self.first.result.test} by {self.by}"
        return Markup(timeline_of(numbered, {}, title=title, unit=self.by))  # noqa: S704

    @property
    def title(self) -> str:
        """What is compared, in words."""
        return f"{self.first.result.test} by {self.called}: {self.about}"


def comparisons(shown: Iterable[Section]) -> list[Comparison]:
    """Group the results that differ in one respect alone; groups of one are left out.

    Where one source is a model encoded in several ways, the comparison by that way is
    in the place of the one by source.
    """
    given = {id(section.result): section for section in shown if section.levels}
    compared: list[Comparison] = []
    respects: tuple[Respect, ...] = ("source", *get_args(By))
    for by in respects:
        groups = [[*g.values()] for g in pivot([s.result for s in given.values()], by)]
        subjects = [(g[0].test, g[0].signature, model_of(g[0], by)) for g in groups]
        beside = by not in {"source", "level"}
        levels = [choices_of(g[0]).get("level", "") if beside else "" for g in groups]
        several = Counter(subject for subject, _ in set(zip(subjects, levels, strict=True)))
        for group, subject, level in zip(groups, subjects, levels, strict=True):
            members = tuple(given[id(result)] for result in group)
            compared.append(Comparison(members, by, level if several[subject] > 1 else ""))
    encoded = {frozenset(s.anchor for s in c.members) for c in compared if c.by != "source"}
    return [
        c for c in compared
        if c.by != "source" or frozenset(s.anchor for s in c.members) not in encoded
    ]  # fmt: skip


def matrices(compared: Iterable[Comparison]) -> list[list[Comparison]]:
    """Comparisons of several tests in the same settings, a row each; of two settings or more."""
    groups: dict[tuple[str, ...], list[Comparison]] = {}
    for comparison in compared:
        first, by = comparison.first.result, comparison.by
        model = "" if by == "source" else model_of(first, by)
        setting = (model, comparison.about, first.signature, *comparison.names)
        groups.setdefault(setting, []).append(comparison)
    return list(groups.values())
