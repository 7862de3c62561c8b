"""Random topics in the place of a test's lists: how often they differ as much.

The words that topics are made of are kept with their source, as are the last topics, so that a
loop over tests looks them up once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import EatlasError, listed
from eatlas.measures.base import generator_of
from eatlas.notes import Note
from eatlas.results.finding import PLACES
from eatlas.results.levels import (
    Coherence,
    Coherences,
    Matched,
    MatchedLevel,
    MatchedLevel2,
    Nearness,
    NearnessOfPairs,
)
from eatlas.results.parts import at
from eatlas.sources import CaseRule, Source, spellings
from eatlas.sources.frequency_order import WordOrder, in_lower_case
from eatlas.sources.source import Vector, Wrapper
from eatlas.stats.topics import (
    SMALLEST,
    TopicPairs,
    Topics,
    TopicVocabulary,
    monte_carlo_p,
    topic_differences,
)
from eatlas.stimuli import ROLES, AssociationTest, Test

Keys = Mapping[str, Mapping[str, str | None]]
"""The key of each stimulus in the order of frequency, by role; None where it is not listed."""
SHARES = (0.025, 0.25, 0.5, 0.75, 0.975)
DECIMALS = 6
MOST_TERMS = 2_000
"""Terms of a test for which topics are made."""
MOST_LISTS = 64
"""Whose topics are kept for the next test."""
SHORT = 0.05, 0.8
"""Topics whose coherence is so much less than a list's, and less than such a part of it, get a
remark."""


class Listed(NamedTuple):
    """A list of words as the source has them, in an order that does not depend on the test's."""

    keys: tuple[str, ...]
    logs: NDArray[np.float64]
    """Logarithms of their ranks."""
    rows: NDArray[np.float64]
    """Their unit rows."""


class TopicWords:
    """The words of a source that topics are made of, and the topics like lists of its tests.

    Topics in the place of one list of a pair are made of every other word, those in the place of
    the other of the rest, so that two topics may be as near as two halves of one.
    """

    def __init__(self, ranks: Mapping[str, int], vectors: NDArray[np.floating]) -> None:
        self.place = {word: i for i, word in enumerate(ranks)}
        self.lower = np.array([*map(in_lower_case, ranks)])
        rows = kernels.unit_rows(vectors)
        self.vocabulary = TopicVocabulary(rows, np.array([*ranks.values()]))
        self._known: dict[Any, Topics] = {}

    @classmethod
    def of(cls, source: Source, order: WordOrder, beside: Collection[str] = ()) -> TopicWords | str:
        """Words of a source with their vectors, which it keeps; or why they make no topics.

        Words `beside` are looked up in the same pass of a source that is read in passes.
        """
        if source.topic_words is None:
            ranks = order.candidates()
            if beside:
                words_within(source).lookup({*beside, *ranks})
            found = _vectors(source, order, ranks)
            ranks = {word: rank for word, rank in ranks.items() if word in found}
            vectors = np.array([found[word] for word in ranks])
            usable = np.any(vectors, axis=1) if ranks else np.empty(0, np.bool_)
            if np.count_nonzero(usable) < 2 * SMALLEST:
                return f"{order.name} has too few words for topics, fewer than {2 * SMALLEST:,}"
            source.topic_words = cls(dict(compress(ranks.items(), usable)), vectors[usable])
        words: TopicWords = source.topic_words
        return words

    def like(self, words: Listed, half: int, seed: int) -> Topics:
        """Topics like a list; the same for all tests that have it."""
        known = (words.keys, half, seed)
        if known not in self._known:
            if len(self._known) >= MOST_LISTS:
                self._known.clear()
            lower = 2 * sum(map(in_lower_case, words.keys)) >= len(words.keys)
            of_kind = self.lower == lower
            usable = of_kind & (np.cumsum(of_kind) % 2 == half)
            usable[[self.place[key] for key in words.keys if key in self.place]] = False
            rng = generator_of(seed, {"": words.keys}, "topics")
            self._known[known] = self.vocabulary.like(words.logs, words.rows, usable, rng)
        return self._known[known]

    def pairs(
        self, first: Listed, second: Listed, avoided: Collection[int], seed: int
    ) -> TopicPairs:
        """Pairs of topics like two lists, as near to one another and without some words."""
        turned = int(first.keys > second.keys)  # which of them is the first decides nothing
        topics = self.like(first, turned, seed), self.like(second, 1 - turned, seed)
        own = first.rows.mean(axis=0), second.rows.mean(axis=0)
        return TopicPairs.near(self.vocabulary, topics, own, avoided)


@dataclass(frozen=True)
class Ranking:
    """Ranks of words in order of frequency, the most frequent first, and words of topics."""

    vocabulary: str = ""
    """What the ranks are ranks in."""
    size: int = 0
    """The lowest rank that a word can have."""
    ranks: Mapping[str, int] = field(default_factory=dict)
    """By key of the source; empty where there is no order."""
    reason: str = ""
    """Why there is no order, or why there are no topics."""
    topic_words: TopicWords | None = None
    """Words that random topics are made of; None where there are none."""

    def renamed(self, old: str, new: str) -> Ranking:
        """The same of a source that is called otherwise now."""
        vocabulary, reason = (text.replace(old, new) for text in (self.vocabulary, self.reason))
        return replace(self, vocabulary=vocabulary, reason=reason)

    def key(self, word: str, case: CaseRule, language: str = "") -> str | None:
        """The first spelling of a word that has a rank."""
        return next((key for key in spellings(word, case, language) if key in self.ranks), None)


def source_within(source: Any) -> Source | None:
    """The source within a wrapper, or of the words whose mean a text is; None within any other."""
    inner = source.source if isinstance(source, Wrapper) else getattr(source, "words", None)
    return inner if isinstance(inner, Source) else None


def words_within(source: Source) -> Source:
    """The source of the words that all of its vectors are made of."""
    while (inner := source_within(source)) is not None:
        source = inner
    return source


def _vectors(source: Any, order: WordOrder, words: Collection[str]) -> dict[str, Vector]:
    """Vectors of words; of those that come with the package too, whatever is done with vectors.

    The mean of a single word is the vector of that word.
    """
    if isinstance(source, Wrapper):
        return source.transform_all(_vectors(source.source, order, words))
    if (inner := source_within(source)) is not None:
        return _vectors(inner, order, words)
    vectors = dict(source.lookup(words))
    return vectors | {w: order.vectors[w] for w in words if w not in vectors and w in order.vectors}


def beyond_topics(test: Test, words: Collection[str]) -> str:
    """Why topics cannot replace the words of a test; empty where they can."""
    if any(part.sentences or part.images for _, part in test.parts):
        return "the terms are sentences or images, which words cannot replace"
    return f"the test has more than {MOST_TERMS:,} terms" if len(words) > MOST_TERMS else ""


def unmatched(
    ranking: Ranking, test: AssociationTest, words: Collection[str], keys: Keys, measure: Any
) -> str:
    """Why no random topics can be in the place of a test; empty where they can."""
    if not hasattr(measure, "frequency"):
        return f"{measure.name} is not computed for random topics"
    if measure.frequency == "off":
        return "frequency=off"
    if getattr(measure, "association", "cosine") != "cosine":
        return "topics are compared by cosines, and the test by projections"
    if beyond := beyond_topics(test, words):
        return beyond
    if unlisted := [term for role in ROLES for term, key in keys[role].items() if key is None]:
        return f"no rank is known for {listed(unlisted, 5)}"
    return "" if ranking.topic_words else ranking.reason


def matched(
    ranking: Ranking, test: AssociationTest, keys: Keys, result: Any, rows: Mapping[str, Any]
) -> Matched | str:
    """Compare a test with pairs of random topics; the reason where it cannot be done."""
    known = cast("TopicWords", ranking.topic_words)
    lists = {role: _listed(ranking, keys[role], rows[role]) for role in ROLES}
    case = result.provenance.case
    own = {
        ranking.key(term, case, test.language) or term
        for _, part in test.parts
        for term in part.terms
    }
    own.update(*(words.keys for words in lists.values()))
    avoided = [known.place[key] for key in own if key in known.place]
    seed = result.provenance.seed
    try:
        targets = known.pairs(lists["X"], lists["Y"], avoided, seed)
        attributes = known.pairs(lists["A"], lists["B"], avoided, seed)
        numbers = topic_differences(targets, attributes)
    except EatlasError as error:
        return f"{error.what}: {error.got}" if error.got else error.what
    level1, x, y = map(partial(_level, result), PLACES, numbers)
    used = [*targets.words, *attributes.words]
    return Matched(
        words=len(np.unique(np.concatenate([words.ravel() for words in used]))),
        coherence=_coherence(targets, attributes),
        nearness=NearnessOfPairs(targets=_nearness(targets), attributes=_nearness(attributes)),
        level1=level1,
        level2=MatchedLevel2(X=x, Y=y) if x and y else None,
    )


def _listed(ranking: Ranking, keys: Mapping[str, str | None], rows: Any) -> Listed:
    """The words of a group."""
    known = ((ranking.ranks[key], key, row) for row, key in enumerate(keys.values()) if key)
    ranks, names, places = zip(*sorted(known), strict=True)
    return Listed(names, np.log(ranks), rows[list(places)])


def _nearness(of: TopicPairs) -> Nearness:
    own, topics = (round(float(value), DECIMALS) for value in (of.cosine, of.cosines.mean()))
    return Nearness(own=own, topics=topics, pairs=len(of.cosines))


def _coherence(*pairs: TopicPairs) -> Coherences:
    """Of the lists and of the topics in their place, by role."""
    own = [value for of in pairs for value in of.coherence]
    topics = [float(values.mean()) for of in pairs for values in of.coherences]
    return Coherences(
        **{
            role: Coherence(own=round(of_list, DECIMALS), topics=round(of_topics, DECIMALS))
            for role, of_list, of_topics in zip(ROLES, own, topics, strict=True)
        }
    )


def _level(result: Any, place: str, numbers: NDArray[np.float64]) -> MatchedLevel | None:
    """How often topics differ as much; None where there is no effect size."""
    if at(result, f"{place}.effect_size") is None:
        return None
    greater, less, both = monte_carlo_p(at(result, f"{place}.difference"), numbers)
    return MatchedLevel(
        p_greater=greater,
        p_less=less,
        p_two_sided=both,
        quantiles=tuple(np.quantile(numbers, SHARES).round(DECIMALS).tolist()),
    )


def less_coherent(matched: Matched, concepts: Mapping[str, str]) -> list[Note]:
    """A remark on lists that no topics are as coherent as."""
    lists = {
        concepts[role]: [of.own, of.topics]
        for role, of in matched.coherence.items()
        if of.topics < min(of.own - SHORT[0], SHORT[1] * of.own)
    }
    place = "frequency.matched.coherence"
    return [Note("frequency.coherence", place, {"lists": lists})] if lists else []
