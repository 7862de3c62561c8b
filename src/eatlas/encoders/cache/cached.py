"""A contextual source whose vectors are kept on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol, runtime_checkable

from eatlas.encoders.cache.given import through_cache
from eatlas.encoders.cache.keys import Entry, entry_of, key_of, vector_of
from eatlas.encoders.cache.sharing import shared_entries
from eatlas.encoders.cutting import cut
from eatlas.errors import SourceError, described
from eatlas.results.parts import Encoding
from eatlas.sources.passages import (
    ContextualSource,
    Passage,
    Tell,
    Unknown,
    is_contextual,
    unknown,
    why_not,
    words_alone,
)
from eatlas.sources.protocol import Vector

AT_ONCE = 256
"""Passages that a source without batches of its own is asked for at a time, and so the most whose
vectors a kill can cost."""


@runtime_checkable
class BatchedSource(Protocol):
    """A contextual source that hands out vectors as it has them."""

    def encode_batches(
        self, passages: Collection[Passage], /
    ) -> Iterator[Mapping[Passage, Vector]]:
        """Vectors of passages, batch by batch, in an order of the source's own."""
        ...


@runtime_checkable
class MarkingSource(Protocol):
    """A contextual source whose notes tell of single passages, such as those that it cut."""

    def mark_of(self, passage: Passage, /) -> str:
        """What the notes have to tell of a passage that was just encoded; empty if nothing."""
        ...

    def recall(self, marks: Mapping[Passage, str], /) -> None:
        """Hear of passages that were kept, each with its mark, so that the notes tell of them."""
        ...


@runtime_checkable
class SharingSource(Protocol):
    """A contextual source that gives passages of the same tokens one vector."""

    def same(self, passages: Collection[Passage], /) -> Mapping[Passage, str]:
        """What decides the vector of each passage beside the source itself, such as tokens."""
        ...


class CachedSource:
    """A source whose vectors are kept on disk, under what they are computed from.

    Parameters
    ----------
    source : ContextualSource
        Its fingerprint must say all that its vectors depend on.

    Warns
    -----
    SourceWarning
        While it encodes, where the folder of the cache cannot be used; all is computed then.
    """

    def __init__(self, source: ContextualSource) -> None:
        self.source = source
        self._dim: int | None = None

    @property
    def name(self) -> str:
        """Name of the source; nothing says whether a vector was kept or computed."""
        return self.source.name

    @property
    def dim(self) -> int:
        """Number of components of every vector, without loading a model where one was kept."""
        return self.source.dim if self._dim is None else self._dim

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the source."""
        return self.source.fingerprint

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the source."""
        return self.source.notes

    @property
    def encoding(self) -> Encoding:
        """How the source makes a vector of a passage."""
        return self.source.encoding

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Return vectors that are kept, and have the source compute the others.

        Raises
        ------
        SourceError
            If the source cannot encode a passage.
        """
        keys = self._keys(passages)
        source = (self.fingerprint, self.name)
        kept = through_cache(keys, source, self._computed, "texts are encoded", tell)
        found = {one: vector_of(entry) for one, entry in kept.items()}
        self._dim = next((len(vector) for vector in found.values()), self._dim)
        return found

    def _keys(self, passages: Iterable[Passage]) -> dict[Passage, bytes]:
        with_span = self.encoding.level == "word" or getattr(self.source, "cuts", False)
        shared = isinstance(self.source, SharingSource)
        return {
            one: key_of(self.fingerprint, one, with_span=with_span, shared=shared)
            for one in passages
        }

    def why_not(self, passage: Passage) -> str:
        """What the source says."""
        return why_not(self.source, passage)

    def unknown(self, passage: Passage) -> Unknown:
        """What the source says."""
        return unknown(self.source, passage)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of words that stand alone."""
        return words_alone(self, keys)

    def _computed(
        self, kept: Mapping[Passage, Entry], missing: Collection[Passage]
    ) -> Iterator[Mapping[Passage, Entry]]:
        """Have the source tell of what was kept, and compute the rest in an order of its own."""
        if kept and isinstance(self.source, MarkingSource):
            self.source.recall({one: entry.mark for one, entry in kept.items()})
        ordered = sorted(missing, key=lambda one: (len(one.text), one.text, one.span or ()))
        if not (ordered and isinstance(self.source, SharingSource)):
            yield from self._encoded(ordered)
            return
        same, source = self.source.same(ordered), (self.fingerprint, self.name)
        for batch in shared_entries(ordered, same, self._keys(ordered), source, self._encoded):
            # the mark belongs to the text, and what was computed may be that of another
            yield {one: replace(entry, mark=self._mark_of(one)) for one, entry in batch.items()}

    def _encoded(self, passages: Collection[Passage]) -> Iterator[Mapping[Passage, Entry]]:
        for batch in _batches(self.source, passages):
            yield {one: entry_of(v, self._mark_of(one)) for one, v in batch.items()}

    def _mark_of(self, passage: Passage) -> str:
        return self.source.mark_of(passage) if isinstance(self.source, MarkingSource) else ""


def cached(source: ContextualSource) -> CachedSource:
    """Keep the vectors of a source on disk; a source that is cached already stays as it is.

    Parameters
    ----------
    source : ContextualSource
        Its fingerprint must say all that its vectors depend on.

    Raises
    ------
    SourceError
        If it does not encode passages.
    """
    if isinstance(source, CachedSource):
        return source
    if not is_contextual(source):
        raise SourceError(
            "only vectors that are computed are kept",
            got=described(source),
            allowed="a source that encodes passages",
            remedy="leave out cache=yes",
        )
    return CachedSource(source)


def _batches(
    source: ContextualSource, passages: Collection[Passage]
) -> Iterable[Mapping[Passage, Vector]]:
    """Have a source encode passages; nothing is asked, and no model loaded, where none is left."""
    if not passages:
        return ()
    if isinstance(source, BatchedSource):
        return source.encode_batches(passages)
    return (source.encode(some) for some in cut(passages, AT_ONCE))
