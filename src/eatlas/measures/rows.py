"""The rows of a test: which belong to one stimulus, and in what order they are drawn and summed."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from eatlas.results.parts import Coverage, GroupCoverage
from eatlas.stimuli import ROLES
from eatlas.stimuli.kinds import OPPOSITES

Array = NDArray[np.float64]
Rows = Mapping[str, Array]
"""Rows of each group, shape (terms, d)."""
TABLE_CELLS = 20_000_000
"""Largest number of cosines of all pairs that are kept, 160 MB: 4,500 by 4,500."""


def sides(rows: Rows) -> tuple[Array, Array]:
    """Rows of all targets, X then Y, and of all attributes, A then B."""
    targets, attributes = (np.concatenate([rows[role] for role in side]) for side in OPPOSITES)
    return targets, attributes


def sizes(groups: Mapping[str, Sized]) -> tuple[int, int, int, int]:
    """How many X, Y, A and B hold."""
    x, y, a, b = (len(groups[role]) for role in ROLES)
    return x, y, a, b


@dataclass(frozen=True)
class Stimuli:
    """The stimuli of the rows of one group."""

    of: NDArray[np.intp]
    """Place of the stimulus of each row, shape (rows,)."""
    sizes: NDArray[np.int64]
    """Rows of each stimulus, shape (stimuli,)."""

    @classmethod
    def of_group(cls, group: GroupCoverage) -> Stimuli:
        """Find the stimuli of the used terms of a group, in order; words are their own."""
        places = {name: i for i, name in enumerate(group.stimuli)}
        of = np.array([places[group.stimulus.get(term, term)] for term in group.used], np.intp)
        return cls(of, np.bincount(of, minlength=len(places)))

    def __len__(self) -> int:
        return len(self.sizes)

    def __add__(self, other: Stimuli) -> Stimuli:
        """Append the rows of another group, whose stimuli are others."""
        of = np.concatenate([self.of, other.of + len(self)])
        return Stimuli(of, np.concatenate([self.sizes, other.sizes]))

    def means(self, values: Array) -> Array:
        """Mean of one number of each row, for each stimulus.

        Sums are correctly rounded, so that the order of sentences changes no bit and stimuli tie
        whose sentences do.
        """
        parts = np.split(values[np.argsort(self.of, kind="stable")], np.cumsum(self.sizes)[:-1])
        return np.array([fsum(part.tolist()) / len(part) for part in parts])

    def mean_rows(self, rows: Array) -> Array:
        """Mean row of each stimulus, shape (stimuli, d)."""
        starts = np.cumsum(self.sizes) - self.sizes
        sums = np.add.reduceat(rows[np.argsort(self.of, kind="stable")], starts, axis=0)
        return np.asarray(sums / self.sizes[:, None])


def several(stimuli: Mapping[str, Stimuli]) -> bool:
    """Whether a stimulus of any group has more than one sentence."""
    return any(len(group.of) > len(group.sizes) for group in stimuli.values())


def stimuli_of(coverage: Coverage) -> dict[str, Stimuli]:
    """Find the stimuli of all four groups.

    A stimulus whose sentences are in two groups is one of each: labels are changed within X and
    Y, and within A and B, for each group's part of its sentences.
    """
    return {role: Stimuli.of_group(coverage[role]) for role in ROLES}


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
        groups = [coverage[role] for role in rows]
        by = [group.model_copy(update={"stimulus": group.cluster}) for group in groups]
        return cls.of(rows, Coverage(**dict(zip(rows, by, strict=True))))

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
