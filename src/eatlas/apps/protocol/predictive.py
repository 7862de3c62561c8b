"""Predictive validity: whether a measure's numbers go with shares of groups in occupations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from eatlas.apps.protocol.evidence import Drawing, Figure
from eatlas.apps.protocol.material import (
    Answers,
    Fields,
    Material,
    NotRunError,
    listed_names,
    mark,
    rho_drawing,
    rho_figures,
    table,
)
from eatlas.apps.protocol.numbers import (
    Family,
    View,
    compared,
    families,
    leanings,
    terms_of,
    views,
)
from eatlas.results.parts import defined
from eatlas.sources import Counts, period_of
from eatlas.stats.paired import FEWEST, SeriesCorrelation, series_correlation

YEAR = 2010
"""The year of the contemporary study, as in the paper; the last one of a census without it."""
OF = "occupations"
WITHIN = (
    "year", "view", "mean of the measure", "mean of the census",
    "rho over occupations", "p, permutation",
)  # fmt: skip
"""Columns of the table of single years."""
NULLS = (
    "view", "rho", "p, autoregressive", "p, order in time ignored", "rho of changes",
    "p of changes", "autocorrelation, measure", "autocorrelation, census",
)  # fmt: skip
"""Columns of the table of nulls."""
NULL = (
    "Neighbouring periods are alike, so p is the largest under independent Gaussian "
    "autoregressions of order 1 with autocorrelations from 0 to 1 (random walks), which is at most "
    "nominal for each of them; a test that ignores the order in time calls independent series "
    "correlated far too often. Two series that drift steadily for different reasons correlate all "
    "the same: the changes from period to period take such a drift out."
)


def _families(material: Material) -> list[Family]:
    needed = "such as census-gender, which eatlas vectors fetch census brings"
    return list(families(material, material.require("census", needed), "census"))


def _year(census: Counts) -> int | None:
    year: int | None = getattr(census, "period", None)
    return year


def census_year(material: Material) -> Answers:
    """Rank correlation over occupations with the shares of one year, on each source."""
    census = _families(material)
    sources = {name: source for name, source in material.each_source() if period_of(source) is None}
    if not sources:
        raise NotRunError("Every source belongs to a period; the study of decades takes these.")
    for name, source in sources.items():
        for family in census:
            called = f"{name}, {'/'.join(family.groups)}"
            yield called, partial(_of_year, material, family, name, source)


def _of_year(material: Material, family: Family, name: str, source: Any) -> Fields:
    """The correlations on one source with the shares of one family of groups."""
    shares = next((years for years in family.tables if _year(years) == YEAR), family.tables[-1])
    terms = family.known(shares, terms_of([shares]))
    numbers = leanings(material, family.of_targets(terms), source, name)
    missing = [term for term in terms if numbers.values.get(term) is None]
    both = views(family, numbers, terms, family.shares(shares, terms))
    figures, columns = compared(both, "census", OF, material.seed)
    rows = [row for row in zip(terms, *columns.values(), strict=True) if row[0] not in missing]
    title = f"Occupations and the census of {_year(shares) or 'one year'}"
    return {
        "figures": figures,
        "tables": [table(title, ("occupation", *columns), rows)],
        "drawings": [_drawing(figures, "Rank correlation with the census over occupations")],
        "remarks": [*_remarks(numbers.what, family, missing)],
    }


def _remarks(what: str, family: Family, missing: Sequence[str]) -> Iterator[str]:
    """Remarks on the numbers of occupations that a study compares with."""
    yield f"An occupation's number is its {what}."
    yield (
        "Census shares are taken among these groups alone; the size of bias of the census is the "
        "sum of absolute differences from the reference."
    )
    if missing:
        yield (
            f"Without a number, and not counted: {len(missing):,} occupations: "
            f"{listed_names(missing)}."
        )
    if len(family.groups) > 2:
        yield "Figures of several groups are not independent; their p-values are not adjusted."


def _drawing(figures: Sequence[Figure], title: str) -> Drawing:
    """Each rank correlation as a mark with its interval; changes follow what they are of."""
    rhos = {
        number.name.removeprefix("rho, "): number
        for number in figures
        if number.name.startswith("rho, ")
    }
    marks = (
        mark("its changes" if label.startswith("changes") else label, number)
        for label, number in rhos.items()
    )
    return rho_drawing(title, marks)


def census_decades(material: Material) -> Answers:
    """Correlation of yearly means with those of the census, on each series of sources."""
    census = _families(material)
    series: dict[str, dict[int, tuple[str, Any]]] = {}
    for name, source in material.each_source():
        if (period := period_of(source)) is not None:
            series.setdefault(source.name, {})[period] = name, source
    if not series:
        raise NotRunError(
            "No series of sources by period was given by --vectors, such as histwords-eng-all."
        )
    for name, by_period in series.items():
        for family in census:
            called = f"{name}, {'/'.join(family.groups)}"
            yield called, partial(_of_series, material, family, by_period)


def _of_series(
    material: Material, family: Family, by_period: Mapping[int, tuple[str, Any]]
) -> Fields:
    """The correlations of one series with the shares of one family of groups."""
    tables = {year: of for of in family.tables if (year := _year(of)) is not None}
    years = sorted(by_period.keys() & tables.keys())
    if len(years) < FEWEST:
        raise NotRunError(
            f"The series and the census have {len(years)} years in common, and {FEWEST} are needed."
        )
    terms = terms_of([tables[year] for year in years])
    for year in years:
        terms = family.known(tables[year], terms)
    test = family.of_targets(terms)
    numbers = {
        year: leanings(material, test, source, name)
        for year, (name, source) in sorted(by_period.items())
        if year in years
    }
    shared = [
        term for term in terms if all(of.values.get(term) is not None for of in numbers.values())
    ]
    if not shared:
        raise NotRunError("No occupation has a number in every period.")
    by_year = [
        views(family, of, shared, family.shares(tables[year], shared))
        for year, of in numbers.items()
    ]
    figures: list[Figure] = []
    nulls, within = [], []
    for column in zip(*by_year, strict=True):
        name = column[0].name
        means = [_means(view) for view in column]
        rng = np.random.default_rng(material.seed)
        over = series_correlation(*zip(*means, strict=True), rng=rng)
        figures += _figures(name, over)
        numbers_ = (over.rho, over.p, over.p_unordered, over.changes.rho, over.changes.p)
        nulls.append((name, *map(defined, (*numbers_, *over.autocorrelation))))
        for year, view, both in zip(years, column, means, strict=True):
            rho = view.correlated(material.seed)
            within.append((str(year), name, *both, defined(rho.rho), defined(rho.p)))
    missing = [term for term in terms if term not in shared]
    title = "Means by year, and correlation over occupations within it"
    return {
        "figures": figures,
        "tables": [
            table("Nulls of the correlation over periods", NULLS, nulls),
            table(title, WITHIN, within),
        ],
        "drawings": [_drawing(figures, "Rank correlation of means over periods")],
        "remarks": [
            *_remarks(numbers[years[0]].what, family, missing),
            f"Means are over the {len(shared):,} occupations that have a number in each of the "
            f"{len(years)} years {years[0]} to {years[-1]}.",
            NULL,
        ],
    }


def _means(view: View) -> tuple[float, float]:
    """Means of a measure and of the census over the occupations of one year."""
    measured = np.array([*view.measured.values()], np.float64)
    return float(measured.mean()), float(view.of_table.mean())


def _figures(name: str, over: SeriesCorrelation) -> Iterator[Figure]:
    """The correlation over periods, and that of the changes."""
    p, rho = defined(over.p), defined(over.rho)
    test = "independent autoregressive series, least favourable, two-sided" if p is not None else ""
    yield Figure(name=f"rho, {name}", value=rho, n=over.n, of="periods", p=p, test=test)
    yield Figure(name=f"R2, {name}", value=defined(over.r2), n=over.n, of="periods")
    yield rho_figures(f"changes, {name}", over.changes, "changes")[0]
