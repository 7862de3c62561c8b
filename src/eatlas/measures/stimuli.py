"""Which sentences belong to one stimulus, and means over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from eatlas.results.parts import Coverage, GroupCoverage, SentenceCounts
from eatlas.stimuli import ROLES


@dataclass(frozen=True)
class Stimuli:
    """The stimuli of the rows of one group, in order of their first row."""

    of: NDArray[np.intp]
    """Place of the stimulus of each row, shape (rows,)."""
    sizes: NDArray[np.int64]
    """Rows of each stimulus, shape (stimuli,)."""

    @classmethod
    def single(cls, rows: int) -> Stimuli:
        """Every row a stimulus of its own."""
        return cls(np.arange(rows), np.ones(rows, np.int64))

    @classmethod
    def of_group(cls, group: GroupCoverage) -> Stimuli:
        """Find the stimuli of the used terms of a group; words are their own.

        Examples
        --------
        >>> group = GroupCoverage(used=("a 1", "b 1", "a 2"), missing=(), stimulus={
        ...     "a 1": "a", "b 1": "b", "a 2": "a"})
        >>> Stimuli.of_group(group).of, Stimuli.of_group(group).sizes
        (array([0, 1, 0]), array([2, 1]))
        """
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

    @property
    def several(self) -> bool:
        """Whether a stimulus has more than one row."""
        return len(self.of) > len(self.sizes)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of one number of each row, for each stimulus.

        Sums are correctly rounded, so that the order of sentences changes no bit and stimuli tie
        whose sentences do.

        Examples
        --------
        >>> Stimuli(np.array([0, 1, 0]), np.array([2, 1])).means(np.array([1.0, 5.0, 2.0]))
        array([1.5, 5. ])
        """
        parts = np.split(values[np.argsort(self.of, kind="stable")], np.cumsum(self.sizes)[:-1])
        return np.array([fsum(part.tolist()) / len(part) for part in parts])

    def mean_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean row of each stimulus, shape (stimuli, d)."""
        order = np.argsort(self.of, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        sums = np.add.reduceat(rows[order], starts, axis=0)
        return np.asarray(sums / self.sizes[:, None])

    def averaging(self) -> NDArray[np.float64]:
        """Matrix that turns numbers of rows into means of stimuli, shape (rows, stimuli)."""
        matrix = np.zeros((len(self.of), len(self)))
        matrix[np.arange(len(self.of)), self.of] = 1.0 / self.sizes[self.of]
        return matrix


def several(stimuli: Mapping[str, Stimuli]) -> bool:
    """Whether a stimulus of any group has more than one sentence."""
    return any(group.several for group in stimuli.values())


def stimuli_of(coverage: Coverage) -> dict[str, Stimuli]:
    """Find the stimuli of all four groups.

    A stimulus whose sentences stand in two groups is one of each: labels are changed within X and
    Y, and within A and B, for each group's part of its sentences.
    """
    return {role: Stimuli.of_group(coverage.group(role)) for role in ROLES}


def sentence_counts(coverage: Coverage, stimuli: dict[str, Stimuli]) -> SentenceCounts:
    """Write down how many sentences each stimulus has."""
    return SentenceCounts(
        **{
            role: dict(zip(coverage.group(role).stimuli, found.sizes.tolist(), strict=True))
            for role, found in stimuli.items()
        }
    )
