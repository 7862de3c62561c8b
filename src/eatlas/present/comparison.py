"""One test over periods, on several sources, or on one model encoded in several ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from markupsafe import Markup

from eatlas.decoding import own_toml
from eatlas.present.drawings.curves import steps, timeline_of
from eatlas.present.rendering import phrase
from eatlas.present.sections import SERIES, Section
from eatlas.present.sentences import finding, level_statements
from eatlas.results import AssociationResult, Failure
from eatlas.results.compare import NO_PROMPT, NUMBERED, By, choices_of, model_of, pivot
from eatlas.results.levels import CELLS
from eatlas.results.settings import Settings

if TYPE_CHECKING:
    from eatlas.results import TrendResult

NOT_GIVEN = "no result of this year is among those that were given"
KINDS = Path(__file__).parent / "data" / "comparisons.toml"
LEAST = 3
"""Settings that make a line."""
Respect = Literal["source"] | By


class Series(NamedTuple):
    """One test, one source, one measure, several periods."""

    anchor: str
    """Id of its heading."""
    members: tuple[Section, ...]
    """Those with a result, in the order of the years."""
    gaps: dict[int, str]
    """Years without a result, and why, without paths."""
    trend: TrendResult | None
    name: str
    """The test, with what tells it from other series of the test."""
    span: str
    """First and last year, and how many have a result."""
    finding: str
    """Where the effect size of level 1 goes with the years; empty without a trend."""
    statements: list[tuple[str, str]]
    """The rank correlation of each effect size with the year."""
    remarks: list[str]
    """What is doubtful about the trend."""
    figure: Markup
    """The timeline."""


def series_of(
    shown: Iterable[Section],
    trends: Iterable[TrendResult] = (),
    failures: Iterable[Failure] = (),
) -> list[Series]:
    """Group results that differ in their period alone; of one year there is no series."""
    groups: dict[tuple[object, ...], dict[int, Section]] = {}
    for section in shown:
        if section.result.period is not None and section.levels:
            groups.setdefault(_subject(section.result), {})[section.result.period] = section
    by_subject = {_subject(trend): trend for trend in trends}
    failed: dict[tuple[object, ...], dict[int, str]] = {}
    for failure in failures:
        if failure.period is not None:
            failed.setdefault(_subject(failure), {})[failure.period] = failure.error.what
    series: list[Series] = []
    for subject, by_year in groups.items():
        trend, why = by_subject.get(subject), failed.get(subject, {})
        if trend is not None:
            why |= {missing.period: missing.reason for missing in trend.missing}
        if len(years := steps({*by_year, *why})) > 1:
            gaps = {year: why.get(year, NOT_GIVEN) for year in years if year not in by_year}
            members = tuple(section for _, section in sorted(by_year.items()))
            series.append(_series(f"{SERIES}{len(series) + 1}", members, gaps, trend))
    return series


def _subject(record: AssociationResult | TrendResult | Failure) -> tuple[object, ...]:
    return record.test, record.source, record.signature


def _series(
    anchor: str, members: tuple[Section, ...], gaps: dict[int, str], trend: TrendResult | None
) -> Series:
    """A series with its words and its drawing."""
    first, settings = members[0].result, members[0].settings
    gaps = {year: settings.without_paths(why) for year, why in gaps.items()}
    dated = [(section.result.period or 0, section.result) for section in members]
    years, name = sorted({*gaps, *(year for year, _ in dated)}), settings.series(first)
    drawn = timeline_of(dated, gaps, title=f"Effect sizes of {name} by year")
    return Series(
        anchor,
        members,
        gaps,
        trend,
        name=name,
        span=f"{years[0]} to {years[-1]}, {len(members)} of {len(years)} periods",
        finding="" if trend is None else finding(trend, first.rule.alpha),
        statements=[] if trend is None else level_statements(trend),
        remarks=[settings.without_paths(str(note)) for note in trend.warnings] if trend else [],
        figure=Markup(drawn),  # noqa: S704
    )


@cache
def kinds() -> dict[str, Any]:
    """Words on kinds of comparison by what results differ in, in the order of the page."""
    return own_toml(KINDS)


class Comparison(NamedTuple):
    """One test, one measure, several sources, or several encodings of one model."""

    members: tuple[Section, ...]
    by: Respect
    about: str
    """The measure, and what else all members have in common: model, layer, window."""
    names: tuple[str, ...]
    """What each member's setting is called for people, without a path."""

    @property
    def first(self) -> Section:
        """The first result, for what all have in common."""
        return self.members[0]

    @property
    def labels(self) -> list[tuple[str, str]]:
        """What each member's setting is called, and its EAT pattern."""
        pairs = zip(self.names, self.members, strict=True)
        return [(name, s.result.primary.label) for name, s in pairs if s.result.pattern]

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
    def title(self) -> str:
        """What is compared, in words."""
        return f"{self.first.result.test} by {self.called}: {self.about}"

    @property
    def sentence(self) -> str:
        """Whether the members agree."""
        levels = [s.result.level3 for s in self.members if s.result.level3 is not None]
        means = [level[cell].mean for level in levels for cell in CELLS]
        return phrase("sentences", "compared", self, kinds()[self.by]["several"], means)

    @property
    def figure(self) -> Markup:
        """Effect sizes by layer, window or distance, of those that have a number."""
        values = [(choices_of(s.result).get(self.by, ""), s.result) for s in self.members]
        numbered = [(int(value), result) for value, result in values if value.isdigit()]
        if self.by not in NUMBERED or len(numbered) < LEAST:
            return Markup()
        title = f"Effect sizes of {self.first.result.test} by {self.by}"
        return Markup(timeline_of(numbered, {}, title=title, unit=self.by))  # noqa: S704


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
            about = _about(group, by, given[id(group[0])].settings)
            if level and several[subject] > 1:
                about += f", {level}" if " on " in about else f" on {level}"
            members = tuple(given[id(result)] for result in group)
            compared.append(Comparison(members, by, about, _names(members, by)))
    encoded = {frozenset(s.anchor for s in c.members) for c in compared if c.by != "source"}
    return [
        c for c in compared
        if c.by != "source" or frozenset(s.anchor for s in c.members) not in encoded
    ]  # fmt: skip


def _about(group: Sequence[AssociationResult], by: Respect, settings: Settings) -> str:
    """The measure of results that are compared, and what else they have in common."""
    first, parts = group[0], [Settings.among(group).common]
    if first.contexts is not None and by != "source":
        columns = first.contexts.columns().items()
        parts += [f"{name} {size}" for name, size in columns if name != by]
    on = ", ".join(filter(None, parts))
    return f"{settings.short(first)} on {on}" if on else settings.short(first)


def _names(members: Sequence[Section], by: Respect) -> tuple[str, ...]:
    """What the settings of members are called for people."""
    if by == "source":
        return tuple(s.settings.sources[s.result.source] for s in members)
    values = [choices_of(section.result).get(by, "") for section in members]
    if by == "prompt":
        return tuple("no prompt" if v == NO_PROMPT else f"prompt “{v}”" for v in values)
    return tuple(f"{by} {v}" if by in NUMBERED else v for v in values)


def matrices(compared: Iterable[Comparison]) -> list[list[Comparison]]:
    """Comparisons of several tests in the same settings, a row each; of two settings or more."""
    groups: dict[tuple[str, ...], list[Comparison]] = {}
    for each in compared:
        first = each.first.result
        model = "" if each.by == "source" else model_of(first, each.by)
        groups.setdefault((model, each.about, first.signature, *each.names), []).append(each)
    return list(groups.values())
