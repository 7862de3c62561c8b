"""Whether other measures, shorter lists, parameters and treated vectors order targets alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from statistics import median
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

import eatlas
from eatlas.errors import EatlasError, SignatureError
from eatlas.measures import Measure, get_measure, measure_types
from eatlas.results.parts import finite
from eatlas.stats.correlation import Correlation
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
from eatlas_workbench.cards.content import copy_vectors, unit
from eatlas_workbench.cards.evidence import Drawing, Figure, Mark, Table
from eatlas_workbench.cards.material import (
    Exhibits,
    Material,
    NotRunError,
    Parts,
    figure,
    mark,
    reason_of,
    rho_drawing,
    table,
    try_all,
)
from eatlas_workbench.cards.numbers import correlate, leanings
from eatlas_workbench.leanings import HOW_SURE, Leanings

TEST = "divdist-gender"
CORRELATIONS = (
    "targets", "Spearman's rho", "low", "high", "Pearson's r", "low of r", "high of r", "R²",
)  # fmt: skip
INTERVAL = "95%, Fisher's scale with the standard error of Bonett and Wright (2000)"
SIZES = (3, 5)
"""Words of each group, as in Table 8."""
SUBSETS = 10
"""Random subsets of each size."""
TRANSFORMS = ("center", "standardize", "all-but-the-top:1")
"""What is done to all vectors of a source, besides making them of length 1."""
LENGTH_1 = "length 1"
NO_CHANGE = ("alpha", "permutations", "groups", *HOW_SURE)
"""Parameters that are about p-values and intervals, or about tests of another kind."""


def tests_of(material: Material) -> tuple[GroupsTest, ...]:
    """The tests whose targets are compared: the professions, and those that were given.

    Of a test of four concepts A and B are the groups.
    """
    tests = []
    for test in (*load_tests(TEST), *material.tests):
        if isinstance(test, AssociationTest):
            tests.append(GroupsTest.of_association(test))
        elif isinstance(test, GroupsTest):
            tests.append(test)
        else:
            raise NotRunError(f"The test {test.id} is of no kind that measures are compared on.")
    return tuple(tests)


def _marks(by_label: Mapping[str, Correlation]) -> list[Mark]:
    """Rank correlations as marks of a drawing."""
    return [
        Mark(label=label, value=finite(pairs.spearman), low=finite(pairs.spearman_low),
             high=finite(pairs.spearman_high))
        for label, pairs in by_label.items()
    ]  # fmt: skip


def _correlation_exhibit(
    by_label: Mapping[str, Correlation], title: str, first: str, drawn: str, more: str
) -> tuple[list[Table], list[Drawing]]:
    """A table of correlations, by what the `first` column names, and a drawing of them."""
    rows = [
        (label, pairs.n,
         *map(finite, (pairs.spearman, pairs.spearman_low, pairs.spearman_high, pairs.pearson,
                       pairs.pearson_low, pairs.pearson_high, pairs.pearson**2)))
        for label, pairs in by_label.items()
    ]  # fmt: skip
    drawing = rho_drawing(drawn, _marks(by_label), more)
    return [table(title, (first, *CORRELATIONS), rows)], [drawing]


def tests_on_sources(material: Material) -> Parts:
    """Each test on each source."""
    for test in tests_of(material):
        for name, source in material.iter_sources():
            yield name, source, test


def other_measures(material: Material, name: str, source: Any, test: GroupsTest) -> Exhibits:
    """Correlations with every other measure that takes the source, over the targets of a test."""
    own = leanings(material, test, source, name)

    def numbers(peer: str) -> Leanings:
        measure = get_measure(peer)
        if measure.needs.source != material.measure.needs.source:
            raise NotRunError("It needs a source of another kind.")
        return leanings(material, test, source, name, measure)

    names = (peer for peer in measure_types() if peer != material.measure.name)
    by_name, reasons = try_all("Not compared", numbers, names)
    peers = {peer.result.display_name: peer for peer in by_name.values()}
    if not peers:
        raise NotRunError(" ".join(("No other measure gives numbers for these targets.", *reasons)))
    by_label = {
        label: correlate(own.directional, peer.directional) for label, peer in peers.items()
    }
    rhos = [pairs.spearman for pairs in by_label.values() if math.isfinite(pairs.spearman)]
    middle = figure(
        "median of Spearman's rho", median(rhos) if rhos else None,
        (min(rhos), max(rhos)) if rhos else None, len(rhos), "other measures",
        "smallest and largest",
    )  # fmt: skip
    remarks = [f"Numbers of the targets of {test.id}: {own.what}."]
    if own.towards_first is None:
        remarks.append("This measure's numbers have no direction.")
    undirected = [label for label, peer in peers.items() if peer.towards_first is None]
    if undirected:
        remarks.append(f"Numbers without a direction: {', '.join(undirected)}.")
    title = f"Correlations over the targets of {test.id}"
    drawn = f"Rank correlation with other measures, {test.id}"
    shown = _correlation_exhibit(by_label, title, "measure", drawn, f"; line: {INTERVAL}")
    return [middle], *shown, [*remarks, *reasons]


def word_lists(material: Material, name: str, source: Any, test: GroupsTest) -> Exhibits:
    """Median and range of the correlations with random word lists of 3 and of 5 words a group."""
    whole = leanings(material, test, source, name)
    rng = np.random.default_rng([material.seed, len(test.groups)])
    rows, figures, marks = [], [], []
    reasons: dict[str, None] = {}
    for size in SIZES:
        by_list: list[Correlation] = []
        for _ in range(SUBSETS):
            shorter = _shorter(test, whole, size, rng)
            try:
                numbers = leanings(material, shorter, source, name)
            except EatlasError as error:
                reasons[reason_of(error)] = None
                continue
            by_list.append(correlate(whole.directional, numbers.directional))
        rho = [pairs.spearman for pairs in by_list if math.isfinite(pairs.spearman)]
        squared = [pairs.pearson**2 for pairs in by_list if math.isfinite(pairs.pearson)]
        if not rho:
            continue
        label, n, low, high = f"{size} words a group", len(rho), min(rho), max(rho)
        middle, r2 = float(np.median(rho)), float(np.median(squared))
        rows.append((label, n, middle, low, high, r2))
        of_rho = Figure(
            name=f"Spearman's rho, {label}", value=middle, low=low, high=high,
            interval=f"smallest and largest of {n} random lists",
        )  # fmt: skip
        figures += [of_rho, Figure(name=f"R², {label}", value=r2)]
        marks.append(mark(label, of_rho))
    if not rows:
        raise NotRunError(" ".join(reasons) or "No subset gives numbers.")
    columns = ("lists", "number", "median rho", "smallest", "largest", "median R²")
    lists = table(f"Random word lists, {test.id}", columns, rows)
    more = "; point: median; line: smallest and largest"
    drawn = rho_drawing(f"Rank correlation with shorter lists, {test.id}", marks, more)
    return figures, [lists], [drawn], list(reasons)


def _shorter(test: GroupsTest, whole: Leanings, size: int, rng: np.random.Generator) -> GroupsTest:
    """The test with `size` words of each group, drawn at random; of pairs, whole pairs."""
    words = {term for terms in whole.words for term in terms}
    pairs = tuple(pair for pair in test.pairs if words.issuperset(pair))
    drawn = _sample_in_order(pairs, size, rng) if len(pairs) >= size else ()
    groups = []
    for g, (group, terms) in enumerate(zip(test.groups, whole.words, strict=True)):
        some = tuple(dict.fromkeys(pair[g] for pair in drawn)) or _sample_in_order(terms, size, rng)
        groups.append(Concept(name=group.name, terms=some))
    return test.model_copy(update={"groups": tuple(groups), "pairs": drawn})


def _sample_in_order(
    things: tuple[Any, ...], size: int, rng: np.random.Generator
) -> tuple[Any, ...]:
    """Some things at random, without replacement and in their order; all of a few."""
    places = rng.choice(len(things), min(size, len(things)), replace=False)
    return tuple(things[i] for i in sorted(places))


def parameters(material: Material, name: str, source: Any) -> Exhibits:
    """Correlations with every other choice of a parameter that has choices."""
    measures = dict(_alternatives(material.measure))
    if not measures:
        raise NotRunError(f"{material.measure.name} has no parameter with choices.")

    def use_measure(label: str) -> tuple[Any, str, Measure]:
        return source, name, measures[label]

    return _correlate_changes(material, "Parameters", name, source, measures, use_measure)


def _alternatives(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """The measure with each other value of each parameter whose type names its few values."""
    hints = get_type_hints(type(measure))
    for parameter in fields(measure):
        name, hint = parameter.name, hints[parameter.name]
        if hint is not bool and get_origin(hint) is not Literal:
            continue
        if name in NO_CHANGE or not parameter.init:
            continue
        for value in (False, True) if hint is bool else get_args(hint):
            if value == getattr(measure, name):
                continue
            with suppress(SignatureError):  # it does not go with the other parameters
                changed = measure.with_parameters(**{name: value})
                yield f"{name}={str(value).lower() if hint is bool else value}", changed


def correlate_treatments(material: Material, name: str, source: Any) -> Exhibits:
    """Correlations with vectors of length 1, centred, standardised and without their main axis."""

    def treat(step: str) -> tuple[Any, str, None]:
        if step != LENGTH_1:
            return eatlas.transformed(source, step), f"{name}, {step}", None
        bench = copy_vectors(material, tests_of(material)[0], source)
        rows = {term: unit(row) for term, row in bench.rows.items()}
        return bench.with_rows(rows).source, f"{name}, {step}", None

    return _correlate_changes(
        material, "Treated vectors", name, source, (LENGTH_1, *TRANSFORMS), treat
    )


def _correlate_changes(
    material: Material,
    title: str,
    name: str,
    source: Any,
    labels: Iterable[str],
    change: Callable[[str], tuple[Any, str, Measure | None]],
) -> Exhibits:
    """Correlations of the numbers as they are with those of changed measures or sources.

    `change` makes a source, its name, and a measure, of a label.
    """
    test, *_ = tests_of(material)
    base = leanings(material, test, source, name)

    def numbers(label: str) -> tuple[Leanings, tuple[Any, ...]]:
        treated, called, measure = change(label)
        return leanings(material, test, treated, called, measure), getattr(treated, "notes", ())

    measured, reasons = try_all("Not measured", numbers, labels)
    by_label: dict[str, Correlation] = {}
    idle, notes = [], []
    for label, (changed, of_source) in measured.items():
        # with another divergence biases differ, deviations do not
        if base.directional != changed.directional:
            by_label[label] = correlate(base.directional, changed.directional)
        elif base.values != changed.values:
            by_label[label] = correlate(base.values, changed.values)
        else:
            idle.append(label)
            continue
        stated = {*base.result.warnings, *of_source}
        notes += [f"{label}: {note}" for note in changed.result.warnings if note not in stated]
    unchanged = [f"Without any change of the numbers: {', '.join(idle)}."] if idle else []
    if not by_label and not idle:
        raise NotRunError(" ".join(reasons) or "Nothing could be changed.")
    if not by_label:
        none = Figure(name="choices that change a number", value=0, n=len(idle), of="choices")
        return [none], [], [], [*unchanged, *reasons, *notes]
    drawn = f"{title}: rank correlation with the numbers as they are"
    shown = _correlation_exhibit(
        by_label, f"{title}, {test.id}", "changed to", drawn, " with its 95% interval"
    )
    least = min(_marks(by_label), key=lambda mark: mark.value or -2.0)
    weakest = by_label[least.label]
    smallest = figure(
        "smallest Spearman's rho", least.value, (least.low, least.high), weakest.n, "targets",
        "95%", text=least.label,
    )  # fmt: skip
    r2 = Figure(name="R² there", value=finite(weakest.pearson**2))
    return [smallest, r2], *shown, [*unchanged, *reasons, *notes]
