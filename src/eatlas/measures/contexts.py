"""All contexts of a test by stimulus, and what is drawn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.rows import sizes, sorted_rows
from eatlas.results.levels import Replace, SentenceCounts
from eatlas.results.parts import Coverage
from eatlas.stats.draws import Components, draw_contexts, nested_components, stream
from eatlas.stimuli import ROLES
from eatlas.stimuli.association_test import OPPOSITES

Array = NDArray[np.float64]

DIAGNOSED = 500
"""Contexts of a group, at most but one of each stimulus at least, among which cosines are looked
at: 1,000 by 1,000 of them take 8 MB."""


@dataclass(frozen=True)
class Contexts:
    """All contexts of a test, and which rows are those of which stimulus."""

    rows: kernels.CompactRows
    """X, Y, A and B in turn, stimuli by name, contexts of a stimulus by their text: so the order in
    which a test lists them changes no sum."""
    counts: Mapping[str, Mapping[str, int]]
    """Contexts of each stimulus, by role, in the order of the rows."""

    @classmethod
    def of(cls, vectors: dict[str, Array], coverage: Coverage) -> Contexts:
        """Arrange the vectors of a test; they are taken out of the mapping, to free memory."""
        counts, parts = {}, []
        for role in ROLES:
            rows = sorted_rows(coverage.group(role))
            counts[role] = dict(Counter(stimulus for stimulus, _, _ in rows))
            parts.append(kernels.compact_rows(vectors.pop(role)[[place for _, _, place in rows]]))
        inverse = np.concatenate([part.inverse for part in parts])
        return cls(
            kernels.CompactRows(np.concatenate([part.values for part in parts]), inverse), counts
        )

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Stimuli of X, Y, A and B."""
        return sizes(self.counts)

    @property
    def each(self) -> NDArray[np.int64]:
        """Contexts of each stimulus, shape (stimuli,)."""
        return np.array([n for role in ROLES for n in self.counts[role].values()], np.int64)

    @property
    def starts(self) -> NDArray[np.int64]:
        """First row of each stimulus, shape (stimuli,)."""
        return np.cumsum(self.each) - self.each

    def draw(self, draws: int, replace: Replace, seed: int) -> NDArray[np.int64]:
        """Row of the context of each stimulus in each draw, shape (draws, stimuli).

        The contexts of a stimulus depend on the seed, its name and its side alone: not on the
        order of terms, nor on the other stimuli.
        """
        streams = [
            stream(seed, f"{''.join(side)} {name}")
            for side in OPPOSITES
            for role in side
            for name in self.counts[role]
        ]
        return self.starts + draw_contexts(self.each.tolist(), draws, streams, replace=replace)

    def some(self) -> dict[str, Array]:
        """Unit vectors of some contexts of every stimulus, spread evenly, by role."""
        found, first = {}, 0
        for role in ROLES:
            counts = list(self.counts[role].values())
            most = max(1, DIAGNOSED // len(counts))
            places = []
            for count in counts:
                places.append(first + np.unique(np.linspace(0, count - 1, most).astype(np.intp)))
                first += count
            found[role] = self.rows.units(np.concatenate(places))
        return found

    def components(self) -> tuple[Components, Components, Components]:
        """Variance of associations over all contexts: level 1, level 2 of X, level 2 of Y.

        A context is scored against the means of the other side over all contexts, each of its
        stimuli counting alike.
        """
        x, y, a, b = self._centres()
        border = self.sizes[0] + self.sizes[1]
        sizes, row = self.each, int(self.starts[border])
        targets, attributes = self.rows.part(slice(row)), self.rows.part(slice(row, None))
        s = targets.along((a - b)[None])[:, 0]
        u = attributes.along(np.stack([x, y]))
        return (
            nested_components(s, sizes[:border], self.sizes[0]),
            nested_components(u[:, 0], sizes[border:], self.sizes[2]),
            nested_components(u[:, 1], sizes[border:], self.sizes[2]),
        )

    def table(self) -> Array:
        """Mean cosine of each target stimulus with each attribute stimulus, over all contexts."""
        ends = (self.starts + self.each).tolist()
        means = np.array(
            [
                self.rows.part(slice(first, end)).weighted_sum(
                    np.full(end - first, 1 / (end - first))
                )
                for first, end in zip(self.starts.tolist(), ends, strict=True)
            ]
        )
        border = self.sizes[0] + self.sizes[1]
        return np.asarray(means[:border] @ means[border:].T)

    def _centres(self) -> list[Array]:
        """Mean unit vector of each group, over stimuli and their contexts."""
        centres, first = [], 0
        for role in ROLES:
            sizes = np.array(list(self.counts[role].values()))
            part = self.rows.part(slice(first, first + int(sizes.sum())))
            centres.append(part.weighted_sum(np.repeat(1 / (sizes * len(sizes)), sizes)))
            first += int(sizes.sum())
        return centres

    def record(self) -> SentenceCounts:
        """How many contexts each stimulus has, as a result keeps it."""
        return SentenceCounts({role: dict(self.counts[role]) for role in ROLES})
