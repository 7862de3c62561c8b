"""How robust a finding is: to random topics, to covariates of its words, and to leaving words out.

Level 1 is found without each unit in turn, which is a word, or a cluster of near-synonyms. Each
p-value of level 1 that is at most alpha is found again without the unit: the permutation test of
these words, the crossed test, and the crossed test at equal covariates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.adjusting import (
    ComparedUnits,
    SortedGroup,
    UnitPairs,
    adjust_for_covariates,
    units_of_result,
)
from eatlas.measures.base import Array, Covariates, Input
from eatlas.measures.inference import TWO
from eatlas.measures.topics import compare_with_topics, less_coherent
from eatlas.measures.units import TestUnits
from eatlas.notes import Note
from eatlas.results.levels import Adjusted, Frequency, Sensitivity, UnitsByRole
from eatlas.results.parts import Coverage, at
from eatlas.results.questions import LEAST_UNITS, Claims
from eatlas.stats.crossed_without import CrossedWithout, without_each_column, without_each_row
from eatlas.stats.inputs import remember
from eatlas.stats.permutation import below
from eatlas.stimuli import ROLES, TARGETS

MOST_UNITS = 300
"""Units of all four groups; of more nothing is computed."""
Lost = dict[str, NDArray[np.bool_]]
"""By role, whether a claim is lost without each unit."""


def robustness(
    measure: Any, given: Input, found: Mapping[str, Any], notes: list[Note], pairs: Array | None
) -> dict[str, Any]:
    """Fields of a record on how robust its levels are.

    Parameters
    ----------
    measure : AssociationMeasure
    given : Input
        Whose ``words`` have covariates, and topics.
    found : mapping
        Fields of the record that are found already: levels, or terms; scores and units.
    notes : list of Note
        To which remarks are added.
    pairs : array or None
        Mean association of all pairs of stimuli, sorted by name; None if it is no mean, or of too
        many.

    Returns
    -------
    dict
        ``adjusted`` and ``sensitivity``, and ``frequency`` if there are topics.
    """
    words, fields = given.words, dict[str, Any]()
    if words.topics is not None:
        compared = compare_with_topics(words.topics, given.rows, found, given.seed)
        ranks = given.head["frequency"].ranks
        if isinstance(compared, str):
            fields["frequency"] = Frequency(ranks=ranks, reason=compared)
        else:
            fields["frequency"] = Frequency(ranks=ranks, matched=compared)
            notes += less_coherent(compared, given.head["concepts"])
    if words.covariates is not None:
        fields["adjusted"] = adjust_for_covariates(
            measure, given, found, words.covariates, notes, pairs
        )
    fields["sensitivity"] = sensitivity(measure, given, found, fields.get("adjusted"), pairs)
    return fields


def sensitivity(
    measure: Any,
    given: Input,
    found: Mapping[str, Any],
    after: Adjusted | None,
    pairs: Array | None,
) -> Sensitivity | None:
    """The units without which a p-value of level 1 is above alpha; None where none is below it."""
    over, joined = found.get("stimulus_level"), found.get("units")
    level = found.get("level1") if over is None else over.level1
    if level is None or pairs is None:
        return None
    groups = _groups(given, None)
    units = units_of_result(joined, groups)
    crossed, left = at(found.get("generalisation"), "level1"), at(after, "level1")
    if min(_counts(given, found).values()) < LEAST_UNITS:
        crossed, left = None, None
    d, p = level.effect_size, None if level.effect_size is None else level.p.two_sided
    claimed = Claims.of("level1", d, p, joined, crossed, left).significant(measure.alpha)
    if not claimed or sum(units.sizes.values()) > MOST_UNITS:
        return None
    claims = _Claims(measure, given, units, math.copysign(1.0, d or 0.0))
    every, lost = UnitPairs(pairs, groups, units).units_of_level("level1"), dict[str, Lost | None]()
    if "these" in claimed and _is_counted(measure, given, found):
        lost["these"] = claims.these(every)
    if "new" in claimed:
        lost["new"] = claims.influential_units(every, groups)
    if "adjusted" in claimed and at(left, "df") is not None:
        whole = _groups(given, given.words.covariates)
        compared = UnitPairs(pairs, whole, units).units_of_level("level1")
        lost["adjusted"] = claims.influential_units(compared, whole, given.words.covariates)
    words = {role: _words(given, role, groups[role], units) for role in ROLES}
    named = {
        name: UnitsByRole(
            {role: tuple(w for unit, w in words[role].items() if of[role][unit]) for role in ROLES}
        )
        for name, of in lost.items()
        if of is not None
    }
    return Sensitivity(**named) if named else None


@dataclass(frozen=True)
class _Claims:
    """What is claimed of level 1: p-values of at most alpha, and a sign."""

    measure: Any
    given: Input
    units: TestUnits
    sign: float

    def these(self, every: ComparedUnits) -> Lost | None:
        """Without which units the labels of the others are not significantly different.

        None where they are not with all of them, as over stimuli of unequal numbers of sentences.
        """
        (n, _), (n_a, _) = every.sizes, every.column_sizes
        rule = PermutationRule(
            self.measure.alpha,
            self.measure.strict,
            self.given.magnitude,
            self.given.precision,
            self.sign,
        )
        return lost_labels(every.table, n, n_a, rule)

    def influential_units(
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
        if table.ndim > TWO:
            tests = [_without_each(compared, axis, covariates, how) for axis in range(TWO)]
        else:
            without_each = without_each_row, without_each_column
            tests = [each(table, regression, of_columns, **how) for each in without_each]
        lost = [
            (p > self.measure.alpha) | (self.sign * difference <= 0) & ~np.isnan(p)
            for difference, p in tests
        ]
        parts = np.split(lost[0], [compared.sizes[0]]) + np.split(lost[1], [of_columns[0]])
        found = {}
        for role, part in zip(ROLES, parts, strict=True):
            found[role] = np.zeros(sizes[role], np.bool_)
            if sizes[role] > LEAST_UNITS:
                whole = groups[role].whole if role in TARGETS else slice(None)
                found[role][np.unique(self.units.labels[role][whole])] = part
        return found


@dataclass(frozen=True)
class PermutationRule:
    """When the labels of two groups of scores are significantly different, and the same way."""

    alpha: float
    strict: bool
    scale: float
    precision: float | None
    sign: float

    def is_lost(self, scores: Array, n: int) -> NDArray[np.bool_]:
        """Whether the p of each row of scores is above alpha, or the sign another."""
        significant = below(
            scores,
            n,
            math.nextafter(self.alpha, 1.0),
            two_sided=True,
            strict=self.strict,
            scale=self.scale,
            precision=self.precision,
        )
        difference = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
        return np.asarray(~significant | (self.sign * difference <= 0))


@remember(256)
def lost_labels(table: Array, n: int, n_a: int, rule: PermutationRule) -> Lost | None:
    """Without which units of a table the labels of the others are not significantly different."""
    a, b = np.split(table.mean(axis=tuple(range(TWO, table.ndim))), [n_a], axis=1)
    toward = a.mean(axis=1), b.mean(axis=1)
    scores = toward[0] - toward[1]
    if rule.is_lost(scores[None], n)[0]:
        return None
    one_less = np.broadcast_to(scores, (scores.size, scores.size))
    one_less = one_less[~np.eye(scores.size, dtype=bool)].reshape(scores.size, -1)
    rows = {
        "X": (one_less[:n], n - 1),
        "Y": (one_less[n:], n),
        "A": ((a.sum(axis=1) - a.T) / max(n_a - 1, 1) - toward[1], n),
        "B": (toward[0] - (b.sum(axis=1) - b.T) / max(b.shape[1] - 1, 1), n),
    }
    return {
        role: rule.is_lost(*of_role)
        if len(of_role[0]) > TWO
        else np.zeros(len(of_role[0]), np.bool_)
        for role, of_role in rows.items()
    }


def _without_each(
    compared: ComparedUnits, axis: int, covariates: Covariates | None, how: Mapping[str, Any]
) -> CrossedWithout:
    """Crossed tests without each row, or column, of a table with further facets."""
    left = [compared.without(axis, unit) for unit in range(compared.table.shape[axis])]
    tests = [units.test(covariates, **how) if min(units.sizes) >= TWO else None for units in left]
    return CrossedWithout(
        np.array([math.nan if test is None else test.difference for test in tests]),
        np.array([math.nan if test is None else test.p_two_sided for test in tests]),
    )


def _counts(given: Input, found: Mapping[str, Any]) -> Mapping[str, int]:
    """How many words of each group count, near-synonyms as one."""
    if (joined := found.get("units")) is not None:
        return {role: joined.sizes[role] for role in ROLES}
    if (over := found.get("stimulus_level")) is not None:
        return {role: len(over.sentences[role]) for role in ROLES}
    return {role: len(group.scored) for role, group in given.head["coverage"].items()}


def _is_counted(measure: Any, given: Input, found: Mapping[str, Any]) -> bool:
    """Whether the p-value of these words tests the differences in the table of all pairs."""
    of_pairs = "samples" not in found and not reads_sentences(measure, given.head["coverage"])
    exact = getattr(measure, "p", "normal") != "normal"
    exact &= getattr(measure, "statistic", "") == "difference"
    return exact and (of_pairs or found.get("units") is not None)


def reads_sentences(measure: Any, coverage: Coverage) -> bool:
    """Whether a measure was made to read single sentences of stimuli that have several."""
    return getattr(measure, "over", "") == "sentences" and any(
        len(group.stimuli) < len(group.used) for group in coverage.values()
    )


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
