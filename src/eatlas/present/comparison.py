"""One test over periods, on several sources, or on one model encoded in several ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from eatlas.present.drawings.curves import steps, timeline_of
from eatlas.present.drawings.rows import RowDrawing, change_of, line_of, ruler_of_changes
from eatlas.present.drawings.svg import FAR, LINE, Axis, Scales
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import title_end
from eatlas.present.rendering import little_among, phrase
from eatlas.present.sections import SERIES, Section, sections
from eatlas.present.sentences import finding, level_statements
from eatlas.results import AssociationResult, Failure
from eatlas.results.compare import (
    NO_PROMPT,
    NUMBERED,
    Difference,
    Row,
    choices_of,
    holm_over,
    pivot,
    side_by_side,
)
from eatlas.results.finding import VERDICTS, Verdict
from eatlas.results.levels import CELLS
from eatlas.results.pooled import PooledGroup, PooledResult, pool_groups
from eatlas.results.settings import Settings, source_name
from eatlas.results.trend import Timeline, series_source
from eatlas.texts import tables

if TYPE_CHECKING:
    from eatlas.results import Results, TrendResult

NOT_GIVEN = "no result of this year is among those that were given"
KINDS = Path(__file__).parent / "data" / "comparisons.toml"
LEAST = 3
"""Settings that make a line."""


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
    """The test, with what distinguishes it from other series of the test."""
    place: str
    """The source, without the part of a corpus that each is."""
    span: str
    """First and last year, and how many have a result."""
    finding: str
    """How the effect size of level 1 changes over the years; empty without a trend."""
    statements: list[tuple[str, str]]
    """The slope and the rank correlation with the year of each effect size."""
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
    return record.test, series_source(record), record.signature


def _series(
    anchor: str, members: tuple[Section, ...], gaps: dict[int, str], trend: TrendResult | None
) -> Series:
    """A series with its words and its drawing."""
    first, settings = members[0].result, members[0].settings
    gaps = {year: settings.without_paths(why) for year, why in gaps.items()}
    dated = {section.result.period or 0: (section.result, section.finding) for section in members}
    years, name = sorted({*gaps, *dated}), settings.series(first)
    timeline = Timeline(section.result for section in members)
    drawn = timeline_of({"": dated}, gaps, title=f"Effect sizes of {name} by year", years=timeline)
    return Series(
        anchor,
        members,
        gaps,
        trend,
        name=name,
        place=source_name(series_source(first)) if first.member else settings.place(first),
        span=f"{years[0]} to {timeline[years[-1]].last}, {len(members)} of {len(years)} periods",
        finding="" if trend is None else finding(trend, first.rule.alpha),
        statements=[] if trend is None else level_statements(trend),
        remarks=[settings.without_paths(str(note)) for note in trend.warnings] if trend else [],
        figure=Markup(drawn),  # noqa: S704
    )


@cache
def kinds() -> dict[str, Any]:
    """Words on kinds of comparison by what results differ in, in the order of the page."""
    return tables(KINDS)


class Change(NamedTuple):
    """How far the effect size in one setting is from that in another."""

    d: float
    interval: tuple[float, float] | None
    p: float | None
    basis: str = ""
    """What it is computed on, if it is not the difference of the effect sizes."""

    @classmethod
    def of(cls, gap: Difference) -> Change:
        """A difference, as the package says that knows more of both results, if there is one."""
        best = gap.best
        basis = "" if best is gap or gap.known is None else gap.known.basis
        return cls(best.d, best.interval, best.p, basis)


class Compared(NamedTuple):
    """One test, one measure, in settings that differ in one respect alone."""

    by: str
    name: str
    """The test, and what else tells it from the other rows."""
    cells: tuple[Section | None, ...]
    """A section for each setting."""
    names: tuple[str, ...]
    """What the settings are called."""
    row: Row
    """The same as results, which know how far they differ."""
    pooled: PooledResult | None = None
    """The claim over the sources."""
    axis: Axis | None = None
    """Of the changes of all rows."""

    @property
    def members(self) -> list[Section]:
        """The sections that are there."""
        return [section for section in self.cells if section is not None]

    @property
    def sections_with_names(self) -> list[tuple[str, Section]]:
        """What each setting is called, and its section."""
        return [(name, s) for name, s in zip(self.names, self.cells, strict=True) if s]

    @property
    def verdicts(self) -> dict[Verdict | None, int]:
        """How many members have which verdict, the strongest first."""
        counts = Counter(section.finding.verdict for section in self.members)
        return {verdict: counts[verdict] for verdict in (*VERDICTS, None) if counts[verdict]}

    @property
    def headline(self) -> str:
        """The claim over sources; else how many settings have which verdict. Without a stop."""
        if self.pooled is not None:
            return self.pooled.questions["level1"].sentence.removesuffix(".")
        return phrase("sentences", "headline", self, kinds()[self.by]["several"])

    @property
    def sizes(self) -> list[float]:
        """The first effect size of each member that has one."""
        return [s.levels[0].d for s in self.members if s.levels[0].d is not None]

    @property
    def spread(self) -> float:
        """How far these are apart."""
        return self.row.spread or 0.0

    @property
    def differences(self) -> dict[str, Difference]:
        """Of two members, how far the second is from the first, by the name of the effect size."""
        if len(self.members) != 2 or None in self.row.members:
            return {}
        named = {effect.place: effect.name for effect in self.members[0].levels}
        known = {named[place]: self.row.difference(place, 1) for place in named}
        return {name: gap for name, gap in known.items() if gap is not None}

    @property
    def change(self) -> Change | None:
        """The change of the first effect size between two settings, or over settings that rise."""
        first, *_, last = self.row.members
        rises = len(self.row.members) == 2 or self.by in NUMBERED
        if first is None or last is None or not rises or not self.row.places:
            return None
        gap = self.row.difference(self.row.places[0], len(self.row.members) - 1)
        return None if gap is None else Change.of(gap)

    @property
    def has_d(self) -> bool:
        """Whether the first number is an effect size d, which has the axis of the page."""
        return self.members[0].levels[0].symbol == "d"

    @property
    def is_line(self) -> bool:
        """Whether the settings rise, so that a line shows them."""
        return self.by in NUMBERED and len(self.members) >= LEAST

    def line(self, scales: Scales) -> RowDrawing:
        """A line over settings that rise."""
        told = [(section.result, section.finding) for section in self.members]
        first, *_, last = told[0][0].sides[-1]
        names = [name for name, _ in self.sections_with_names]
        return RowDrawing(line_of(told, names, scales.axis), f"↓ {last}", f"↑ {first}")

    def mean_drawing(self, scales: Scales) -> Markup:
        """The mean effect size of several sources with its interval."""
        question = None if self.pooled is None else self.pooled.questions["level1"]
        if question is None or question.effect_size is None or not self.has_d:
            return Markup()
        d, interval, verdict = question.effect_size, question.interval, question.verdict
        return change_of(d, interval, scales.axis, LINE, verdict)

    def change_ruler(self) -> Markup:
        """The numbers of the axis of changes."""
        return Markup() if self.axis is None else ruler_of_changes(self.axis)

    def change_drawing(self) -> Markup:
        """The change with its interval, on the axis of all rows."""
        if self.change is None or self.axis is None:
            return Markup()
        return change_of(self.change.d, self.change.interval, self.axis)

    @property
    def sentence(self) -> str:
        """How far the effect sizes of the members are apart."""
        return self._in_words("all")

    @property
    def remark(self) -> str:
        """What the numbers of the settings and their change do not show."""
        return self._in_words("alone")

    def _in_words(self, which: str) -> str:
        """The changes of all effect sizes, or of single targets."""
        levels = [s.result.level3 for s in self.members if s.result.level3 is not None]
        means = [level[cell].mean for level in levels for cell in CELLS]
        said = phrase("sentences", "compared", self, means, which)
        return f"{phrase('sentences', 'pooled', self.pooled)} {said}" if self.pooled else said

    @property
    def figure(self) -> Markup:
        """Effect sizes by layer, window or distance, of those that have a number."""
        values = [(choices_of(s.result).get(self.by, ""), s) for s in self.members]
        numbered = {int(value): (s.result, s.finding) for value, s in values if value.isdigit()}
        if self.by not in NUMBERED or len(numbered) < LEAST:
            return Markup()
        title = f"Effect sizes of {self.name} by {self.by}"
        return Markup(timeline_of({"": numbered}, {}, title=title, unit=self.by))  # noqa: S704


def comparisons(
    shown: Iterable[Section], groups: Iterable[PooledGroup]
) -> dict[str, list[Compared]]:
    """Results that differ in one respect alone, a row for each test, by this respect.

    `groups` are the tests on several sources, with what these show together. Where one source is a
    model encoded in several ways, the comparison by that way is in the place of the one by source.
    """
    by_id = {id(section.result): section for section in shown if section.levels}
    results = [section.result for section in by_id.values()]
    found = {by: side_by_side(results, by) for by in kinds() if pivot(results, by)}
    encoded = {
        frozenset(id(member) for member in row.members if member)
        for by, table in found.items()
        for row in table
        if by != "source"
    }
    pooled = {frozenset(map(id, of)): test for of, test in groups}
    compared: dict[str, list[Compared]] = {}
    for by, table in found.items():
        for row in table:
            members = frozenset(id(member) for member in row.members if member)
            if by == "source" and members in encoded:
                continue
            cells = tuple(by_id.get(id(member)) for member in row.members)
            names = tuple(_name(by, value) for value in row.values)
            test = pooled.get(members) if by == "source" else None
            compared.setdefault(by, []).append(Compared(by, row.name, cells, names, row, test))
    # where tests rise over layers in each prompt of one model, these lines say all
    rising = {id(s) for by in NUMBERED for row in compared.get(by, ()) for s in row.members}
    models = {encoding and encoding.model for encoding in (r.encoding for r in results)}
    for by in ("prompt", "source") if len(models) == 1 and None not in models else ("prompt",):
        if all(id(s) in rising for row in compared.get(by, ()) for s in row.members):
            compared.pop(by, None)
    return {by: _in_order(rows) for by, rows in compared.items()}


def _in_order(rows: list[Compared]) -> list[Compared]:
    """Rows with one axis for their changes, those that differ most first."""
    known = [change for row in rows if row.has_d and (change := row.change) is not None]
    values = [end for change in known for end in (change.d, *(change.interval or ()))]
    near = [max(-FAR, min(FAR, value)) for value in values]
    limit = max(map(abs, near), default=0.0) or 1.0
    axis = Axis.with_zero([-limit, limit], 0.0, 1.0) if known else None
    by_size = sorted(rows, key=lambda row: -abs(row.change.d if row.change else row.spread))
    return [row._replace(axis=axis if row.has_d else None) for row in by_size]


def significant_changes(rows: Sequence[Compared]) -> list[Compared]:
    """Rows whose change is significant after Holm over all rows."""
    adjusted = holm_over(row.change.p if row.change else None for row in rows)
    return [
        row
        for row, p in zip(rows, adjusted, strict=True)
        if p is not None and p <= row.members[0].result.rule.alpha
    ]


def series_and_comparisons(
    shown: Sequence[Section],
    trends: Iterable[TrendResult],
    failures: Iterable[Failure],
    pooled: Iterable[PooledGroup],
) -> tuple[list[Series], list[tuple[dict[str, str], list[Compared]]]]:
    """Series, and what else was measured in several settings, with the words of each kind."""
    series = series_of(shown, trends, failures)
    in_series = {section.anchor for line in series for section in line.members}
    rest = [section for section in shown if section.anchor not in in_series]
    if in_series:
        pooled = pool_groups(section.result for section in rest if section.levels)
    others = comparisons(rest, pooled)
    return series, [(kinds()[by], rows) for by, rows in others.items()]


def are_in_series(shown: Sequence[Section], series: Iterable[Series]) -> bool:
    """Whether all results are of series with a trend, so that their lines come first."""
    known = [line for line in series if line.trend is not None]
    return bool(shown) and sum(len(line.members) for line in known) == len(shown)


def title_of_results(results: Results, settings: Settings, pooled: Iterable[PooledGroup]) -> str:
    """The title of tests over the years, or in several settings; empty of other results."""
    shown = sections(results, DeclaredFamily(None))
    found = series_and_comparisons(shown, results.trends, results.failures, pooled)
    return title_of_settings(shown, settings, *found)


def title_of_trends(results: Results, settings: Settings) -> str:
    """How tests move over the years; empty where some results are of no series with a trend."""
    shown = sections(results, DeclaredFamily(None))
    series = series_of(shown, results.trends)
    return _title_of_series(shown, settings, series) if are_in_series(shown, series) else ""


def _title_of_series(shown: Sequence[Section], settings: Settings, series: Sequence[Series]) -> str:
    """Which effect sizes move over the years, and how fast."""
    every = [section.result for section in shown]
    known, alpha = [line for line in series if line.trend is not None], every[0].rule.alpha
    facts = settings.subject, known, alpha, little_among(every), len(every)
    return phrase("sentences", "title_series", *facts) + title_end(every)


def title_of_settings(
    shown: Sequence[Section],
    settings: Settings,
    series: Sequence[Series],
    compared: Sequence[tuple[dict[str, str], list[Compared]]],
) -> str:
    """How tests move over the years, or change between settings; empty of other results."""
    every = [section.result for section in shown]
    little = little_among(every), len(every)
    if are_in_series(shown, series):
        return _title_of_series(shown, settings, series)
    if not compared or "level1" not in compared[0][1][0].members[0].finding.questions:
        return ""
    kind, rows = compared[0]
    if any(row.pooled for row in rows):
        return ""
    about = settings.subject, kind["several"], rows, significant_changes(rows)
    return phrase("sentences", "title_compared", *about, *little) + title_end(every)


def _name(by: str, value: str) -> str:
    """What a setting is called for people."""
    if by == "prompt":
        return "no prompt" if value == NO_PROMPT else f"prompt “{value}”"
    return f"{by} {value}" if by in NUMBERED else value
