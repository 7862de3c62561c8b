"""What a run keeps of a source: its answers, ranks of words by frequency, and random words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.sources.coverage import CaseRule, needed_items, spellings
from eatlas.sources.interface import (
    Answers,
    Found,
    Item,
    Kind,
    Tell,
    Vector,
    VectorSource,
    word_alone,
)
from eatlas.sources.memory import SAMPLE, ArraySource
from eatlas.sources.source import (
    Source,
    SourceFacts,
    VectorTable,
    Wrapper,
    as_source,
    forwarded,
    innermost,
    is_contextual,
)
from eatlas.sources.word_orders import (
    NEAR,
    CountedSource,
    ListedOrder,
    WordOrder,
    bundled_order,
    in_lower_case,
)
from eatlas.stats.paired import spearman
from eatlas.stimuli import Concept, Test


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
        notes = tuple(note.renamed(self.name, name) for note in self.notes)
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
    """Read all that tests and measures need from a source at once, and keep the answers."""
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


Wish = Literal["ranks", "cheap", "always"]
"""Ranks alone; random words too, where that takes less than a second; or wherever it can be."""
LEAST_WORDS = 1_000
"""A shorter list is that of somebody's terms, in whatever order."""
LEAST_PROBES, LEAST_CORRELATION = 50, 0.3
"""A list has another order than that of frequency if so many of the common English words, or more,
have ranks that go less together with those of GloVe 6B (Spearman). Vectors of other corpora give
.6 and more, words in alphabetical order 0."""


MOST_TERMS = 2_000
"""Terms of a test for which random words are drawn; each is given the 50 words next to it."""


@dataclass(frozen=True)
class Pool:
    """Words of which random lists are made, the most frequent first."""

    words: tuple[str, ...]
    ranks: NDArray[np.int64]
    vectors: NDArray[np.floating]
    """Shape (words, d); zero where there is none."""

    @cached_property
    def lower(self) -> NDArray[np.bool_]:
        """Which words are in lower case."""
        return np.array([in_lower_case(word) for word in self.words])

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Which words have a vector."""
        usable: NDArray[np.bool_] = np.any(self.vectors != 0, axis=1)
        return usable


@dataclass(frozen=True)
class Ranking:
    """Ranks of words in order of frequency, the most frequent first, and words to match them."""

    vocabulary: str = ""
    """What the ranks are ranks in."""
    size: int = 0
    """The lowest rank that a word can have."""
    ranks: Mapping[str, int] | None = None
    """By key of the source; None where there is no order."""
    pool: Pool | None = None
    """None where there are no random words."""
    reason: str = ""
    """Why one of the two is not there."""

    def renamed(self, old: str, new: str) -> Ranking:
        """The same of a source that is called otherwise now."""
        vocabulary, reason = (text.replace(old, new) for text in (self.vocabulary, self.reason))
        return replace(self, vocabulary=vocabulary, reason=reason)

    def key(self, word: str, case: CaseRule) -> str | None:
        """The first spelling of a word that has a rank."""
        return _first(spellings(word, case), self.ranks or {})

    def windows(
        self, keys: Collection[str], leave_out: Collection[str]
    ) -> dict[str, NDArray[np.intp]]:
        """Places in the pool of the words that replace each key: 25 on either side of its rank."""
        if self.pool is None or self.ranks is None:
            return {}
        kept = np.array([word not in leave_out for word in self.pool.words])
        lower, usable = self.pool.lower, self.pool.usable
        fitting = {kind: np.flatnonzero(kept & (lower == kind)) for kind in (True, False)}
        found = {}
        for key in keys:
            places = fitting[in_lower_case(key)]
            at = int(np.searchsorted(self.pool.ranks[places], self.ranks[key]))
            window = places[max(0, at - NEAR) : at + NEAR]
            found[key] = window[usable[window]]
        return found


class _Unordered(Exception):  # noqa: N818  (no error: a source need not have an order)
    """A source says nothing of the frequency of its words."""


def ranking_of(
    source: VectorSource | None,
    tests: Iterable[Test],
    case: CaseRule,
    wish: Wish,
    beside: Collection[str] = (),
) -> Ranking:
    """Ranks of the words of tests, and random words of their frequencies with their vectors."""
    tests = tuple(tests)
    texts = source is None or is_contextual(source)
    try:
        order = _order_of(source, wish)
    except _Unordered as why:
        return Ranking(reason=str(why))
    rule: CaseRule = "auto" if texts else case
    spelled = {
        word: spellings(word, rule) for test in tests for _, c in test.parts for word in words_of(c)
    }
    ranks = order.ranks({key for keys in spelled.values() for key in keys})
    found = Ranking(order.name, order.size, ranks)
    if wish == "ranks":
        return found
    if texts or source is None:
        return _without_pool(found, "a model would have to encode random words")
    chosen = [
        {key for word in _words(test) for key in [_first(spelled[word], ranks)] if key is not None}
        for test in tests
        if drawn_for(test) and all_words(test)
    ]
    if order.size < LEAST_WORDS:
        few = f"{order.name} has {order.size:,} words, too few to draw random ones from"
        return _without_pool(found, few)
    pool = _neighbours(order, ranks, chosen)
    if beside:
        source.lookup({*beside, *pool})
    return _with_pool(found, pool, order, source)


def read_in_passes(source: VectorSource) -> bool:
    """Whether every look-up of new words reads a whole file, and what was read is kept."""
    return innermost(source).in_passes


def strongest(wishes: Iterable[Wish | None]) -> Wish | None:
    """The wish that does for all."""
    order: tuple[Wish | None, ...] = (None, *get_args(Wish))
    return max(wishes, key=order.index, default=None)


def words_of(concept: Concept) -> tuple[str, ...]:
    """Its stimuli: words, or what its sentences are about; of images none."""
    if concept.images:
        return ()
    if not concept.sentences:
        return concept.terms
    return tuple(dict.fromkeys(concept.stimulus_of.values()))


def all_words(test: Test) -> bool:
    """Whether all stimuli of a test are words, neither sentences nor images."""
    return not any(concept.sentences or concept.images for _, concept in test.parts)


def drawn_for(test: Test) -> bool:
    """Whether random words are sought for a test; those of longer ones fill the vocabulary."""
    return len(_words(test)) <= MOST_TERMS


def _words(test: Test) -> set[str]:
    return {word for _, concept in test.parts for word in words_of(concept)}


def _first(keys: Iterable[str], ranks: Mapping[str, int]) -> str | None:
    return next((key for key in keys if key in ranks), None)


def _neighbours(
    order: WordOrder, ranks: Mapping[str, int], chosen: Iterable[Collection[str]]
) -> dict[str, int]:
    """Random words for each test: near the rank of each term, without the test's own terms."""
    found: dict[str, int] = {}
    for keys in chosen:
        found |= order.neighbours({key: ranks[key] for key in keys}, keys)
    return found


def _with_pool(
    found: Ranking, pool: Mapping[str, int], order: WordOrder, source: VectorSource
) -> Ranking:
    """Add random words with their ranks and vectors."""
    words = sorted(pool, key=pool.__getitem__)
    vectors = _vectors(source, order, words)
    if not vectors:
        return _without_pool(found, "there are no other words of these frequencies")
    rows = np.zeros((len(words), source.dim), np.result_type(*vectors.values()))
    for i, word in enumerate(words):
        if word in vectors:
            rows[i] = vectors[word]
    ranks = np.array([pool[word] for word in words])
    return replace(found, pool=Pool(tuple(words), ranks, rows))


def _without_pool(found: Ranking, reason: str) -> Ranking:
    return replace(found, reason=reason)


def _vectors(source: Any, order: WordOrder, words: Collection[str]) -> dict[str, Vector]:
    """Vectors of words; of those that come with the package too, whatever is done with vectors."""
    if isinstance(source, Wrapper):
        return source.transform_all(_vectors(source.source, order, words))
    found = dict(source.lookup(words))
    return found | dict(order.vectors_of([word for word in words if word not in found]))


def _order_of(source: VectorSource | None, wish: Wish) -> WordOrder:
    """The order of a list of counts, of the words that come with the package, or of the source."""
    if source is None:
        return bundled_order()
    inner = as_source(source)
    while isinstance(inner, Wrapper):
        if isinstance(inner, CountedSource):
            return inner.order
        inner = inner.source
    if inner.encodes or (isinstance(inner, ArraySource) and inner.name == SAMPLE and inner.ordered):
        return bundled_order()
    if not inner.ordered:
        raise _Unordered(f"{inner.name} has no information on how frequent its words are")
    order: WordOrder | None = inner.word_order
    if order is None:
        # whether an index exists today decides how words are read, and not whether they are: a
        # result can be repeated
        if inner.slow_to_list and wish != "always":
            raise _Unordered(
                f"reading all words of {inner.name} again takes more than a second; "
                "frequency=2000 does it"
            )
        order = _plausible(ListedOrder(list(cast("VectorTable", inner).vocabulary()), inner.name))
        inner.word_order = order
    return order


def _plausible(order: WordOrder) -> WordOrder:
    """Refuse a list that is short, or that is not in order of frequency by what is known."""
    if order.size < LEAST_WORDS:
        raise _Unordered(
            f"{order.name} has {order.size:,} words; with fewer than {LEAST_WORDS:,}, their order "
            "need not be that of frequency"
        )
    common = bundled_order()
    mine = order.ranks(common.probes())
    if len(mine) >= LEAST_PROBES:
        theirs = common.ranks(mine)
        values = [(rank, theirs[word]) for word, rank in mine.items()]
        rho = spearman(*np.array(values, np.float64).T)
        if not rho >= LEAST_CORRELATION:
            raise _Unordered(
                f"the words of {order.name} are not in order of frequency: their ranks correlate "
                f"by {rho:.2f} with those of GloVe 6B"
            )
    elif all(one <= other for one, other in pairwise(order.first(200))):
        raise _Unordered(f"the words of {order.name} are in alphabetical order")
    return order
