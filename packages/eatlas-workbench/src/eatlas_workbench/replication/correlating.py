"""Rank correlation of the biases of targets with the proportions of a table, such as a census."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eatlas.errors import EatlasError
from eatlas.results import AssociationResult
from eatlas.sources import Counts, period_of
from eatlas.stats.correlation import RankCorrelation, rank_correlation
from eatlas.stats.shares import divergence
from eatlas.stimuli import GroupsTest
from eatlas_workbench.leanings import Array, Numbers, in_every, leanings_of, pair_numbers, shares_of
from eatlas_workbench.replication.recipe import Correlated


def with_table(
    results: Mapping[int | None, AssociationResult],
    test: GroupsTest,
    table: Sequence[Counts],
    rule: Correlated,
    seed: int = 0,
) -> RankCorrelation:
    """Correlate the sizes of biases with how far the proportions of a table are from the reference.

    Of vectors of no year the numbers of targets are correlated with the proportions of one year; of
    vectors by year the means over the targets that have a number in every year, over years.

    Raises
    ------
    EatlasError
        If the table has no such year, or no target with numbers for the groups of the test.
    """
    by_year = {period_of(one): one for one in table}
    rng = np.random.default_rng(seed)
    if None in results:
        year = _of_year(by_year, rule.year)
        sizes = sizes_of(results[None])
        away = _distances(year, test, list(sizes))
        _, x, y = pair_numbers(sizes, away)
        return rank_correlation(x, y, rng=rng, resamples=0)
    first, last = rule.years
    years = [y for y in sorted(y for y in results if y is not None) if first <= y <= last]
    measured = {year: sizes_of(results[year]) for year in years if year in by_year}
    terms = in_every(measured)
    tabled = {year: _distances(by_year[year], test, terms) for year in measured}
    shared = in_every(tabled)
    means = [[_mean(of[year], shared) for year in measured] for of in (measured, tabled)]
    return rank_correlation(*means, rng=rng, resamples=0)


def not_tabled(table: Sequence[Counts], test: GroupsTest, rule: Correlated) -> list[str]:
    """Targets of which a table has no shares of the groups in any year that is taken."""
    years = {None, rule.year, *range(rule.years[0], rule.years[1] + 1)}
    taken = [one for one in table if period_of(one) in years]
    groups, terms = [group.name for group in test.groups], test.targets.terms
    there = [np.isfinite(shares_of(one, groups, terms)).all(axis=1) for one in taken]
    return [term for term, of in zip(terms, np.any(there, axis=0), strict=True) if not of]


def sizes_of(result: AssociationResult) -> Numbers:
    """How large the bias of each target is.

    Raises
    ------
    EatlasError
        If no number of the measure is no bias.
    """
    sizes = leanings_of(result).sizes
    if sizes is None:
        raise EatlasError(f"no number of {result.display_name} is no bias")
    return sizes


def _of_year(by_year: Mapping[int | None, Counts], year: int) -> Counts:
    """The table of a year, or the one that has no years."""
    table = by_year.get(year) or by_year.get(None)
    if table is None:
        name = next(iter(by_year.values())).name
        raise EatlasError(
            f"{name}: the table has no year {year}",
            got=", ".join(map(str, sorted(by_year, key=str))),
        )
    return table


def _distances(table: Counts, test: GroupsTest, terms: Sequence[str]) -> dict[str, float | None]:
    """How far the proportions of each target are from the reference; None of one without shares."""
    groups = [group.name for group in test.groups]
    away = divergence(shares_of(table, groups, terms), np.array(test.weights))
    if not np.isfinite(away).any():
        raise EatlasError(
            f"{table.name}: no target of {test.id} has shares of {', '.join(groups)}",
            got=", ".join(terms[:5]) or "no target with a vector in every year",
            allowed="a table with a row for each target and a column for each group",
        )
    return dict(zip(terms, (x if np.isfinite(x) else None for x in away.tolist()), strict=True))


def _mean(numbers: Numbers, terms: Sequence[str]) -> float:
    values: Array = np.array([numbers[term] for term in terms], np.float64)
    return float(values.mean())
