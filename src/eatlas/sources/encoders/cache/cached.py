"""A contextual source whose vectors are kept on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol, runtime_checkable

from eatlas.errors import SourceError, described
from eatlas.results.parts import Encoding
from eatlas.sources.encoders.cache.keys import by_key, key_of
from eatlas.sources.encoders.cache.place import cache_folder
from eatlas.sources.encoders.cache.store import Store
from eatlas.sources.encoders.cutting import cut
from eatlas.sources.passages import ContextualSource, Passage, Tell, is_contextual
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
        with_span = self.encoding.level == "word"
        keys = {one: key_of(self.fingerprint, one, with_span=with_span) for one in passages}
        with Store(cache_folder()) as store:
            given = _Given(keys, tell)
            given.add(store.get(set(keys.values())))
            try:
                for batch in _batches(self.source, given.missing()):
                    new = by_key(self.fingerprint, batch, with_span=with_span)
                    store.put(self.fingerprint, self.name, new)
                    given.add(new)
            except KeyboardInterrupt as interruption:
                interruption.add_note(given.account(kept=store.usable))
                raise
        self._dim = next((len(vector) for vector in given.vectors.values()), self._dim)
        return {one: given.vectors[key] for one, key in keys.items() if key in given.vectors}

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of words that stand alone."""
        alone = {Passage(key, (0, len(key))): key for key in keys}
        return {alone[one]: vector for one, vector in self.encode(alone).items()}


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


class _Given:
    """Vectors by key while they come, and how many passages have theirs."""

    def __init__(self, keys: Mapping[Passage, bytes], tell: Tell | None) -> None:
        self.vectors: dict[bytes, Vector] = {}
        self._keys, self._tell = keys, tell
        self._passages = Counter(keys.values())
        self._done = 0

    def add(self, vectors: Mapping[bytes, Vector]) -> None:
        self._done += sum(self._passages[key] for key in vectors.keys() - self.vectors.keys())
        self.vectors.update(vectors)
        if self._tell is not None:
            self._tell(self._done, len(self._keys))

    def missing(self) -> list[Passage]:
        """One passage for each key that has no vector, in an order that depends on nothing else."""
        left = {key: one for one, key in self._keys.items() if key not in self.vectors}
        return sorted(left.values(), key=lambda one: (len(one.text), one.text, one.span or ()))

    def account(self, *, kept: bool) -> str:
        """Say what an interruption leaves."""
        if not kept or not self._done:
            return "no vector is kept"
        return (
            f"{self._done:,} of {len(self._keys):,} texts are encoded and kept; "
            "the same command goes on from there"
        )


def _batches(
    source: ContextualSource, passages: Collection[Passage]
) -> Iterable[Mapping[Passage, Vector]]:
    """Have a source encode passages; nothing is asked, and no model loaded, where none is left."""
    if not passages:
        return ()
    if isinstance(source, BatchedSource):
        return source.encode_batches(passages)
    return (source.encode(some) for some in cut(passages, AT_ONCE))
