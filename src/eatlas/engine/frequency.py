"""How frequent a test's words are, and what random topics of these frequencies show by chance."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, pairwise
from statistics import median
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import EatlasError, listed
from eatlas.measures.association import pattern_shares
from eatlas.measures.base import Wish, generator_of, stimuli_of_test
from eatlas.notes import Note
from eatlas.results import AssociationResult
from eatlas.results.levels import (
    PAIRS,
    Coherence,
    Frequency,
    GroupRanks,
    Matched,
    MatchedAttributes,
    MatchedLevel,
    MatchedLevel2,
    Ranks,
)
from eatlas.results.parts import Coverage, at
from eatlas.sources import CaseRule, Source, is_contextual, spellings
from eatlas.sources.frequency_order import (
    FREQUENT,
    WordOrder,
    bundled_order,
    in_lower_case,
)
from eatlas.sources.memory import OF_PAPER, SAMPLE, ArraySource
from eatlas.sources.source import Vector, Wrapper
from eatlas.stats.correlation import rank_sum, spearman
from eatlas.stats.topics import (
    LEAST,
    Topics,
    TopicVocabulary,
    draw_topics,
    monte_carlo_p,
    topic_effects,
)
from eatlas.stimuli import ROLES, AssociationTest, Test
from eatlas.stimuli.languages import is_english

DRAWS = 2_000
"""Of topics by default: the standard error of a p of .05 is .005."""
HISTOGRAM_BINS = 40
"""Of a histogram of effect sizes."""
SHARES = (0.025, 0.25, 0.5, 0.75, 0.975)
DIFFERENT = 0.05
"""Groups whose ranks differ with a smaller p get a warning."""
DECIMALS = 6
LEAST_WORDS = 1_000
"""A shorter list is that of somebody's terms, in whatever order."""
LEAST_PROBES, LEAST_CORRELATION = 50, 0.3
"""A list has another order than that of frequency if so many of the common English words, or more,
have ranks that go less together with those of GloVe 6B (Spearman). Vectors of other corpora give
.6 and more, words in alphabetical order 0."""
MOST_TERMS = 2_000
"""Terms of a test for which topics are drawn."""
MOST_LISTS = 64
"""Whose topics are kept for the next test."""
SHORT = 0.05, 0.8
"""Topics whose coherence is so much less than a list's, and less than such a part of it, get a
remark."""


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
    random: Mapping[str, int] = field(default_factory=dict)
    """Words that topics are made of with their ranks, the most frequent first."""
    vectors: NDArray[np.floating] | None = None
    """Of these words, shape (words, d)."""
    known: dict[Any, Topics] = field(default_factory=dict, compare=False, repr=False)

    def renamed(self, old: str, new: str) -> Ranking:
        """The same of a source that is called otherwise now."""
        vocabulary, reason = (text.replace(old, new) for text in (self.vocabulary, self.reason))
        return replace(self, vocabulary=vocabulary, reason=reason)

    def key(self, word: str, case: CaseRule, language: str = "") -> str | None:
        """The first spelling of a word that has a rank."""
        return next((key for key in spellings(word, case, language) if key in self.ranks), None)

    @cached_property
    def pool(self) -> TopicVocabulary:
        """The words that topics are made of."""
        rows = kernels.unit_rows(cast("Any", self.vectors))
        return TopicVocabulary(rows, np.array([*self.random.values()]))

    @cached_property
    def lower(self) -> NDArray[np.bool_]:
        """Which of them are in lower case."""
        return np.array([*map(in_lower_case, self.random)])

    @cached_property
    def place(self) -> dict[str, int]:
        """Where they are."""
        return {word: i for i, word in enumerate(self.random)}

    def topics(self, keys: tuple[str, ...], rows: NDArray[np.float64], seed: int) -> Topics:
        """Topics like a list, of these unit rows; the same for all tests that have it."""
        if (keys, seed) not in self.known:
            if len(self.known) >= MOST_LISTS:
                self.known.clear()
            lower = 2 * sum(map(in_lower_case, keys)) >= len(keys)
            usable = self.lower == lower
            usable[[self.place[key] for key in keys if key in self.place]] = False
            rng = generator_of(seed, {"": keys}, "topics")
            logs = np.log([self.ranks[key] for key in keys])
            self.known[keys, seed] = self.pool.like(logs, rows, usable, rng)
        return self.known[keys, seed]


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
    if _words_within(source).name == OF_PAPER:
        return replace(ranking, reason=f"{OF_PAPER} has the words of tests alone, and no topics")
    if wish == "ranks" or all(_beyond(test, of_test) for test, of_test in words):
        return ranking
    random = order.candidates()
    if beside:
        _words_within(source).lookup({*beside, *random})
    found = _vectors(source, order, random)
    random = {word: rank for word, rank in random.items() if word in found}
    vectors = np.array([found[word] for word in random])
    usable = np.any(vectors, axis=1) if random else np.empty(0, np.bool_)
    if np.count_nonzero(usable) < LEAST:
        few = f"{order.name} has too few words for topics, fewer than {LEAST:,}"
        return replace(ranking, reason=few)
    random = dict(compress(random.items(), usable))
    return replace(ranking, random=random, vectors=vectors[usable])


def _beyond(test: Test, words: Collection[str]) -> str:
    """Why topics cannot replace the words of a test; empty where they can."""
    if any(part.sentences or part.images for _, part in test.parts):
        return "the terms are sentences or images, which words cannot replace"
    return f"the test has more than {MOST_TERMS:,} terms" if len(words) > MOST_TERMS else ""


def _words(test: Test) -> set[str]:
    """Stimuli that are words, or what sentences are about; images have no frequency."""
    return {
        word
        for _, concept in test.parts
        if not concept.images
        for word in (concept.stimulus_of.values() if concept.sentences else concept.terms)
    }


def _within(source: Any) -> Source | None:
    """The source within a wrapper, or of the words whose mean a text is; None within any other."""
    inner = source.source if isinstance(source, Wrapper) else getattr(source, "words", None)
    return inner if isinstance(inner, Source) else None


def _words_within(source: Source) -> Source:
    """The source of the words that all of its vectors are made of."""
    while (inner := _within(source)) is not None:
        source = inner
    return source


def _vectors(source: Any, order: WordOrder, words: Collection[str]) -> dict[str, Vector]:
    """Vectors of words; of those that come with the package too, whatever is done with vectors.

    The mean of a single word is the vector of that word.
    """
    if isinstance(source, Wrapper):
        return source.transform_all(_vectors(source.source, order, words))
    if (inner := _within(source)) is not None:
        return _vectors(inner, order, words)
    vectors = dict(source.lookup(words))
    return vectors | {w: order.vectors[w] for w in words if w not in vectors and w in order.vectors}


def order_of(source: Source | None, wish: Wish, *, english: bool) -> WordOrder | str:
    """The order of a list of counts, of the words that come with the package, or of the source.

    Or why it says nothing of the frequency of its words.
    """
    inner: Any = source
    while inner is not None:
        if (stated := getattr(inner, "order", None)) is not None:
            return cast("WordOrder | str", stated)
        if (within := _within(inner)) is None:
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
            remedy = "; frequency=2000 does it" if wish == "cheap" else ""
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


Keys = Mapping[str, Mapping[str, str | None]]
"""The key of each stimulus in the order of frequency, by role; None where it is not listed."""


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
    drawn = _matched(ranking, test, keys, measure, result, rows)
    if isinstance(drawn, str):
        return {"frequency": Frequency(ranks=ranks, reason=drawn)}, notes
    lists = {
        result.concepts[role]: [of.own, of.topics]
        for role, of in drawn.coherence.items()
        if of.topics < min(of.own - SHORT[0], SHORT[1] * of.own)
    }
    if lists:
        place = "frequency.matched.coherence"
        notes.append(Note("frequency.coherence", place, {"lists": lists}))
    return {"frequency": Frequency(ranks=ranks, matched=drawn)}, notes


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


def _matched(
    ranking: Ranking, test: AssociationTest, keys: Keys, measure: Any, result: Any, rows: Any
) -> Matched | str:
    """Draw random topics in the test's place; the reason where it cannot be done."""
    if reason := _unmatched(ranking, test, keys, measure):
        return reason
    case, seed = result.provenance.case, result.provenance.seed
    draws = DRAWS if isinstance(measure.frequency, str) else measure.frequency
    lists, own_rows = [], []
    for role in ROLES:  # the order of terms decides nothing
        listed_as = sorted(
            (ranking.ranks[key], key, row) for row, key in enumerate(keys[role].values()) if key
        )
        lists.append(tuple(key for _, key, _ in listed_as))
        own_rows.append(rows[role][[row for *_, row in listed_as]])
    own = {
        ranking.key(term, case, test.language) or term
        for _, part in test.parts
        for term in part.terms
    }
    own.update(*lists)
    places = [ranking.place[key] for key in own if key in ranking.place]
    rng = generator_of(seed, stimuli_of_test(test), "random topics")
    try:
        topics = [
            ranking.topics(names, of, seed).without(places)
            for names, of in zip(lists, own_rows, strict=True)
        ]
        picks = draw_topics([each.words for each in topics], draws, rng)
    except EatlasError as error:
        return f"{error.what}: {error.got}" if error.got else error.what
    unit: Any = [ranking.pool.unit[each.words] for each in topics]
    effects, signs = topic_effects(unit, picks, ddof=measure.ddof, rule=measure.rule, rng=rng)
    with_targets, _ = topic_effects(
        (own_rows[0][None], own_rows[1][None], *unit[2:]),
        picks * np.array([0, 0, 1, 1]),
        ddof=measure.ddof,
    )
    coherence = {
        role: Coherence(
            own=round(each.coherence, DECIMALS),
            topics=round(float(each.coherences[pick].mean()), DECIMALS),
        )
        for role, each, pick in zip(ROLES, topics, picks.T, strict=True)
    }
    return Matched(
        draws=draws,
        words=len(np.unique(np.concatenate([each.words.ravel() for each in topics]))),
        coherence=coherence,
        **_levels(result, effects),
        patterns=None if measure.rule is None else pattern_shares(*signs),
        attributes=MatchedAttributes(**_levels(result, with_targets)),
    )


def _unmatched(ranking: Ranking, test: AssociationTest, keys: Keys, measure: Any) -> str | None:
    """Why no random topics can be drawn in the place of a test; None where they can."""
    if not hasattr(measure, "frequency"):
        return f"{measure.name} is not computed for random topics"
    if measure.frequency == "off":
        return "frequency=off"
    if getattr(measure, "association", "cosine") != "cosine":
        return "topics are compared by cosines, and the test by projections"
    if beyond := _beyond(test, _words(test)):
        return beyond
    if unlisted := [term for role in ROLES for term, key in keys[role].items() if key is None]:
        return f"no rank is known for {listed(unlisted, 5)}"
    return None if ranking.random else ranking.reason


def _levels(result: Any, draws: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """Both levels among draws of each effect size."""
    level1, x, y = (
        _level(at(result, f"{place}.effect_size"), drawn)
        for place, drawn in zip(("level1", "level2.X", "level2.Y"), draws, strict=True)
    )
    return {"level1": level1, "level2": MatchedLevel2(X=x, Y=y) if x and y else None}


def _level(observed: float | None, draws: NDArray[np.float64]) -> MatchedLevel | None:
    """p-values, mean, quantiles and histogram of one level's matched draws; None if undefined."""
    finite = draws[np.isfinite(draws)]
    if observed is None or not len(finite):
        return None
    greater, less, both = monte_carlo_p(observed, draws)
    low = min(float(finite.min()), observed)
    high = max(float(finite.max()), observed)
    ends = math.floor(low * 20) / 20, math.ceil(high * 20) / 20 or 0.05
    counts, _ = np.histogram(finite, HISTOGRAM_BINS, ends)
    return MatchedLevel(
        p_greater=greater,
        p_less=less,
        p_two_sided=both,
        mean=round(float(finite.mean()), DECIMALS),
        quantiles=tuple(np.quantile(finite, SHARES).round(DECIMALS).tolist()),
        counts=tuple(counts.tolist()),
        ends=ends,
        undefined=len(draws) - len(finite),
    )
