"""What a run keeps of a source: its facts and its answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from eatlas.notes import Note, as_notes
from eatlas.results.parts import Encoding
from eatlas.sources.coverage import CaseRule, needed_items
from eatlas.sources.interface import Answers, Found, Item, Kind, Tell, word_alone
from eatlas.sources.source import TEXTS_AND_IMAGES, Source, as_source, forwarded, innermost
from eatlas.stimuli import Test


@dataclass(frozen=True)
class Facts:
    """What a source says of itself, at a moment: some of it follows from what was encoded."""

    name: str
    dim: int
    fingerprint: str
    notes: tuple[Note, ...]
    period: int | None
    encoding: Encoding | None


@dataclass(frozen=True)
class Snapshot(Source):
    """What a source answered, kept as a source of its own.

    Each source of a run is read once for all items; its workers get the answers, not the source, so
    that a file of many gigabytes is read once, however many processes share the work.
    """

    facts: Facts
    found: Mapping[Item, Found]
    ranking: Any = None
    """What is known of the frequency of the words; None where it is not needed."""

    @classmethod
    def of(cls, source: Source, items: Iterable[Item | str], tell: Tell | None = None) -> Snapshot:
        """Read items, or words alone, from a source and keep the answers."""
        source = as_source(source)
        wanted = {item if isinstance(item, Item) else word_alone(item) for item in items}
        found = source.answers(wanted, tell)
        facts = (source.name, source.dim, source.fingerprint, as_notes(source.notes))
        return cls(Facts(*facts, source.period, source.encoding), found)

    name = forwarded("facts", "name")
    dim = forwarded("facts", "dim")
    fingerprint = forwarded("facts", "fingerprint")
    notes = forwarded("facts", "notes")
    period = forwarded("facts", "period")
    encoding = forwarded("facts", "encoding")

    @property
    def kinds(self) -> frozenset[Kind]:
        """All: what was not read is missing."""
        return TEXTS_AND_IMAGES

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer those items that were kept."""
        yield {item: self.found[item] for item in items if item in self.found}

    def renamed(self, name: str) -> Snapshot:
        """Return the same under another name."""
        notes = tuple(note.renamed(self.name, name) for note in self.notes)
        ranking = self.ranking and self.ranking.renamed(self.name, name)
        return replace(self, facts=replace(self.facts, name=name, notes=notes), ranking=ranking)


def ask(
    source: Source,
    tests: Iterable[Test],
    words: Iterable[str] = (),
    case: CaseRule = "auto",
    tell: Tell | None = None,
) -> Snapshot:
    """Read all that tests and measures need from a source at once, and keep the answers."""
    return Snapshot.of(source, needed_items(source, tuple(tests), words, case), tell)


def read_in_passes(source: Source) -> bool:
    """Whether every look-up of new words reads a whole file, and what was read is kept."""
    return innermost(source).in_passes
