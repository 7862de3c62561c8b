"""Results of one test over a series of periods: what the timeline and its table need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from markupsafe import Markup

from eatlas.present.drawings.timeline import Line, Point, timeline
from eatlas.present.numbers import effect, p_equals
from eatlas.present.sections import SERIES, Section
from eatlas.present.sentences import Statement, finding, level_statements
from eatlas.results import AssociationResult, Failure, TrendResult

NOT_GIVEN = "no result of this year stands among those that were given"
Key = tuple[str, str, str]


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
        return "" if self.trend is None else finding(self.trend, self.members[0].rule.alpha)

    @property
    def way(self) -> int:
        """1 where the effect size of level 1 rises significantly with the years, -1 or 0."""
        found = None if self.trend is None else self.trend.level1
        if found is None or found.p.p >= self.members[0].rule.alpha:
            return 0
        return 1 if found.rho > 0 else -1

    @property
    def statements(self) -> list[Statement]:
        """The rank correlation of each effect size with the year."""
        return [] if self.trend is None else level_statements(self.trend)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is doubtful about the trend."""
        return () if self.trend is None else self.trend.warnings

    @cached_property
    def figure(self) -> Markup:
        """The timeline."""
        members = [(section.result.period or 0, section) for section in self.members]
        title = f"Effect sizes of {self.first.test} by year"
        return figure_of(members, self.missing, title=title)


def figure_of(
    members: Sequence[tuple[int, Section]],
    missing: Mapping[int, str],
    *,
    title: str,
    unit: str = "year",
) -> Markup:
    """Draw each effect size by a number that each section has, such as its year."""
    first = members[0][1]
    lines = [
        Line(one.place, one.title, one.names, tuple(_points(members, number)))
        for number, one in enumerate(first.levels)
    ]
    up, *_, down = first.result.sides[-1]
    ends, threshold = (up, down), first.rule.threshold
    drawn = timeline(lines, missing, title=title, ends=ends, threshold=threshold, unit=unit)
    return Markup(drawn)  # noqa: S704  (escaped there)


def _points(members: Sequence[tuple[int, Section]], number: int) -> Iterator[Point]:
    """One effect size of each section."""
    for place, section in members:
        one = section.levels[number]
        text = "undefined" if one.d is None else f"{one.symbol} = {effect(one.d)}"
        if one.p_value is not None:
            text += f", {p_equals(one.p_value, one.rule.alpha, one.p_low)}"
        yield Point(place, one.d, one.interval, one.significant, text)


def series_of(
    shown: Iterable[Section],
    trends: Iterable[TrendResult] = (),
    failures: Iterable[Failure] = (),
) -> list[Series]:
    """Group results that differ in their period alone; of one year there is no series.

    Parameters
    ----------
    shown : iterable of Section
    trends : iterable of TrendResult
        Of the same results; several of one test, source and signature are taken in turn, as a
        series that was run twice stands twice.
    failures : iterable of Failure
        Those with a period say why a year is missing.
    """
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


def steps(years: Iterable[int]) -> list[int]:
    """Complete a series of years, if it is one.

    Parameters
    ----------
    years : iterable of int

    Returns
    -------
    list of int
        Rising. Where the distances of the years are multiples of the smallest, and half of the
        steps are there, all steps from the first to the last; else the years alone.

    Examples
    --------
    >>> steps([1810, 1820, 1840]), steps([1990, 2000, 2001])
    ([1810, 1820, 1830, 1840], [1990, 2000, 2001])
    """
    known = sorted(set(years))
    gaps = {late - early for early, late in pairwise(known)}
    if not gaps:
        return known
    step = min(gaps)
    full = list(range(known[0], known[-1] + 1, step))
    regular = all(gap % step == 0 for gap in gaps) and 2 * len(known) >= len(full)
    return full if regular else known
