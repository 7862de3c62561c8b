"""What a source answered, with its name and fingerprint, to be handed to another process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from eatlas.results.parts import Encoding
from eatlas.sources.coverage import CaseRule, all_keys, spellings
from eatlas.sources.frequency.ranking import Ranking, Wish, ranking_of, read_in_passes
from eatlas.sources.passages import (
    ContextualSource,
    Passage,
    Tell,
    Unknown,
    all_passages,
    is_contextual,
    unknown,
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
    ranking: Ranking | None = None
    """How frequent the words are, and random words; None where nobody asked."""

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
    ranking: Ranking | None = None
    """How frequent the words are; None where nobody asked."""
    not_known: Mapping[Passage, Unknown] = field(default_factory=dict)
    """How much of passages the tokenizer does not know, where it does not know all."""

    @classmethod
    def of(
        cls, source: ContextualSource, passages: Collection[Passage], tell: Tell | None = None
    ) -> EncodedSnapshot:
        """Have a source encode `passages` and keep what it answers."""
        vectors = dict(source.encode(passages, tell))
        head = (source.name, source.dim, source.fingerprint, source.notes, source.encoding)
        left = (one for one in passages if one not in vectors)
        reasons = {one: why for one in left if (why := why_not(source, one))}
        not_known = {one: how for one in vectors if (how := unknown(source, one))}
        return cls(*head, vectors, reasons, not_known=not_known)

    def why_not(self, passage: Passage) -> str:
        """What the source said."""
        return self.reasons.get(passage, "")

    def unknown(self, passage: Passage) -> Unknown:
        """What the source said."""
        return self.not_known.get(passage, "")

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
    frequency: Wish | None = None,
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
    frequency : {"ranks", "cheap", "always"}, optional
        What is asked of the frequency of words: see :func:`ranking_of`. By default nothing.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or cannot encode what it is asked.
    """
    tests = tuple(tests)
    if is_contextual(source):
        encoded = EncodedSnapshot.of(source, all_passages(tests, words), tell)
        if frequency is None:
            return encoded
        return replace(encoded, ranking=ranking_of(source, tests, case, frequency))
    spelled = {key for word in words for key in spellings(word, case)}
    keys = all_keys(tests, case) | spelled
    if frequency is None:
        return Snapshot.of(source, keys)
    if read_in_passes(source):
        ranking = ranking_of(source, tests, case, frequency, beside=keys)
        return replace(Snapshot.of(source, keys), ranking=ranking)
    kept = Snapshot.of(source, keys)  # writes the index that the ranks are read from
    return replace(kept, ranking=ranking_of(source, tests, case, frequency))
