"""What all transforms share: a source that maps the vectors of another one, and its moments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from eatlas.sources.interface import Answers, Item, Vector, VectorSource, usable
from eatlas.sources.source import Source, Wrapper, require_whole
from eatlas.sources.spec import escape, with_option
from eatlas.stats.space import Moments


class Mapped(Wrapper):
    """A source whose vectors are mapped to others, word by word."""

    def __init__(self, source: VectorSource, name: str | None = None) -> None:
        super().__init__(require_whole(source, "a transform is fitted on all vectors"))
        self._name = name

    @property
    @abstractmethod
    def own(self) -> str:
        """The transforms that this object does, as a source string writes them."""

    @property
    def original(self) -> Source:
        """The source that no transform was done to."""
        return self.source.original if isinstance(self.source, Mapped) else self.source

    @property
    def transform(self) -> str:
        """All transforms as a source string writes them."""
        before = f"{self.source.transform}," if isinstance(self.source, Mapped) else ""
        return f"{before}{self.own}"

    @property
    def name(self) -> str:
        """The source's name and the transforms."""
        return self._name or with_option(self.original.name, f"transform={escape(self.transform)}")

    @abstractmethod
    def transform_all(self, found: Mapping[str, Vector]) -> dict[str, Vector]:
        """Transform vectors that are, or might be, of the source, by their words."""

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Transform the vectors of the source."""
        for batch in self.source.vectors(items):
            found = {one.content: f.vector for one, f in batch.items() if f.vector is not None}
            images = self.transform_all(found)
            yield {one: replace(f, vector=images.get(one.content)) for one, f in batch.items()}


def moments_of(source: Source) -> Moments:
    """Mean and covariance of all vectors of a source that are not zero, in one pass."""
    moments: Moments | None = None
    listed = require_whole(source, "a transform is fitted on all vectors")
    for words, vectors in listed.iter_chunks():
        rows = usable(vectors, words, source.name)
        rows = rows[rows.any(axis=1)]
        if moments is None and len(rows):
            # a pivot among the rows keeps the digits of a covariance far from the origin
            moments = Moments(source.dim, pivot=rows.mean(axis=0, dtype=np.float64))
        if moments is not None:
            moments.add(rows)
    return moments or Moments(source.dim)
