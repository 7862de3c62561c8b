"""Tests of groups that a table of numbers answers, and how a measure correlates with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.figures import rho_figures
from eatlas.apps.protocol.inputs import Context, NotRunError
from eatlas.apps.protocol.target_scores import Leanings
from eatlas.results.evidence import Figure
from eatlas.sources.counts import Counts, open_counts
from eatlas.stats.paired import RankCorrelation, rank_correlation
from eatlas.stats.shares import distribution
from eatlas.stimuli import Concept, GroupsTest, load_tests

Array = NDArray[np.float64]

BUILT_IN = ("divdist-gender", "divdist-race")
"""Tests whose groups have shares in a census and counts in texts."""


@dataclass(frozen=True)
class Family:
    """A test of groups, with the tables that have numbers for its groups."""

    test: GroupsTest
    tables: tuple[Counts, ...]
    """Of several years in their order; one alone where there are no years."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(group.name for group in self.test.groups)

    def of_targets(self, terms: Sequence[str]) -> GroupsTest:
        """The test of other targets: those that a table has."""
        targets = Concept(name=self.test.targets.name, terms=tuple(terms))
        return self.test.model_copy(update={"targets": targets})

    def shares(self, table: Counts, terms: Sequence[str]) -> Array:
        """Shares of the groups among themselves, shape (terms, groups); NaN where they are none."""
        rows = [table.counts(term) or {} for term in terms]
        return distribution(
            np.array(
                [[row.get(name.casefold(), math.nan) for name in self.groups] for row in rows]
            ).reshape(len(rows), len(self.groups))
        )

    def known(self, table: Counts, terms: Sequence[str]) -> list[str]:
        """Terms that the table has shares for."""
        found = np.isfinite(self.shares(table, terms).sum(axis=1))
        return [term for term, one in zip(terms, found, strict=True) if one]


def families(context: Context, paths: Sequence[Path], what: str) -> Iterator[Family]:
    """Yield each test of groups, given or built in, whose groups are columns of a table."""
    tables = [open_counts(str(path)) for path in paths]
    given = [test for test in context.material.tests if isinstance(test, GroupsTest)]
    built_in = [one for one in load_tests(list(BUILT_IN)) if isinstance(one, GroupsTest)]
    seen: set[tuple[str, ...]] = set()
    for test in [*given, *built_in]:
        names = tuple(sorted(group.name.casefold() for group in test.groups))
        matching = [one for one in tables if set(names) <= columns_of(one[0])]
        if matching and names not in seen:
            seen.add(names)
            yield Family(test, matching[0])
    if not seen:
        columns = sorted(set().union(*(columns_of(one[0]) for one in tables)))
        raise NotRunError(
            f"The {what} has the groups {', '.join(columns)}, and no test of groups has all of its "
            "groups among them."
        )


def columns_of(table: Counts) -> set[str]:
    """Groups that a table has, in lower case."""
    terms: Sequence[str] = getattr(table, "terms", ())
    return {name for term in terms for name in table.counts(term) or {}}


def terms_of(tables: Sequence[Counts]) -> list[str]:
    """Terms of a table; of several, those that each has."""
    first: Sequence[str] = getattr(tables[0], "terms", ())
    return sorted(term for term in first if all(one.counts(term) for one in tables))


@dataclass(frozen=True)
class View:
    """Numbers of a measure, and the numbers of a table that they are compared with."""

    name: str
    """What is compared, such as "lean to Female"."""
    measured: Mapping[str, float | None]
    against: str
    """What the numbers of the table are, such as "share of Female"."""
    of_table: Array
    """In the order of the terms."""

    def correlated(self, seed: int) -> RankCorrelation:
        """Correlate over the terms that have a number."""
        pairs = [
            (one, float(share))
            for one, share in zip(self.measured.values(), self.of_table, strict=True)
            if one is not None
        ]
        x, y = np.array(pairs, np.float64).reshape(-1, 2).T
        return rank_correlation(x, y, rng=np.random.default_rng(seed))


def views(family: Family, found: Leanings, terms: Sequence[str], shares: Array) -> list[View]:
    """What of a measure can be compared with shares of groups.

    Of two groups the lean to the first with its share; of several the share of each group, where
    the measure gives shares; and the size of the bias with the divergence of the shares from the
    reference, as sum of absolute differences.
    """
    made: list[View] = []
    by_target = found.result.by_target
    groups = family.groups
    if found.towards_first is not None:
        share = f"share of {groups[0]}"
        made.append(View(f"lean to {groups[0]}", found.towards_first, share, shares[:, 0]))
    elif by_target is not None:
        of_group = {one.term: one.distribution for one in by_target}
        for j, group in enumerate(groups):
            measured = {term: row[j] if row else None for term, row in of_group.items()}
            made.append(View(share := f"share of {group}", measured, share, shares[:, j]))
    if (sizes := sizes_of(found)) is not None:
        away = np.abs(shares - np.array(family.test.weights)).sum(axis=1)
        made.append(View("size of bias", sizes, "size of bias", away))
    return [replace(one, measured={term: one.measured.get(term) for term in terms}) for one in made]


def compared(
    made: Iterable[View], whose: str, of: str, seed: int
) -> tuple[list[Figure], dict[str, list[float | None]]]:
    """Rank correlations of views, and columns of a table of their numbers, those of `whose` too."""
    figures: list[Figure] = []
    columns: dict[str, list[float | None]] = {}
    for view in made:
        columns[view.name] = [*view.measured.values()]
        columns[f"{whose}: {view.against}"] = view.of_table.tolist()
        figures.extend(rho_figures(view.name, view.correlated(seed), of))
    return figures, columns


def sizes_of(found: Leanings) -> Mapping[str, float | None] | None:
    """How large the bias of each target is, without a direction; None where nothing is neutral."""
    if found.towards_first is None or found.result.by_target is not None:
        return found.values
    if found.neutral is None:
        return None
    return {k: None if v is None else abs(v - found.neutral) for k, v in found.signs().items()}
