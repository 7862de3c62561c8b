"""The cosines of a test as the statistics take them: of terms, of sentences by stimulus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.stimuli import Stimuli
from eatlas.stats.clusters import ClusterDesign, Side, cluster_design
from eatlas.stats.products import product
from eatlas.stats.weighted import Design

Rows = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Block:
    """Associations of all targets with all attributes."""

    values: NDArray[np.float64]
    """Rows X then Y, columns A then B."""
    n_x: int
    n_a: int

    @classmethod
    def of(cls, rows: Rows) -> Block:
        """Dot products of all rows of X and Y with all of A and B."""
        targets, attributes = (np.concatenate([rows[r] for r in pair]) for pair in ("XY", "AB"))
        return cls(kernels.similarities(targets, attributes), len(rows["X"]), len(rows["A"]))

    def design(self) -> Design:
        """The three levels of terms."""
        return Design(self.values, self.n_x, self.n_a)


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
        return self._side("XY", "AB")

    @cached_property
    def attributes(self) -> Side:
        """Sentences of A and B with the stimuli of X and Y."""
        return self._side("AB", "XY")

    def _side(self, mine: str, others: str) -> Side:
        means = np.concatenate([self.of[role].mean_rows(self.rows[role]) for role in others])
        cosines = np.concatenate([product(self.rows[role], means.T) for role in mine])
        first, second = (self.of[role] for role in mine)
        return Side(cosines, (first + second).of, len(first))

    def sentences(self) -> ClusterDesign:
        """Effect sizes of sentences, whose stimuli are drawn."""
        return cluster_design(self.targets, self.attributes, self.precision)

    @cached_property
    def _table(self) -> NDArray[np.float64]:
        """Mean cosine of each target stimulus with each attribute stimulus."""
        both = self.of["X"] + self.of["Y"]
        return both.mean_rows(self.targets.cosines)

    def stimuli(self) -> ClusterDesign:
        """Effect sizes of stimuli, which count in means of the other side by their sentences."""
        targets, attributes = (
            Side(table, np.arange(len(table)), side.n, side.sizes)
            for side, table in ((self.targets, self._table), (self.attributes, self._table.T))
        )
        return cluster_design(targets, attributes, self.precision)

    def means(self) -> Design:
        """The same for the decision on EAT patterns."""
        sizes = self.targets.sizes, self.attributes.sizes
        return Design(self._table, self.targets.n, self.attributes.n, sizes, self.precision)
