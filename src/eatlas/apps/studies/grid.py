"""From the choices of a plan to specifications: one of every choice that means something there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from eatlas.apps.studies.plan import Choice, Match, StudyPlan
from eatlas.errors import StudyError

MOST = 1_000_000
"""Specifications of one study."""


@dataclass(frozen=True)
class Combination:
    """One alternative of every choice."""

    labels: Mapping[str, str]
    """By choice; "" for one that means nothing beside the others."""
    values: Mapping[str, Any]
    """What the labels of ``[choices]`` stand for; without those that mean nothing."""


def combinations(plan: StudyPlan) -> tuple[Combination, ...]:
    """Every combination of the alternatives, in the order of the plan.

    A choice with a condition that is not met is left open, once; combinations that the plan
    excludes are left out.
    """
    found: list[Combination] = []
    order = _in_order(plan.choices)
    names = list(plan.alternatives())
    for labels in _heads(plan):
        for one in _extended(labels, {}, order):
            if any(_matches(one.labels, match) for match in plan.exclude):
                continue
            found.append(Combination({n: one.labels[n] for n in names}, one.values))
            if len(found) > MOST:
                raise StudyError(
                    "the grid of this plan is too large",
                    got=f"more than {MOST:,} specifications",
                    remedy="leave out alternatives, or say when choices apply",
                )
    if not found:
        raise StudyError(
            "the grid of this plan is empty: every combination is excluded",
            remedy="look at [[exclude]]",
        )
    return tuple(found)


def _heads(plan: StudyPlan) -> Iterator[dict[str, str]]:
    """Labels of test, stimuli, vectors and a measure of tests of that kind."""
    named = [(name, way, test) for name, ways in plan.tests.items() for way, test in ways.items()]
    for (name, way, test), vectors in product(named, plan.vectors):
        for label, measure in plan.measures.items():
            if measure.kind == test.kind:  # each measure takes the tests of its kind
                stimuli = {"stimuli": way} if plan.described else {}
                yield {"test": name, **stimuli, "vectors": vectors, "measure": label}


def _extended(
    labels: dict[str, str], values: dict[str, Any], left: tuple[Choice, ...]
) -> Iterator[Combination]:
    """Add one alternative of each choice that is left."""
    if not left:
        yield Combination(labels, values)
        return
    one, rest = left[0], left[1:]
    if not _matches(labels, one.when):
        yield from _extended({**labels, one.name: ""}, values, rest)
        return
    for label, value in one.alternatives.items():
        yield from _extended({**labels, one.name: label}, {**values, one.name: value}, rest)


def _matches(labels: Mapping[str, str], match: Match) -> bool:
    """Whether one of the alternatives of each choice is taken."""
    return all(labels.get(name) in chosen for name, chosen in match.items())


def _in_order(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """Choices after those on which their conditions depend."""
    waiting, done = list(choices), []
    while waiting:
        names = {one.name for one in waiting}
        ready = next((one for one in waiting if not names & set(one.when)), None)
        if ready is None:
            raise StudyError(
                "the conditions of these choices depend on each other in a circle",
                got=", ".join(f"{one.name} when {', '.join(one.when)}" for one in waiting),
            )
        done.append(ready)
        waiting.remove(ready)
    return tuple(done)
