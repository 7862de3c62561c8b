"""What a source answered, with its name and fingerprint, to be handed to another process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from eatlas.results.parts import Encoding
from eatlas.sources.coverage import CaseRule, all_keys, spellings
from eatlas.sources.passages import (
    ContextualSource,
    Passage,
    Tell,
    all_passages,
    is_contextual,
    why_not,
    words_alone,
)
from eatlas.sources.protocol import Vector, VectorSource
from eatlas.sources.series import period_of
from eatlas.stimuli import Test


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


@dataclass(frozen=True)
class EncodedSnapshot:
    """What a contextual source answered, kept as a source of its own."""

    name: str
    dim: int
    fingerprint: str
    notes: tuple[str, ...]
    encoding: Encoding
    vectors: Mapping[Passage, Vector]
    reasons: Mapping[Passage, str] = field(default_factory=dict)
    """Why passages have no vector, where the source said so."""

    @classmethod
    def of(
        cls, source: ContextualSource, passages: Collection[Passage], tell: Tell | None = None
    ) -> EncodedSnapshot:
        """Have a source encode `passages` and keep what it answers."""
        vectors = dict(source.encode(passages, tell))
        head = (source.name, source.dim, source.fingerprint, source.notes, source.encoding)
        left = (one for one in passages if one not in vectors)
        return cls(*head, vectors, {one: why for one in left if (why := why_not(source, one))})

    def why_not(self, passage: Passage) -> str:
        """What the source said."""
        return self.reasons.get(passage, "")

    def encode(
        self, passages: Collection[Passage], tell: Tell | None = None
    ) -> Mapping[Passage, Vector]:
        """Return the vectors of those passages that were kept."""
        kept = {one: self.vectors[one] for one in passages if one in self.vectors}
        if tell is not None:
            tell(len(kept), len(kept))
        return kept

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those words that were encoded alone."""
        return words_alone(self, keys)


def ask(
    source: VectorSource,
    tests: Iterable[Test],
    words: Iterable[str] = (),
    case: CaseRule = "auto",
    tell: Tell | None = None,
) -> Snapshot | EncodedSnapshot:
    """Ask a source once for all that tests and measures need, and keep the answer.

    Parameters
    ----------
    source : VectorSource
    tests : iterable of tests, of any kind
    words : iterable of str
        Terms that measures ask for by themselves.
    case : {"auto", "exact"}
        Rule by which terms are looked up; an encoder takes them as they are written.
    tell : callable, optional
        Called with the number of passages encoded and the number of all.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or cannot encode what it is asked.
    """
    if is_contextual(source):
        return EncodedSnapshot.of(source, all_passages(tests, words), tell)
    spelled = {key for word in words for key in spellings(word, case)}
    return Snapshot.of(source, all_keys(tests, case) | spelled)
