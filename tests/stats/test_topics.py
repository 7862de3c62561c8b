"""Pairs of random topics in the place of a test's lists, and how they differ."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from eatlas.errors import EatlasError
from eatlas.kernels import unit_rows
from eatlas.stats.correlation import rank_sum
from eatlas.stats.topics import (
    NEAREST,
    PAIRS,
    SCALE,
    TopicPairs,
    TopicVocabulary,
    monte_carlo_p,
    topic_differences,
)

SIZE, OF_TOPIC = 6_000, 20


@pytest.fixture(scope="module")
def vocabulary():
    """Words of 300 topics, 20 of each at random ranks: near each other, and far from the rest."""
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.standard_normal((SIZE // OF_TOPIC, 40)), OF_TOPIC, axis=0)
    rows = unit_rows(centres + 0.8 * rng.standard_normal((SIZE, 40)))
    return TopicVocabulary(rows[rng.permutation(SIZE)], np.arange(1, SIZE + 1))


def everything(vocabulary):
    return np.ones(len(vocabulary.logs), np.bool_)


def like(vocabulary, words, seed=1, usable=None):
    usable = everything(vocabulary) if usable is None else usable
    args = vocabulary.logs[words], unit(vocabulary, words), usable
    return vocabulary.like(*args, np.random.default_rng(seed))


def unit(vocabulary, words):
    return vocabulary.rows[words].astype(float) / SCALE


def nearest(vocabulary, word):
    """All words in order of nearness to one."""
    return np.argsort(-unit(vocabulary, everything(vocabulary)) @ unit(vocabulary, word))


def test_words_are_in_order_of_nearness_to_a_seed_and_a_relative_of_each_is_one(vocabulary):
    seeds, near = vocabulary._seeds
    assert near.shape == (len(seeds), NEAREST)
    assert len(set(seeds.tolist())) == len(seeds) > 900
    for seed, words in zip(seeds[[3, 99, 900]], near[[3, 99, 900]], strict=True):
        cosines = unit(vocabulary, everything(vocabulary)) @ unit(vocabulary, seed)
        assert words[0] == seed
        assert_allclose(cosines[words], np.sort(cosines)[::-1][:NEAREST], atol=1e-3)


@pytest.mark.parametrize("kind", ["topic", "loose"])
@pytest.mark.parametrize("n", [2, 8])
def test_topics_are_as_coherent_and_as_frequent_as_a_list(vocabulary, kind, n):
    rng = np.random.default_rng(n)
    seed = int(rng.integers(1000, 3000))
    words = nearest(vocabulary, seed)[:n]
    if kind == "loose":
        words = rng.choice(np.arange(500, 4000), n, replace=False)
    topics = like(vocabulary, words)
    alike = topics.apart <= 1
    assert alike.sum() > 50
    chosen = topics.words[alike]
    assert all(len(set(some)) == n for some in chosen.tolist())
    assert topics.coherences[alike].mean() == pytest.approx(topics.coherence, abs=0.08)
    ranks = vocabulary.logs[chosen].mean()
    assert ranks == pytest.approx(vocabulary.logs[words].mean(), abs=0.5)
    if kind == "topic":
        assert topics.coherence > 0.4
    rows = unit(vocabulary, chosen)
    pairs = ((rows @ rows.transpose(0, 2, 1)).sum(axis=(1, 2)) - n) / (n * (n - 1))
    assert_allclose(topics.coherences[alike], pairs, atol=0.05)  # the mean of all is near 0


@pytest.mark.parametrize(("low", "high"), [(5, 300), (2000, 6000), (10_000, 30_000)])
@pytest.mark.parametrize("enough", [1000, 3000])
def test_words_are_thinned_to_the_frequencies_of_a_list(low, high, enough):
    """No word far from the list's, also where there are fewer near it than are wanted."""
    ranks = np.unique(np.concatenate([np.arange(1, 10_001), np.geomspace(10_000, 4e5, 6000)]))
    vocabulary = TopicVocabulary(unit_rows(np.ones((len(ranks), 2))), ranks.astype(int))
    logs = np.log(np.linspace(low, high, 25))
    words = vocabulary._as_frequent(logs, everything(vocabulary), enough, np.random.default_rng(0))
    assert enough - 1 <= words.sum() <= 8000
    if low > 5:  # of the most frequent ones there are too few
        assert vocabulary.logs[words].mean() == pytest.approx(logs.mean(), abs=0.25)
        assert vocabulary.logs[words].min() > logs.min() - 1.6
        assert vocabulary.logs[words].max() < logs.max() + 1.6
    assert np.quantile(vocabulary.logs[words], 0.05) < logs.max()


def test_only_usable_words_are_in_topics_and_a_list_decides_them(vocabulary):
    usable = everything(vocabulary)
    usable[::3] = False
    words = np.arange(900, 990, 11)
    topics = like(vocabulary, words, usable=usable)
    assert (topics.words % 3 != 0).all()
    again = like(vocabulary, words, usable=usable)
    assert (again.words == topics.words).all()
    assert not (like(vocabulary, words, 2, usable).words == topics.words).all()


def test_a_list_of_one_word_is_replaced_by_single_words(vocabulary):
    topics = like(vocabulary, np.array([700]))
    assert topics.words.shape[1] == 1
    assert len(np.unique(topics.words)) > 50
    assert topics.coherence == 0


def test_too_few_words_make_no_topics(vocabulary):
    usable = everything(vocabulary)
    usable[499:] = False
    with pytest.raises(EatlasError, match="too few words for topics"):
        like(vocabulary, np.arange(8), usable=usable)


def halves(vocabulary):
    """Usable words for the first list of a pair, and for the second."""
    odd = np.arange(len(vocabulary.logs)) % 2 == 1
    return ~odd, odd


def pairs_like(vocabulary, first, second, avoided=()):
    lists = [
        like(vocabulary, words, usable=usable)
        for words, usable in zip((first, second), halves(vocabulary), strict=True)
    ]
    own = tuple(unit(vocabulary, words).mean(axis=0) for words in (first, second))
    return TopicPairs.near(vocabulary, tuple(lists), own, avoided), own


def cosine(first, second):
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


@pytest.mark.parametrize("kind", ["halves", "topics", "loose"])
def test_pairs_are_as_near_to_one_another_as_the_lists(vocabulary, kind):
    """Also as two halves of a topic, whose means nearly coincide."""
    rng = np.random.default_rng(3)
    of_first, of_second = nearest(vocabulary, 1500)[:12], nearest(vocabulary, 2100)[:6]
    first, second = of_first[::2], of_first[1::2]
    if kind == "topics":
        second = of_second
    if kind == "loose":
        first, second = rng.choice(np.arange(500, 4000), (2, 6), replace=False)
    avoided = [int(word) for word in (*first, *second)]
    pairs, own = pairs_like(vocabulary, first, second, avoided)
    assert len(pairs.cosines) == PAIRS
    assert pairs.cosine == pytest.approx(cosine(*own))
    assert {"halves": 0.8, "topics": -1, "loose": -1}[kind] < pairs.cosine
    assert pairs.cosines.mean() == pytest.approx(pairs.cosine, abs=0.03)
    for x, y, difference, near in zip(*pairs.words, pairs.differences, pairs.cosines, strict=True):
        assert not set(x.tolist()) & set(y.tolist())
        assert not {*x.tolist(), *y.tolist()} & set(avoided)
        means = [unit(vocabulary, words).mean(axis=0) for words in (x, y)]
        assert near == pytest.approx(cosine(*means))
        assert cosine(means[0] - means[1], difference) == pytest.approx(1)
    lengths = np.linalg.norm(pairs.differences, axis=1)
    assert_allclose(lengths, np.linalg.norm(own[0] - own[1]))
    for means, mean in zip(pairs.means, own, strict=True):
        assert_allclose(np.linalg.norm(means, axis=1), np.linalg.norm(mean))


def test_without_a_topic_that_is_free_of_the_tests_words_there_is_no_pair(vocabulary):
    words = np.arange(900, 990, 11)
    with pytest.raises(EatlasError, match="all topics contain a word of the test"):
        pairs_like(vocabulary, words, words + 1, range(SIZE))


def made_pairs(words, rng):
    """Pairs of some words with whatever rows."""
    first, second = (np.array(some, np.uint16) for some in words)
    x, y, differences = rng.normal(size=(3, len(first), 5))
    own, ones = rng.normal(size=5), np.ones(len(first))
    return TopicPairs(
        (first, second), (x, y), own, differences, (0.0, 0.0), (ones, ones), ones, 1.0
    )


def test_differences_are_those_of_all_pairs_that_share_no_word():
    """Of pairs 0 to 2 with pairs 0 to 1; pair 1 has a word of either, pair 2 one of the first."""
    rng = np.random.default_rng(0)
    targets = made_pairs(([[1, 2], [3, 4], [5, 6]], [[11], [20], [13]]), rng)
    attributes = made_pairs(([[20, 30], [31, 32]], [[6], [4]]), rng)
    level1, x, y = topic_differences(targets, attributes)
    towards = attributes.differences
    assert_allclose(
        level1, [targets.differences[i] @ towards[j] for i, j in ((0, 0), (0, 1), (2, 1))]
    )
    free = {"x": [(0, 0), (0, 1), (1, 0), (2, 1)], "y": [(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)]}
    for means, of, numbers in zip(targets.means, free.values(), (x, y), strict=True):
        common = means.mean(axis=0)
        expected = [
            (means[i] - common) @ towards[j] + common @ attributes.difference for i, j in of
        ]
        assert_allclose(numbers, expected)
    with pytest.raises(EatlasError, match="too many words in common"):
        topic_differences(targets, made_pairs(([[1, 3]], [[5]]), rng))


def test_p_by_hand():
    """Of 1 among 0 and 1/2, whose mean with it is 1/2: one of the two is as far."""
    assert monte_carlo_p(1.0, np.array([0.0, 0.5])) == (1 / 3, 1.0, 2 / 3)


def test_p_of_exchangeable_numbers_is_valid_in_every_tail():
    """Each place among B + 1 numbers is as likely, so p <= k / (B + 1) has that probability."""
    numbers = np.array([0.3, -1.0, 2.5, 0.9, -0.2, 1.4, 0.1, -3.0, 0.7])
    p = np.array([monte_carlo_p(numbers[i], np.delete(numbers, i)) for i in range(len(numbers))])
    for tail in range(3):
        assert_allclose(np.sort(p[:, tail]), np.arange(1, 10) / 9)


@pytest.mark.parametrize(("n", "m"), [(8, 8), (25, 25), (6, 13)])
def test_rank_sum_is_that_of_scipy(n, m):
    rng = np.random.default_rng(n)
    for scale in (1.0, 3.0):  # rounded, so that there are ties
        first, second = np.round(rng.normal(size=n) * scale), np.round(rng.normal(size=m) * scale)
        theirs = stats.mannwhitneyu(first, second, method="asymptotic").pvalue
        assert_allclose(rank_sum(first, second), theirs, rtol=1e-10)


def test_rank_sum_of_equal_numbers_is_1():
    assert rank_sum(np.ones(4), np.ones(5)) == 1.0
