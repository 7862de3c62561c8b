"""Sensitivity: how far numbers move with shorter word lists, parameters and treated vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from eatlas.errors import EatlasError, SignatureError, SourceError
from eatlas.measures.base import Measure
from eatlas.results.evidence import Drawing, Evidence, Figure, Mark, Table
from eatlas.sources.opening import transformed
from eatlas.stats.specifications import Correlation, correlation
from eatlas.stimuli import Concept, GroupsTest
from eatlas.validation.bench import Bench, unit
from eatlas.validation.convergent import COLUMNS, finite, mark_of, row_of, tests_of
from eatlas.validation.leanings import HOW_SURE, Leanings, leanings, paired, plain
from eatlas.validation.material import Context, NotRunError
from eatlas.validation.studies import ProtocolStudy, in_a_sentence

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

        def answer(name: str, source: Any, test: GroupsTest = test) -> Evidence:
            return _subsets(study, context, test, name, source)

        yield from study.of_each_source(context, answer)


def _subsets(
    study: ProtocolStudy, context: Context, test: GroupsTest, name: str, source: Any
) -> Evidence:
    """Median and range of the correlations with lists of each size."""
    whole = leanings(context, test, source, name)
    rng = np.random.default_rng([context.seed, len(test.groups)])
    rows, marks, reasons = [], [], []
    for size in SIZES:
        found: list[Correlation] = []
        for _ in range(SUBSETS):
            shorter = _shorter(test, whole, size, rng)
            try:
                other = leanings(context, shorter, source, name)
            except EatlasError as error:
                reasons.append(in_a_sentence(error))
                continue
            _, x, y = paired(whole.directed, other.directed)
            found.append(correlation(x, y))
        rho = sorted(one.spearman for one in found if math.isfinite(one.spearman))
        squared = sorted(one.pearson**2 for one in found if math.isfinite(one.pearson))
        if not rho:
            continue
        label = f"{size} words a group"
        rows.append(
            (label, len(rho), float(np.median(rho)), rho[0], rho[-1], float(np.median(squared)))
        )
        marks.append(Mark(label=label, value=float(np.median(rho)), low=rho[0], high=rho[-1]))
    if not rows:
        raise NotRunError(" ".join(dict.fromkeys(reasons)) or "No subset gives numbers.")
    how = "pairs of words" if test.pairs else "words of each group"
    return study.evidence(
        source=name,
        figures=tuple(
            figure
            for row in rows
            for figure in (
                Figure(
                    name=f"Spearman's rho, {row[0]}",
                    value=row[2],
                    low=row[3],
                    high=row[4],
                    interval=f"smallest and largest of {row[1]} random lists",
                ),
                Figure(name=f"R², {row[0]}", value=row[5]),
            )
        ),
        tables=(
            Table(
                title=f"Random word lists, {test.id}",
                columns=("lists", "number", "median rho", "smallest", "largest", "median R²"),
                rows=tuple(rows),
            ),
        ),
        drawings=(
            Drawing(
                title=f"Rank correlation with shorter lists, {test.id}",
                axis="Spearman's rho; point: median; line: smallest and largest",
                marks=tuple(marks),
                low=-1.0,
                high=1.0,
            ),
        ),
        remarks=(
            f"Random {how} that have vectors, {SUBSETS} times for each size; correlated over "
            "targets with the whole lists.",
            *dict.fromkeys(reasons),
        ),
    )


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
    alternatives = tuple(_alternatives(context.measure))
    if not alternatives:
        raise NotRunError(f"{context.measure.name} has no parameter with choices.")
    test, *_ = tests_of(context)
    yield from study.of_each_source(
        context,
        lambda name, source: _table(
            study, context, test, name, source, "Parameters", dict(alternatives)
        ),
    )


def _alternatives(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """The measure with each other value of each parameter whose type names its few values."""
    hints = get_type_hints(type(measure))
    for one in fields(measure):
        hint = hints[one.name]
        values = (False, True) if hint is bool else get_args(hint)
        if one.name in NO_CHANGE or not one.init or not (hint is bool or _is_choice(hint)):
            continue
        for value in values:
            if value == getattr(measure, one.name):
                continue
            with suppress(SignatureError):  # it does not go with the other parameters
                changed = measure.with_parameters(**{one.name: value})
                yield f"{one.name}={str(value).lower() if hint is bool else value}", changed


def _is_choice(hint: object) -> bool:
    """Whether a type is one of a few values."""
    return get_origin(hint) is Literal


def vectors(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlations with vectors of length 1, centred, standardised and without their main axis."""
    if context.measure.needs != "vectors":
        raise NotRunError(f"{context.measure.name} needs no vectors, which are treated here.")
    test, *_ = tests_of(context)

    def answer(name: str, source: Any) -> Evidence:
        bench = Bench(plain(context.measure), test, source, context.seed, context.measure).used
        lengths = bench.with_rows(lambda rows: np.array([unit(row) for row in rows]))
        treated: dict[str, Any] = {"length 1": lengths.source}
        reasons = []
        for step in TRANSFORMS:
            try:
                treated[step] = transformed(source, step)
            except SourceError as error:
                reasons.append(f"Not measured, {step}: {in_a_sentence(error)}")
        return _table(study, context, test, name, source, "Treated vectors", treated, reasons)

    yield from study.of_each_source(context, answer)


def _table(
    study: ProtocolStudy,
    context: Context,
    test: GroupsTest,
    name: str,
    source: Any,
    title: str,
    changed: dict[str, Any],
    reasons: list[str] | None = None,
) -> Evidence:
    """Correlations of the numbers as they are with those of another measure or source."""
    base = leanings(context, test, source, name)
    found: dict[str, Correlation] = {}
    remarks, idle = list(reasons or ()), []
    for label, one in changed.items():
        try:
            other = (
                leanings(context, test, source, name, one)
                if isinstance(one, Measure)
                else leanings(context, test, one, f"{name}, {label}")
            )
        except NotRunError as reason:
            remarks.append(f"Not measured, {label}: {reason}")
            continue
        except EatlasError as error:
            remarks.append(f"Not measured, {label}: {in_a_sentence(error)}")
            continue
        if other.directed != base.directed:
            _, x, y = paired(base.directed, other.directed)
        elif other.values != base.values:  # another divergence: biases differ, deviations do not
            _, x, y = paired(base.values, other.values)
        else:
            idle.append(label)
            continue
        found[label] = correlation(x, y)
        known = {*base.result.warnings, *getattr(one, "notes", ())}
        remarks.extend(f"{label}: {said}" for said in other.result.warnings if said not in known)
    if not found:
        same = f"Numbers are the same with {', '.join(idle)}." if idle else ""
        raise NotRunError(" ".join((same, *remarks)).strip() or "Nothing could be changed.")
    if idle:
        remarks.insert(0, f"Without any change of the numbers: {', '.join(idle)}.")
    smallest = min(found, key=lambda label: finite(found[label].spearman) or -2.0)
    return study.evidence(
        source=name,
        figures=(
            Figure(
                name="smallest Spearman's rho",
                value=finite(found[smallest].spearman),
                low=finite(found[smallest].spearman_low),
                high=finite(found[smallest].spearman_high),
                interval="95%",
                n=found[smallest].n,
                of="targets",
                text=smallest,
            ),
            Figure(name="R² there", value=finite(found[smallest].pearson ** 2)),
        ),
        tables=(
            Table(
                title=f"{title}, {test.id}",
                columns=("changed to", *COLUMNS[1:]),
                rows=tuple(row_of(label, one) for label, one in found.items()),
            ),
        ),
        drawings=(
            Drawing(
                title=f"{title}: rank correlation with the numbers as they are",
                axis="Spearman's rho with its 95% interval",
                marks=tuple(mark_of(label, one) for label, one in found.items()),
                low=-1.0,
                high=1.0,
            ),
        ),
        remarks=tuple(remarks),
    )
