"""What is known of the words of a test besides their vectors: frequency, covariates, topics.

It is read together with the vectors, and handed to measures as :class:`eatlas.measures.base.Words`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eatlas.errors import listing
from eatlas.measures.base import Covariates, Wish, Words
from eatlas.measures.robustness import reads_sentences
from eatlas.measures.topics import TopicLists, TopicWords
from eatlas.notes import Note
from eatlas.results.levels import PAIRS, Frequency, GroupRanks, Ranks
from eatlas.results.parts import Coverage
from eatlas.sources import CaseRule, Source, is_contextual, spellings
from eatlas.sources.frequency_order import FREQUENT, WordOrder, sample_order
from eatlas.sources.memory import OF_PAPER, SAMPLE, ArraySource
from eatlas.sources.source import Vector, Wrapper
from eatlas.stats.correlation import rank_sum, spearman
from eatlas.stats.topics import SMALLEST
from eatlas.stimuli import ROLES, AssociationTest, Test
from eatlas.stimuli.languages import is_english

if TYPE_CHECKING:
    from eatlas.engine.jobs import Job
    from eatlas.measures.base import Measure
    from eatlas.sources.covariates import WordCovariates

Keys = Mapping[str, Mapping[str, str | None]]
"""The key of each stimulus in the order of frequency, by role; None where it is not listed."""
MOST_TERMS = 2_000
"""Terms of a test for which topics are made."""
DIFFERENT = 0.05
"""Groups whose ranks differ with a smaller p get a warning."""
LEAST_WORDS = 1_000
"""A shorter list probably contains selected terms, in any order."""
LEAST_PROBES, LEAST_CORRELATION = 50, 0.3
"""A list has another order than that of frequency if so many of the common English words, or more,
have ranks that go less together with those of GloVe 6B (Spearman). Vectors of other corpora give
.6 and more, words in alphabetical order 0."""


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
    topic_words = topic_words_of(source, order, beside)
    if isinstance(topic_words, str):
        return replace(ranking, reason=topic_words)
    return replace(ranking, topic_words=topic_words)


def source_within(source: Any) -> Source | None:
    """The source within a wrapper, or of the words whose mean a text is; None within any other."""
    inner = source.source if isinstance(source, Wrapper) else getattr(source, "words", None)
    return inner if isinstance(inner, Source) else None


def words_within(source: Source) -> Source:
    """The source of the words that all of its vectors are made of."""
    while (inner := source_within(source)) is not None:
        source = inner
    return source


def vectors_of_words(source: Any, order: WordOrder, words: Collection[str]) -> dict[str, Vector]:
    """Vectors of words; of those that come with the package too, whatever is done with vectors.

    The mean of a single word is the vector of that word.
    """
    if isinstance(source, Wrapper):
        return source.transform_all(vectors_of_words(source.source, order, words))
    if (inner := source_within(source)) is not None:
        return vectors_of_words(inner, order, words)
    vectors = dict(source.lookup(words))
    return vectors | {w: order.vectors[w] for w in words if w not in vectors and w in order.vectors}


def topic_words_of(
    source: Source, order: WordOrder, beside: Collection[str] = ()
) -> TopicWords | str:
    """Words of a source with their vectors, which it keeps; or why they make no topics.

    Words `beside` are looked up in the same pass of a source that is read in passes.
    """
    if source.topic_words is None:
        ranks = order.candidates()
        if beside:
            words_within(source).lookup({*beside, *ranks})
        found = vectors_of_words(source, order, ranks)
        ranks = {word: rank for word, rank in ranks.items() if word in found}
        vectors = np.array([found[word] for word in ranks])
        usable = np.any(vectors, axis=1) if ranks else np.empty(0, np.bool_)
        if np.count_nonzero(usable) < 2 * SMALLEST:
            return f"{order.name} has too few words for topics, fewer than {2 * SMALLEST:,}"
        source.topic_words = TopicWords(dict(compress(ranks.items(), usable)), vectors[usable])
    words: TopicWords = source.topic_words
    return words


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

    Or the reason why its order does not reflect word frequency.
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
        return sample_order()
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

    Only the frequencies of English words are known, so other languages are not checked.
    """
    if order.size < LEAST_WORDS:
        few = f"{order.name} has {order.size:,} words; with fewer than {LEAST_WORDS:,}, their order"
        return f"{few} need not reflect frequency"
    common = sample_order()
    mine = order.ranks(common.words[10:FREQUENT:20] if english else ())
    if len(mine) < LEAST_PROBES:
        alphabetical = all(first <= second for first, second in pairwise(order.words[:200]))
        return f"the words of {order.name} are in alphabetical order" if alphabetical else ""
    theirs = common.ranks(mine)
    rho = spearman(np.array([*mine.values()]), np.array([theirs[word] for word in mine]))
    why = f"their ranks correlate by {rho:.2f} with the ranks in GloVe 6B"
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
    return ranking_for_language(ranking, test.language)


def ranking_for_language(ranking: Ranking, language: str) -> Ranking:
    """The same, but for ranks of English words and words of another language."""
    if not is_english(language) and ranking.vocabulary == sample_order().name:
        reason = f"the available ranks are of English words, and the test is in {language}"
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


# --- as a measure takes it ------------------------------------------------------------------------


def adjusts(measure: Measure) -> bool:
    """Whether a measure finds associations given covariates."""
    return getattr(measure, "adjust", "none") != "none" and measure.needs.ranks is not None


def look_up_words(
    job: Job, coverage: Coverage, reported: Coverage
) -> tuple[Words, dict[str, Any], list[Note]]:
    """What is known of the words of a test, fields of a record on that, and remarks.

    `reported` is the coverage as the record has it.
    """
    measure, test, case = job.measure, job.test, job.case
    ranking = ranking_for(measure, test, job.source, case)
    if ranking is None:
        off = getattr(measure, "frequency", None) == "off"
        return Words(), {"frequency_reason": "the option frequency is off"} if off else {}, []
    keys = keys_of(ranking, coverage, case, test.language)
    fields, notes, words = dict[str, Any](), list[Note](), Words()
    if isinstance(test, AssociationTest):
        if any(key for group in keys.values() for key in group.values()):
            ranks = _ranks(ranking, keys)
            notes += _differences(measure, test, ranks)
            reason = reason_against_topics(ranking, test, _words(test), keys, measure)
            fields["frequency"] = Frequency(ranks=ranks, reason=reason)
            words = words if reason else Words(topics=_topic_lists(ranking, test, keys, case))
        else:
            none = f"none of the words is in {ranking.vocabulary}"
            fields["frequency_reason"] = none if ranking.ranks else ranking.reason
    if adjusts(measure):
        known = covariates_of(coverage, ranking, keys, job.covariates, case, test.language)
        if reads_sentences(measure, reported):
            known = "single sentences are read, and words alone have covariates"
        if isinstance(known, str):
            notes.append(Note("adjusted.none", "adjusted", {"reason": known}))
        else:
            words = replace(words, covariates=known)
    return words, fields, notes


def _differences(measure: Any, test: Test, ranks: Ranks) -> list[Note]:
    """Warnings about opposed groups that clearly differ in word frequency."""
    notes = []
    for role in getattr(measure, "compared", ()):
        p = ranks.p_targets if role == "X" else ranks.p_attributes
        if p is not None and p < DIFFERENT:
            pair = (role, PAIRS[role])
            values = {
                "concepts": [test.concept(each).name for each in pair],
                "medians": [ranks[each].median for each in pair],
                "p": p,
            }
            notes.append(Note("frequency.differs", f"frequency.ranks.{role}", values))
    return notes


def _topic_lists(ranking: Ranking, test: Test, keys: Keys, case: CaseRule) -> TopicLists:
    """The lists of a test that random topics replace, those whose words all have a rank."""
    words = cast("TopicWords", ranking.topic_words)
    ranked = {
        role: [(ranking.ranks[key], key) for key in keys[role].values() if key] for role in ROLES
    }
    own = {
        ranking.key(term, case, test.language) or term
        for _, part in test.parts
        for term in part.terms
    }
    own.update(key for of_role in ranked.values() for _, key in of_role)
    return TopicLists(words, ranked, [words.place[key] for key in own if key in words.place])


def beyond_topics(test: Test, words: Collection[str]) -> str:
    """Why topics cannot replace the words of a test; empty where they can."""
    if any(part.sentences or part.images for _, part in test.parts):
        return "the terms are sentences or images, which words cannot replace"
    return f"the test has more than {MOST_TERMS:,} terms" if len(words) > MOST_TERMS else ""


def reason_against_topics(
    ranking: Ranking, test: AssociationTest, words: Collection[str], keys: Keys, measure: Any
) -> str:
    """Why no random topics can be in place of a test; empty where they can."""
    if not hasattr(measure, "frequency"):
        return f"{measure.name} is not computed for random topics"
    if measure.frequency == "off":
        return "the option frequency is off"
    if getattr(measure, "association", "cosine") != "cosine":
        return "topics are compared by cosines, and the test by projections"
    if beyond := beyond_topics(test, words):
        return beyond
    if unlisted := [term for role in ROLES for term, key in keys[role].items() if key is None]:
        return f"no rank is known for {listing(unlisted, 5)}"
    return "" if ranking.topic_words else ranking.reason


def covariates_of(
    coverage: Coverage,
    ranking: Ranking,
    keys: Keys,
    words: WordCovariates | None,
    case: CaseRule,
    language: str = "",
) -> Covariates | str:
    """The covariates of the stimuli of a test, or why there are none."""
    images = any(group.image for group in coverage.values())
    if words is None and images:
        return "images have no frequency"
    ranked = not images and any(key for group in keys.values() for key in group.values())
    if not ranked and words is None:
        none = f"none of the words is in {ranking.vocabulary}"
        return none if ranking.ranks else ranking.reason
    names = ("frequency",) * ranked + (words.names if words else ())
    of = {}
    for role, group in coverage.items():
        rows = []
        for stimulus in group.stimuli:
            key = keys[role].get(stimulus)
            row = [np.nan if key is None else np.log(ranking.ranks[key])] if ranked else []
            numbers = words and words.of_word(stimulus, case, language)
            rows.append([*row, *(numbers or (np.nan,) * len(words.names if words else ()))])
        of[role] = np.array(rows, np.float64).reshape(len(rows), len(names))
    if words and all(np.isnan(rows[:, ranked:]).all() for rows in of.values()):
        return "the covariates belong to different words"
    return Covariates(names, of, ranked)


def _ranks(ranking: Ranking, keys: Keys) -> Ranks:
    """Ranks of the stimuli of a test, by group, and whether opposed groups differ in rank."""
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
