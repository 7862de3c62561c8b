"""Results arranged for the page: what the template needs and the records do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

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
from eatlas.present.drawings.svg import Axis
from eatlas.present.drawings.words import MOST_DOTS, blocks, cosine_plot, lean_plot
from eatlas.present.effects import about_terms, changes_of, levels_of, matched_of, shares_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import effect
from eatlas.present.rendering import FILTERS
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
from eatlas.present.thumbnails import SYMBOL as OF_IMAGES
from eatlas.present.thumbnails import Finder, Thumbnail, Thumbnails
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
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
    """A result in a page: where it stands, and what it is called beside the others."""

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
    def levels(self) -> list[Effect]:
        """The effect sizes of the result as a whole."""
        return levels_of(self.result)

    @cached_property
    def kind(self) -> str:
        """Which table of the summary has its row: that of a measure of ours, or its own."""
        if self.result.pattern is not None:
            return "ml-eat" if self.result.direction is None else "lpbs"
        if [effect.place for effect in self.levels] == ["level1"]:
            return "weat"
        return "sc-eat" if about_terms(self.result) else self.result.measure

    @cached_property
    def tested(self) -> bool:
        """Whether there are effect sizes d, with p-values; other numbers have none."""
        return any(effect.symbol == "d" for effect in self.levels)

    @cached_property
    def thumbnail(self) -> Finder:
        """What finds the thumbnail of a term, by its group and name."""
        return self.thumbnails.of(self.result)

    @cached_property
    def map(self) -> EATMap | None:
        """The EAT-Map, of a measure that has one."""
        return None if self.result.pattern is None else EATMap.of(self.result, self.thumbnail)

    @cached_property
    def targets(self) -> Leans | None:
        """Targets against groups, of a measure that finds something for each."""
        return None if self.result.by_target is None else leans(self.result)

    @property
    def source_name(self) -> str:
        """The source with its year and the size of contexts, as a person calls it."""
        year = "" if self.result.period is None else f", {self.result.period}"
        return self.settings.place(self.result) + year

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
    def statements(self) -> list[Statement]:
        """How far it may be trusted."""
        found = statements(self.result, self.levels, self.family)
        return [about._replace(text=self.settings.without_paths(about.text)) for about in found]


def terms_in_order(result: AssociationResult) -> list[Effect]:
    """Single terms from the strongest association with A to that with B, undefined last."""
    terms = [effect for effect in result.effects() if effect.term is not None]
    return sorted(terms, key=lambda effect: (effect.d is None, -(effect.d or 0.0)))


def score_unit(result: AssociationResult) -> str:
    """What a score belongs to: "term" or "stimulus"."""
    in_contexts = any(map(result.contexts_of, result.coverage))
    return "stimulus" if result.primary.over_stimuli or in_contexts else "term"


def drawn_cells(result: AssociationResult, *, dots: bool) -> dict[str, Any]:
    """The figure of level 3, and whether it has every cosine, or quantiles of them."""
    if not (drawn := cosine_plot(result, dots=dots)):
        return {"figure": Markup()}
    cosines = blocks(result)
    most = any(len(block) > MOST_DOTS for block in (cosines or {}).values())
    figure = Markup(drawn)  # noqa: S704  (escaped there)
    return {"figure": figure, "dots": dots and cosines is not None, "quantiles": most}


def drawn_leans(result: AssociationResult, thumbnail: Finder) -> Markup:
    """The figure of level 1 term by term, unless the map shows the same and more."""
    mapped = has_map(result)
    if mapped and not any(result.coverage[role].image for role in TARGETS):
        return Markup()
    drawn = lean_plot(result, thumbnail)
    if mapped and OF_IMAGES not in drawn:
        return Markup()
    return Markup(drawn)  # noqa: S704  (escaped there)


def drawn_map(result: AssociationResult) -> Markup:
    """The map of the words; empty where their cosines were not kept."""
    return Markup(plane_figure(result) if has_map(result) else "")  # noqa: S704


def matched_patterns(result: AssociationResult) -> list[tuple[str, float]]:
    """How often random lists show each pattern, the most frequent first."""
    matched = matched_of(result)
    shares = (matched and matched.patterns) or {}
    return sorted(((n, share) for n, share in shares.items() if share), key=lambda p: -p[1])


def patterns_seen(result: AssociationResult) -> list[tuple[str, float, float, Markup, Markup]]:
    """Label, share, its error, map and bar of patterns that were seen, largest share first."""
    shares, errors = shares_of(result)
    own = result.primary.label
    seen = [label for label in PATTERNS if shares.get(label) or (shares and label == own)]
    rows = []
    for label in sorted(seen, key=lambda label: -shares.get(label, 0.0)):
        share = shares.get(label, 0.0)
        bar = Markup(share_bar(share, strong=label == own))  # noqa: S704  (numbers alone)
        rows.append((label, share, errors.get(label, 0.0), mini_of(label), bar))
    return rows


def term_bar(effect: Effect) -> Markup:
    """The bar of one term's effect size."""
    if effect.d is None:
        return Markup()
    limit = Axis.of_effects([effect.d]).high
    return Markup(change_bar(effect.d, limit, strong=effect.significant))  # noqa: S704


def panels(section: Section) -> list[Panel]:
    """Which single terms drive each effect size, each on its own scale of d."""
    return [
        _panel(section, effect, effect.d)
        for effect in section.levels
        if effect.d is not None
        and effect.influence is not None
        and any(change is not None for some in effect.influence.values() for change in some)
    ]


def _panel(section: Section, effect: Effect, d: float) -> Panel:
    result = section.result
    changes = changes_of(result, effect)
    axis = without_axis((d + change for change, *_ in changes[:DRIVERS]), d)
    terms = [
        Driver(
            term, result.concepts[role], change, d + change, section.thumbnail(role, term),
            Markup(without_mark(d + change, d, axis, rests=change * d < 0)),  # noqa: S704
        )
        for change, term, role in changes[:DRIVERS]
    ]  # fmt: skip
    return Panel(effect, terms, len(changes), Markup(without_ruler(axis)))  # noqa: S704


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
            map(Estimate.of, ordered),
            across(self.axis, width),
            section.result.rule.threshold or 0.0,
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


# what templates ask of a result, or of its section
FILTERS.update({
    function.__name__: function
    for function in (
        drawn_cells, drawn_leans, drawn_map, limits, matched_patterns, numbers, other_pattern,
        panels, patterns_seen, score_unit, sentence, short_sentence, source_of, term_bar,
        terms_in_order,
    )
})  # fmt: skip
FILTERS["headline"] = lambda result: clauses(headline(result))
FILTERS["statement"] = lambda result, about: statement(about, result)
