"""Convergent validity of text: associations by people against co-occurrence, by span."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from eatlas.corpora.parquet import pyarrow_of
from eatlas.corpora.writing import KEY, beside
from eatlas.errors import EatlasError
from eatlas.results.evidence import Evidence, Figure, Table
from eatlas.sources.counts import open_counts
from eatlas.stats.paired import rank_correlation
from eatlas.validation.annotators import NEEDED, OF, labels_of, people
from eatlas.validation.material import Context
from eatlas.validation.showing import finite, listed_names, mark, rho_drawing, rho_figures
from eatlas.validation.studies import ProtocolStudy, reason_of


def human_against_automatic(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlation of people's shares with those of counts, for each file of counts."""
    context.require("labels", NEEDED)
    context.require("counts", "of the text that the contexts are from, for a span or several")
    labels = labels_of(context)
    family, without = people(context, labels)
    figures: list[Figure] = []
    rows, marks, remarks = [], [], []
    human = family.tables[0]
    for path in sorted(context.material.counts, key=lambda path: (span_of(path) or 0, path)):
        span = span_of(path)
        called = path.name if span is None else f"{span} sentence{'s' * (span != 1)}"
        try:
            automatic = open_counts(str(path))[0]
        except EatlasError as error:
            remarks.append(reason_of(error))
            continue
        terms = family.known(automatic, list(family.test.targets.terms))
        lost = [term for term in family.test.targets.terms if term not in set(terms)]
        if lost:
            remarks.append(f"{called}: no association with a group of {listed_names(lost)}.")
        groups = family.groups[:1] if len(family.groups) == 2 else family.groups
        theirs, ours = family.shares(human, terms), family.shares(automatic, terms)
        for j, group in enumerate(groups):
            found = rank_correlation(
                theirs[:, j], ours[:, j], rng=np.random.default_rng(context.seed)
            )
            both = rho_figures(f"share of {group}, {called}", found, OF)
            figures.extend(both)
            marks.append(mark(called, both[0], group))
            numbers = map(finite, (found.rho, found.p, found.r2))
            rows.append((span, path.name, group, found.n, *numbers))
    if without:
        remarks.append(f"Associated with no group by people: {listed_names(without)}.")
    if not figures:
        yield study.not_run(" ".join(remarks), source=labels.items.name)
        return
    yield study.evidence(
        source=labels.items.name,
        figures=figures,
        tables=[
            Table(
                title="Correlation by length of the context",
                columns=("sentences", "counts", "group", "targets", "rho", "p", "R2"),
                rows=rows,
            )
        ],
        drawings=[rho_drawing("People against co-occurrence", marks)],
        remarks=[
            "Shares are of spans, or of labelled contexts, that are associated with a group at "
            "all. The study is of text and does not depend on the measure.",
            *remarks,
        ],
    )


def span_of(path: Path) -> int | None:
    """Sentences of a span, as the file of counts says; None where it does not."""
    try:
        if path.suffix.lower() == ".parquet":
            _, parquet = pyarrow_of(path)
            said = (parquet.read_schema(path).metadata or {}).get(KEY, b"{}")
        else:
            said = beside(path).read_bytes()
        span = json.loads(said).get("span")
    except (OSError, ValueError, AttributeError, EatlasError):
        return None
    return span if isinstance(span, int) else None
