"""How frequent a test's words are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any, cast

import numpy as np

from eatlas.engine.topics import (
    Keys,
    Ranking,
    TopicWords,
    beyond_topics,
    less_coherent,
    matched,
    source_within,
    unmatched,
    words_within,
)
from eatlas.measures.base import Wish
from eatlas.notes import Note
from eatlas.results import AssociationResult
from eatlas.results.levels import (
    PAIRS,
    Frequency,
    GroupRanks,
    Ranks,
)
from eatlas.results.parts import Coverage
from eatlas.sources import CaseRule, Source, is_contextual, spellings
from eatlas.sources.frequency_order import (
    FREQUENT,
    WordOrder,
    bundled_order,
)
from eatlas.sources.memory import OF_PAPER, SAMPLE, ArraySource
from eatlas.stats.correlation import rank_sum, spearman
from eatlas.stimuli import AssociationTest, Test
from eatlas.stimuli.languages import is_english

DIFFERENT = 0.05
"""Groups whose ranks differ with a smaller p get a warning."""
LEAST_WORDS = 1_000
"""A shorter list is that of somebody's terms, in whatever order."""
LEAST_PROBES, LEAST_CORRELATION = 50, 0.3
"""A list has another order than that of frequency if so many of the common English words, or more,
have ranks that go less together with those of GloVe 6B (Spearman). Vectors of other corpora give
.6 and more, words in alphabetical order 0."""


def ranking_of(
    source: Source | None,
    tests: Iterable[Test],
    case: CaseRule,
    wish: Wish,
    beside: Collection[str] = (),
) -> Ranking:
    """Ranks of the words of tests, and the words that topics are made of, with their vectors.

    Words `beside` are looked up in the same pass of a source that is read in passes.
    """
    texts = source is None or is_contextual(source)
    words = [(test, _words(test)) for test in tests]
    order = order_of(source, wish, english=any(is_english(test.language) for test, _ in words))
    if isinstance(order, str):
        return Ranking(reason=order)
    rule: CaseRule = "auto" if texts else case
    keys = {
        key
        for test, of_test in words
        for word in of_test
        for key in spellings(word, rule, test.language)
    }
    ranking = Ranking(order.name, order.size, order.ranks(keys))
    if texts or source is None:
        return replace(ranking, reason="a model would have to encode thousands of words for topics")
    if words_within(source).name == OF_PAPER:
        return replace(ranking, reason=f"{OF_PAPER} has the words of tests alone, and no topics")
    if wish == "ranks" or all(beyond_topics(test, of_test) for test, of_test in words):
        return ranking
    topic_words = TopicWords.of(source, order, beside)
    if isinstance(topic_words, str):
        return replace(ranking, reason=topic_words)
    return replace(ranking, topic_words=topic_words)


def _words(test: Test) -> set[str]:
    """Stimuli that are words, or what sentences are about; images have no frequency."""
    return {
        word
        for _, concept in test.parts
        if not concept.images
        for word in (concept.stimulus_of.values() if concept.sentences else concept.terms)
    }


def order_of(source: Source | None, wish: Wish, *, english: bool) -> WordOrder | str:
    """The order of a list of counts, of the words that come with the package, or of the source.

    Or why it says nothing of the frequency of its words.
    """
    inner: Any = source
    while inner is not None:
        if (stated := getattr(inner, "order", None)) is not None:
            return cast("WordOrder | str", stated)
        if (within := source_within(inner)) is None:
            break
        inner = within
    bundled = isinstance(inner, ArraySource) and (
        inner.name == OF_PAPER or (inner.name == SAMPLE and inner.ordered)
    )
    if inner is None or inner.encodes or bundled:
        return bundled_order()
    if not inner.ordered:
        return f"{inner.name} has no information on how frequent its words are"
    if inner.word_order is None:
        if inner.slow_to_list and wish != "always":
            # whether an index exists today decides how words are read, and not whether they are: a
            # result can be repeated
            remedy = "; frequency=on does it" if wish == "cheap" else ""
            return f"reading all words of {inner.name} again takes more than a second{remedy}"
        order = WordOrder(inner.name, list(inner.vocabulary()))
        if reason := _implausible(order, english=english):
            return reason
        inner.word_order = order
    return cast("WordOrder", inner.word_order)


def _implausible(order: WordOrder, *, english: bool) -> str:
    """Why a list is short, or not in order of frequency by what is known; empty where it may be.

    What is known is the frequency of English words, which says nothing of another language.
    """
    if order.size < LEAST_WORDS:
        few = f"{order.name} has {order.size:,} words; with fewer than {LEAST_WORDS:,}, their order"
        return f"{few} need not be that of frequency"
    common = bundled_order()
    mine = order.ranks(common.words[10:FREQUENT:20] if english else ())
    if len(mine) < LEAST_PROBES:
        alphabetical = all(first <= second for first, second in pairwise(order.words[:200]))
        return f"the words of {order.name} are in alphabetical order" if alphabetical else ""
    theirs = common.ranks(mine)
    rho = spearman(np.array([*mine.values()]), np.array([theirs[word] for word in mine]))
    why = f"their ranks correlate by {rho:.2f} with those of GloVe 6B"
    ordered = rho >= LEAST_CORRELATION
    return "" if ordered else f"the words of {order.name} are not in order of frequency: {why}"


def ranking_for(measure: Any, test: Test, source: Any, case: CaseRule) -> Ranking | None:
    """What a source that was read knows of a test, or what is found now; None if not needed."""
    wish = measure.needs.ranks
    if wish is None:
        return None
    ranking: Ranking | None = getattr(source, "ranking", None)
    if ranking is None:
        vectors = source if measure.needs.source == "vectors" else None
        ranking = ranking_of(vectors, [test], case, wish)
    if not is_english(test.language) and ranking.vocabulary == bundled_order().name:
        reason = f"the ranks at hand are those of English words, and the test is in {test.language}"
        return Ranking(reason=reason)
    return ranking


def keys_of(ranking: Ranking, coverage: Coverage, case: CaseRule, language: str = "") -> Keys:
    """The key of each stimulus of a coverage; a picture has no frequency."""
    keys: dict[str, dict[str, str | None]] = {}
    for role, group in coverage.items():
        words = () if group.image else group.stimuli
        keys[role] = dict.fromkeys(group.used if group.image else ())
        found_as = ((word, group.found_as.get(word, word)) for word in words)
        keys[role] |= {word: ranking.key(key, case, language) for word, key in found_as}
    return keys


def placed(
    measure: Any,
    result: AssociationResult,
    test: AssociationTest,
    ranking: Ranking,
    keys: Keys,
    rows: Mapping[str, Any],
) -> tuple[dict[str, Any], list[Note]]:
    """The fields of a result on frequency, and remarks on groups that differ.

    `rows` are the unit rows of the stimuli by role, in the order of the keys.
    """
    if not any(key for group in keys.values() for key in group.values()):
        none = f"none of the words is in {ranking.vocabulary}"
        return {"frequency_reason": none if ranking.ranks else ranking.reason}, []
    ranks, notes = _ranks(ranking, keys), []
    for role in getattr(measure, "compared", ()):
        p = ranks.p_targets if role == "X" else ranks.p_attributes
        if p is not None and p < DIFFERENT:
            pair = (role, PAIRS[role])
            values = {
                "concepts": [result.concepts[each] for each in pair],
                "medians": [ranks[each].median for each in pair],
                "p": p,
            }
            notes.append(Note("frequency.differs", f"frequency.ranks.{role}", values))
    reason = unmatched(ranking, test, _words(test), keys, measure)
    compared = reason or matched(ranking, test, keys, result, rows)
    if isinstance(compared, str):
        return {"frequency": Frequency(ranks=ranks, reason=compared)}, notes
    notes += less_coherent(compared, result.concepts)
    return {"frequency": Frequency(ranks=ranks, matched=compared)}, notes


def _ranks(ranking: Ranking, keys: Keys) -> Ranks:
    """Ranks of the stimuli of a test, by group, and whether those of opposed groups differ."""
    groups, numbers = {}, {}
    for role, group in keys.items():
        terms = {term: None if key is None else ranking.ranks[key] for term, key in group.items()}
        numbers[role] = np.array([rank for rank in terms.values() if rank is not None], np.float64)
        middle = median(numbers[role].tolist()) if len(numbers[role]) else None
        groups[role] = GroupRanks(median=middle, terms=terms)
    p_targets, p_attributes = (
        rank_sum(numbers[first], numbers[second])
        if len(numbers[first]) and len(numbers[second])
        else None
        for first, second in PAIRS.items()
    )
    return Ranks(
        **groups,
        vocabulary=ranking.vocabulary,
        size=ranking.size,
        p_targets=p_targets,
        p_attributes=p_attributes,
    )
