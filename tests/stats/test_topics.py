"""Random topics in the place of a test's lists, and the effect sizes that they give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from eatlas.errors import EatlasError
from eatlas.kernels import unit_rows
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.correlation import rank_sum
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test
from eatlas.stats.topics import (
    FEWEST,
    NEAREST,
    TOPICS,
    TopicVocabulary,
    draw_topics,
    monte_carlo_p,
    topic_effects,
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
    args = vocabulary.logs[words], vocabulary.unit[words], usable
    return vocabulary.like(*args, np.random.default_rng(seed))


def test_words_are_in_order_of_nearness_to_a_seed(vocabulary):
    seeds, near = vocabulary._seeds[[3, 99]], vocabulary._near[[3, 99]]
    assert near.shape == (2, NEAREST)
    for seed, words in zip(seeds, near, strict=True):
        cosines = vocabulary.unit @ vocabulary.unit[seed]
        assert words[0] == seed
        assert_allclose(cosines[words], np.sort(cosines)[::-1][:NEAREST], atol=1e-3)


@pytest.mark.parametrize("kind", ["topic", "loose"])
@pytest.mark.parametrize("n", [2, 8])
def test_topics_are_as_coherent_and_as_frequent_as_a_list(vocabulary, kind, n):
    rng = np.random.default_rng(n)
    seed = int(rng.integers(1000, 3000))
    nearest = np.argsort(-vocabulary.unit @ vocabulary.unit[seed])[:n]
    words = nearest if kind == "topic" else rng.choice(np.arange(500, 4000), n, replace=False)
    topics = like(vocabulary, words).without(words.tolist())
    assert FEWEST <= len(topics.words) <= TOPICS
    assert all(len(set(some)) == n for some in topics.words.tolist())
    assert not set(words.tolist()) & set(topics.words.ravel().tolist())
    assert topics.coherences.mean() == pytest.approx(topics.coherence, abs=0.05)
    ranks = vocabulary.logs[topics.words].mean()
    assert ranks == pytest.approx(vocabulary.logs[words].mean(), abs=0.5)
    if kind == "topic":
        assert topics.coherence > 0.4
    cosines = vocabulary.unit[topics.words] @ vocabulary.unit[topics.words].transpose(0, 2, 1)
    pairs = (cosines.sum(axis=(1, 2)) - n) / (n * (n - 1))
    assert_allclose(topics.coherences, pairs, atol=0.05)  # of this vocabulary the mean is near 0


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
    topics = like(vocabulary, np.array([700])).without([700])
    assert topics.words.shape[1] == 1
    assert len(np.unique(topics.words)) > 50
    assert topics.coherence == 0


def test_too_few_words_make_no_topics(vocabulary):
    usable = everything(vocabulary)
    usable[999:] = False
    with pytest.raises(EatlasError, match="too few words for topics"):
        like(vocabulary, np.arange(8), usable=usable)


def test_topics_of_one_draw_share_no_word():
    """Of two times three topics with a word in common there are three draws."""
    some = np.array([[0, 1], [2, 3], [4, 5]])
    picks = draw_topics([some, np.array([[0, 2], [5, 6], [4, 7]])], 3000, np.random.default_rng(0))
    assert {tuple(pick) for pick in picks.tolist()} == {(0, 1), (0, 2), (1, 1), (1, 2), (2, 0)}
    shares = np.bincount(picks[:, 0]) / 3000
    assert_allclose(shares, 1 / 3, atol=0.05)
    with pytest.raises(EatlasError, match="too many words in common"):
        draw_topics([some[:1], some[:1]], 10, np.random.default_rng(0))


def test_effect_sizes_are_those_of_each_draw_by_itself():
    rng = np.random.default_rng(1)
    sizes = (5, 6, 4, 7)
    topics = tuple(unit_rows(rng.normal(size=(9 * n, 10))).reshape(9, n, 10) for n in sizes)
    picks = rng.integers(0, 9, (40, 4))
    rule = PatternRule(alpha=0.2)
    (d1, *d2), signs = topic_effects(topics, picks, rule=rule, rng=rng)
    for i, pick in enumerate(picks):
        x, y, a, b = (topic[k] for topic, k in zip(topics, pick, strict=True))
        s = np.array([w @ (a.mean(axis=0) - b.mean(axis=0)) for w in (*x, *y)])
        assert_allclose(d1[i], effect_size(s, 5)[1], rtol=1e-10)
        for target, d, sign in zip((x, y), d2, signs, strict=True):
            u = np.array([w @ target.mean(axis=0) for w in (*a, *b)])
            assert_allclose(d[i], effect_size(u, 4)[1], rtol=1e-10)
            p = permutation_test(u, 4)
            tail = p.greater if d[i] > 0 else p.less
            associated = abs(d[i]) > rule.threshold and tail.p < rule.alpha
            assert sign[i] == (np.sign(d[i]) if associated else 0)
    assert set(signs[0].tolist()) == {-1, 0, 1}


def test_draws_without_spread_have_no_effect_size_and_count_as_extreme():
    rows = np.ones((1, 2, 4)) / 2
    d, signs = topic_effects((rows,) * 4, np.zeros((1, 4), np.intp), rule=PatternRule())
    assert np.isnan(d).all()
    assert [sign.tolist() for sign in signs] == [[0], [0]]
    assert monte_carlo_p(1.0, np.array([np.nan, 0.0, 0.5])) == (0.5, 1.0, 0.75)


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
