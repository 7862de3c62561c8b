"""Ranks of common English words: those of GloVe 6B that come with the package."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from eatlas.sources.frequency.candidates import is_candidate
from eatlas.sources.frequency.orders import NEAR, WordOrder
from eatlas.sources.protocol import Vector
from eatlas.sources.sample import NAME, sample_words

FREQUENT = 10_000
"""Of the sample's words so many are all that are as frequent; those beyond are the papers'."""
SIZE = 400_000
"""Words of GloVe 6B."""
_DATA = "glove-frequency"


class BundledOrder(WordOrder):
    """The words of ``glove-sample`` by their rank in GloVe 6B, and 4,000 rarer ones.

    The papers' words beyond the 10,000 most frequent have a rank, and are no random words.
    """

    def __init__(self) -> None:
        super().__init__("GloVe 6B")
        # only this needs it
        from safetensors.numpy import load  # noqa: PLC0415

        data = resources.files("eatlas.sources") / "data"
        tensors = load((data / f"{_DATA}.safetensors").read_bytes())
        sample = sample_words()
        rarer = (data / f"{_DATA}.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        own, added = tensors["sample_ranks"].tolist(), tensors["ranks"].tolist()
        self._known = dict(zip(sample, own, strict=True)) | dict(zip(rarer, added, strict=True))
        self._listed = [*sample[:FREQUENT], *rarer]
        self._ranks = np.array([*own[:FREQUENT], *added])
        self._vectors = dict(zip(rarer, tensors["vectors"], strict=True))

    @property
    def size(self) -> int:
        """Number of words of GloVe 6B."""
        return SIZE

    @property
    def _places(self) -> int:
        return len(self._listed)

    def ranks(self, words: Collection[str]) -> dict[str, int]:
        """Ranks in GloVe 6B of words that come with the package."""
        return {word: self._known[word] for word in sorted(words) if word in self._known}

    @cached_property
    def _candidates(self) -> NDArray[np.intp]:
        """Places of words that may stand for a term; all are in lower case."""
        return np.flatnonzero([is_candidate(word) for word in self._listed])

    def neighbours(self, keys: Mapping[str, int], leave_out: Collection[str]) -> dict[str, int]:
        """All words that are near one of some terms."""
        own = [self._place(rank) for rank in self.ranks(leave_out).values()]
        places = np.setdiff1d(self._candidates, [p for p in own if self._listed[p] in leave_out])
        at = np.searchsorted(self._ranks[places], list(keys.values()))
        near = np.unique(np.clip(at[:, None] + np.arange(-NEAR, NEAR), 0, len(places) - 1))
        chosen = places[near].tolist()
        return {self._listed[place]: int(self._ranks[place]) for place in chosen}

    def probes(self) -> list[str]:
        """Every twentieth of the 10,000 most frequent words."""
        return self._listed[10:FREQUENT:20]

    def vectors_of(self, words: Collection[str]) -> Mapping[str, Vector]:
        """Vectors of the rarer words, of GloVe 6B as those of the sample."""
        return {word: self._vectors[word] for word in words if word in self._vectors}

    def _place(self, rank: int) -> int:
        return int(np.searchsorted(self._ranks, rank))

    def _block(self, first: int, last: int) -> Sequence[tuple[str, int]]:
        ranks = self._ranks[first:last].tolist()
        return list(zip(self._listed[first:last], ranks, strict=True))


@cache
def bundled_order() -> BundledOrder:
    """Read the ranks that come with the package."""
    return BundledOrder()


__all__ = ["NAME", "BundledOrder", "bundled_order"]
