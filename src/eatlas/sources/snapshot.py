"""What a source answered, with its facts, to be handed to another process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from eatlas.sources.coverage import CaseRule, needed_items
from eatlas.sources.frequency_ranks import Ranking, Wish, ranking_of, read_in_passes
from eatlas.sources.protocol import VectorSource
from eatlas.sources.source import (
    Answers,
    Found,
    Item,
    Kind,
    Source,
    SourceFacts,
    Tell,
    as_source,
    forwarded,
    is_contextual,
    word_alone,
)
from eatlas.stimuli import Test


@dataclass(frozen=True)
class Snapshot(Source):
    """What a source answered, kept as a source of its own.

    Each source of a run is read once for all items; its workers get the answers, not the source, so
    that a file of many gigabytes is read once, however many processes share the work.
    """

    facts: SourceFacts
    found: Mapping[Item, Found]
    ranking: Ranking | None = None
    """How frequent the words are, and random words; None where they are not needed."""

    @classmethod
    def of(
        cls, source: VectorSource, items: Iterable[Item | str], tell: Tell | None = None
    ) -> Snapshot:
        """Read items, or words alone, from a source and keep the answers."""
        wanted = {one if isinstance(one, Item) else word_alone(one) for one in items}
        whole = as_source(source)
        found = whole.answers(wanted, tell)
        return cls(SourceFacts.of(whole), found)

    name = forwarded("facts", "name")
    dim = forwarded("facts", "dim")
    fingerprint = forwarded("facts", "fingerprint")
    notes = forwarded("facts", "notes")
    period = forwarded("facts", "period")
    encoding = forwarded("facts", "encoding")

    @property
    def kinds(self) -> frozenset[Kind]:
        """All: what was not read is missing."""
        return frozenset(("text", "image"))

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Answer those items that were kept."""
        yield {one: self.found[one] for one in items if one in self.found}

    def renamed(self, name: str) -> Snapshot:
        """Return the same under another name."""
        notes = tuple(note.replace(self.name, name) for note in self.notes)
        ranking = self.ranking and self.ranking.renamed(self.name, name)
        return replace(self, facts=replace(self.facts, name=name, notes=notes), ranking=ranking)


def ask(
    source: VectorSource,
    tests: Iterable[Test],
    words: Iterable[str] = (),
    case: CaseRule = "auto",
    tell: Tell | None = None,
    frequency: Wish | None = None,
) -> Snapshot:
    """Read all that tests and measures need from a source at once, and keep the answers.

    Parameters
    ----------
    source : VectorSource
    tests : iterable of tests, of any kind
    words : iterable of str
        Terms that measures ask for by themselves.
    case : {"auto", "exact"}
        Rule by which terms are looked up; an encoder takes them as they are written.
    tell : callable, optional
        Called with the number of items encoded and the number of all.
    frequency : {"ranks", "cheap", "always"}, optional
        What is read of the frequency of words: see :func:`ranking_of`. By default nothing.

    Raises
    ------
    SourceError
        If the source finds fault with what it reads, or cannot encode an item.
    """
    tests = tuple(tests)
    items = needed_items(source, tests, words, case)
    if frequency is None:
        return Snapshot.of(source, items, tell)
    if not is_contextual(source) and read_in_passes(source):
        beside = {one.content for one in items}
        ranking = ranking_of(source, tests, case, frequency, beside=beside)
        return replace(Snapshot.of(source, items, tell), ranking=ranking)
    kept = Snapshot.of(source, items, tell)  # writes the index that the ranks are read from
    return replace(kept, ranking=ranking_of(source, tests, case, frequency))
