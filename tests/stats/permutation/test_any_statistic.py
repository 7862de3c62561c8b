"""A recomputed statistic: against the exact engine, by enumeration, and its refusals."""

import math
from itertools import combinations

import numpy as np
import pytest

from eatlas.stats.permutation import permutation_test, recomputed_test

TAILS = ("greater", "less", "two_sided")


@pytest.mark.parametrize(("size", "n"), [(8, 4), (9, 3), (16, 8)])
def test_a_sum_gives_the_counts_of_the_exact_engine(size, n):
    scores = np.random.default_rng(size).normal(size=size).round(1)  # with ties
    found = recomputed_test(lambda first: first @ scores, size, n, draws=1)
    exact = permutation_test(scores, n)
    for tail in TAILS:
        assert getattr(found, tail) == getattr(exact, tail)
    assert found.total == math.comb(size, n)


def test_a_ratio_is_enumerated():
    scores = np.array([3.0, 2.0, 5.0, 1.0, 0.5, 4.0])

    def ratio(first):
        return (first @ scores) / (~first @ scores)

    every = [
        sum(scores[list(s)]) / (scores.sum() - sum(scores[list(s)]))
        for s in combinations(range(6), 3)
    ]
    observed = (3 + 2 + 5) / (1 + 0.5 + 4)
    found = recomputed_test(ratio, 6, 3, draws=10)
    assert found.greater.count == sum(v >= observed - 1e-12 for v in every)
    assert found.less.count == sum(v <= observed + 1e-12 for v in every)
    far = abs(observed - np.mean(every))
    assert found.two_sided.count == sum(abs(v - np.mean(every)) >= far - 1e-12 for v in every)


def test_a_large_design_is_sampled_and_says_so():
    scores = np.random.default_rng(1).normal(size=24)
    scores[:12] += 0.6
    found = recomputed_test(
        lambda first: first @ scores, 24, 12, draws=20_000, rng=np.random.default_rng(2)
    )
    exact = permutation_test(scores, 12)
    for tail in TAILS:
        one = getattr(found, tail)
        assert (one.method, one.draws, one.count) == ("sampled", 20_000, None)
        assert one.interval[0] <= getattr(exact, tail).p <= one.interval[1]
    again = recomputed_test(
        lambda first: first @ scores, 24, 12, draws=20_000, rng=np.random.default_rng(2)
    )
    assert again == found
