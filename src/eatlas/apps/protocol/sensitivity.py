"""Sensitivity: how far numbers move with shorter word lists, parameters and treated vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from eatlas.apps.protocol.convergent import tests_of
from eatlas.apps.protocol.figures import correlations, mark, marks_of, rho_drawing
from eatlas.apps.protocol.inputs import Context, NotRunError
from eatlas.apps.protocol.perturbations import Bench, unit
from eatlas.apps.protocol.studies import ProtocolStudy, reason_of, tried_each
from eatlas.apps.protocol.target_scores import HOW_SURE, Leanings, correlated, leanings, plain
from eatlas.errors import EatlasError, SignatureError
from eatlas.measures.base import Measure
from eatlas.results.evidence import Evidence, Figure, Table
from eatlas.results.parts import defined
from eatlas.sources.opening import transformed
from eatlas.stats.specifications import Correlation
from eatlas.stimuli import Concept, GroupsTest

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
