"""Terms without which the paper's rule reads another EAT pattern, or another level 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.association import LABELS, AssociationMeasure
from eatlas.measures.base import Array, Input
from eatlas.results.levels import DecisiveTerm
from eatlas.stats.bootstrap import Layout, ResampledLevel
from eatlas.stats.designs import ENUMERATED
from eatlas.stats.permutation import below
from eatlas.stats.regression import Regression
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Signs = NDArray[np.int64]
"""1 where the first group is ahead by the measure's rule, -1 where the second is, else 0."""
MOST_CELLS = 1_000_000
"""Scores of all tests without a term, a second's work at most: 100 terms in each of the four groups
are 160,000. Of more nothing is computed."""
NEAR = 2.0
"""Where the normal approximation of a studentised p is within this factor of alpha, p is counted,
if it can be."""
DIRECTIONS: dict[int, Literal["greater", "less"] | None] = {1: "greater", -1: "less", 0: None}


@dataclass(frozen=True)
class LeftOutReading:
    """How a measure reads each level of a test without some of its terms."""

    measure: AssociationMeasure
    given: Input
    layout: Layout
    effects: Sequence[tuple[float, Mapping[str, Array]]]
    """Each effect size, and its change without each unit of its groups."""

    def whole(self, level: int) -> int:
        """The sign of an effect size of all terms."""
        of, (d, _) = self.layout.levels[level], self.effects[level]
        units, others = (np.ones((size, 1)) for size in of.shape)
        return int(self._signs(level, of.moments(units, others)[0].T, of.n, np.array([d]))[0])

    def without(self, level: int, role: str, terms: NDArray[np.intp]) -> Signs:
        """The signs of an effect size without each of some terms of a group."""
        of, (d, changes) = self.layout.levels[level], self.effects[level]
        scored = role in (ATTRIBUTES if level else TARGETS)
        # at level 2 the other side is one group of targets alone
        first = {"Y": 0 if level else self.layout.sizes["X"], "B": self.layout.sizes["A"]}
        scores, n = scores_without(of, terms + first.get(role, 0), scored=scored)
        return self._signs(level, scores, n, d + changes[role][terms])

    def _signs(self, level: int, scores: Array, n: int, d: Array) -> Signs:
        """The sign of each row of scores, whose first n are those of the first group."""
        rule = self.measure.rule
        threshold = rule.threshold if rule is not None and level else 0.0
        two_sided = rule is not None and rule.tail == "two-sided"
        signs = np.zeros(d.size, np.int64)
        strong = np.flatnonzero(np.abs(d) > threshold)  # an undefined one is not
        if strong.size:
            significant = self._significant(scores[strong], n, two_sided=two_sided)
            signs[strong] = np.where(significant, np.sign(d[strong]), 0)
        return signs

    def _significant(self, scores: Array, n: int, *, two_sided: bool) -> NDArray[np.bool_]:
        """Whether the p that the measure finds for each row is below alpha."""
        measure, given = self.measure, self.given
        scale = given.magnitude
        if measure.statistic == "difference" and measure.p != "normal":
            return below(
                scores,
                n,
                measure.alpha,
                two_sided=two_sided,
                strict=measure.strict,
                scale=scale,
                precision=given.precision,
            )
        p, looked_at = np.zeros(len(scores)), np.arange(len(scores))
        size = scores.shape[1]
        if measure.statistic == "studentised":
            if min(n, size - n) < 2:
                return np.zeros(len(scores), np.bool_)
            regression = Regression.of(size, n)
            t = np.abs(regression.t(regression.residuals(scores))[:, 0])
            p = np.array([math.erfc(z / math.sqrt(2)) for z in t.tolist()]) / (2 - two_sided)
            near = (p < measure.alpha * NEAR) & (p > measure.alpha / NEAR)
            looked_at = np.flatnonzero(near) if math.comb(size, n) <= ENUMERATED else looked_at[:0]
        exact = measure if measure.p != "sampled" else replace(measure, p="auto")
        for i in looked_at.tolist():
            answer = exact.permuted(scores[i], n, given, scale)
            sides = answer.greater.p, answer.less.p
            p[i] = answer.two_sided.p if two_sided else min(sides)
        return p < measure.alpha


def scores_without(
    level: ResampledLevel, terms: NDArray[np.intp], *, scored: bool
) -> tuple[Array, int]:
    """Scores of an effect size without each of some terms, and the size of their first group.

    The terms are on the side that is scored, of one group, or on the other.
    """
    units, others = (np.ones((size, 1)) for size in level.shape)
    left = np.ones((level.shape[0 if scored else 1], terms.size))
    left[terms, np.arange(terms.size)] = 0.0
    if not scored:
        return level.moments(units, left)[0].T, level.n
    scores = np.broadcast_to(level.moments(left, others)[0].T, left.T.shape)
    rows = scores[left.T > 0].reshape(terms.size, level.shape[0] - 1)
    return rows, level.n - int(terms[0] < level.n)


def decisive(
    reading: LeftOutReading,
    names: Mapping[str, tuple[str, ...]],
    places: Mapping[str, Sequence[int]],
) -> tuple[DecisiveTerm, ...] | None:
    """The terms without which the conclusion is another; None where there are too many to look.

    `names` are those of the terms of each group, and `places` say where each is in the layout.
    Terms of groups that would be smaller than the measure takes are left out.
    """
    sizes, rule = reading.layout.sizes, reading.measure.rule
    levels = (0,) if rule is None else (0, 1, 2)
    if _cells(reading.layout, len(levels)) > MOST_CELLS:
        return None
    whole, terms = tuple(map(reading.whole, levels)), []
    for role in ROLES:
        if sizes[role] <= max(reading.measure.minimum[role], 1):
            continue
        every = np.arange(sizes[role])
        reads = (ROLES, {"X", *ATTRIBUTES}, {"Y", *ATTRIBUTES})
        signs = [
            reading.without(level, role, every)
            if role in reads[level]
            else np.full(every.size, whole[level])
            for level in levels
        ]
        without = list(zip(*(of_level.tolist() for of_level in signs), strict=True))
        terms += [
            DecisiveTerm(
                role=role,
                term=term,
                pattern=None if rule is None else LABELS[without[place][1:]],
                level1=DIRECTIONS[without[place][0]],
            )
            for term, place in zip(names[role], places[role], strict=True)
            if without[place] != whole
        ]
    return tuple(terms)


def _cells(layout: Layout, levels: int) -> int:
    """Scores of all rows that are looked at."""
    x, y, a, b = (layout.sizes[role] for role in ROLES)
    level1 = (x + y + a + b) * (x + y)
    return level1 + (levels > 1) * (x + y + 2 * (a + b)) * (a + b)
