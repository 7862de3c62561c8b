"""Predictive validity: whether a measure's numbers go with shares of groups in occupations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.apps.protocol.studies import (
    Context,
    NotRunError,
    ProtocolStudy,
    listed_names,
    mark,
    rho_drawing,
    rho_figures,
)
from eatlas.apps.protocol.target_scores import (
    Family,
    View,
    compared,
    families,
    leanings,
    terms_of,
    views,
)
from eatlas.results.evidence import Drawing, Evidence, Figure, Table
from eatlas.results.parts import defined
from eatlas.sources import period_of
from eatlas.sources.counts import Counts
from eatlas.stats.paired import (
    FEWEST,
    SeriesCorrelation,
    series_correlation,
)

Array = NDArray[np.float64]

YEAR = 2010
"""The year of the contemporary study, as in the paper; the last one of a census without it."""
OF = "occupations"
NEEDED = "such as census-gender, which eatlas vectors fetch census brings"


def one_year(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Rank correlation over occupations with the shares of one year, on each source."""
    known = list(_families(context))
    sources = {name: one for name, one in context.each_source() if period_of(one) is None}
    if not sources:
        raise NotRunError("Every source belongs to a period; the study of decades takes these.")
    for name, source in sources.items():
        for family in known:
            called = _called(name, family)
            yield study.tried(called, _of_year, context, family, name, source)


def _families(context: Context) -> Iterator[Family]:
    yield from families(context, context.require("census", NEEDED), "census")


def _called(name: str, family: Family) -> str:
    return f"{name}, {'/'.join(family.groups)}"


def _of_year(
    study: ProtocolStudy, context: Context, family: Family, name: str, source: Any
) -> Evidence:
    """The correlations on one source with the shares of one family of groups."""
    table = next((one for one in family.tables if _year(one) == YEAR), family.tables[-1])
    terms = family.known(table, terms_of([table]))
    found = leanings(context, family.of_targets(terms), source, name)
    missing = [term for term in terms if found.values.get(term) is None]
    both = views(family, found, terms, family.shares(table, terms))
    figures, columns = compared(both, "census", OF, context.seed)
    return study.evidence(
        source=_called(name, family),
        figures=figures,
        tables=[
            Table(
                title=f"Occupations and the census of {_year(table) or 'one year'}",
                columns=("occupation", *columns),
                rows=[
                    row for row in zip(terms, *columns.values(), strict=True)
                    if row[0] not in set(missing)
                ],
            )
        ],
        drawings=[_drawing(figures, "Rank correlation with the census over occupations")],
        remarks=[*_remarks(found.what, family, missing)],
    )  # fmt: skip


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
    """Each rank correlation as a mark with its interval."""
    labels = [one.name.removeprefix("rho, ") for one in figures]
    changes = "its changes"  # they follow what they are changes of
    marks = (
        mark(changes if label.startswith("changes") else label, one)
        for label, one in zip(labels, figures, strict=True)
        if one.name != label
    )
    return rho_drawing(title, marks)


def _year(table: Counts) -> int | None:
    year: int | None = getattr(table, "period", None)
    return year


def decades(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlation of yearly means with those of the census, on each series of sources."""
    known = list(_families(context))
    series: dict[str, dict[int, tuple[str, Any]]] = {}
    for name, source in context.each_source():
        if (period := period_of(source)) is not None:
            series.setdefault(source.name, {})[period] = name, source
    if not series:
        raise NotRunError(
            "No series of sources by period was given by --vectors, such as histwords-eng-all."
        )
    for name, by_period in series.items():
        for family in known:
            called = _called(name, family)
            yield study.tried(called, _of_series, context, family, name, by_period)


def _of_series(
    study: ProtocolStudy,
    context: Context,
    family: Family,
    name: str,
    by_period: Mapping[int, tuple[str, Any]],
) -> Evidence:
    """The correlations of one series with the shares of one family of groups."""
    tables = {year: one for one in family.tables if (year := _year(one)) is not None}
    years = sorted(by_period.keys() & tables.keys())
    if len(years) < FEWEST:
        raise NotRunError(
            f"The series and the census have {len(years)} years in common, and {FEWEST} are needed."
        )
    used = [tables[year] for year in years]
    terms = terms_of(used)
    for table in used:
        terms = family.known(table, terms)
    test = family.of_targets(terms)
    found = [leanings(context, test, by_period[year][1], by_period[year][0]) for year in years]
    shared = [term for term in terms if all(one.values.get(term) is not None for one in found)]
    missing = [term for term in terms if term not in set(shared)]
    if not shared:
        raise NotRunError("No occupation has a number in every period.")
    by_year = [
        views(family, one, shared, family.shares(table, shared))
        for one, table in zip(found, used, strict=True)
    ]
    columns = list(zip(*by_year, strict=True))
    over = {column[0].name: _over_years(column, context.seed) for column in columns}
    figures = [figure for view, one in over.items() for figure in _figures(view, one)]
    return study.evidence(
        source=_called(name, family),
        figures=figures,
        tables=[
            Table(
                title="Nulls of the correlation over periods",
                columns=NULLS,
                rows=[_nulls(view, one) for view, one in over.items()],
            ),
            Table(
                title="Means by year, and correlation over occupations within it",
                columns=WITHIN,
                rows=[row for column in columns for row in _within(years, column, context.seed)],
            ),
        ],
        drawings=[_drawing(figures, "Rank correlation of means over periods")],
        remarks=[
            *_remarks(found[0].what, family, missing),
            f"Means are over the {len(shared):,} occupations that have a number in each of the "
            f"{len(years)} years {years[0]} to {years[-1]}.",
            NULL,
        ],
    )


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


def _means(view: View) -> tuple[float, float]:
    """Means of a measure and of the census over the occupations of one year."""
    measured = np.array([*view.measured.values()], np.float64)
    return float(measured.mean()), float(view.of_table.mean())


def _over_years(column: Sequence[View], seed: int) -> SeriesCorrelation:
    """Correlate the means of each year."""
    measured, census = zip(*map(_means, column), strict=True)
    return series_correlation(measured, census, rng=np.random.default_rng(seed))


def _within(years: Sequence[int], column: Sequence[View], seed: int) -> Iterator[tuple[Any, ...]]:
    """Means of each year, and the correlation over its occupations."""
    for year, view in zip(years, column, strict=True):
        one = view.correlated(seed)
        yield (str(year), view.name, *_means(view), defined(one.rho), defined(one.p))


def _figures(name: str, found: SeriesCorrelation) -> Iterator[Figure]:
    """The correlation over periods, and that of the changes."""
    p = defined(found.p)
    yield Figure(
        name=f"rho, {name}",
        value=defined(found.rho),
        n=found.n,
        of="periods",
        p=p,
        test="" if p is None else "independent autoregressive series, least favourable, two-sided",
    )
    yield Figure(name=f"R2, {name}", value=defined(found.r2), n=found.n, of="periods")
    yield rho_figures(f"changes, {name}", found.changes, "changes")[0]


def _nulls(name: str, found: SeriesCorrelation) -> tuple[Any, ...]:
    return (
        name,
        *map(defined, (found.rho, found.p, found.p_unordered)),
        *map(defined, (found.changes.rho, found.changes.p, *found.autocorrelation)),
    )
