"""One effect size of several results: associations of the words that all of them have, as a table.

Rows are the words of the two groups that the effect size compares, columns those toward which, and
layers the results: sources, or training runs. Near-synonyms are one unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError
from eatlas.results.effects import parameters
from eatlas.results.finding import PLACES
from eatlas.results.parts import at
from eatlas.results.questions import LEAST_UNITS
from eatlas.stats.facets import Between, ContrastTest, Facet, contrast, contrast_test
from eatlas.stats.regression import Regression, standard_scores
from eatlas.stats.units import average_over_units
from eatlas.stimuli.kinds import ATTRIBUTES, ROLES, TARGETS

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult

Array = NDArray[np.float64]
ROUNDED = 1e-4
"""By how much the mean of a table may differ from the difference that a result has, relative to its
largest association: a table holds 6 decimals."""
SOURCES = 2
"""Axis of the results in a table."""


def groups_of(place: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The groups that an effect size compares, and those toward which."""
    return (TARGETS, ATTRIBUTES) if place == "level1" else (ATTRIBUTES, (place[-1],))


@dataclass(frozen=True)
class StimulusTable:
    """The associations of the stimuli of one result."""

    names: Mapping[str, tuple[str, ...]]
    values: Array
    """Targets (X, then Y) by attributes (A, then B)."""
    of_attributes: bool = True
    """Whether the associations of single attributes are known, or only of targets."""

    @classmethod
    def of(cls, result: AssociationResult) -> StimulusTable | None:
        """The table that a result keeps, or one with the means that it keeps; None without."""
        if set(result.coverage) != set(ROLES):
            return None
        names = {role: tuple(dict.fromkeys(result.scored(role))) for role in ROLES}
        tables = _pairs_of(result, names), _means_of(result, names)
        return next((table for table in tables if table and _agrees(table, result)), None)

    def level(self, place: str, names: Mapping[str, Sequence[str]]) -> Array:
        """Associations of some stimuli: rows of the groups compared, columns of the others."""
        table = self.values
        if names != self.names:
            picked = {
                role: [self.names[role].index(name) for name in chosen]
                for role, chosen in names.items()
            }
            rows = picked["X"] + [len(self.names["X"]) + i for i in picked["Y"]]
            columns = picked["A"] + [len(self.names["A"]) + i for i in picked["B"]]
            table = table[np.ix_(rows, columns)]
        if place == "level1":
            return table
        x = len(names["X"])
        return np.asarray((table[:x] if place[-1] == "X" else table[x:]).T)


def _pairs_of(
    result: AssociationResult, names: Mapping[str, tuple[str, ...]]
) -> StimulusTable | None:
    """The associations of all pairs, averaged over the sentences of one stimulus."""
    if not result.similarities:
        return None
    values = np.array(result.similarities)
    for axis, roles in enumerate((TARGETS, ATTRIBUTES)):
        labels: list[int] = []
        for role in roles:
            of = result.coverage[role].stimulus
            stimuli = [of.get(term, term) for term in result.paired(role)]
            if set(stimuli) != set(names[role]):
                return None
            before = len(set(labels))
            labels += [before + names[role].index(name) for name in stimuli]
        if len(labels) != values.shape[axis]:
            return None
        if len(set(labels)) < len(labels):
            values = average_over_units(values, np.array(labels, np.intp), axis)
    return StimulusTable(names, values)


def _agrees(table: StimulusTable, result: AssociationResult) -> bool:
    """Whether the effect sizes of a result are means of the table, which some measures are not."""
    for effect in result.effects():
        if effect.place in PLACES and effect.difference is not None:
            level = table.level(effect.place, table.names)
            rows, columns = groups_of(effect.place)
            of_rows, of_columns = (
                _contrast(tuple(len(table.names[role]) for role in roles))
                for roles in (rows, columns)
            )
            found = of_rows @ level @ of_columns
            if abs(found - effect.difference) > ROUNDED * np.abs(level).max():
                return False
    return True


@lru_cache(64)  # the sizes of a test are those of its results on all sources
def _contrast(sizes: tuple[int, ...]) -> Array:
    """The weights of the units of groups in their contrast."""
    return Facet.of_groups(sizes).contrast


def _means_of(
    result: AssociationResult, names: Mapping[str, tuple[str, ...]]
) -> StimulusTable | None:
    """A table with the mean associations of each stimulus that a result keeps.

    Nothing in it is of single pairs. What targets and attributes have in common is then not
    subtracted from a variance, so that tests are conservative.
    """
    scores = result.primary.scores
    if scores is None or any(len(at(scores, role)) != len(names[role]) for role in TARGETS):
        return None
    sizes = [len(names[role]) for role in ATTRIBUTES]
    halves, parts, known = np.repeat([0.5, -0.5], sizes), [], True
    for role in TARGETS:
        score, means = np.array(at(scores, role)), at(scores, f"attributes_with_{role}")
        of = [np.array(means[group]) for group in ATTRIBUTES] if means else []
        known &= [len(group) for group in of] == sizes
        toward = np.concatenate(of) if known else np.zeros(sum(sizes))
        parts.append(toward + np.outer(score - known * score.mean(), halves))
    return StimulusTable(names, np.concatenate(parts), of_attributes=known)


@dataclass(frozen=True)
class CommonWords:
    """The stimuli that all of some results have."""

    results: tuple[AssociationResult, ...]
    tables: tuple[StimulusTable, ...]

    @classmethod
    def of(cls, results: Sequence[AssociationResult]) -> CommonWords | None:
        """The tables of some results; None if one of them keeps no scores."""
        tables = [StimulusTable.of(result) for result in results]
        known = tuple(table for table in tables if table is not None)
        return cls(tuple(results), known) if len(known) == len(tables) else None

    @cached_property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Stimuli by group, in the order of the first result."""
        return {
            role: tuple(
                name
                for name in self.tables[0].names[role]
                if all(name in table.names[role] for table in self.tables[1:])
            )
            for role in ROLES
        }

    @cached_property
    def n_left_out(self) -> int:
        """How many stimuli only some of the results have."""
        every = {
            (role, name) for table in self.tables for role in ROLES for name in table.names[role]
        }
        return len(every) - sum(map(len, self.names.values()))

    @cached_property
    def labels(self) -> dict[str, NDArray[np.intp]]:
        """Unit of each stimulus: those are one that at least half of the results join."""
        joined: Counter[tuple[str, str, str]] = Counter()
        for result in self.results:
            for role in ROLES if result.units else ():
                for cluster in result.units.clusters[role]:  # type: ignore[union-attr]
                    joined.update((role, *sorted(pair)) for pair in combinations(cluster, 2))
        labels = {}
        for role, names in self.names.items():
            first = {name: name for name in names}
            for (of, name, other), times in joined.items():
                if of == role and {name, other} <= first.keys() and 2 * times >= len(self.results):
                    old, new = first[other], first[name]
                    first = {word: new if unit == old else unit for word, unit in first.items()}
            units = list(dict.fromkeys(first.values()))
            labels[role] = np.array([units.index(first[name]) for name in names], np.intp)
        return labels

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Units of each group."""
        return {role: len(np.unique(of)) for role, of in self.labels.items()}

    @cached_property
    def log_ranks(self) -> dict[str, Array]:
        """Logarithm of the rank of each stimulus, the mean of the results; NaN if it has none."""
        every = []
        for result in self.results:
            ranks = at(result.frequency, "ranks")
            known = {role: ranks[role].terms if ranks else {} for role in ROLES}
            every.append(
                [known[role].get(name) or np.nan for role in ROLES for name in self.names[role]]
            )
        logs = np.log(np.array(every, np.float64))
        counts = (~np.isnan(logs)).sum(axis=0)
        means = np.where(counts, np.nansum(logs, axis=0) / np.maximum(counts, 1), np.nan)
        ends = np.cumsum([len(self.names[role]) for role in ROLES])[:-1]
        return dict(zip(ROLES, np.split(means, ends), strict=True))

    def level(self, place: str) -> LevelTable | None:
        """The associations behind one effect size; None if it is undefined in some result."""
        compared, toward = groups_of(place)
        n, *_ = sizes = [len(self.names[role]) for role in compared]
        if min(sizes + [len(self.names[role]) for role in toward]) == 0:
            return None
        words = np.stack([table.level(place, self.names) for table in self.tables], axis=-1)
        facet = Facet.of_groups([len(self.names[role]) for role in toward])
        scores = np.tensordot(words, facet.contrast, (1, 0))
        ddof = int(parameters(self.results[0].signature).get("ddof", 1))
        spreads = scores.std(axis=0, ddof=ddof) if sum(sizes) > ddof else np.zeros(1)
        if not (spreads > ROUNDED * np.abs(words).max(axis=(0, 1))).all():
            return None
        labels = [self.labels[role] for role in compared]
        return LevelTable(
            values=_average(_average(words / spreads, labels), [self.labels[r] for r in toward], 1),
            sizes=tuple(self.sizes[role] for role in compared),
            column_sizes=tuple(self.sizes[role] for role in toward),
            effect_sizes=(scores[:n].mean(axis=0) - scores[n:].mean(axis=0)) / spreads,
            log_ranks=_average(np.concatenate([self.log_ranks[role] for role in compared]), labels),
            of_attributes=all(table.of_attributes for table in self.tables),
        )


def _average(values: Array, labels: Sequence[NDArray[np.intp]], axis: int = 0) -> Array:
    """Mean over the words of each unit of groups along an axis."""
    before, every = 0, []
    for of in labels:
        every.append(of + before)
        before += int(of.max()) + 1
    return average_over_units(values, np.concatenate(every), axis)


@dataclass(frozen=True)
class LevelTable:
    """Associations of units behind one effect size, over the spread of each result."""

    values: Array
    """Units compared by units toward which by results."""
    sizes: tuple[int, ...]
    column_sizes: tuple[int, ...]
    effect_sizes: Array
    """Of each result, on the words that all have."""
    log_ranks: Array
    """Of the units compared."""
    of_attributes: bool = True
    """As of a :class:`StimulusTable`."""
    _facets: tuple[Facet, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        groups = self.sizes, self.column_sizes, self.values.shape[SOURCES:]
        object.__setattr__(self, "_facets", tuple(map(Facet.of_groups, groups)))

    @property
    def is_enough(self) -> bool:
        """Whether all groups have units enough, with their associations, to speak for others."""
        return self.of_attributes and min(*self.sizes, *self.column_sizes) >= LEAST_UNITS

    @property
    def scores(self) -> Array:
        """Association of each unit that is compared, the mean of the results."""
        return np.asarray(self.values.mean(axis=SOURCES) @ self._facets[1].contrast)

    def test(self, fixed: Sequence[int] = ()) -> ContrastTest:
        """The test of the mean effect size of the results."""
        return contrast_test(self.values, self._facets, fixed)

    def test_at_equal_ranks(self, fixed: Sequence[int] = ()) -> ContrastTest | None:
        """The same test at equal word frequency; None if undefined."""
        known = ~np.isnan(self.log_ranks)
        sizes = [int(part.sum()) for part in np.split(known, [self.sizes[0]])]
        ranks = standard_scores(self.log_ranks[known]) if min(sizes) > 1 else None
        if ranks is None:
            return None
        try:
            regression = Regression.of_groups(sizes, np.column_stack([ranks, ranks * ranks]))
        except EatlasError:  # too few units, or groups that the ranks tell apart
            return None
        facets = [Facet.of_regression(regression), *self._facets[1:]]
        return contrast_test(self.values[known], facets, fixed)

    @cached_property
    def _linear(self) -> Array:
        """The table of which effect sizes are linear: contrasts of it have their variance.

        An effect size divides by a spread that grows with it, so that it varies less than its
        difference of means. By the delta method, each unit adds its part in the spread.
        """
        (rows, columns, _), values = self._facets, self.values
        scores = np.tensordot(values, columns.contrast, (1, 0))
        d = np.tensordot(rows.contrast, scores, (0, 0))
        deviations = scores - scores.mean(axis=0)
        of_spread = d * deviations / (len(scores) - 1)
        of_rows = -deviations * of_spread / (2 * rows.contrast[:, None])
        of_columns = -np.einsum("ts,tas->as", of_spread, values)
        of_rows, of_columns = rows.residuals(of_rows, 0), columns.residuals(of_columns, 0)
        toward = np.sign(columns.contrast) / len(self.column_sizes)
        halves = np.sign(rows.contrast) / len(self.sizes)
        return np.asarray(
            values + of_rows[:, None] * toward[:, None] + halves[:, None, None] * of_columns
        )

    def between(self) -> Between:
        """How far the true effect sizes of the results differ."""
        return contrast(self._linear, self._facets).between(SOURCES, np.abs(self.values).max())

    def difference(self, first: int, second: int) -> ContrastTest:
        """Effect size of the second result minus the first, generalised to new words."""
        gaps = self._linear[..., second] - self._linear[..., first]
        return contrast_test(gaps, self._facets[:SOURCES], scale=float(np.abs(self.values).max()))
