"""Counts of extreme relabellings: the exact test's where listed, binomial where drawn."""

import itertools
import math

import numpy as np
import pytest

from eatlas.stats.permutation import permutation_test
from eatlas.stats.subsets import drawn, draws_each, enumerated, reached, samples

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


@pytest.mark.parametrize(("size", "n"), [(2, 1), (20, 8), (50, 25), (30, 1)])
def test_drawn_relabellings_are_subsets_and_equally_likely(size, n):
    stream = drawn(size, n, rng())
    labels = np.vstack(list(itertools.islice(stream, 40)))
    assert labels.shape == (10_000, size)
    assert (labels.sum(axis=1) == n).all()
    share = n / size
    error = math.sqrt(share * (1 - share) / len(labels))
    assert labels.mean(axis=0) == pytest.approx(np.full(size, share), abs=5 * error)


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
