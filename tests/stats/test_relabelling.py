"""Counts of extreme relabellings: the exact test's where listed, binomial where drawn."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.stats import relabelling as module
from eatlas.stats.permutation import permutation_test
from eatlas.stats.relabelling import Kept, drawn, draws_each, enumerated, reached, samples

MANY = 10**9


def rng(seed=0):
    return np.random.default_rng(seed)


def exact(rows, n, two_sided):
    """Counts of the permutation test, one row after the other."""
    found = [permutation_test(row, n) for row in rows]
    return [(one.two_sided if two_sided else one.greater).count for one in found]


def copies(count, n, m, seed=0):
    """Rows with terms that stand there several times, as in resamples."""
    r = rng(seed)
    scores = r.normal(size=n + m)
    places = np.hstack([r.integers(0, n, (count, n)), n + r.integers(0, m, (count, m))])
    return scores[places]


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize(
    ("n", "m"), [(1, 1), (2, 2), (3, 3), (5, 5), (8, 8), (3, 6), (6, 3), (1, 12), (2, 40), (40, 2)]
)
def test_enumerated_counts_are_the_exact_tests(n, m, two_sided):
    rows = copies(25, n, m)
    found = enumerated(samples(rows, n, two_sided=two_sided), MANY)
    assert found.tolist() == exact(rows, n, two_sided)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 5), st.booleans())
def test_ties_count_as_in_the_exact_test(seed, n, m, two_sided):
    rows = np.random.default_rng(seed).integers(-2, 3, (10, n + m)) / 3
    found = enumerated(samples(rows, n, two_sided=two_sided), MANY)
    total = math.comb(n + m, n)
    # a two-sided sum of 0 reaches itself both ways
    assert np.minimum(found, total).tolist() == exact(rows, n, two_sided)


@pytest.mark.parametrize("two_sided", [False, True])
def test_enough_is_enough(two_sided):
    """Counts below the limit are exact, the others are at the limit or beyond."""
    rows = np.vstack([copies(60, 7, 7), rng(1).normal(size=(60, 14)) + np.repeat([1.0, 0], 7)])
    asked = samples(rows, 7, two_sided=two_sided)
    every, some = enumerated(asked, MANY), enumerated(asked, 100)
    assert 20 < (every < 100).sum() < 100
    assert np.array_equal(every < 100, some < 100)
    assert np.array_equal(every[every < 100], some[every < 100])


def test_samples_are_taken_together_in_any_number(monkeypatch):
    asked = samples(copies(30, 4, 6), 4, two_sided=True)
    whole, labels = enumerated(asked, MANY), next(drawn(10, 4, rng()))
    counts = reached(asked, labels)
    monkeypatch.setattr(module, "TOGETHER", 7)
    monkeypatch.setattr(module, "SAMPLES", 11)
    assert np.array_equal(enumerated(asked, MANY), whole)
    assert np.array_equal(reached(asked, labels), counts)


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 5)])
def test_all_relabellings_as_blocks_are_the_enumeration(n, m, two_sided):
    asked = samples(copies(20, n, m), n, two_sided=two_sided)
    every = np.zeros((math.comb(n + m, n), n + m), bool)
    for row, chosen in zip(every, itertools.combinations(range(n + m), n), strict=True):
        row[list(chosen)] = True
    expected = enumerated(asked, MANY)
    for kind in (asked, asked.single()):
        assert np.array_equal(reached(kind, every), expected * draws_each(asked))


def test_mirror_images_are_draws_of_a_one_sided_test_alone():
    rows = rng().normal(size=(1, 6))
    assert [draws_each(samples(rows, n, two_sided=s)) for n in (2, 3) for s in (False, True)] == [
        1,
        1,
        2,
        1,
    ]


@pytest.mark.parametrize("exponent", [-300, 0, 300])
def test_single_precision_ties_whatever_it_rounds(exponent):
    """The labels themselves reach their sum, in any unit."""
    rows = np.ldexp(rng().standard_t(2, (200, 50)), exponent)
    labels = np.repeat([True, False], 25)[None]
    for two_sided in (False, True):
        asked = samples(rows, 25, two_sided=two_sided)
        assert (reached(asked, labels) >= 1).all()
        assert (reached(asked.single(), labels) >= 1).all()


def test_single_precision_counts_as_double_precision_but_for_ties():
    asked = samples(rng().normal(size=(500, 50)), 25, two_sided=False)
    labels = next(drawn(50, 25, rng()))
    less, more = reached(asked, labels), reached(asked.single(), labels)
    assert (more >= less).all()
    # 125,000 sums of which 4e-6 lie so near to the observed one
    assert (more - less).sum() <= 5


@pytest.mark.parametrize(("size", "n"), [(2, 1), (20, 8), (50, 25), (30, 1)])
def test_drawn_relabellings_are_subsets_and_equally_likely(size, n):
    stream = drawn(size, n, rng())
    labels = np.vstack(list(itertools.islice(stream, 40)))
    assert labels.shape == (10_000, size)
    assert (labels.sum(axis=1) == n).all()
    share = n / size
    error = math.sqrt(share * (1 - share) / len(labels))
    assert labels.mean(axis=0) == pytest.approx(np.full(size, share), abs=5 * error)


def test_a_tie_at_the_border_is_no_relabelling():
    class Coarse:
        """Keys of two values: n are the smallest only where exactly n are 0."""

        def integers(self, low, high, shape, dtype):
            return rng().integers(0, 2, shape, dtype=dtype)

    labels = next(drawn(6, 3, Coarse()))
    keys = rng().integers(0, 2, (250, 6), dtype=np.uint32)
    assert 0 < len(labels) < 250
    assert np.array_equal(labels, (keys == 0)[(keys == 0).sum(axis=1) == 3])


def test_shares_of_draws_are_p():
    rows = rng().normal(size=(40, 16)) + np.repeat([0.5, 0], 8)
    for two_sided in (False, True):
        asked = samples(rows, 8, two_sided=two_sided)
        labels = list(itertools.islice(drawn(16, 8, rng(1)), 40))
        draws = draws_each(asked) * sum(map(len, labels))
        share = sum(reached(asked, block) for block in labels) / draws
        p = np.minimum(enumerated(asked, MANY) / 12_870, 1)
        error = np.sqrt(p * (1 - p) / draws) + 1 / draws
        assert (np.abs(share - p) < 5 * error).all()


def test_kept_blocks_are_read_again():
    kept = Kept(drawn(8, 4, rng()))
    first = list(itertools.islice(kept, 2))
    again = list(itertools.islice(kept, 3))
    assert again[0] is first[0]
    assert again[1] is first[1]
    expected = list(itertools.islice(drawn(8, 4, rng()), 3))
    assert all(np.array_equal(a, b) for a, b in zip(again, expected, strict=True))
