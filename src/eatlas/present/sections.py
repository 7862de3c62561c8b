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
    COLUMN,
    Estimate,
    across,
    change_bar,
    glance,
    interval,
    mark_of,
    matched_hill,
    ruler,
    share_bar,
    without_axis,
    without_mark,
    without_ruler,
)
from eatlas.present.drawings.plane import has_map, plane_figure
from eatlas.present.drawings.svg import Axis, inlined
from eatlas.present.drawings.words import MOST_DOTS, blocks, cosine_plot, lean_plot
from eatlas.present.effects import about_terms, levels_of, matched_of, shares_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import effect
from eatlas.present.sentences import (
    Statement,
    clauses,
    headline,
    limits,
    numbers,
    other_pattern,
    sentence,
    short_sentence,
    statement,
    statements,
)
from eatlas.present.targets import Leans, leans
from eatlas.present.text import isolated
from eatlas.present.thumbnails import SYMBOL as OF_IMAGES
from eatlas.present.thumbnails import Finder, Thumbnail, Thumbnails
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect, Rule
from eatlas.results.inference import MatchedLevel
from eatlas.results.settings import Settings
from eatlas.stimuli import TARGETS

GLANCE, LINE = 100.0, 196.0
"""Pixels of the scale in the table of numbers and in the line of a finding."""
LINE_SHARE = 64
"""Pixels of the bar of a share in the line of a finding."""
DRIVERS = 5
"""Terms that a table of drivers shows of each effect size; the results file has them all."""
PAGE = frozenset((
    "main", "in-brief", "findings", "over-time", "summary", "sources", "prompts", "layers",
    "levels", "weights", "windows", "distances", "reading", "details", "not-measured",
    "unreadable", "paper", "glossary", "methods-text", "bibtex-text", "search",
    "pattern-filter", "source-filter", "test-filter", "shown", "theme",
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
    settings: Settings
    """What sources, and settings of several results, are called."""
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
    def headline(self) -> tuple[str, str]:
        """What was found in a short sentence: its first clause and the rest."""
        return clauses(headline(self.result))

    @property
    def setting(self) -> str:
        """What tells it from other settings of its test; empty where there is one."""
        return self.settings.of(self.result)

    @property
    def named(self) -> str:
        """The test, with its setting where there are several."""
        return isolated(self.settings.named(self.result))

    @property
    def called(self) -> str:
        """The same as plain text."""
        return self.settings.named(self.result)

    @property
    def notes(self) -> list[str]:
        """What readers should know about it."""
        return [self.settings.without_paths(one) for one in self.result.warnings]

    @property
    def limits(self) -> list[str]:
        """What the finding does not say, where readers may think that it does."""
        return limits(self.result)

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """What a measure without effect sizes found."""
        return numbers(self.result)

    @property
    def stability(self) -> tuple[float, float, Markup] | None:
        """How often resamples or draws show its pattern, the error of that, and a bar."""
        shares, errors = shares_of(self.result)
        label = self.result.primary.label
        if self.result.pattern is None or label not in shares:
            return None
        bar = Markup(share_bar(shares[label], LINE_SHARE, strong=True))  # noqa: S704
        return shares[label], errors.get(label, 0.0), bar

    @property
    def other_pattern(self) -> str:
        """The pattern that other words show more often."""
        return other_pattern(self.result)

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
        found = statements(self.result, self.levels, self.family)
        return [one._replace(text=self.settings.without_paths(one.text)) for one in found]

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

    @property
    def source_name(self) -> str:
        """The same, as a person calls it."""
        year = "" if self.result.period is None else f", {self.result.period}"
        return self.settings.place(self.result) + year

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
    def most_dots(self) -> bool:
        """Whether the figure of level 3 shows quantiles rather than every cosine."""
        return any(len(block) > MOST_DOTS for block in (blocks(self.result) or {}).values())

    @property
    def has_dots(self) -> bool:
        """Whether the figure of level 3 shows every cosine."""
        return self.dots and blocks(self.result) is not None

    @property
    def cosines(self) -> Markup:
        """The figure of level 3."""
        return Markup(inlined(cosine_plot(self.result, dots=self.dots)))  # noqa: S704  (escaped there)

    @property
    def lean(self) -> Markup:
        """The figure of level 1 term by term."""
        mapped = has_map(self.result)  # the map shows the same, and more, but for images
        if mapped and not any(self.result.coverage[role].image for role in TARGETS):
            return Markup()
        drawn = lean_plot(self.result, self.thumbnail)
        if mapped and OF_IMAGES not in drawn:
            return Markup()
        return Markup(inlined(drawn))  # noqa: S704  (escaped there)

    @property
    def plane(self) -> Markup:
        """The map of the words; empty where their cosines were not kept."""
        if not has_map(self.result):
            return Markup()
        return Markup(inlined(plane_figure(self.result)))  # noqa: S704  (escaped there)

    @property
    def matched_patterns(self) -> list[tuple[str, float]]:
        """How often random lists show each pattern, the most frequent first."""
        matched = matched_of(self.result)
        shares = (matched and matched.patterns) or {}
        return sorted(((n, share) for n, share in shares.items() if share), key=lambda p: -p[1])

    @property
    def patterns(self) -> list[tuple[str, float, float, Markup, Markup]]:
        """Label, share, its error, map and bar of patterns that were seen, largest share first."""
        shares, errors = shares_of(self.result)
        own = self.result.primary.label
        seen = [label for label in PATTERNS if shares.get(label) or (shares and label == own)]
        ordered = sorted(seen, key=lambda label: -shares.get(label, 0.0))
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
        """Which single terms drive each effect size, each on its own scale of d."""
        found = [(one, one.d, self._changes(one)) for one in self.levels if one.d is not None]
        return [self._panel(one, d, changes) for one, d, changes in found if changes]

    def _panel(self, shown: Effect, d: float, changes: list[tuple[float, str, str]]) -> Panel:
        some = changes[:DRIVERS]
        axis = without_axis((d + change for change, *_ in some), d)
        terms = [self._driver(d, *one, axis) for one in some]
        return Panel(shown, terms, len(changes), Markup(without_ruler(axis)))  # noqa: S704

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

    def _driver(self, d: float, change: float, name: str, role: str, axis: Axis) -> Driver:
        drawn = without_mark(d + change, d, axis, rests=change * d < 0)
        concept, thumbnail = self.result.concepts.name(role), self.thumbnail(role, name)
        return Driver(name, concept, change, d + change, thumbnail, Markup(drawn))  # noqa: S704


class Driver(NamedTuple):
    """What an effect size is without one term."""

    name: str
    group: str
    """Name of the concept that it stands for."""
    change: float
    d: float
    thumbnail: Thumbnail | None
    drawn: Markup
    """Filled where the effect size rests on the term: without it d is nearer to 0, or past it."""


class Panel(NamedTuple):
    """The terms that change one effect size most."""

    shown: Effect
    terms: list[Driver]
    total: int
    """Terms that have been left out in turn."""
    ruler: Markup
    """The numbers of the scale."""


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

    def line(self, section: Section, width: float = LINE) -> Markup:
        """The effect sizes of a result in the line of its finding: X, Y, and their comparison."""
        rows = [row for row in section.levels if row.symbol == "d"]
        if not rows:
            return Markup()
        ordered = sorted(rows, key=lambda row: row.place == "level1")
        drawn = glance(
            map(Estimate.of, ordered), across(self.axis, width), section.rule.threshold or 0.0
        )
        return Markup(drawn)  # noqa: S704  (numbers alone)

    def line_ruler(self, width: float = LINE) -> Markup:
        """The numbers of that axis."""
        return Markup(ruler(across(self.axis, width)))  # noqa: S704

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
    settings = Settings.among(given)
    return [
        Section(anchor, result, family, dots, settings, made)
        for anchor, result in zip(anchors(r.test for r in given), given, strict=True)
    ]


def anchors(tests: Iterable[str]) -> list[str]:
    """Where links lead: one id for each result, in their order; no two alike."""
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


def distinct(values: Iterable[str]) -> list[str]:
    """Return each value once, in order of first appearance."""
    return list(dict.fromkeys(values))
