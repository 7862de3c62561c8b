"""A test on copies of its vectors: what a measure gives when they, or the test, are changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.base import Measure
from eatlas.results import AssociationResult
from eatlas.sources import ArraySource, embed
from eatlas.stimuli import ATTRIBUTES, Concept, GroupsTest, Test

Array = NDArray[np.float64]
Numbers = Mapping[str, float | None]
Kinship = Literal["the same", "the sign turned", "different"]

SAME = 1e-6
"""Largest relative difference of numbers that count as equal. In double precision a rotation
changes those of most measures by 1e-13, and those of a fitted classifier (RNSB) by 1e-7."""


@dataclass(frozen=True)
class Compared:
    """Numbers before and after a change."""

    kinship: Kinship
    difference: float | None
    """Largest difference, relative to the largest number; None where none is defined in both."""


@dataclass(frozen=True)
class Bench:
    """A measure, a test, and the vectors of its terms, which may be changed."""

    measure: Measure
    test: Test
    source: Any
    """Where terms are looked up: an opened source, or changed vectors."""
    seed: int
    entire: Measure
    """The measure with resamples and p-values, which `measure` is without."""

    def with_test(self, test: Test) -> Bench:
        """Return the bench with another test."""
        return replace(self, test=test)

    @cached_property
    def used(self) -> Bench:
        """The bench with those terms that have vectors, which are copied."""
        found = embed(self.test, self.source)
        concepts = {
            group: Concept(name=one.name, terms=found.coverage.group(group).used)
            for group, one in self.test.concepts.items()
        }
        rows = {
            term: vector
            for group, one in concepts.items()
            for term, vector in zip(one.terms, found.vectors[group], strict=True)
        }
        return replace(self, test=of_concepts(self.test, concepts), source=array(rows))

    @cached_property
    def rows(self) -> dict[str, Array]:
        """The vector of each term."""
        terms = self.test.terms
        found = self.source.lookup(terms)
        return {term: np.asarray(found[term], np.float64) for term in terms}

    def with_rows(self, change: Callable[[Array], Array]) -> Bench:
        """Return the bench with all vectors changed; `change` takes them as rows."""
        changed = change(np.array(list(self.rows.values())))
        return replace(self, source=array(dict(zip(self.rows, changed, strict=True))))

    def with_some(self, rows: Mapping[str, Array]) -> Bench:
        """Return the bench with the vectors of some terms changed."""
        return replace(self, source=array({**self.rows, **rows}))

    def group(self, index: int) -> tuple[str, ...]:
        """Terms of the first or second of the two groups, or of A and B."""
        return self.sides[index].terms

    @property
    def sides(self) -> tuple[Concept, ...]:
        """The groups that targets are compared with: those of a test of groups, or A and B."""
        if isinstance(self.test, GroupsTest):
            return self.test.groups
        return tuple(self.test.concept(role) for role in ATTRIBUTES)

    @property
    def moved(self) -> tuple[str, ...]:
        """Terms that an association is planted in: the first target, or those of X."""
        if isinstance(self.test, GroupsTest):
            return self.test.targets.terms[:1]
        return self.test.concept("X").terms

    def mean_of(self, index: int) -> Array:
        """Mean of the unit vectors of a group, of length 1."""
        rows = np.array([unit(self.rows[term]) for term in self.group(index)])
        return unit(rows.mean(axis=0))

    @cached_property
    def result(self) -> AssociationResult:
        """What the measure finds."""
        return self.measure(self.test, self.source, seed=self.seed)

    @property
    def numbers(self) -> Numbers:
        """The numbers that the measure gives, by what they are of."""
        return numbers_of(self.result)

    def compared(self, other: Bench) -> Compared:
        """Compare its numbers with those of a changed bench."""
        return compare(self.numbers, other.numbers)


def of_concepts(test: Test, concepts: Mapping[str, Concept]) -> Test:
    """A test of the same kind with other terms; of pairs those whose terms are still there."""
    if not isinstance(test, GroupsTest):
        return test.model_copy(update=dict(concepts))
    kept = {term for one in concepts.values() for term in one.terms}
    names = [group.name for group in test.groups]
    pairs = tuple(pair for pair in test.pairs if kept.issuperset(pair))
    groups = tuple(concepts[name] for name in names)
    changed = {"targets": concepts["targets"], "groups": groups, "pairs": pairs}
    return test.model_copy(update=changed)


def exchanged(test: Test) -> Test:
    """The test with its two groups, or A and B, in each other's place."""
    if isinstance(test, GroupsTest):
        pairs = tuple(pair[::-1] for pair in test.pairs)
        return test.model_copy(update={"groups": test.groups[::-1], "pairs": pairs})
    a, b = (test.concept(role) for role in ATTRIBUTES)
    return test.model_copy(update={"A": b, "B": a})


def array(rows: Mapping[str, Array]) -> ArraySource:
    """Vectors in memory, in double precision."""
    return ArraySource(list(rows), np.array(list(rows.values()), np.float64), name="copy")


def unit(vector: Array) -> Array:
    """A vector of length 1 in the same direction."""
    return vector / np.linalg.norm(vector)


def numbers_of(result: AssociationResult) -> Numbers:
    """The numbers of a result: of each target, or its effect sizes.

    Of shares against two groups, the deviation of the first; against more, the bias.
    """
    if result.by_target is not None:
        return {
            one.term: one.bias if one.signed is None else one.signed for one in result.by_target
        }
    if result.values is not None:
        return {one.term: one.value for one in result.values}
    return {f"{one.place} {one.term or ''}".strip(): one.d for one in result.effects()}


def compare(before: Numbers, after: Numbers) -> Compared:
    """Say whether numbers stayed, turned their sign, or differ."""
    if before.keys() != after.keys() or any(
        (before[name] is None) != (after[name] is None) for name in before
    ):
        return Compared("different", None)
    names = [name for name in before if before[name] is not None]
    if not names:
        return Compared("the same", None)
    first, second = (np.array([one[name] for name in names], float) for one in (before, after))
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()), 1e-12)
    stayed = float(np.abs(first - second).max()) / scale
    turned = float(np.abs(first + second).max()) / scale
    if stayed <= SAME:
        return Compared("the same", stayed)
    return Compared("the sign turned" if turned <= SAME else "different", stayed)
