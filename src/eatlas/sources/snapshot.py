"""A few vectors of a source, with its name and fingerprint, to be handed to another process."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from eatlas.sources.protocol import Vector, VectorSource
from eatlas.sources.series import period_of


@dataclass(frozen=True)
class Snapshot:
    """What a source answered, kept as a source of its own.

    A run asks each source once for all its words; its workers get the answer, not the source, so
    that a file of many gigabytes is read once, however many processes share the work.
    """

    name: str
    dim: int
    fingerprint: str
    notes: tuple[str, ...]
    vectors: Mapping[str, Vector]
    period: int | None = None

    @classmethod
    def of(cls, source: VectorSource, keys: Collection[str]) -> Snapshot:
        """Ask a source for `keys` and keep what it answers."""
        vectors = dict(source.lookup(keys))
        period = period_of(source)
        return cls(source.name, source.dim, source.fingerprint, source.notes, vectors, period)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that were kept."""
        return {key: self.vectors[key] for key in keys if key in self.vectors}
