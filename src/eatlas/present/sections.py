"""Results arranged for the page: what the template needs and the records do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from eatlas.present.drawings.axis import Axis
from eatlas.present.drawings.cells import (
    across,
    change_bar,
    glance,
    interval,
    matched_hill,
    ruler,
    share_bar,
)
from eatlas.present.drawings.eat_map import PATTERNS, SYMBOL, EATMap, mini_of
from eatlas.present.drawings.figures import blocks, cosine_plot, lean_plot
from eatlas.present.effects import (
    BOUNDS,
    LevelRow,
    Rule,
    StimulusRow,
    bounds_shown,
    levels_of,
    stimulus_rows,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.frequency import MatchedRow, RankRow, matched_of, matched_rows, rank_row
from eatlas.present.numbers import effect
from eatlas.present.sentences import Statement, sentence, short_sentence
from eatlas.present.trust import (
    about_ratios,
    about_space,
    listed_contexts,
    over_draws,
    statements,
)
from eatlas.results import (
    AssociationResult,
    DrawnResult,
    LogRatioResult,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.draws import OverDraws
from eatlas.results.sc_eat import TermAssociation

PAGE = frozenset(
    {
        "main",
        "in-brief",
        "over-time",
        "summary",
        "sources",
        "prompts",
        "layers",
        "levels",
        "weights",
        "windows",
        "distances",
        "reading",
        "details",
        "not-measured",
        "unreadable",
        "paper",
        "glossary",
        "methods-text",
        "bibtex-text",
        "search",
        "pattern-filter",
        "source-filter",
        "test-filter",
        "shown",
        "theme",
    }
)
"""Ids that the page itself needs."""
SERIES, TITLE = "series-", "-title"
"""How the ids of the page's series begin, and those of its headings end."""
_UNFIT = re.compile(r"[^\w.-]+")
LONGEST = 80


def anchors(tests: Iterable[str]) -> list[str]:
    """One id for each result, in their order; no two alike.

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
    name = _UNFIT.sub("-", test).strip("-")[:LONGEST] or "test"
    ours = name.startswith((SYMBOL, SERIES)) or name.endswith(TITLE)
    return f"test-{name}." if ours else name


SHOWN = 8
"""Terms of each effect size; the results file has them all."""


@dataclass(frozen=True)
class Term:
    """What an effect size is without one term."""

    name: str
    group: str
    """Name of the concept that it stands for."""
    change: float
    d: float
    bar: Markup
    holds: bool
    """Whether the effect size rests on it: without it, it is nearer to zero or past it."""


@dataclass(frozen=True)
class Panel:
    """The terms that change one effect size most."""

    row: LevelRow
    terms: tuple[Term, ...]
    total: int
    """Terms that have been left out in turn."""


def panels(result: AssociationResult, levels: Sequence[LevelRow]) -> list[Panel]:
    """One panel for each defined effect size, all bars to one scale."""
    found = [
        (row, row.d, _changes(result, row))
        for row in levels
        if row.influence is not None and row.d is not None
    ]
    limit = max((abs(c[0]) for *_, changes in found for c in changes), default=0.0)
    return [
        Panel(row, tuple(_term(d, *change, limit) for change in changes[:SHOWN]), len(changes))
        for row, d, changes in found
        if changes
    ]


def _changes(result: AssociationResult, row: LevelRow) -> list[tuple[float, str, str]]:
    """Change, term and concept, the largest change first."""
    if row.influence is None:
        return []
    changes = [
        (change, term, result.concepts.name(role))
        for role in "XYAB"
        for term, change in zip(
            result.coverage.group(role).stimuli, row.influence.group(role), strict=False
        )
        if change is not None
    ]
    return sorted(changes, key=lambda found: -abs(found[0]))


def _term(d: float, change: float, name: str, group: str, limit: float) -> Term:
    holds = change * d < 0
    bar = Markup(change_bar(change, limit, strong=holds))  # noqa: S704  (numbers alone)
    return Term(name, group, change, d + change, bar, holds)


GLANCE, COLUMN = 100.0, 176.0
"""Pixels of the scale in the summary and in a column of its own."""


@dataclass(frozen=True)
class Section:
    """One result and how the page shows it."""

    anchor: str
    """Id of the section, the target of the summary's link."""
    kind: str
    """ml-eat, weat, sc-eat, or other for a record of another package."""
    result: AssociationResult
    rule: Rule
    family: DeclaredFamily
    dots: bool
    """Whether single cosines are drawn."""

    @cached_property
    def sentence(self) -> str:
        """What was found."""
        return sentence(self.result)

    @property
    def short_sentence(self) -> str:
        """The same for a row of the summary."""
        return short_sentence(self.result)

    @cached_property
    def levels(self) -> list[LevelRow]:
        """Effect sizes of levels 1 and 2."""
        return levels_of(self.result, self.rule, self.family)

    @property
    def bounds_note(self) -> str:
        """What the p-values mean that are shown by bounds; nothing where none is."""
        return f" {BOUNDS}" if bounds_shown(self.result) else ""

    @property
    def crossed(self) -> bool:
        """Whether any level was tested on other words."""
        return any(row.crossed for row in self.levels)

    @property
    def source(self) -> str:
        """The source with its year and the size of contexts, where it has them."""
        return source_of(self.result)

    @property
    def statements(self) -> list[Statement]:
        """How far the finding may be trusted."""
        return statements(self.result, self.levels)

    @property
    def panels(self) -> list[Panel]:
        """Which single terms drive each effect size."""
        return panels(self.result, self.levels)

    @property
    def mini(self) -> Markup:
        """The small EAT-Map."""
        return (
            mini_of(EATMap.of(self.result))
            if isinstance(self.result, ThreeLevelResult)
            else Markup()
        )

    @cached_property
    def full(self) -> Markup:
        """The EAT-Map with names and numbers."""
        if not isinstance(self.result, ThreeLevelResult):
            return Markup()
        return Markup(EATMap.of(self.result).svg())  # noqa: S704  (escaped there)

    @property
    def has_dots(self) -> bool:
        """Whether the figure of level 3 shows every cosine."""
        kept = isinstance(self.result, ThreeLevelResult) and blocks(self.result) is not None
        return self.dots and kept

    def figure(self, name: str) -> Markup:
        """One of the figures: cosines or terms."""
        drawn = ""
        if name == "cosines" and isinstance(self.result, ThreeLevelResult):
            drawn = cosine_plot(self.result, dots=self.dots)
        elif name == "terms" and isinstance(self.result, ThreeLevelResult | WEATResult):
            drawn = lean_plot(self.result)
        return Markup(drawn)  # noqa: S704  (escaped there)

    @property
    def space(self) -> str:
        """Whether cosines mean anything among these terms; a warning says where they do not."""
        return about_space(self.result.diagnosis)

    @cached_property
    def matched(self) -> list[MatchedRow]:
        """Effect sizes among those of random words of the same frequencies."""
        return matched_rows(self.result, self.levels)

    @property
    def matched_patterns(self) -> list[tuple[str, float]]:
        """How often random lists show each pattern, the most frequent first."""
        matched = matched_of(self.result)
        shares = (matched and matched.patterns) or {}
        return sorted(((n, share) for n, share in shares.items() if share), key=lambda p: -p[1])

    def ranks_of(self, role: str) -> RankRow:
        """The ranks of a group, with the words at both ends."""
        return rank_row(self.result, role)

    @property
    def ratios(self) -> str:
        """What the log-ratios of an LPBS are; nothing of other measures."""
        return about_ratios(self.result)

    @property
    def patterns(self) -> list[tuple[str, float, Markup, Markup]]:
        """Label, share, map and bar of the nine patterns over resamples, largest share first."""
        shares = self.shares
        if not shares:
            return []
        ordered = sorted(
            ((label, shares.get(label, 0.0)) for label in PATTERNS),
            key=lambda pair: -pair[1],
        )
        own = self.own_pattern
        return [
            (label, share, mini_of(label), share_mark(share, strong=label == own))
            for label, share in ordered
        ]

    @property
    def shares(self) -> dict[str, float] | None:
        """Shares of the patterns; of a test of sentences over stimuli, of a CEAT over draws."""
        if isinstance(self.result, DrawnResult):
            return self.result.draws.patterns
        if not isinstance(self.result, ThreeLevelResult):
            return None
        given = self.result.primary.uncertainty
        return given.patterns if given else None

    @property
    def share_errors(self) -> dict[str, float]:
        """Monte Carlo errors of these shares, where they are stated."""
        if isinstance(self.result, DrawnResult) or not isinstance(self.result, ThreeLevelResult):
            return {}
        given = self.result.primary.uncertainty
        return (given.patterns_error if given else None) or {}

    @property
    def own_pattern(self) -> str:
        """The pattern whose share is set in bold."""
        if not isinstance(self.result, ThreeLevelResult):
            return ""
        return self.result.primary.label

    @cached_property
    def over_stimuli(self) -> list[StimulusRow]:
        """Effect sizes over sentences beside those over stimuli; none in tests of words."""
        return stimulus_rows(self.result)

    @property
    def share(self) -> float | None:
        """Share of the draws that show the pattern, where it is known."""
        if not isinstance(self.result, ThreeLevelResult):
            return None
        return (self.shares or {}).get(self.result.primary.label)

    @property
    def unit(self) -> str:
        """What a score belongs to: "term" or "stimulus"."""
        in_contexts = any(map(self.contexts, self.result.coverage))
        return "stimulus" if self.over_stimuli or in_contexts else "term"

    @property
    def over_draws(self) -> list[tuple[str, str, OverDraws]]:
        """Title, name and figures of each level over draws of contexts."""
        return over_draws(self.result) if isinstance(self.result, DrawnResult) else []

    def contexts(self, role: str) -> list[tuple[str, int]]:
        """Stimuli of a group with their numbers of contexts, where it has contexts."""
        return listed_contexts(self.result, role)

    def stimuli(self, role: str) -> int:
        """How many stimuli the sentences of a group are made of; 0 where they are not read."""
        result = self.result
        if not isinstance(result, ThreeLevelResult | WEATResult):
            return 0
        return len(result.primary.names(role)) if result.primary.over_stimuli else 0

    @property
    def terms(self) -> list[TermAssociation]:
        """Terms of an SC-EAT from the strongest association with A to that with B."""
        if not isinstance(self.result, SCEATResult):
            return []
        return sorted(self.result.primary_terms, key=_undefined_last)

    def term_bar(self, entry: TermAssociation) -> Markup:
        """The bar of one term's effect size."""
        d = entry.level2.effect_size
        limit = Axis.of_effects([d]).high
        strong = self.rule.significant(entry.level2)
        return Markup("" if d is None else change_bar(d, limit, strong=strong))  # noqa: S704

    @property
    def missing(self) -> int:
        """Terms that could not be used."""
        return self.result.coverage.counts()[1]


def share_mark(share: float, *, strong: bool) -> Markup:
    """The bar of a share."""
    return Markup(share_bar(share, strong=strong))  # noqa: S704  (numbers alone)


def _undefined_last(entry: TermAssociation) -> tuple[bool, float]:
    d = entry.level2.effect_size
    return d is None, -(d or 0.0)


@dataclass(frozen=True)
class Scales:
    """The axis of all effect sizes of a page, in the widths that it needs."""

    axis: Axis

    @classmethod
    def of(cls, sections: Iterable[Section]) -> Scales:
        """Enclose every effect size and every interval."""
        rows = [row for section in sections for row in section.levels]
        values = [value for row in rows for value in (row.d, *(row.interval or ()))]
        return cls(across(Axis.of_effects(values), COLUMN))

    def glance(self, rows: Iterable[LevelRow]) -> Markup:
        """The effect sizes of a result below each other, small."""
        small = across(self.axis, GLANCE)
        return Markup(glance([row.estimate for row in rows], small))  # noqa: S704  (numbers alone)

    def interval(self, row: LevelRow) -> Markup:
        """One effect size with its interval."""
        return Markup(interval(row.estimate, self.axis))  # noqa: S704

    def hill(self, row: MatchedRow) -> Markup:
        """The effect sizes of random lists, with the observed one."""
        drawn = matched_hill(row.null, row.d, row.mark, self.axis, beyond=row.beyond)
        return Markup(drawn)  # noqa: S704

    def ends(self) -> str:
        """The ends of the axis, in words."""
        limit = self.axis.high
        decimals = 0 if limit.is_integer() else 1
        return f"{effect(-limit, decimals)} to {effect(limit, decimals)}"

    def ruler(self) -> Markup:
        """The numbers of the axis."""
        return Markup(ruler(self.axis))  # noqa: S704


def sections(
    results: Iterable[AssociationResult], family: DeclaredFamily, *, dots: bool
) -> list[Section]:
    """One section for each result, in their order."""
    given = list(results)
    return [
        Section(anchor, _kind(result), result, Rule.of(result), family, dots)
        for anchor, result in zip(anchors(r.test for r in given), given, strict=True)
    ]


def _kind(result: AssociationResult) -> str:
    kinds = {
        LogRatioResult: "lpbs",
        ThreeLevelResult: "ml-eat",
        WEATResult: "weat",
        SCEATResult: "sc-eat",
    }
    return next((kind for record, kind in kinds.items() if isinstance(result, record)), "other")


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
