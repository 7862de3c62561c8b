"""What the measures before DivDist share: a number for each target, and one for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import CoverageError, StimulusError, listed
from eatlas.measures.association import remarks, to_record
from eatlas.measures.base import Array, GroupsMeasure, Input, parameter, whole
from eatlas.notes import Note
from eatlas.results.effects import DEFAULT_ALPHA
from eatlas.results.levels import PValues, TargetValue
from eatlas.results.parts import Coverage, defined
from eatlas.results.targets import Range, TargetValuesResult
from eatlas.stats import permutation
from eatlas.stimuli import Test
from eatlas.stimuli.kinds import OF_TARGETS

Vectors = Literal["raw", "unit"]
"""Vectors as the source has them, or scaled to length 1."""
Statistic = Callable[[Array, Array], Array]
"""The number for all targets, for each row of two arrays of weights of the terms of both groups."""


@dataclass(frozen=True)
class TargetMeasure(GroupsMeasure):
    """A measure that gives one number for each target, and one for all of them."""

    two_groups: ClassVar[bool] = True
    """Whether it compares two groups, and takes no test of more."""
    of_pairs: ClassVar[bool] = False
    """Whether it needs the test's pairs."""

    def require_stimuli(self, test: Test) -> None:
        """Refuse a test of more than two groups, or without pairs, where these are needed.

        Raises
        ------
        StimulusError
            Saying how the test would have to be written.
        """
        super().require_stimuli(test)
        _, *groups = test.concepts.values()
        if self.two_groups and len(groups) != 2:
            raise StimulusError(
                f"the measure {self.name} compares two groups",
                got=f"the test {test.id} of {len(groups)}: {', '.join(one.name for one in groups)}",
                allowed="tests of two groups; mac takes any number",
                remedy="write one test for each two of the groups",
            )
        if self.of_pairs and not getattr(test, "pairs", ()):
            first, second = (one.terms[0] for one in groups)
            raise StimulusError(
                f"the measure {self.name} needs pairs of terms that differ in the group alone",
                got=f"the test {test.id}, which has none",
                allowed=f'one term of each group, such as pairs = [["{first}", "{second}"]]',
                remedy="write them into the test, beside its groups",
            )

    def found(
        self,
        given: Input,
        notes: list[Note],
        value: float,
        values: NDArray[np.floating],
        overall: Range,
        *,
        each: Range | None = None,
        association: Array | None = None,
        p: PValues | None = None,
    ) -> TargetValuesResult:
        """Make the record of a result; what is not finite is undefined, and a note says so.

        Parameters
        ----------
        given : Input
        notes : list of Note
        value : float
            The number for all targets.
        values : array, shape (targets,)
        overall, each : Range
            How `value` and `values` are read; `each` is `overall` by default.
        association : array, shape (targets, groups), optional
        p : PValues, optional
        """
        terms, number = given.coverage[OF_TARGETS].scored, defined(value)
        by_group = [None] * len(terms) if association is None else association.tolist()
        targets = tuple(
            TargetValue(
                term=term, association=near and tuple(map(defined, near)), value=defined(own)
            )
            for term, near, own in zip(terms, by_group, values.tolist(), strict=True)
        )
        if undefined := [target.term for target in targets if target.value is None]:
            lost = {"measure": self.name, "terms": undefined}
            notes.append(Note("undefined.targets", "targets", lost))
        if number is None:
            notes.append(Note("undefined.value", "value", {"measure": self.name}))
        return TargetValuesResult(
            **given.head,
            measure=self.name,
            value=number,
            p_values=None if number is None else p,
            whole=overall,
            each=each or overall,
            targets=targets,
        )


@dataclass(frozen=True)
class RawOrUnit(TargetMeasure):
    """A measure that depends on whether vectors keep their lengths.

    Parameters
    ----------
    vectors : {"raw", "unit"}
        Vectors as the source has them, or scaled to length 1.
    """

    vectors: Vectors = parameter("raw", Vectors)

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Rows as they are, or of length 1."""
        if self.vectors == "unit":
            return super().arranged(vectors, coverage, words)
        return {"rows": {role: np.asarray(rows, np.float64) for role, rows in vectors.items()}}


@dataclass(frozen=True)
class RelabelledMeasure(RawOrUnit):
    """A measure whose number for all targets has a permutation test of the groups' labels.

    Parameters
    ----------
    draws : int
        Random relabellings, where there are more than 20,000 in all; 0 for no p-values.
    """

    _: KW_ONLY
    draws: int = parameter(10_000, whole(0), optional=True)

    def relabelled(self, given: Input, notes: list[Note], statistic: Statistic) -> PValues | None:
        """P-values of a statistic over relabellings of the terms of both groups.

        Parameters
        ----------
        given : Input
        notes : list of Note
        statistic : callable
            Takes the weights of all terms in the mean of the first and of the second group, shape
            (relabellings, terms) each.

        Returns
        -------
        PValues or None
            None in tests of sentences, as those of one stimulus are not independent; and where no
            draws are wanted.
        """
        if not self.draws:
            return None
        groups = [given.coverage[name] for name in given.head["groups"]]
        if any(group.stimulus for group in groups):
            notes.append(Note("p.sentences", "value", {"measure": self.name}))
            return None
        n, size = len(groups[0].used), sum(len(group.used) for group in groups)

        def of_labels(first: NDArray[np.bool_]) -> Array:
            return statistic(first / n, ~first / (size - n))

        answer = permutation.recomputed_test(
            of_labels, size, n, draws=self.draws, rng=given.rng, precision=given.precision
        )
        p = to_record(answer)
        notes.extend(remarks(p, "value", (n, size - n), DEFAULT_ALPHA))
        return p


def groups_of(given: Input) -> list[Array]:
    """Rows of each group, in the order of the test."""
    return [given.rows[name] for name in given.head["groups"]]


def signed_cosine(given: Input) -> Range:
    """Range of a cosine that is positive on the side of the first group."""
    larger = given.head["groups"][0]
    return Range(unit="cosine", low=-1.0, high=1.0, neutral=0.0, larger=larger)


def pairs_of(given: Input, notes: list[Note]) -> tuple[Array, Array]:
    """Rows of the pairs whose terms both have a vector, in an order of their own."""
    first, second = (
        dict(zip(given.coverage[group].scored, given.rows[group], strict=True))
        for group in given.head["groups"]
    )
    pairs = sorted(given.head["pairs"])
    usable = [(a, b) for a, b in pairs if a in first and b in second]
    lost = [" and ".join(pair) for pair in pairs if tuple(pair) not in usable]
    if not usable:
        raise CoverageError(
            "no pair of the test has a vector for both of its terms",
            got=listed(lost),
            remedy="name pairs of terms that the source has",
        )
    if lost:
        notes.append(Note("coverage.pairs", values={"pairs": lost}))
    return np.array([first[a] for a, _ in usable]), np.array([second[b] for _, b in usable])


def in_order(rows: Array) -> Array:
    """The rows in an order that depends on them alone, for sums that are not fixed otherwise."""
    return rows[np.lexsort(rows.T[::-1])]


def mean(values: NDArray[np.floating]) -> float:
    """Mean of the values that are defined, in any order the same; NaN where none is."""
    known = [value for value in values.tolist() if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
