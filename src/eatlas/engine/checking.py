"""What vectors have for a test, before anything is measured: words, their frequency, and power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from eatlas import kernels
from eatlas.engine.frequency import Ranking, keys_of, ranking_for_language, ranking_of
from eatlas.engine.spelling import near_words_of
from eatlas.measures.inference import design_power
from eatlas.measures.levels import Ordered
from eatlas.measures.units import TestUnits
from eatlas.results.levels import Power
from eatlas.sources import CaseRule, Snapshot, Source, embed
from eatlas.sources.coverage import Embedded, Near, items_to_request, language_hint
from eatlas.stats.units import find_units
from eatlas.stimuli import ROLES, Test

ALPHA = 0.05
"""Significance level of the p-values whose power is shown."""


@dataclass(frozen=True)
class GroupCheck:
    """What vectors have for a group of a test."""

    concept: str
    found: tuple[str, ...]
    """Terms with a vector."""
    missing: tuple[str, ...]
    near: Mapping[str, tuple[str, ...]]
    """By missing word those words of the vectors that may be meant, the most likely first."""
    median_rank: float | None
    """Of the words in order of frequency; None if that is not known."""
    clusters: tuple[tuple[str, ...], ...]
    """Near-synonyms that count as one word."""


@dataclass(frozen=True)
class TestCheck:
    """What vectors have for a test."""

    __test__ = False
    test: str
    source: str
    groups: Mapping[str, GroupCheck] = field(default_factory=dict)
    """By role."""
    ranked_in: str = ""
    """Whose order of frequency the ranks are of."""
    ranked_words: int = 0
    """The lowest rank there."""
    no_ranks: str = ""
    """Why there are no ranks."""
    hint: str = ""
    """What may be the matter if few words are found."""
    power: Power | None = None
    """The least effect sizes that the terms with a vector can show; None of tests of groups."""

    def counts(self) -> tuple[int, int]:
        """Terms with a vector, and all terms."""
        found = sum(len(group.found) for group in self.groups.values())
        return found, found + sum(len(group.missing) for group in self.groups.values())

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        found, terms = self.counts()
        groups = {role: vars(group) for role, group in self.groups.items()}
        power = self.power and self.power.model_dump(mode="json")
        fields = {**vars(self), "groups": groups, "power": power}
        return {"test": self.test, "source": self.source, "found": found, "terms": terms} | fields


def check_tests(tests: Sequence[Test], source: Source, case: CaseRule = "auto") -> list[TestCheck]:
    """Look up the terms of tests in vectors, which are read once.

    Parameters
    ----------
    tests : sequence of Test
    source : Source
    case : {"auto", "exact"}
        Rule by which words are looked up.

    Returns
    -------
    list of TestCheck
        One for each test.

    Raises
    ------
    SourceError
        If the vectors cannot be read.
    """
    snapshot = Snapshot.of(source, items_to_request(source, tests, (), case))
    ranking = ranking_of(source, tests, case, "ranks")
    embedded = {test.id: embed(test, snapshot, case) for test in tests}
    missing = [
        term
        for test in tests
        for role in _roles_of_words(test)
        for term in embedded[test.id].coverage[role].missing
    ]
    near = near_words_of(source, missing)
    return [
        _check_test(test, source.name, embedded[test.id], ranking, near, case) for test in tests
    ]


def _check_test(
    test: Test, source: str, embedded: Embedded, ranking: Ranking, near: Near, case: CaseRule
) -> TestCheck:
    """What was found of one test."""
    coverage = embedded.coverage
    ranks = ranking_for_language(ranking, test.language)
    keys = keys_of(ranks, coverage, case, test.language)
    clusters = _find_clusters(test, embedded)
    groups = {}
    for role, concept in test.concepts.items():
        group = coverage[role]
        known = [ranks.ranks[key] for key in keys[role].values() if key is not None]
        groups[role] = GroupCheck(
            concept=concept.name,
            found=group.used,
            missing=group.missing,
            near={word: near[word] for word in group.missing if word in near},
            median_rank=median(known) if known else None,
            clusters=clusters.get(role, ()),
        )
    found, missing = coverage.counts()
    ranked = any(group.median_rank is not None for group in groups.values())
    return TestCheck(
        test=test.id,
        source=source,
        groups=groups,
        ranked_in=ranks.vocabulary if ranked else "",
        ranked_words=ranks.size if ranked else 0,
        no_ranks="" if ranked else ranks.reason or "none of the words has a rank",
        hint=language_hint(found, found + missing) if _roles_of_words(test) else "",
        power=_find_power(test, embedded),
    )


def _roles_of_words(test: Test) -> list[str]:
    """Roles of the groups that are neither images nor sentences."""
    return [role for role, part in test.concepts.items() if not part.images and not part.sentences]


def _find_clusters(test: Test, embedded: Embedded) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Near-synonyms of each group that count as one word, in tests of X, Y, A and B."""
    if test.kind != "association":
        return {}
    rows = {r: kernels.unit_rows(group) for r, group in embedded.vectors.items() if len(group)}
    ordered = Ordered.of(rows, embedded.coverage)
    means = {role: ordered.stimuli[role].mean_rows(group) for role, group in ordered.rows.items()}
    units = TestUnits({role: find_units(group) for role, group in means.items()})
    return units.clusters(ordered.names)


def _find_power(test: Test, embedded: Embedded) -> Power | None:
    """What the terms with a vector can show; of sentences, their stimuli."""
    if test.kind != "association":
        return None
    x, y, a, b = (len(embedded.coverage[role].stimuli) for role in ROLES)
    sentences = any(concept.sentences for _, concept in test.parts)
    return design_power(
        (x, y) if x and y else None,
        (a, b) if a and b else None,
        alpha=ALPHA,
        unit="stimulus" if sentences else "term",
    )
