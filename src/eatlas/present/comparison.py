"""One test over periods, on several sources, or on one model encoded in several ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from markupsafe import Markup

from eatlas.decoding import own_toml
from eatlas.present.drawings.plane import moves_figure
from eatlas.present.drawings.timeline import steps, timeline_of
from eatlas.present.rendering import phrase
from eatlas.present.sections import SERIES, Section, source_of
from eatlas.present.sentences import Statement, finding, level_statements
from eatlas.present.text import isolated
from eatlas.results import AssociationResult, Failure
from eatlas.results.compare import (
    NO_PROMPT,
    NUMBERED,
    By,
    choices_beside,
    model_of,
    pivot,
    sizes_beside,
    value_of,
)
from eatlas.results.levels import CELLS
from eatlas.results.settings import Settings, together

if TYPE_CHECKING:
    from eatlas.results import TrendResult

NOT_GIVEN = "no result of this year is among those that were given"
Key = tuple[str, str, str]
UNSAID: tuple[By, ...] = ("level",)
"""Choices that the name of a source does not say."""
LEAST = 3
"""Settings that make a line."""


@dataclass(frozen=True)
class Series:
    """One test, one source, one measure, several periods."""

    anchor: str
    """Id of its heading."""
    members: tuple[Section, ...]
    """Those with a result, in the order of the years."""
    missing: Mapping[int, str]
    """Years without a result, and why."""
    trend: TrendResult | None

    @property
    def first(self) -> AssociationResult:
        """The result of the first year, for what all have in common."""
        return self.members[0].result

    @property
    def name(self) -> str:
        """The test, with what tells it from other series of the test."""
        return self.members[0].settings.series(self.first)

    @property
    def source_name(self) -> str:
        """What the series is called."""
        return self.members[0].settings.place(self.first)

    @property
    def gaps(self) -> dict[int, str]:
        """Years without a result, and why, without paths."""
        told = self.members[0].settings.without_paths
        return {year: told(why) for year, why in self.missing.items()}

    @cached_property
    def by_year(self) -> dict[int, Section | None]:
        """The result of every year, None where there is none."""
        found: dict[int, Section | None] = dict.fromkeys(self.missing)
        found |= {section.result.period or 0: section for section in self.members}
        return dict(sorted(found.items()))

    @property
    def span(self) -> str:
        """First and last year, and how many have a result."""
        years = list(self.by_year)
        return f"{years[0]} to {years[-1]}, {len(self.members)} of {len(years)} periods"

    @property
    def finding(self) -> str:
        """Where the effect size of level 1 goes with the years."""
        return "" if self.trend is None else finding(self.trend, self.first.rule.alpha)

    @property
    def way(self) -> int:
        """1 where the effect size of level 1 rises significantly with the years, -1 or 0."""
        found = None if self.trend is None else self.trend.level1
        if found is None or found.p.p >= self.first.rule.alpha:
            return 0
        return 1 if found.rho > 0 else -1

    @property
    def statements(self) -> list[Statement]:
        """The rank correlation of each effect size with the year."""
        return [] if self.trend is None else level_statements(self.trend)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is doubtful about the trend."""
        told = self.members[0].settings.without_paths
        return () if self.trend is None else tuple(told(str(note)) for note in self.trend.warnings)

    @cached_property
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
    groups = _groups(shown)
    records = _records(trends)
    failed: dict[Key, dict[int, str]] = {}
    for failure in failures:
        if failure.period is not None:
            key = failure.test, failure.source, failure.signature
            failed.setdefault(key, {})[failure.period] = failure.error.what
    found: list[Series] = []
    for (key, number), members in groups.items():
        ordered = tuple(sorted(members, key=lambda section: section.result.period or 0))
        trend = records.get((key, number))
        missing = _missing(ordered, trend, failed.get(key, {}))
        if len(ordered) + len(missing) > 1:
            found.append(Series(f"{SERIES}{len(found) + 1}", ordered, missing, trend))
    return found


def _groups(shown: Iterable[Section]) -> dict[tuple[Key, int], list[Section]]:
    """Sections by series; one whose period came before belongs to the next run of its series."""
    times: Counter[tuple[Key, int | None]] = Counter()
    groups: dict[tuple[Key, int], list[Section]] = {}
    for section in shown:
        result = section.result
        if result.period is None or not section.levels:
            continue
        key = result.test, result.source, result.signature
        groups.setdefault((key, times[key, result.period]), []).append(section)
        times[key, result.period] += 1
    return groups


def _records(trends: Iterable[TrendResult]) -> dict[tuple[Key, int], TrendResult]:
    times: Counter[Key] = Counter()
    found = {}
    for trend in trends:
        key = trend.test, trend.source, trend.signature
        found[key, times[key]] = trend
        times[key] += 1
    return found


def _missing(
    members: Sequence[Section], trend: TrendResult | None, failed: Mapping[int, str]
) -> dict[int, str]:
    known = {section.result.period or 0 for section in members}
    reasons = dict(failed)
    if trend is not None:
        reasons |= {missing.period: missing.reason for missing in trend.missing}
    gaps = dict.fromkeys(steps({*known, *reasons}), NOT_GIVEN)
    return {year: why for year, why in sorted((gaps | reasons).items()) if year not in known}


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
    return {by: Kind(**words) for by, words in own_toml(KINDS).items()}


@dataclass(frozen=True)
class Comparison:
    """One test, one measure, several sources, or several encodings of one model."""

    members: tuple[Section, ...]
    by: Respect = "source"
    others: tuple[By, ...] = ()
    """Choices of encoding in which other comparisons of the same test differ from this one."""

    @property
    def first(self) -> Section:
        """The first source's result, for what all have in common."""
        return self.members[0]

    @cached_property
    def about(self) -> str:
        """The measure, and what else all members have in common: model, layer, window."""
        first = self.first.result
        beside = choices_beside(first, self.by) if self.by != "source" else {}
        parts = [
            Settings.among(one.result for one in self.members).common,
            sizes_beside(first, self.by) if self.by != "source" else "",
            *(beside[one] for one in self.others if one in beside and one in UNSAID),
        ]
        on = ", ".join(filter(None, parts))
        measure = self.first.settings.short(first)
        return f"{measure} on {on}" if on else measure

    def value(self, section: Section) -> str:
        """In what a member differs from the others."""
        return (
            source_of(section.result)
            if self.by == "source"
            else value_of(section.result, self.by) or ""
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each member's setting is called for people, without a path."""
        if self.by == "prompt":
            known = [self.value(one) for one in self.members]
            return tuple("no prompt" if one == NO_PROMPT else f"prompt “{one}”" for one in known)
        if self.by in NUMBERED:
            return tuple(f"{self.by} {self.value(one)}" for one in self.members)
        if self.by != "source":
            return tuple(self.value(one) for one in self.members)
        years = [one.result.period for one in self.members]
        names = [one.settings.sources[one.result.source] for one in self.members]
        return tuple(
            name if year is None else f"{name}, {year}"
            for name, year in zip(names, years, strict=True)
        )

    @property
    def differs(self) -> str:
        """How the EAT pattern moves from the first setting on; empty where it stays."""
        labels = [label for _, label in self.labels]
        steps = [one for i, one in enumerate(labels) if i == 0 or one != labels[i - 1]]
        return " → ".join(steps) if len(steps) > 1 else ""

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
    def by_pattern(self) -> list[tuple[str, str]]:
        """Each pattern with the settings that show it."""
        found: dict[str, list[str]] = {}
        for name, label in self.labels:
            found.setdefault(label, []).append(isolated(name) if self.by == "source" else name)
        listed = [(label, together(names)) for label, names in found.items()]
        if listed and self.by != "source":
            listed[0] = listed[0][0], listed[0][1][:1].upper() + listed[0][1][1:]
        return listed

    @property
    def means(self) -> list[float]:
        """The means of level 3 of all members."""
        found = [s.result.level3 for s in self.members if s.result.level3 is not None]
        return [level.cell(name).mean for level in found for name in CELLS]

    @cached_property
    def figure(self) -> Markup:
        """Effect sizes by layer, window or distance, of those that have a number."""
        numbered = [(int(n), s.result) for s in self.members if (n := self.value(s)).isdigit()]
        if self.by not in NUMBERED or len(numbered) < LEAST:
            return Markup()
        title = f"Effect sizes of {self.first.result.test} by {self.by}"
        return Markup(timeline_of(numbered, {}, title=title, unit=self.by))  # noqa: S704

    @cached_property
    def moves(self) -> Markup:
        """Where the words move from the first of two settings to the second."""
        if len(self.members) != 2 or any(one.result.similarities is None for one in self.members):
            return Markup()
        first, second = (one.result for one in self.members)
        return Markup(moves_figure(first, second, self.names))  # noqa: S704

    @property
    def title(self) -> str:
        """What is compared, in words."""
        return f"{self.first.result.test} by {self.called}: {self.about}"


def comparisons(shown: Iterable[Section]) -> list[Comparison]:
    """Group the results that differ in their source alone; groups of one are left out.

    Where one source is a model encoded in several ways, the comparison by that way is
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
        if len({source_of(s.result) for s in group}) > 1
        and frozenset(s.anchor for s in group) not in covered
    ]
    return by_source + encoded


def matrices(found: Iterable[Comparison]) -> list[list[Comparison]]:
    """Comparisons of several tests in the same settings, a row each; of two settings or more."""
    groups: dict[tuple[str, ...], list[Comparison]] = {}
    for one in found:
        model = "" if one.by == "source" else model_of(one.first.result, one.by)
        place = (model, one.about, one.first.result.signature, *one.names)
        groups.setdefault(place, []).append(one)
    return list(groups.values())


def _by_encoding(given: Sequence[Section], by: By) -> list[Comparison]:
    """Comparisons of results that differ in one choice of encoding alone."""
    sections = {id(section.result): section for section in given}
    groups = [tuple(g.values()) for g in pivot([section.result for section in given], by)]
    found: dict[tuple[str, str, str], dict[By, set[str]]] = {}
    for group in groups:
        of = found.setdefault(_subject(group[0], by), {})
        for one, value in choices_beside(group[0], by).items():
            of.setdefault(one, set()).add(value)
    return [
        Comparison(
            tuple(sections[id(result)] for result in group),
            by,
            tuple(one for one, values in found[_subject(group[0], by)].items() if len(values) > 1),
        )
        for group in groups
    ]


def _subject(first: AssociationResult, by: By) -> tuple[str, str, str]:
    """Test, measure and model, of which there may be several comparisons."""
    return first.test, first.signature, model_of(first, by)
