"""What counts as one word of the groups of a search, and the half of the words that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import join_names
from eatlas.measures.adjusting import SortedGroup
from eatlas.measures.seeding import generator_of
from eatlas.numbers import number_of
from eatlas.results.parts import Coverage
from eatlas.stats.units import THRESHOLD, Array, Labels, average_over_units, find_units
from eatlas_vocabulary.results.themes import GroupUnits

LEAST_SPLIT = 8
"""Units of each group from which half of them are held out."""


@dataclass(frozen=True)
class SearchUnits:
    """The units of each group, by role; words are in the order of their names."""

    words: Mapping[str, list[str]]
    labels: Mapping[str, Labels]
    """The unit of each word."""
    searched: Mapping[str, NDArray[np.bool_]]
    """Whether the search uses the word."""

    @classmethod
    def of(cls, coverage: Coverage, rows: Mapping[str, Array]) -> SearchUnits:
        """Join the near-synonyms of each group, whose rows are in the order of the coverage."""
        order = {role: np.argsort(group.used) for role, group in coverage.items()}
        words = {role: [coverage[role].used[i] for i in places] for role, places in order.items()}
        labels = {role: find_units(rows[role][places]) for role, places in order.items()}
        return cls(words, labels, {role: np.ones(len(of), np.bool_) for role, of in labels.items()})

    def too_few(self, names: Mapping[str, str]) -> str:
        """Which groups have too few units to hold half of them out; empty if none has."""
        sizes = {names[role]: len(np.unique(of)) for role, of in self.labels.items()}
        few = [f"{name} has {number_of(n, 'word')}" for name, n in sizes.items() if n < LEAST_SPLIT]
        return f"{join_names(few)} if near-synonyms count as one, fewer than {LEAST_SPLIT}" * bool(
            few
        )

    def split(self, seed: int) -> SearchUnits:
        """Hold half of the units of each group out, chosen at random by the seed and its words."""
        searched = {}
        for role, of in self.labels.items():
            rng = generator_of(seed, {"words": self.words[role]}, "halves of a group")
            units = rng.permutation(of.max() + 1)
            searched[role] = np.isin(of, units[: (len(units) + 1) // 2])
        return replace(self, searched=searched)

    @property
    def words_not_searched(self) -> dict[str, tuple[str, ...]]:
        """The words that the search does not use, by role; empty if it uses all."""
        out = {
            role: tuple(w for w, used in zip(words, self.searched[role], strict=True) if not used)
            for role, words in self.words.items()
        }
        return out if any(out.values()) else {}

    def select_group(self, role: str, group: SortedGroup) -> tuple[SortedGroup, Labels]:
        """The words of a group that the search uses, and their units."""
        chosen = np.flatnonzero(self.searched[role])
        names, places = [group.names[i] for i in chosen], [group.places[i] for i in chosen]
        return SortedGroup(names, places, group.covariates[chosen]), self.labels[role][chosen]

    def record(self, sizes: Mapping[str, int]) -> GroupUnits:
        """What a result says of the units; `sizes` are those that the search compares."""
        clusters = {}
        for role, words in self.words.items():
            members: dict[int, list[str]] = {}
            for word, unit in zip(words, self.labels[role].tolist(), strict=True):
                members.setdefault(unit, []).append(word)
            clusters[role] = tuple(tuple(each) for each in members.values() if len(each) > 1)
        return GroupUnits(threshold=THRESHOLD, clusters=clusters, sizes=dict(sizes))


def average_units(rows: Array, group: SortedGroup, labels: Labels) -> tuple[Array, SortedGroup]:
    """Mean rows and covariates of the units of a group, of its words that have all covariates."""
    whole = group.whole
    kept = np.unique(labels[whole], return_inverse=True)[1]
    names = [group.names[i] for i in np.flatnonzero(whole)[np.unique(kept, return_index=True)[1]]]
    units = SortedGroup(names, [], average_over_units(group.covariates[whole], kept))
    return average_over_units(rows[group.places][whole], kept), units
