"""Which words of a test count as one: near-synonyms, whose mean row is permuted and summed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eatlas import kernels
from eatlas.measures.association import AssociationMeasure
from eatlas.measures.base import Array, Input
from eatlas.measures.levels import Ordered, repeats_stimuli, sides, too_many
from eatlas.results.levels import Clusters, Level, UnitLevel2, Units, UnitSizes
from eatlas.stats.units import THRESHOLD, Labels, average_over_units, find_units
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

ERROR = 1e-5
"""Relative error of the p-values of units: no count of theirs is shown."""
LEAST = 2
"""Units of each of two groups whose labels are permuted."""


@dataclass(frozen=True)
class TestUnits:
    """The units of the four groups of a test, whose stimuli are in the order of their names."""

    labels: Mapping[str, Labels]
    """By role, the unit of each stimulus."""

    @classmethod
    def of(cls, given: Input, ordered: Ordered) -> TestUnits:
        """Join the near-synonyms of each group by the vectors of its stimuli.

        What a language model was asked has no vectors: each stimulus is a unit.
        """
        if given.asked is not None:
            return cls({role: np.arange(len(names)) for role, names in ordered.names.items()})
        of_vectors = Ordered.of(given.unit, given.coverage) if given.unit else ordered
        return cls(
            {
                role: find_units(of_vectors.stimuli[role].mean_rows(rows))
                for role, rows in of_vectors.rows.items()
            }
        )

    @classmethod
    def from_record(cls, units: Units | None, names: Mapping[str, tuple[str, ...]]) -> TestUnits:
        """The units that a result records, for stimuli in an order of their own."""
        labels = {}
        for role, stimuli in names.items():
            joined = units.clusters[role] if units else ()
            first = {name: cluster[0] for cluster in joined for name in cluster}
            number: dict[str, int] = {}
            of = [number.setdefault(first.get(name, name), len(number)) for name in stimuli]
            labels[role] = np.array(of, np.intp)
        return cls(labels)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Units of each group, which are numbered from 0."""
        return {role: int(of.max(initial=-1)) + 1 for role, of in self.labels.items()}

    @cached_property
    def has_clusters(self) -> bool:
        """Whether some words are one unit."""
        return any(len(of) > self.sizes[role] for role, of in self.labels.items())

    def average(self, table: Array) -> Array:
        """Associations of units, of a table of targets (X, then Y) by attributes (A, then B)."""
        if not self.has_clusters:
            return table
        rows, columns = (self._of_sides(side) for side in (TARGETS, ATTRIBUTES))
        return average_over_units(average_over_units(table, rows), columns, axis=1)

    def _of_sides(self, roles: tuple[str, ...]) -> Labels:
        first, second = (self.labels[role] for role in roles)
        return np.concatenate([first, second + self.sizes[roles[0]]])

    def clusters(self, names: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[Any, ...]]:
        """Names of the words of each unit of two and more, by role."""
        found = {}
        for role, of in self.labels.items():
            members: dict[int, list[str]] = {}
            for name, unit in zip(names[role], of.tolist(), strict=True):
                members.setdefault(unit, []).append(name)
            found[role] = tuple(tuple(words) for words in members.values() if len(words) > 1)
        return found


def stimulus_table(ordered: Ordered, table: Array | None) -> Array | None:
    """Mean association of each target stimulus with each attribute stimulus, by name.

    `table` has that of the words of a test without sentences; None of too many pairs.
    """
    if not repeats_stimuli(ordered.stimuli):
        return table
    rows = {role: ordered.stimuli[role].mean_rows(group) for role, group in ordered.rows.items()}
    return None if too_many(rows) else kernels.similarities(*sides(rows))


def pair_table(given: Input) -> Array | None:
    """Mean association of each target stimulus with each attribute stimulus, by name."""
    if too_many(given.rows):
        return None
    ordered = Ordered.of(given.rows, given.coverage)
    words = None if repeats_stimuli(ordered.stimuli) else kernels.similarities(*sides(ordered.rows))
    return stimulus_table(ordered, words)


def unit_levels(
    measure: AssociationMeasure,
    given: Input,
    units: TestUnits,
    names: Mapping[str, tuple[str, ...]],
    table: Array,
    *,
    level2: bool,
) -> Units:
    """Effect sizes and permutation p-values of units, from the table of their associations."""
    n = units.sizes
    of_targets, of_attributes = (
        np.split(np.arange(n[first] + n[second]), [n[first]])
        for first, second in (TARGETS, ATTRIBUTES)
    )
    toward_a, toward_b = (table[:, columns].mean(axis=1) for columns in of_attributes)
    scores = {"level1": [(toward_a - toward_b)[rows] for rows in of_targets]}
    for role, rows in zip(TARGETS, of_targets, strict=True) if level2 else ():
        toward_role = table[rows].mean(axis=0)
        scores[f"level2.{role}"] = [toward_role[columns] for columns in of_attributes]
    levels: dict[str, Level | None] = {}
    for place, (first, second) in scores.items():
        levels[place] = None
        if min(len(first), len(second)) >= LEAST:
            both_groups, scale = np.concatenate([first, second]), given.magnitude
            p = measure.permutation_test(both_groups, len(first), given, scale, error=ERROR)
            levels[place] = measure.level(first, second, place, [], given, p)
    both = {role: levels.get(f"level2.{role}") for role in TARGETS}
    return Units(
        threshold=THRESHOLD,
        clusters=Clusters(units.clusters(names)),
        sizes=UnitSizes({role: n[role] for role in ROLES}),
        level1=levels["level1"],
        level2=UnitLevel2(both) if level2 else None,
    )
