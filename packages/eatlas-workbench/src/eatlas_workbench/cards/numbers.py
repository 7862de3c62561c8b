"""Numbers of targets by the measure of a card, and tables that they are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.sources import open_counts
from eatlas.stats.correlation import Correlation, RankCorrelation, correlation, rank_correlation
from eatlas.stats.shares import divergence
from eatlas.stimuli import Concept, GroupsTest, load_tests
from eatlas_workbench.cards.evidence import Figure
from eatlas_workbench.cards.material import Material, NotRunError, rho_figures
from eatlas_workbench.leanings import (
    Array,
    Leanings,
    Numbers,
    as_taken,
    leanings_of,
    pair_numbers,
    plain,
    shares_of,
)

BUILT_IN = ("divdist-gender", "divdist-race")
"""Tests whose groups have shares in a census and counts in texts."""


def leanings(
    material: Material, test: GroupsTest, source: Any, name: str, measure: Measure | None = None
) -> Leanings:
    """Measure each target of a test of groups, by a measure of whatever kind."""
    measure = plain(measure or material.measure)
    key = (measure.signature, test, getattr(source, "fingerprint", ""), name)
    if key not in material.numbers:
        result = material.measure_on(as_taken(test, measure), source, name, measure)
        alone = result.kind == "groups" and result.by_target is None and result.values is None
        material.numbers[key] = (
            _of_each_alone(test, source, measure, result) if alone else leanings_of(result)
        )
    numbers: Leanings = material.numbers[key]
    return numbers


def _of_each_alone(
    test: GroupsTest, source: Any, measure: Measure, result: AssociationResult
) -> Leanings:
    """Numbers of a measure that has one for all targets: of a run for each."""
    alone = {}
    for term in result.coverage["targets"].used:
        single = Concept(name=test.targets.name, terms=(term,))
        alone[term] = measure(test.model_copy(update={"targets": single}), source).value
    return Leanings(alone, alone, 0.0, f"{result.display_name} of each target alone", result)


def correlate(first: Numbers, second: Numbers) -> Correlation:
    """The correlation of two numbers of the same targets, over those that have both."""
    return correlation(*pair_numbers(first, second)[1:])


@dataclass(frozen=True)
class GroupsWithTables:
    """A test of groups, with the tables that have numbers for its groups."""

    test: GroupsTest
    tables: tuple[Any, ...]
    """Tables of counts of several years in their order; one alone where there are no years."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(group.name for group in self.test.groups)

    def of_targets(self, terms: Sequence[str]) -> GroupsTest:
        """The test of other targets: those that a table has."""
        targets = Concept(name=self.test.targets.name, terms=tuple(terms))
        return self.test.model_copy(update={"targets": targets})

    def shares(self, table: Any, terms: Sequence[str]) -> Array:
        """Proportions of the groups, shape (terms, groups); NaN if undefined."""
        return shares_of(table, self.groups, terms)

    def terms(self, tables: Sequence[Any], terms: Sequence[str] | None = None) -> list[str]:
        """Terms that each of some tables has shares for, by default of those of the first."""
        chosen = sorted(tables[0].terms) if terms is None else list(terms)
        for table in tables:
            finite = np.isfinite(self.shares(table, chosen).sum(axis=1))
            chosen = [term for term, is_finite in zip(chosen, finite, strict=True) if is_finite]
        return chosen


def families(material: Material, paths: Sequence[Path], what: str) -> Iterator[GroupsWithTables]:
    """Yield each test of groups, given or built in, whose groups are columns of a table."""
    tables: list[tuple[Any, ...]] = [open_counts(str(path)) for path in paths]
    columns = [{name for row in years[0].rows.values() for name in row} for years in tables]
    columns = [set(map(str.casefold, names)) for names in columns]
    seen: set[frozenset[str]] = set()
    for test in (*material.tests, *load_tests(list(BUILT_IN))):
        if not isinstance(test, GroupsTest):
            continue
        names = frozenset(group.name.casefold() for group in test.groups)
        matching = [years for years, has in zip(tables, columns, strict=True) if names <= has]
        if matching and names not in seen:
            seen.add(names)
            yield GroupsWithTables(test, matching[0])
    if not seen:
        has = ", ".join(sorted(set().union(*columns)))
        raise NotRunError(f"The {what} has the groups {has}, which no test has.")


Views = dict[str, tuple[Numbers, str, Array]]
"""By what is compared, such as "association with Female": the measure's numbers by term, what the
numbers of a table are, and these in the order of the terms."""


def views(family: GroupsWithTables, lean: Leanings, terms: Sequence[str], shares: Array) -> Views:
    """Numbers of a measure that can be compared with proportions of groups.

    For two groups: the association with the first group, and its proportion. For more groups: the
    proportion of each, if the measure gives proportions. And the size of the bias, with the
    divergence of the proportions from the reference (the sum of absolute differences).
    """
    first, by_target = family.groups[0], lean.result.by_target
    compared: Views = {}
    if lean.towards_first is not None:
        compared[f"association with {first}"] = lean.towards_first, f"share of {first}", shares.T[0]
    elif by_target is not None:
        rows = {target.term: target.distribution for target in by_target}
        for j, group in enumerate(family.groups):
            numbers = {term: row[j] if row else None for term, row in rows.items()}
            compared[f"share of {group}"] = numbers, f"share of {group}", shares[:, j]
    if lean.sizes is not None:
        away = divergence(shares, np.array(family.test.weights))
        compared["size of bias"] = lean.sizes, "size of bias", away
    if not compared:
        called = lean.result.display_name
        raise NotRunError(
            f"The numbers of {called} have no direction, and none of them is no bias."
        )
    return {
        name: ({term: numbers.get(term) for term in terms}, against, of_table)
        for name, (numbers, against, of_table) in compared.items()
    }


def rank_correlated(numbers: Numbers, of_table: Array, seed: int) -> RankCorrelation:
    """Correlate the numbers of a view over the terms that have one."""
    pairs = [
        (v, share) for v, share in zip(numbers.values(), of_table, strict=True) if v is not None
    ]
    x, y = np.array(pairs, np.float64).reshape(-1, 2).T
    return rank_correlation(x, y, rng=np.random.default_rng(seed))


def compare_views(
    all_views: Views, whose: str, units: str, seed: int
) -> tuple[list[Figure], dict[str, list[float | None]]]:
    """Rank correlations of views, and columns of a table of their numbers, those of `whose` too."""
    figures: list[Figure] = []
    columns: dict[str, list[float | None]] = {}
    for name, (numbers, against, of_table) in all_views.items():
        columns[name] = [*numbers.values()]
        columns[f"{whose}: {against}"] = of_table.tolist()
        figures.extend(rho_figures(name, rank_correlated(numbers, of_table, seed), units))
    return figures, columns
