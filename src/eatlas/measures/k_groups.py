"""SAME and the generalised WEAT: targets against two or more groups."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, StimulusError
from eatlas.measures.base import Array, Compared, Input, parameter, whole
from eatlas.measures.earlier import (
    TINY,
    TargetMeasure,
    cosines,
    groups_of,
    in_order,
    k_sample_test,
    mean,
)
from eatlas.notes import Note
from eatlas.results.parts import finite
from eatlas.results.targets import PairOfGroups, Range, TargetValuesResult
from eatlas.stats.permutation import PermutationResult, permutation_test
from eatlas.stimuli import ATTRIBUTES, TARGETS, AssociationTest, Test
from eatlas.stimuli.kinds import OF_TARGETS


@dataclass(frozen=True)
class SAME(TargetMeasure):
    """SAME: how much of the targets is along the differences between groups.

    Parameters
    ----------
    permutations : int, default 10,000
        Random permutations behind the p-values, where there are more than 20,000 in all; 0 for no
        p-values.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    See Also
    --------
    eatlas.SemAxis : The same cosine of two groups with its sign in the mean, for ``vectors=unit``.

    Notes
    -----
    Schröder, Schulz and Hammer (2024). The mean of the unit vectors of group i is g_i. Of two
    groups the number of a target w is ``cos(w, g_1 - g_2)``, and positive on the side of the first
    group; that for all targets is the mean size, from 0 to 1. Of k groups, with what each
    difference d_i = g_i - g_1 has at right angles to those before it, d'_i ::

        b(w) = |cos(w, d'_2)| + sum over i > 2 of |cos(w, d'_i)| |d'_i|

    as the authors' code has it, whose number depends on which group comes first. For each two
    groups there are the mean of the signed cosines, the skew, and their standard deviation (n), the
    stereotype. The p-values relabel the terms of the groups.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> result = eatlas.SAME()(test, "glove-sample")
    >>> round(result.value, 3), round(result.pairwise[0].stereotype, 3)
    (0.191, 0.202)
    """

    name: ClassVar[str] = "same"
    two_groups: ClassVar[bool] = False

    _: KW_ONLY
    permutations: int = parameter(10_000, whole(0), optional=True)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosines of each target with the differences of groups, and their mean size."""
        targets, groups = given.rows[OF_TARGETS], groups_of(given)
        names, means = given.head["groups"], [kernels.mean_row(group) for group in groups]
        rows = np.concatenate([in_order(group) for group in groups])
        towards, among = in_order(targets) @ rows.T, rows @ rows.T
        pairs = {
            (i, j): cosines(targets, means[i] - means[j])
            for i, j in combinations(range(len(means)), 2)
        }
        if len(groups) == 2:
            values = pairs[0, 1]
            each = Range(unit="cosine", low=-1.0, high=1.0, neutral=0.0, larger=names[0])
            span = Range(unit="cosine", low=0.0, high=1.0, neutral=0.0)
        else:
            values = _same_magnitudes(*(point[None] for point in means), towards=targets)[0]
            values[np.isnan([*pairs.values()]).any(axis=0)] = math.nan
            each = span = Range(unit="sum of cosines", low=0.0, neutral=0.0)
        p = self.permutation_p_values(
            given,
            notes,
            self.permutations,
            lambda *weights: _same_magnitudes(*weights, towards=towards, among=among).mean(axis=1),
        )
        near = np.stack([kernels.associations(targets, point) for point in means], axis=1)
        pairwise = tuple(
            PairOfGroups(
                groups=(names[i], names[j]),
                skew=finite(mean(signed)),
                stereotype=finite(math.sqrt(mean((signed - mean(signed)) ** 2))),
            )
            for (i, j), signed in pairs.items()
        )
        return self.record(
            given, notes, mean(np.abs(values)), values, span, each=each, association=near, p=p,
            pairwise=pairwise,
        )  # fmt: skip


def _same_magnitudes(
    first: Array, *others: Array, towards: Array, among: Array | None = None
) -> Array:
    """SAME of each target without its sign, shape (permutations, targets).

    Each group is a row of coordinates for each permutation. The rows of `towards` are what targets
    have along each coordinate, and `among` are the dot products of the coordinates.
    """
    units: list[Array] = []
    sums = np.zeros((len(first), len(towards)))

    def dot_products(rows: Array) -> Array:
        return rows if among is None else rows @ among

    for group in others:
        apart = first - group
        for unit in units:
            apart = apart - np.add.reduce(dot_products(apart) * unit, axis=1)[:, None] * unit
        squares = np.add.reduce(dot_products(apart) * apart, axis=1)
        size = np.sqrt(np.maximum(squares, TINY))[:, None]
        sums += np.abs(apart / size @ towards.T) * (size if units else 1.0)
        units.append(apart / size)
    return sums


@dataclass(frozen=True)
class GeneralisedWEAT(TargetMeasure):
    """Generalised WEAT: whether targets are nearer to the group that is expected of them.

    Parameters
    ----------
    permutations : int, default 10,000
        Random permutations behind the p-values of three groups or more, where there are more than
        20,000 in all; 0 for no p-values. For two groups, p-values are as in :class:`eatlas.WEAT`.
    groups : {"targets", "attributes"}, default "attributes"
        Of an association test: whether its groups are A and B, of which X and Y are expected, or
        the other way round.

    Raises
    ------
    StimulusError
        If a test of groups does not say which targets are expected with each group.
    CoverageError
        If no target that is expected with a group has a vector.

    Notes
    -----
    Swinger, De-Arteaga, Heffernan, Leiserson and Kalai (2019): with the mean A_i of the unit
    vectors of group i, the mean X_i of its targets' vectors, and the means A of all A_i and X of
    all X_i ::

        g = sum over i of (X_i - X) . (A_i - A)

    The number of a target w of group i is ``w . (A_i - A)``, and g is the sum of their means by
    group. Of two groups g is half the difference of WEAT before it is divided by a standard
    deviation. The p-values permute the targets' labels, like the p-values of WEAT; the paper
    rotates vectors.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-6")
    >>> result = eatlas.GeneralisedWEAT()(test, "glove-sample")
    >>> weat = eatlas.WEAT()(test, "glove-sample").level1
    >>> round(2 * result.value, 6) == round(weat.difference, 6)
    True
    """

    name: ClassVar[str] = "generalised-weat"
    two_groups: ClassVar[bool] = False

    _: KW_ONLY
    permutations: int = parameter(10_000, whole(0), optional=True)
    groups: Compared = parameter("attributes", Compared, optional=True)

    def reads(self, test: Test) -> Test:
        """A test of groups; an association test as one, with X expected of A, and Y of B."""
        read = super().reads(test)
        if not isinstance(test, AssociationTest):
            return read
        turned = -1 if self.groups == "attributes" else 1
        sides = zip(*(TARGETS, ATTRIBUTES)[::turned], strict=True)
        expected = [(test.concept(g).name, test.concept(t).terms) for g, t in sides]
        return read.model_copy(update={"expected": tuple(sorted(expected))})

    def require_stimuli(self, test: Test) -> None:
        """Refuse a test that does not say which targets are expected with each group."""
        super().require_stimuli(test)
        if not getattr(test, "expected", ()):
            targets, *groups = test.concepts.values()
            raise StimulusError(
                f"the measure {self.name} needs the targets expected for each group",
                got=f"the test {test.id}, which does not state them",
                allowed=f'expected = {{ {groups[0].name} = ["{targets.terms[0]}"], ... }}',
                remedy="state every target with its group in the test",
            )

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """How much nearer each target is to its group than to all, and the sum of group means."""
        targets, names = given.rows[OF_TARGETS], list(given.head["groups"])
        expected = given.head["expected"].items()
        group_of = {term: names.index(name) for name, terms in expected for term in terms}
        own = np.array([group_of.get(term, -1) for term in given.coverage[OF_TARGETS].scored])
        sizes = [int(np.count_nonzero(own == g)) for g in range(len(names))]
        if 0 in sizes:
            raise CoverageError(
                f"{self.name}: no target expected for {names[sizes.index(0)]} is usable",
                got=f"{sum(sizes)} usable targets of other groups",
                allowed="at least one for each group",
                remedy="use targets that are in the source",
            )
        near = np.stack(
            [kernels.associations(targets, kernels.mean_row(group)) for group in groups_of(given)],
            axis=1,
        )
        away = near - near.mean(axis=1, keepdims=True)
        values = np.where(own < 0, np.nan, away[np.arange(len(own)), own])
        ordered = np.concatenate([in_order(away[own == g]) for g in range(len(sizes))])

        def total(*weights: Array) -> Array:
            return np.asarray(sum(w @ of for w, of in zip(weights, ordered.T, strict=True)))

        def test() -> PermutationResult:
            if len(sizes) == 2:
                first = ordered[:, 0]
                return permutation_test(first, sizes[0], scale=1.0, precision=given.precision)
            return k_sample_test(total, sizes, self.permutations, given)

        limit = 2 * (len(names) - 1)
        return self.record(
            given,
            notes,
            math.fsum(mean(values[own == g]) for g in range(len(names))),
            values,
            Range(unit="cosine", low=-limit, high=limit, neutral=0.0),
            each=Range(
                unit="cosine", low=-limit / len(names), high=limit / len(names), neutral=0.0
            ),
            association=near,
            p=self.run_test(notes, self.permutations, (given.coverage[OF_TARGETS],), sizes, test),
        )
