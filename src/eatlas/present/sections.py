"""Results arranged for the page: what the template needs and the records do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup

from eatlas.present.drawings.eat_map import PATTERNS, SYMBOL, EATMap, mini_of
from eatlas.present.drawings.figures import (
    Estimate,
    across,
    blocks,
    change_bar,
    cosine_plot,
    glance,
    interval,
    lean_plot,
    mark_of,
    matched_hill,
    ruler,
    share_bar,
)
from eatlas.present.drawings.plane import plane_figure
from eatlas.present.drawings.svg import Axis
from eatlas.present.effects import about_terms, levels_of, matched_of, shares_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import effect
from eatlas.present.sentences import Statement, sentence, short_sentence, statement, statements
from eatlas.present.targets import Leans, leans
from eatlas.present.thumbnails import SYMBOL as OF_IMAGES
from eatlas.present.thumbnails import Finder, Thumbnail, Thumbnails
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect, Rule
from eatlas.results.inference import MatchedLevel

GLANCE, COLUMN = 100.0, 176.0
"""Pixels of the scale in the summary and in a column of its own."""
DRIVERS = 8
"""Terms that a table of drivers shows of each effect size; the results file has them all."""
PAGE = frozenset((
    "main", "in-brief", "over-time", "summary", "sources", "prompts", "layers", "levels", "weights",
    "windows", "distances", "reading", "details", "not-measured", "unreadable", "paper", "glossary",
    "methods-text", "bibtex-text", "search", "pattern-filter", "source-filter", "test-filter",
    "shown", "theme",
))  # fmt: skip
"""Ids that the page itself needs."""
SERIES, TITLE = "series-", "-title"
"""How the ids of the page's series begin, and those of its headings end."""
LONGEST_ID = 80
_UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class Section:
    """One result and how the page shows it."""

    anchor: str
    """Id of the section, the target of the summary's link."""
    result: AssociationResult
    family: DeclaredFamily
    dots: bool
    """Whether single cosines are drawn."""
    thumbnails: Thumbnails = field(default_factory=Thumbnails, compare=False, repr=False)
    """Of the images of the page."""

    @cached_property
    def kind(self) -> str:
        """Which table of the summary has its row: that of a measure of ours, or its own."""
        if self.result.pattern is not None:
            return "ml-eat" if self.result.direction is None else "lpbs"
        if [one.place for one in self.levels] == ["level1"]:
            return "weat"
        return "sc-eat" if about_terms(self.result) else self.result.measure

    @cached_property
    def thumbnail(self) -> Finder:
        """What finds the thumbnail of a term, by its group and name."""
        return self.thumbnails.of(self.result)

    @cached_property
    def levels(self) -> list[Effect]:
        """The effect sizes of the result as a whole."""
        return levels_of(self.result)

    @cached_property
    def terms(self) -> list[Effect]:
        """Single terms from the strongest association with A to that with B, undefined last."""
        terms = [one for one in self.result.effects() if one.term is not None]
        return sorted(terms, key=lambda one: (one.d is None, -(one.d or 0.0)))

    @property
    def sentence(self) -> str:
        """What the result says."""
        return sentence(self.result)

    @property
    def short_sentence(self) -> str:
        """The same, without what every result of its measure says."""
        return short_sentence(self.result)

    @property
    def statements(self) -> list[Statement]:
        """How far it may be trusted."""
        return statements(self.result, self.levels, self.family)

    def about(self, what: str) -> str:
        """What the template ``trust`` says of the result's ``space`` or ``ratios``."""
        return statement(what, self.result)

    @property
    def rule(self) -> Rule:
        """The level and the tail by which the result is read."""
        return self.result.rule

    @property
    def tested(self) -> bool:
        """Whether there are effect sizes d, with p-values; other numbers have none."""
        return any(one.symbol == "d" for one in self.levels)

    @property
    def source(self) -> str:
        """The source with its year and the size of contexts, where it has them."""
        return source_of(self.result)

    def adjusted(self, shown: Effect) -> tuple[float | None, float | None]:
        """Adjusted p with its lower bound; None where the effect size is undefined."""
        return (None, None) if shown.d is None else self.family.adjusted(self.result, shown)

    @cached_property
    def targets(self) -> Leans | None:
        """Targets against groups, of a measure that finds something for each."""
        return None if self.result.by_target is None else leans(self.result)

    @cached_property
    def map(self) -> EATMap | None:
        """The EAT-Map, of a measure that has one."""
        return None if self.result.pattern is None else EATMap.of(self.result, self.thumbnail)

    @property
    def has_dots(self) -> bool:
        """Whether the figure of level 3 shows every cosine."""
        return self.dots and blocks(self.result) is not None

    @property
    def cosines(self) -> Markup:
        """The figure of level 3."""
        return Markup(cosine_plot(self.result, dots=self.dots))  # noqa: S704  (escaped there)

    @property
    def lean(self) -> Markup:
        """The figure of level 1 term by term."""
        return Markup(lean_plot(self.result, self.thumbnail))  # noqa: S704  (escaped there)

    @property
    def plane(self) -> Markup:
        """The map of the words."""
        return Markup(plane_figure(self.result))  # noqa: S704  (escaped there)

    @property
    def matched_patterns(self) -> list[tuple[str, float]]:
        """How often random lists show each pattern, the most frequent first."""
        matched = matched_of(self.result)
        shares = (matched and matched.patterns) or {}
        return sorted(((n, share) for n, share in shares.items() if share), key=lambda p: -p[1])

    @property
    def patterns(self) -> list[tuple[str, float, float, Markup, Markup]]:
        """Label, share, its error, map and bar of the nine patterns, largest share first."""
        shares, errors = shares_of(self.result)
        own = self.result.primary.label
        ordered = sorted(PATTERNS if shares else (), key=lambda label: -shares.get(label, 0.0))
        return [
            (
                label,
                share := shares.get(label, 0.0),
                errors.get(label, 0.0),
                mini_of(label),
                Markup(share_bar(share, strong=label == own)),  # noqa: S704  (numbers alone)
            )
            for label in ordered
        ]

    @property
    def unit(self) -> str:
        """What a score belongs to: "term" or "stimulus"."""
        in_contexts = any(map(self.result.contexts_of, self.result.coverage))
        return "stimulus" if self.result.primary.over_stimuli or in_contexts else "term"

    @property
    def missing(self) -> int:
        """Terms that could not be used."""
        return self.result.coverage.counts()[1]

    def term_bar(self, shown: Effect) -> Markup:
        """The bar of one term's effect size."""
        if shown.d is None:
            return Markup()
        limit = Axis.of_effects([shown.d]).high
        return Markup(change_bar(shown.d, limit, strong=shown.significant))  # noqa: S704

    @property
    def panels(self) -> list[Panel]:
        """Which single terms drive each effect size, all bars to one scale."""
        found = [(one, one.d, self._changes(one)) for one in self.levels if one.d is not None]
        limit = max((abs(c) for *_, changes in found for c, *_ in changes), default=0.0)
        return [
            Panel(one, [self._driver(d, *some, limit) for some in changes[:DRIVERS]], len(changes))
            for one, d, changes in found
            if changes
        ]

    def _changes(self, shown: Effect) -> list[tuple[float, str, str]]:
        """Change of an effect size without a term, the term, its group; the largest first."""
        if shown.influence is None:
            return []
        of = self.result
        changes = [
            (change, term, role)
            for role in "XYAB"
            for term, change in zip(
                of.coverage.group(role).stimuli, shown.influence.group(role), strict=False
            )
            if change is not None
        ]
        return sorted(changes, key=lambda found: -abs(found[0]))

    def _driver(self, d: float, change: float, name: str, role: str, limit: float) -> Driver:
        bar = Markup(change_bar(change, limit, strong=change * d < 0))  # noqa: S704  (numbers)
        concept, thumbnail = self.result.concepts.name(role), self.thumbnail(role, name)
        return Driver(name, concept, change, d + change, thumbnail, bar)


class Driver(NamedTuple):
    """What an effect size is without one term."""

    name: str
    group: str
    """Name of the concept that it stands for."""
    change: float
    d: float
    thumbnail: Thumbnail | None
    bar: Markup
    """Strong where the effect size rests on the term: without it d is nearer to 0, or past it."""


class Panel(NamedTuple):
    """The terms that change one effect size most."""

    shown: Effect
    terms: list[Driver]
    total: int
    """Terms that have been left out in turn."""


@dataclass(frozen=True)
class Scales:
    """The axis of all effect sizes of a page, in the widths that it needs."""

    axis: Axis

    @classmethod
    def of(cls, sections: Iterable[Section]) -> Scales:
        """Enclose every effect size and every interval."""
        rows = [row for section in sections for row in section.levels if row.symbol == "d"]
        values = [value for row in rows for value in (row.d, *(row.interval or ()))]
        return cls(across(Axis.of_effects(values), COLUMN))

    def glance(self, rows: Iterable[Effect]) -> Markup:
        """The effect sizes of a result below each other, small."""
        small = across(self.axis, GLANCE)
        return Markup(glance(map(Estimate.of, rows), small))  # noqa: S704  (numbers alone)

    def interval(self, row: Effect) -> Markup:
        """One effect size with its interval."""
        return Markup(interval(Estimate.of(row), self.axis))  # noqa: S704

    def hill(self, shown: Effect, null: MatchedLevel) -> Markup:
        """The effect sizes of random lists, with the observed one."""
        beyond = null.tail(shown.tail) < shown.rule.alpha
        mark = mark_of(shown.place)
        return Markup(  # noqa: S704
            matched_hill(null, shown.d or 0.0, mark, self.axis, beyond=beyond)
        )

    def ends(self) -> str:
        """The ends of the axis, in words."""
        limit = self.axis.high
        decimals = 0 if limit.is_integer() else 1
        return f"{effect(-limit, decimals)} to {effect(limit, decimals)}"

    def ruler(self) -> Markup:
        """The numbers of the axis."""
        return Markup(ruler(self.axis))  # noqa: S704


def sections(
    results: Iterable[AssociationResult],
    family: DeclaredFamily,
    *,
    dots: bool,
    thumbnails: Thumbnails | None = None,
) -> list[Section]:
    """One section for each result, in their order."""
    given, made = list(results), thumbnails or Thumbnails()
    return [
        Section(anchor, result, family, dots, made)
        for anchor, result in zip(anchors(r.test for r in given), given, strict=True)
    ]


def anchors(tests: Iterable[str]) -> list[str]:
    """Where links lead: one id for each result, in their order; no two alike.

    Parameters
    ----------
    tests : iterable of str
        Ids of the tests; one that comes again gets a number.

    Examples
    --------
    >>> anchors(["weat-6", "weat-6", "my test: 1", "summary"])
    ['weat-6', 'weat-6-2', 'my-test-1', 'summary-2']
    """
    taken = set(PAGE)
    found = []
    for test in tests:
        name = _fit(test)
        chosen, number = name, 1
        while chosen in taken:
            number += 1
            chosen = f"{name}-{number}"
        taken.add(chosen)
        found.append(chosen)
    return found


def _fit(test: str) -> str:
    """Make the id of a test fit for an address, and none of the page's own."""
    name = _UNFIT.sub("-", test).strip("-")[:LONGEST_ID] or "test"
    ours = name.startswith((SYMBOL, OF_IMAGES, SERIES)) or name.endswith(TITLE)
    return f"test-{name}." if ours else name


def source_of(result: AssociationResult) -> str:
    """The source and, in a series, its year; of contexts, how much of a text they hold."""
    year = "" if result.period is None else f", {result.period}"
    size = result.contexts and result.contexts.size
    return f"{result.source}{year}{f', {size}' if size else ''}"


def named_sources(results: Iterable[AssociationResult]) -> list[str]:
    """Each source once; a series with how many periods it has, rather than each of them."""
    years: dict[str, list[int | None]] = {}
    for result in results:
        known = years.setdefault(result.source, [])
        if result.period not in known:
            known.append(result.period)
    return [name for source, known in years.items() for name in _named(source, known)]


def _named(source: str, years: list[int | None]) -> list[str]:
    known = [year for year in years if year is not None]
    if len(known) < 2:
        found = [f"{source}, {year}" for year in known]
    else:
        found = [f"{source} ({len(known)} periods, {min(known)} to {max(known)})"]
    return [source, *found] if None in years else found


def distinct(values: Iterable[str]) -> list[str]:
    """Return each value once, in order of first appearance."""
    return list(dict.fromkeys(values))
