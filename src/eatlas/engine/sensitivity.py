"""Which words the answer to the first question of a test needs: level 1 without each unit in turn.

A unit is a word, or a cluster of near-synonyms, which are left out together. Each p-value of level
1 that is at most alpha is found again without the unit: the permutation test of these words, the
crossed test, and the crossed test at equal covariates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.adjusting import (
    ComparedUnits,
    Covariates,
    SortedGroup,
    UnitPairs,
    pair_table,
    recorded_units,
)
from eatlas.measures.base import Array, Input
from eatlas.measures.inference import TWO
from eatlas.measures.units import TestUnits
from eatlas.results import AssociationResult
from eatlas.results.levels import Sensitivity, UnitsByRole
from eatlas.results.parts import at
from eatlas.results.questions import LEAST_UNITS, evidence_of
from eatlas.stats.crossed_without import without_each_column, without_each_row
from eatlas.stats.permutation import below
from eatlas.stimuli import ROLES, TARGETS

MOST_UNITS = 300
"""Units of all four groups; of more nothing is computed."""
Lost = dict[str, NDArray[np.bool_]]
"""By role, whether a claim is lost without each unit."""


def sensitivity(
    measure: Any, given: Input, result: AssociationResult, covariates: Covariates | None
) -> Sensitivity | None:
    """The units without which a p-value of level 1 is above alpha; None where none is below it."""
    evidence = evidence_of(result).get("level1")
    if evidence is None or set(given.coverage) != set(ROLES):
        return None
    alpha, bare = evidence.effect.rule.alpha, _groups(given, None)
    claimed = [
        name
        for name in Sensitivity.model_fields
        if (p := getattr(evidence, name).claimed) is not None and p <= alpha
    ]
    units = recorded_units(result, bare)
    if not claimed or sum(units.sizes.values()) > MOST_UNITS:
        return None
    table = pair_table(given, result, bare)
    if table is None:
        return None
    claims = _Claims(measure, given, units, alpha, math.copysign(1.0, evidence.effect.d or 0.0))
    every, found = UnitPairs(table, bare, units).compared("level1"), dict[str, Lost | None]()
    if "these" in claimed and _counted(measure, result):
        found["these"] = claims.these(every)
    if "new" in claimed:
        found["new"] = claims.crossed(every, bare)
    if "adjusted" in claimed and at(evidence.effect.adjusted, "df") is not None:
        groups = _groups(given, covariates)
        compared = UnitPairs(table, groups, units).compared("level1")
        found["adjusted"] = claims.crossed(compared, groups, covariates)
    words = {role: _words(given, role, bare[role], units) for role in ROLES}
    named = {
        name: UnitsByRole({role: _named(words[role], lost[role]) for role in ROLES})
        for name, lost in found.items()
        if lost is not None
    }
    return Sensitivity(**named) if named else None


@dataclass(frozen=True)
class _Claims:
    """What is claimed of level 1: p-values of at most alpha, and a sign."""

    measure: Any
    given: Input
    units: TestUnits
    alpha: float
    sign: float

    def these(self, every: ComparedUnits) -> Lost | None:
        """Without which units the labels of the others are not significantly different.

        None where they are not with all of them, as over stimuli of unequal numbers of sentences.
        """
        (n, _), (n_a, n_b) = every.sizes, every.column_sizes
        a, b = np.split(every.table, [n_a], axis=1)
        toward = a.mean(axis=1), b.mean(axis=1)
        scores = toward[0] - toward[1]
        if self._permuted(scores[None], n)[0]:
            return None
        one_less = np.broadcast_to(scores, (scores.size, scores.size))
        one_less = one_less[~np.eye(scores.size, dtype=bool)].reshape(scores.size, -1)
        rows = {
            "X": (one_less[:n], n - 1),
            "Y": (one_less[n:], n),
            "A": ((a.sum(axis=1) - a.T) / max(n_a - 1, 1) - toward[1], n),
            "B": (toward[0] - (b.sum(axis=1) - b.T) / max(n_b - 1, 1), n),
        }
        return {
            role: self._permuted(*of_role)
            if len(of_role[0]) > TWO
            else np.zeros(len(of_role[0]), np.bool_)
            for role, of_role in rows.items()
        }

    def _permuted(self, scores: Array, n: int) -> NDArray[np.bool_]:
        """Whether the p of each row of scores is above alpha, or the sign another."""
        significant = below(
            scores,
            n,
            math.nextafter(self.alpha, 1.0),
            two_sided=True,
            strict=self.measure.strict,
            scale=self.given.magnitude,
            precision=self.given.precision,
        )
        difference = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
        return np.asarray(~significant | (self.sign * difference <= 0))

    def crossed(
        self,
        compared: ComparedUnits,
        groups: Mapping[str, SortedGroup],
        covariates: Covariates | None = None,
    ) -> Lost | None:
        """Without which units the crossed test of the others is not significant.

        None where a group has too few units, with all of them, to speak for other words.
        """
        sizes = self.units.sizes
        if min(sizes.values()) < LEAST_UNITS:
            return None
        regression = compared.regression(covariates)
        if regression is None:
            return None
        how: dict[str, Any] = {"scale": self.given.magnitude, "precision": self.given.precision}
        table, of_columns = compared.table, compared.column_sizes
        lost = [
            (tests.p > self.alpha) | (self.sign * tests.difference <= 0) & ~np.isnan(tests.p)
            for without_each in (without_each_row, without_each_column)
            for tests in [without_each(table, regression, of_columns, **how)]
        ]
        parts = np.split(lost[0], [compared.sizes[0]]) + np.split(lost[1], [of_columns[0]])
        found = {}
        for role, part in zip(ROLES, parts, strict=True):
            found[role] = np.zeros(sizes[role], np.bool_)
            if sizes[role] > LEAST_UNITS:
                whole = groups[role].whole if role in TARGETS else slice(None)
                found[role][np.unique(self.units.labels[role][whole])] = part
        return found


def _counted(measure: Any, result: AssociationResult) -> bool:
    """Whether the p-value of these words is that of the differences in the table of all pairs."""
    of_pairs = result.draws is None and result.read_over != "sentences"
    exact = getattr(measure, "p", "normal") != "normal"
    exact &= getattr(measure, "statistic", "") == "difference"
    return exact and (of_pairs or result.units is not None)


def _groups(given: Input, covariates: Covariates | None) -> dict[str, SortedGroup]:
    """The sorted stimuli of each group, with covariates or without any."""
    return {
        role: SortedGroup.of(
            group, np.empty((len(group.stimuli), 0)) if covariates is None else covariates.of[role]
        )
        for role, group in given.coverage.items()
    }


def _words(
    given: Input, role: str, group: SortedGroup, units: TestUnits
) -> dict[int, tuple[str, ...]]:
    """The words of each unit of a group; units and words in the order of the test."""
    unit_of = dict(zip(group.names, units.labels[role].tolist(), strict=True))
    words: dict[int, tuple[str, ...]] = {}
    for name in given.coverage[role].stimuli:
        words[unit_of[name]] = (*words.get(unit_of[name], ()), name)
    return words


def _named(
    words: Mapping[int, tuple[str, ...]], lost: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...]:
    return tuple(of_unit for unit, of_unit in words.items() if lost[unit])
