"""Convergent validity: whether measures of one construct order the same targets alike."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

from eatlas.measures.base import Measure
from eatlas.measures.registry import get_measure, measure_names
from eatlas.results.evidence import Evidence, Figure
from eatlas.stats.specifications import correlation
from eatlas.stimuli import AssociationTest, GroupsTest, Test, load_tests
from eatlas.validation.leanings import Leanings, leanings, paired
from eatlas.validation.material import Context, NotRunError
from eatlas.validation.showing import correlations, marks_of, rho_drawing
from eatlas.validation.studies import ProtocolStudy, tried_each

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

    def compared(measure: Measure) -> Leanings:
        if measure.needs != context.measure.needs:
            raise NotRunError("It needs a source of another kind.")
        return leanings(context, test, source, name, measure)

    names = (name for name in measure_names() if name != context.measure.name)
    others, reasons = tried_each(
        "Not compared", compared, {name: get_measure(name) for name in names}
    )
    found = {
        other.result.display_name: correlation(*paired(own.directed, other.directed)[1:])
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
        tables=[correlations(f"Correlations over the targets of {test.id}", "measure", found)],
        drawings=[
            rho_drawing(
                f"Rank correlation with other measures, {test.id}",
                marks_of(found),
                f"; line: {INTERVAL}",
            )
        ],
        remarks=(*remarks, *reasons),
    )
