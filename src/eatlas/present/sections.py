"""Results arranged for the page: what the template needs and the records do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from eatlas.present.columns import over_sentences, targets_table, terms_table, values_table
from eatlas.present.drawings.eat_map import PATTERNS, SYMBOL, in_words, mini
from eatlas.present.drawings.figures import (
    COLUMN,
    Estimate,
    across,
    cosine_plot,
    glance,
    interval,
    mark_of,
    matched_hill,
    ruler,
    share_bar,
)
from eatlas.present.drawings.plot import drawn
from eatlas.present.drawings.svg import Axis
from eatlas.present.effects import about_terms, levels_of, matched_of, shares_of
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
    statement,
    statements,
)
from eatlas.present.thumbnails import SYMBOL as OF_IMAGES
from eatlas.present.thumbnails import images_of
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.inference import MatchedLevel
from eatlas.results.settings import Settings

LINE, LINE_SHARE = 196.0, 64
"""Pixels of the scale, and of the bar of a share, in the line of a finding."""
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
    settings: Settings
    """What sources, and settings of several results, are called."""

    @cached_property
    def levels(self) -> list[Effect]:
        """The effect sizes of the result as a whole."""
        return levels_of(self.result)

    @cached_property
    def tested(self) -> bool:
        """Whether there are effect sizes d, with p-values; other numbers have none."""
        return any(effect.symbol == "d" for effect in self.levels)

    @property
    def source_name(self) -> str:
        """The source with its year, as a person calls it."""
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
        about = statements(self.result, self.levels, self.family)
        return [Statement(head, self.settings.without_paths(text)) for head, text in about]


def score_unit(result: AssociationResult) -> str:
    """What a score belongs to: "term" or "stimulus"."""
    in_contexts = any(map(result.contexts_of, result.coverage))
    return "stimulus" if result.primary.over_stimuli or in_contexts else "term"


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
        rows.append((label, share, errors.get(label, 0.0), mini(label), bar))
    return rows


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

    def line(self, section: Section, width: float = LINE) -> Markup:
        """The effect sizes of a result in the line of its finding: X, Y, and their comparison."""
        rows = [row for row in section.levels if row.symbol == "d"]
        if not rows:
            return Markup()
        rows.sort(key=lambda row: row.place == "level1")
        axis, threshold = across(self.axis, width), section.result.rule.threshold or 0.0
        return Markup(glance(map(Estimate.of, rows), axis, threshold))  # noqa: S704

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


def sections(results: Iterable[AssociationResult], family: DeclaredFamily) -> list[Section]:
    """One section for each result, in their order."""
    given = list(results)
    settings = Settings.among(given)
    ids = anchors(result.test for result in given)
    return [Section(*pair, family, settings) for pair in zip(ids, given, strict=True)]


def anchors(tests: Iterable[str]) -> list[str]:
    """Where links lead: one id for each result, in their order; no two alike."""
    taken = set(PAGE)
    ids = []
    for test in tests:
        name = _fit(test)
        chosen, number = name, 1
        while chosen in taken:
            number += 1
            chosen = f"{name}-{number}"
        taken.add(chosen)
        ids.append(chosen)
    return ids


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
        about_terms, drawn, images_of, limits, matched_patterns, numbers, other_pattern,
        over_sentences, patterns_seen, score_unit, sentence, source_of, targets_table, terms_table,
        values_table,
    )
})  # fmt: skip
FILTERS["cosines"] = lambda result, dots: Markup(cosine_plot(result, dots=dots))  # noqa: S704
FILTERS["map_in_words"] = in_words
FILTERS["headline"] = lambda result: clauses(headline(result))
FILTERS["statement"] = lambda result, about: statement(about, result)
