"""The rows of a test: which belong to one stimulus, in what order, and the cosines of all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.kernels.cosines import product
from eatlas.results.levels import SentenceCounts
from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stats.weighted import Design
from eatlas.stimuli import ROLES, TARGETS
from eatlas.stimuli.kinds import OPPOSITES

if TYPE_CHECKING:
    from eatlas.stats.weighted import ClusterDesign, Side

Array = NDArray[np.float64]
Rows = Mapping[str, Array]
"""Rows of each group, shape (terms, d)."""
TABLE_CELLS = 20_000_000
"""Largest number of cosines of all pairs that are kept, 160 MB: 4,500 by 4,500."""


def sides(rows: Mapping[str, Array]) -> tuple[Array, Array]:
    """Rows of all targets, X then Y, and of all attributes, A then B."""
    targets, attributes = (np.concatenate([rows[role] for role in side]) for side in OPPOSITES)
    return targets, attributes


def sizes(groups: Mapping[str, Sized]) -> tuple[int, int, int, int]:
    """How many X, Y, A and B hold."""
    x, y, a, b = (len(groups[role]) for role in ROLES)
    return x, y, a, b


def halves(targets: Any, n_x: int, attributes: Any, n_a: int) -> dict[str, Any]:
    """The parts of two sequences that belong to X and Y, and to A and B."""
    parts = targets[:n_x], targets[n_x:], attributes[:n_a], attributes[n_a:]
    return dict(zip(ROLES, parts, strict=True))


@dataclass(frozen=True)
class Stimuli:
    """The stimuli of the rows of one group, in order of their first row."""

    of: NDArray[np.intp]
    """Place of the stimulus of each row, shape (rows,)."""
    sizes: NDArray[np.int64]
    """Rows of each stimulus, shape (stimuli,)."""

    @classmethod
    def of_group(cls, group: GroupCoverage) -> Stimuli:
        """Find the stimuli of the used terms of a group; words are their own."""
        places = {name: i for i, name in enumerate(group.stimuli)}
        of = np.array([places[group.stimulus.get(term, term)] for term in group.used], np.intp)
        return cls(of, np.bincount(of, minlength=len(places)))

    def __len__(self) -> int:
        return len(self.sizes)

    def __add__(self, other: Stimuli) -> Stimuli:
        """Append the rows of another group, whose stimuli are others."""
        return Stimuli(
            np.concatenate([self.of, other.of + len(self)]),
            np.concatenate([self.sizes, other.sizes]),
        )

    def means(self, values: Array) -> Array:
        """Mean of one number of each row, for each stimulus.

        Sums are correctly rounded, so that the order of sentences changes no bit and stimuli tie
        whose sentences do.
        """
        parts = np.split(values[np.argsort(self.of, kind="stable")], np.cumsum(self.sizes)[:-1])
        return np.array([fsum(part.tolist()) / len(part) for part in parts])

    def mean_rows(self, rows: Array) -> Array:
        """Mean row of each stimulus, shape (stimuli, d)."""
        order = np.argsort(self.of, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        sums = np.add.reduceat(rows[order], starts, axis=0)
        return np.asarray(sums / self.sizes[:, None])

    def averaging(self) -> Array:
        """Matrix that turns numbers of rows into means of stimuli, shape (rows, stimuli)."""
        matrix = np.zeros((len(self.of), len(self)))
        matrix[np.arange(len(self.of)), self.of] = 1.0 / self.sizes[self.of]
        return matrix


def several(stimuli: Mapping[str, Stimuli]) -> bool:
    """Whether a stimulus of any group has more than one sentence."""
    return any(len(group.of) > len(group.sizes) for group in stimuli.values())


def stimuli_of(coverage: Coverage) -> dict[str, Stimuli]:
    """Find the stimuli of all four groups.

    A stimulus whose sentences are in two groups is one of each: labels are changed within X and
    Y, and within A and B, for each group's part of its sentences.
    """
    return {role: Stimuli.of_group(coverage[role]) for role in ROLES}


def sentence_counts(coverage: Coverage, stimuli: dict[str, Stimuli]) -> SentenceCounts:
    """Write down how many sentences each stimulus has."""
    return SentenceCounts(
        {
            role: dict(zip(coverage[role].stimuli, group.sizes.tolist(), strict=True))
            for role, group in stimuli.items()
        }
    )


@dataclass(frozen=True)
class Ordered:
    """Rows sorted by stimulus, and by term within a stimulus.

    What is drawn or summed in this order is the same to the last bit whatever the order of terms
    in the test.
    """

    rows: dict[str, Array]
    """By role, shape (terms, d)."""
    stimuli: dict[str, Stimuli]
    """Which rows belong to one stimulus."""
    names: dict[str, tuple[str, ...]]
    """The stimuli with a vector, sorted."""
    places: dict[str, list[int]]
    """Place among them of each stimulus, in the order in which the coverage first uses them."""

    @classmethod
    def by_cluster(cls, rows: Rows, coverage: Coverage) -> Ordered:
        """Sort the rows of tests of words, with clusters of words in place of stimuli."""
        of = {
            role: coverage[role].model_copy(update={"stimulus": coverage[role].cluster})
            for role in rows
        }
        return cls.of(rows, Coverage(**of))

    @classmethod
    def of(cls, rows: Rows, coverage: Coverage) -> Ordered:
        """Sort the rows of all groups."""
        ordered, stimuli, names, places = {}, {}, {}, {}
        for role, vectors in rows.items():
            triples = sorted_rows(coverage[role])
            names[role] = tuple(dict.fromkeys(stimulus for stimulus, _, _ in triples))
            at = {name: i for i, name in enumerate(names[role])}
            of = np.array([at[stimulus] for stimulus, _, _ in triples], np.intp)
            stimuli[role] = Stimuli(of, np.bincount(of, minlength=len(at)))
            ordered[role] = vectors[[i for _, _, i in triples]]
            places[role] = [at[stimulus] for stimulus in coverage[role].stimuli]
        return cls(ordered, stimuli, names, places)


def sorted_rows(group: GroupCoverage) -> list[tuple[str, str, int]]:
    """Stimulus, term and place of each row, by stimulus and by term within one.

    Images are in the order of their hashes, so that no name decides what is drawn.
    """
    hashes = group.image
    rows = [(group.stimulus.get(term, term), term, i) for i, term in enumerate(group.used)]
    return sorted(rows, key=lambda row: (hashes.get(row[0], row[0]), hashes.get(row[1], row[1])))


def too_many(targets: int, attributes: int) -> int:
    """How many cosines a table may have, where that of all would have more; else 0."""
    return TABLE_CELLS if targets * attributes > TABLE_CELLS else 0


def design_of(rows: Rows) -> Design:
    """Associations of all targets with all attributes, and where the groups end."""
    n_x, _, n_a, _ = sizes(rows)
    return Design(kernels.similarities(*sides(rows)), n_x, n_a)


@dataclass(frozen=True)
class Clusters:
    """Associations of sentences with the stimuli of the other side.

    No table of all sentences by all others is made: a mean of cosines is one product with a mean.
    """

    rows: Rows
    of: Mapping[str, Stimuli]
    precision: float | None = None
    """Unit roundoff of the vectors; None where they are exact."""

    @cached_property
    def targets(self) -> Side:
        """Sentences of X and Y with the stimuli of A and B."""
        return self._side(*OPPOSITES)

    @cached_property
    def attributes(self) -> Side:
        """Sentences of A and B with the stimuli of X and Y."""
        return self._side(*reversed(OPPOSITES))

    def _side(self, mine: Iterable[str], others: Iterable[str]) -> Side:
        means = np.concatenate([self.of[role].mean_rows(self.rows[role]) for role in others])
        cosines = np.concatenate([product(self.rows[role], means.T) for role in mine])
        first, second = (self.of[role] for role in mine)
        from eatlas.stats.weighted import Side  # noqa: PLC0415  (tests of words have none)

        return Side(cosines, (first + second).of, len(first))

    def sentences(self) -> ClusterDesign:
        """Effect sizes of sentences, whose stimuli are drawn."""
        from eatlas.stats.weighted import cluster_design  # noqa: PLC0415

        return cluster_design(self.targets, self.attributes, self.precision)

    @cached_property
    def _table(self) -> Array:
        """Mean cosine of each target stimulus with each attribute stimulus."""
        x, y = (self.of[role] for role in TARGETS)
        return (x + y).mean_rows(self.targets.cosines)

    def stimuli(self) -> ClusterDesign:
        """Effect sizes of stimuli, which count in means of the other side by their sentences."""
        from eatlas.stats.weighted import Side, cluster_design  # noqa: PLC0415

        targets, attributes = (
            Side(table, np.arange(len(table)), side.n, side.sizes)
            for side, table in ((self.targets, self._table), (self.attributes, self._table.T))
        )
        return cluster_design(targets, attributes, self.precision)

    def means(self) -> Design:
        """The same for the decision on EAT patterns."""
        sizes = self.targets.sizes, self.attributes.sizes
        return Design(self._table, self.targets.n, self.attributes.n, sizes, self.precision)
