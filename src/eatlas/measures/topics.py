"""Random topics in place of a test's lists: how often they differ as much.

The words that topics are made of are stored with their source, as are the last topics, so that a
loop over tests looks them up once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import EatlasError
from eatlas.measures.association import DECIMALS
from eatlas.measures.base import Array
from eatlas.measures.seeding import generator_of
from eatlas.notes import Note
from eatlas.results.levels import (
    Coherence,
    Coherences,
    Level,
    Matched,
    MatchedLevel,
    MatchedLevel2,
    Nearness,
    NearnessOfPairs,
)
from eatlas.results.parts import at
from eatlas.stats.topics import (
    TopicPairs,
    Topics,
    TopicVocabulary,
    monte_carlo_p,
    topic_differences,
)
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

SHARES = (0.025, 0.25, 0.5, 0.75, 0.975)
MOST_LISTS = 64
"""Lists, and pairs of lists, whose topics are stored for the next test."""
SHORT = 0.05, 0.8
"""Topics get a note if their coherence is lower than a list's by this much and this factor."""


class Listed(NamedTuple):
    """A list of words as the source has them, in an order that does not depend on the test's."""

    keys: tuple[str, ...]
    logs: NDArray[np.float64]
    """Logarithms of their ranks."""
    rows: NDArray[np.float64]
    """Their unit rows."""


class TopicWords:
    """The words of a source that topics are made of, and the topics like lists of its tests.

    Topics in place of one list of a pair are made of every other word, those in place of
    the other of the rest, so that two topics may be as near as two halves of one.
    """

    def __init__(self, ranks: Mapping[str, int], vectors: NDArray[np.floating]) -> None:
        self.place = {word: i for i, word in enumerate(ranks)}
        # topics are made of words of the list's kind
        self.lower = np.array([word == word.lower() for word in ranks])
        rows = kernels.unit_rows(vectors)
        self.vocabulary = TopicVocabulary(rows, np.array([*ranks.values()]))
        self._known: dict[Any, Topics] = {}
        self._pairs: dict[Any, TopicPairs] = {}

    def like(self, words: Listed, half: int, seed: int) -> Topics:
        """Topics like a list; the same for all tests that have it."""
        known = (words.keys, half, seed)
        if known not in self._known:
            if len(self._known) >= MOST_LISTS:
                self._known.clear()
            lower = 2 * sum(key == key.lower() for key in words.keys) >= len(words.keys)
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
        known = (first.keys, second.keys, frozenset(avoided), seed)
        if known not in self._pairs:
            if len(self._pairs) >= MOST_LISTS:
                self._pairs.clear()
            turned = int(first.keys > second.keys)  # which of them is the first decides nothing
            topics = self.like(first, turned, seed), self.like(second, 1 - turned, seed)
            own = first.rows.mean(axis=0), second.rows.mean(axis=0)
            self._pairs[known] = TopicPairs.near(self.vocabulary, topics, own, avoided)
        return self._pairs[known]


@dataclass(frozen=True)
class TopicLists:
    """The lists of a test as topics are made like them."""

    words: TopicWords
    ranked: Mapping[str, Sequence[tuple[int, str]]]
    """By role, the rank and the key of each stimulus, in the order of the rows."""
    avoided: Collection[int]
    """Words of topics that are words of the test."""


def compare_with_topics(
    lists: TopicLists, rows: Mapping[str, Array], found: Mapping[str, Any], seed: int
) -> Matched | str:
    """Compare the observed levels with pairs of random topics, or say why not."""
    of_role = {role: _rank_group(lists.ranked[role], rows[role]) for role in ROLES}
    try:
        targets, attributes = (
            lists.words.pairs(of_role[first], of_role[second], lists.avoided, seed)
            for first, second in (TARGETS, ATTRIBUTES)
        )
        numbers = topic_differences(targets, attributes)
    except EatlasError as error:
        return f"{error.what}: {error.got}" if error.got else error.what
    level2 = found.get("level2")
    levels = (found["level1"], *(at(level2, role) for role in TARGETS))
    level1, x, y = map(_level, levels, numbers)
    used = [*targets.words, *attributes.words]
    return Matched(
        words=len(np.unique(np.concatenate([words.ravel() for words in used]))),
        coherence=_coherence(targets, attributes),
        nearness=NearnessOfPairs(targets=_nearness(targets), attributes=_nearness(attributes)),
        level1=level1,
        level2=MatchedLevel2(X=x, Y=y) if x and y else None,
    )


def _rank_group(ranked: Sequence[tuple[int, str]], rows: Array) -> Listed:
    """The words of a group."""
    known = ((rank, key, row) for row, (rank, key) in enumerate(ranked))
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


def _level(level: Level | None, numbers: Array) -> MatchedLevel | None:
    """How often topics differ as much; None where there is no effect size."""
    if level is None or level.effect_size is None:
        return None
    greater, less, both = monte_carlo_p(level.difference, numbers)
    return MatchedLevel(
        p_greater=greater,
        p_less=less,
        p_two_sided=both,
        quantiles=tuple(np.quantile(np.sort(numbers), SHARES).round(DECIMALS).tolist()),
    )


def less_coherent(matched: Matched, concepts: Mapping[str, str]) -> list[Note]:
    """A note on lists that are more coherent than any topics."""
    lists = {
        concepts[role]: [of.own, of.topics]
        for role, of in matched.coherence.items()
        if of.topics < min(of.own - SHORT[0], SHORT[1] * of.own)
    }
    place = "frequency.matched.coherence"
    return [Note("frequency.coherence", place, {"lists": lists})] if lists else []
