"""Convergent validity: other measures of the same targets; in text, people and co-occurrence."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from eatlas.apps.protocol.annotators import NEEDED, OF, labels_of, people
from eatlas.apps.protocol.families import Family
from eatlas.apps.protocol.figures import (
    correlations,
    listed_names,
    mark,
    rho_drawing,
    rho_figures,
)
from eatlas.apps.protocol.inputs import Context, NotRunError
from eatlas.apps.protocol.studies import ProtocolStudy, reason_of, tried_each
from eatlas.apps.protocol.target_scores import Leanings, correlated, leanings
from eatlas.corpora.reading import pyarrow_of
from eatlas.corpora.storing import KEY, beside
from eatlas.decoding import require_file
from eatlas.errors import EatlasError
from eatlas.measures.registry import get_measure, measure_names
from eatlas.results.evidence import Evidence, Figure, Table
from eatlas.results.parts import defined
from eatlas.sources.counts import Counts, open_counts
from eatlas.stats.paired import RankCorrelation, rank_correlation
from eatlas.stimuli import AssociationTest, GroupsTest, Test, load_tests

TEST = "divdist-gender"
INTERVAL = "95%, Fisher's scale with the standard error of Bonett and Wright (2000)"


def in_two_groups(test: Test) -> GroupsTest:
    """A test whose targets any measure gives numbers for: of four concepts, A and B are groups."""
    if isinstance(test, GroupsTest):
        return test
    if not isinstance(test, AssociationTest):
        raise NotRunError(f"The test {test.id} is of no kind that measures are compared on.")
    return GroupsTest.of_association(test)


def tests_of(context: Context) -> tuple[GroupsTest, ...]:
    """The tests whose targets are compared: the professions, and those that were given."""
    return tuple(map(in_two_groups, (*load_tests(TEST), *context.material.tests)))


def other_measures(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlations with every other measure that takes the source, over the targets of tests."""
    for test in tests_of(context):
        yield from study.of_each_source(context, _correlations, test)


def _correlations(
    study: ProtocolStudy, context: Context, test: GroupsTest, name: str, source: Any
) -> Evidence:
    """Correlations on one source over the targets of one test."""
    own = leanings(context, test, source, name)

    def compared(other: str) -> Leanings:
        measure = get_measure(other)
        if measure.needs != context.measure.needs:
            raise NotRunError("It needs a source of another kind.")
        return leanings(context, test, source, name, measure)

    names = (one for one in measure_names() if one != context.measure.name)
    others, reasons = tried_each("Not compared", compared, names)
    found = {
        other.result.display_name: correlated(own.directed, other.directed)
        for other in others.values()
    }
    undirected = [one.result.display_name for one in others.values() if one.towards_first is None]
    if not found:
        raise NotRunError(" ".join(("No other measure gives numbers for these targets.", *reasons)))
    known = [one.spearman for one in found.values() if math.isfinite(one.spearman)]
    remarks = [f"Numbers of the targets of {test.id}: {own.what}."]
    if own.towards_first is None:
        remarks.append("This measure's numbers have no direction.")
    if undirected:
        remarks.append(f"Numbers without a direction: {', '.join(undirected)}.")
    return study.evidence(
        source=name,
        figures=[
            Figure(
                name="median of Spearman's rho",
                value=median(known) if known else None,
                low=min(known, default=None),
                high=max(known, default=None),
                interval="smallest and largest",
                n=len(known),
                of="other measures",
            )
        ],
        **correlations(
            found,
            f"Correlations over the targets of {test.id}",
            "measure",
            f"Rank correlation with other measures, {test.id}",
            f"; line: {INTERVAL}",
        ),
        remarks=(*remarks, *reasons),
    )


def human_against_automatic(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlation of people's shares with those of counts, for each file of counts."""
    context.require("labels", NEEDED)
    context.require("counts", "of the text that the contexts are from, for a span or several")
    labels = labels_of(context)
    family, without = people(context, labels)
    rows, figures, marks, remarks = [], [], [], []
    for path in sorted(context.material.counts, key=lambda path: (span_of(path) or 0, path)):
        span = span_of(path)
        called = path.name if span is None else f"{span} sentence{'s' * (span != 1)}"
        try:
            automatic = open_counts(str(path))[0]
        except EatlasError as error:
            remarks.append(reason_of(error))
            continue
        found, lost = _with_counts(family, automatic, context.seed)
        if lost:
            remarks.append(f"{called}: no association with a group of {listed_names(lost)}.")
        for group, one in found.items():
            rho, r2 = rho_figures(f"share of {group}, {called}", one, OF)
            figures += [rho, r2]
            marks.append(mark(called, rho, group))
            rows.append((span, path.name, group, one.n, *map(defined, (one.rho, one.p, one.r2))))
    if without:
        remarks.append(f"Associated with no group by people: {listed_names(without)}.")
    if not figures:
        yield study.not_run(" ".join(remarks), source=labels.items.name)
        return
    columns = ("sentences", "counts", "group", "targets", "rho", "p", "R2")
    yield study.evidence(
        source=labels.items.name,
        figures=figures,
        tables=[Table(title="Correlation by length of the context", columns=columns, rows=rows)],
        drawings=[rho_drawing("People against co-occurrence", marks)],
        remarks=[
            "Shares are of spans, or of labelled contexts, that are associated with a group at "
            "all. The study is of text and does not depend on the measure.",
            *remarks,
        ],
    )


def _with_counts(
    family: Family, automatic: Counts, seed: int
) -> tuple[dict[str, RankCorrelation], list[str]]:
    """Correlations of people's shares with those of counts by group, and targets without one.

    Of two groups the first alone, since the shares of the other are what is left.
    """
    targets = family.test.targets.terms
    terms = family.known(automatic, targets)
    theirs, ours = (family.shares(table, terms) for table in (family.tables[0], automatic))
    groups = family.groups[:1] if len(family.groups) == 2 else family.groups
    found = {
        group: rank_correlation(theirs[:, j], ours[:, j], rng=np.random.default_rng(seed))
        for j, group in enumerate(groups)
    }
    return found, [term for term in targets if term not in set(terms)]


def span_of(path: Path) -> int | None:
    """Sentences of a span, as the file of counts says; None where it does not."""
    try:
        if path.suffix.lower() == ".parquet":
            _, parquet = pyarrow_of(path)
            said = (parquet.read_schema(path).metadata or {}).get(KEY, b"{}")
        else:
            require_file(beside(path), EatlasError)
            said = beside(path).read_bytes()
        span = json.loads(said).get("span")
    except (OSError, ValueError, AttributeError, EatlasError):
        return None
    return span if isinstance(span, int) else None
