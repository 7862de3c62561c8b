"""Convergent validity: whether measures of one construct order the same targets alike."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

from eatlas.errors import EatlasError
from eatlas.measures.base import Measure
from eatlas.measures.registry import get_measure, measure_names
from eatlas.results.evidence import Drawing, Evidence, Figure, Mark, Table
from eatlas.stats.specifications import Correlation, correlation
from eatlas.stimuli import AssociationTest, GroupsTest, Test, load_tests
from eatlas.validation.leanings import leanings, paired
from eatlas.validation.material import Context, NotRunError
from eatlas.validation.studies import ProtocolStudy, in_a_sentence

TEST = "divdist-gender"
INTERVAL = "95%, Fisher's scale with the standard error of Bonett and Wright (2000)"
COLUMNS = (
    "measure", "targets", "Spearman's rho", "low", "high", "Pearson's r", "low of r", "high of r",
    "R²",
)  # fmt: skip


def finite(value: float) -> float | None:
    """None where a number is not defined."""
    return value if math.isfinite(value) else None


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


def row_of(label: str, found: Correlation) -> tuple[str | int | float | None, ...]:
    """A row of a table of correlations, with :data:`COLUMNS`."""
    return (
        label,
        found.n,
        finite(found.spearman),
        finite(found.spearman_low),
        finite(found.spearman_high),
        finite(found.pearson),
        finite(found.pearson_low),
        finite(found.pearson_high),
        finite(found.pearson**2),
    )


def mark_of(label: str, found: Correlation) -> Mark:
    """A rank correlation as a mark of a drawing."""
    low, high = finite(found.spearman_low), finite(found.spearman_high)
    return Mark(label=label, value=finite(found.spearman), low=low, high=high)


def other_measures(study: ProtocolStudy, context: Context) -> Iterator[Evidence]:
    """Correlations with every other measure that takes the source, over the targets of tests."""
    for test in tests_of(context):

        def answer(name: str, source: Any, test: GroupsTest = test) -> Evidence:
            return _correlations(study, context, test, name, source)

        yield from study.of_each_source(context, answer)


def others(context: Context) -> tuple[Measure, ...]:
    """Every other registered measure, with its defaults."""
    names = (name for name in measure_names() if name != context.measure.name)
    return tuple(map(get_measure, names))


def _correlations(
    study: ProtocolStudy, context: Context, test: GroupsTest, name: str, source: Any
) -> Evidence:
    """Correlations on one source over the targets of one test."""
    own = leanings(context, test, source, name)
    found: dict[str, Correlation] = {}
    undirected, reasons = [], []
    for measure in others(context):
        try:
            if measure.needs != context.measure.needs:
                raise NotRunError("It needs a source of another kind.")
            other = leanings(context, test, source, name, measure)
        except NotRunError as reason:
            reasons.append(f"Not compared, {measure.name}: {reason}")
            continue
        except EatlasError as error:
            reasons.append(f"Not compared, {measure.name}: {in_a_sentence(error)}")
            continue
        if other.towards_first is None:
            undirected.append(other.result.display_name)
        _, x, y = paired(own.directed, other.directed)
        found[other.result.display_name] = correlation(x, y)
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
        figures=(
            Figure(
                name="median of Spearman's rho",
                value=median(known) if known else None,
                low=min(known, default=None),
                high=max(known, default=None),
                interval="smallest and largest",
                n=len(known),
                of="other measures",
            ),
        ),
        tables=(
            Table(
                title=f"Correlations over the targets of {test.id}",
                columns=COLUMNS,
                rows=tuple(row_of(label, one) for label, one in found.items()),
            ),
        ),
        drawings=(
            Drawing(
                title=f"Rank correlation with other measures, {test.id}",
                axis=f"Spearman's rho; line: {INTERVAL}",
                marks=tuple(mark_of(label, one) for label, one in found.items()),
                low=-1.0,
                high=1.0,
            ),
        ),
        remarks=(*remarks, *reasons),
    )
