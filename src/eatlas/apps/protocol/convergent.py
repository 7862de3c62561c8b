"""Whether other measures, shorter lists, parameters and treated vectors order targets alike."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from eatlas.apps.protocol.content import Bench, unit
from eatlas.apps.protocol.people import NEEDED, OF, labels_of, people
from eatlas.apps.protocol.studies import (
    Context,
    NotRunError,
    ProtocolStudy,
    correlations,
    listed_names,
    mark,
    marks_of,
    reason_of,
    rho_drawing,
    rho_figures,
    tried_each,
)
from eatlas.apps.protocol.target_scores import (
    HOW_SURE,
    Family,
    Leanings,
    correlated,
    leanings,
    plain,
)
from eatlas.corpora.reading import pyarrow_of
from eatlas.corpora.writing import KEY, beside
from eatlas.decoding import require_file
from eatlas.errors import EatlasError, SignatureError
from eatlas.measures import Measure, get_measure
from eatlas.measures.registry import measure_names
from eatlas.results.evidence import Evidence, Figure, Table
from eatlas.results.parts import defined
from eatlas.sources.counts import Counts, open_counts
from eatlas.sources.opening import transformed
from eatlas.stats.paired import RankCorrelation, rank_correlation
from eatlas.stats.specifications import Correlation
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, Test, load_tests

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


SIZES = (3, 5)
"""Words of each group, as in Table 8."""
SUBSETS = 10
"""Random subsets of each size."""
TRANSFORMS = ("center", "standardize", "all-but-the-top:1")
"""What is done to all vectors of a source, besides making them of length 1."""
NO_CHANGE = ("alpha", "draws", *HOW_SURE)
"""Parameters that are about p-values and intervals."""


def word_lists(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlations with random word lists of 3 and of 5 words a group."""
    for test in tests_of(context):
        yield from study.of_each_source(context, _subsets, test)


def _subsets(
    study: ProtocolStudy, context: Context, test: GroupsTest, name: str, source: Any
) -> Evidence:
    """Median and range of the correlations with lists of each size."""
    whole = leanings(context, test, source, name)
    rng = np.random.default_rng([context.seed, len(test.groups)])
    rows, reasons = [], []
    for size in SIZES:
        found: list[Correlation] = []
        for _ in range(SUBSETS):
            shorter = _shorter(test, whole, size, rng)
            try:
                other = leanings(context, shorter, source, name)
            except EatlasError as error:
                reasons.append(reason_of(error))
                continue
            found.append(correlated(whole.directed, other.directed))
        rho = sorted(one.spearman for one in found if math.isfinite(one.spearman))
        squared = [one.pearson**2 for one in found if math.isfinite(one.pearson)]
        if rho:
            middle, r2 = float(np.median(rho)), float(np.median(squared))
            rows.append((f"{size} words a group", len(rho), middle, rho[0], rho[-1], r2))
    if not rows:
        raise NotRunError(" ".join(dict.fromkeys(reasons)) or "No subset gives numbers.")
    how = "pairs of words" if test.pairs else "words of each group"
    title, line = f"Random word lists, {test.id}", "; point: median; line: smallest and largest"
    columns = ("lists", "number", "median rho", "smallest", "largest", "median R²")
    figures = [figure for row in rows for figure in _figures(*row)]
    marks = (mark(row[0], one) for row, one in zip(rows, figures[::2], strict=True))
    return study.evidence(
        source=name,
        figures=figures,
        tables=[Table(title=title, columns=columns, rows=rows)],
        drawings=[rho_drawing(f"Rank correlation with shorter lists, {test.id}", marks, line)],
        remarks=[
            f"Random {how} that have vectors, {SUBSETS} times for each size; correlated over "
            "targets with the whole lists.",
            *dict.fromkeys(reasons),
        ],
    )


def _figures(
    label: str, n: int, middle: float, low: float, high: float, r2: float
) -> Iterator[Figure]:
    """The median correlations with `n` lists of one size."""
    ends = {"low": low, "high": high, "interval": f"smallest and largest of {n} random lists"}
    yield Figure(name=f"Spearman's rho, {label}", value=middle, **ends)
    yield Figure(name=f"R², {label}", value=r2)


def _shorter(test: GroupsTest, whole: Leanings, size: int, rng: np.random.Generator) -> GroupsTest:
    """The test with `size` words of each group, drawn at random; of pairs, whole pairs."""
    everything = {term for terms in whole.words for term in terms}
    pairs = tuple(pair for pair in test.pairs if everything.issuperset(pair))
    some = _some(pairs, size, rng) if len(pairs) >= size else ()
    drawn = [
        tuple(dict.fromkeys(pair[g] for pair in some)) or _some(terms, size, rng)
        for g, terms in enumerate(whole.words)
    ]
    groups = tuple(
        Concept(name=one.name, terms=terms) for one, terms in zip(test.groups, drawn, strict=True)
    )
    return test.model_copy(update={"groups": groups, "pairs": some})


def _some(things: tuple[Any, ...], size: int, rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw some things at random, without replacement and in their order; all of a few."""
    places = rng.choice(len(things), min(size, len(things)), replace=False)
    return tuple(things[i] for i in sorted(places))


def parameters(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlations with every other choice of a parameter that has choices."""
    alternatives = dict(_alternatives(context.measure))
    if not alternatives:
        raise NotRunError(f"{context.measure.name} has no parameter with choices.")

    def changes(name: str, source: Any) -> Changes:
        return {label: partial(tuple, (source, name, one)) for label, one in alternatives.items()}

    yield from study.of_each_source(context, _changed, "Parameters", changes)


def _alternatives(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """The measure with each other value of each parameter whose type names its few values."""
    hints = get_type_hints(type(measure))
    for one in fields(measure):
        hint = hints[one.name]
        values = (False, True) if hint is bool else get_args(hint)
        choices = hint is bool or get_origin(hint) is Literal
        if one.name in NO_CHANGE or not one.init or not choices:
            continue
        for value in values:
            if value == getattr(measure, one.name):
                continue
            with suppress(SignatureError):  # it does not go with the other parameters
                changed = measure.with_parameters(**{one.name: value})
                yield f"{one.name}={str(value).lower() if hint is bool else value}", changed


def vectors(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlations with vectors of length 1, centred, standardised and without their main axis."""
    if context.measure.needs != "vectors":
        raise NotRunError(f"{context.measure.name} needs no vectors, which are treated here.")
    test, *_ = tests_of(context)

    def changes(name: str, source: Any) -> Changes:
        bench = Bench(plain(context.measure), test, source, context.seed, context.measure).used
        lengths = bench.with_rows(lambda rows: np.array([unit(row) for row in rows])).source

        def treated(step: str) -> tuple[Any, ...]:
            return transformed(source, step), f"{name}, {step}", None

        steps = {step: partial(treated, step) for step in TRANSFORMS}
        return {"length 1": partial(tuple, (lengths, f"{name}, length 1", None)), **steps}

    yield from study.of_each_source(context, _changed, "Treated vectors", changes)


Changes = Mapping[str, Callable[[], tuple[Any, ...]]]
"""By label what makes a changed source, its name, and a changed measure or None."""


def _changed(
    study: ProtocolStudy,
    context: Context,
    title: str,
    changes: Callable[[str, Any], Changes],
    name: str,
    source: Any,
) -> Evidence:
    """Correlations of the numbers as they are with those of other measures or sources."""
    test, *_ = tests_of(context)
    base = leanings(context, test, source, name)
    made = changes(name, source)

    def measured(label: str) -> tuple[Leanings, tuple[str, ...]]:
        other, called, measure = made[label]()
        return leanings(context, test, other, called, measure), getattr(other, "notes", ())

    others, reasons = tried_each("Not measured", measured, made)
    found: dict[str, Correlation] = {}
    idle, said = [], []
    for label, (other, notes) in others.items():
        # with another divergence biases differ, deviations do not
        pairs = (base.directed, other.directed), (base.values, other.values)
        if (pair := next((one for one in pairs if one[0] != one[1]), None)) is None:
            idle.append(label)
            continue
        found[label] = correlated(*pair)
        known = {*base.result.warnings, *notes}
        said += [f"{label}: {note}" for note in other.result.warnings if note not in known]
    if not found:
        same = f"Numbers are the same with {', '.join(idle)}." if idle else ""
        raise NotRunError(" ".join((same, *reasons)).strip() or "Nothing could be changed.")
    unchanged = [f"Without any change of the numbers: {', '.join(idle)}."] if idle else []
    drawn = f"{title}: rank correlation with the numbers as they are"
    return study.evidence(
        source=name,
        figures=_smallest(found),
        **correlations(found, f"{title}, {test.id}", "changed to", drawn, " with its 95% interval"),
        remarks=[*unchanged, *reasons, *said],
    )


def _smallest(found: Mapping[str, Correlation]) -> list[Figure]:
    """The smallest of the rank correlations, and the R² there."""
    least = min(marks_of(found), key=lambda one: one.value or -2.0)
    of = found[least.label]
    rho = Figure(
        name="smallest Spearman's rho",
        value=least.value,
        low=least.low,
        high=least.high,
        interval="95%",
        n=of.n,
        of="targets",
        text=least.label,
    )
    return [rho, Figure(name="R² there", value=defined(of.pearson**2))]
