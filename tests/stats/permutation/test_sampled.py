"""Random subsets, other statistics, and the normal approximation."""

from __future__ import annotations

import itertools
import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.stats.permutation.designs import random_design, separated

from eatlas.stats.inputs import clopper_pearson
from eatlas.stats.permutation import generic_permutation_test, permutation_test
from eatlas.stats.permutation import sampled as module
from eatlas.stats.permutation.problem import SMALLEST

TAILS = ("greater", "less", "two_sided")
CHI2_9 = 27.9
"""The 0.999 quantile of chi square with 9 degrees of freedom."""


def draw(scores, n, seed, permutations=500, **options):
    rng = np.random.default_rng(seed)
    return permutation_test(
        scores, n, method="sampled", rng=rng, permutations=permutations, **options
    )


@pytest.mark.parametrize("long", [512, 0])
@pytest.mark.parametrize("n", [2, 3])
def test_every_subset_is_equally_likely(monkeypatch, long, n):
    monkeypatch.setattr(module, "LONG", long)
    values = np.array([1, 2, 4, 8, 16])  # a sum names its subset
    sums = np.concatenate(list(module._sums(values, n, 20_000, np.random.default_rng(n))))
    subsets, times = np.unique(sums, return_counts=True)
    assert all(s.bit_count() == n for s in subsets.tolist())
    assert times.size == 10
    assert ((times - 2000) ** 2 / 2000).sum() < CHI2_9


@pytest.mark.parametrize("kind", range(7))
def test_intervals_contain_the_exact_p(kind):
    """Of 3 x 60 intervals 5% may miss, 9 of 180 on average; 4 standard deviations are 12 more."""
    r = np.random.default_rng(kind)
    missed = 0
    for seed in range(60):
        scores, n = random_design(r, kind)
        exact, found = permutation_test(scores, n), draw(scores, n, seed)
        for name in TAILS:
            p, tail = getattr(exact, name).p, getattr(found, name)
            low, high = tail.interval or (p, p)
            assert 0 < low <= tail.p <= high <= 1 or tail.method == "exact"
            assert tail.p >= found.min_p
            missed += not low <= p <= high
    assert missed <= 21


def test_p_is_that_of_phipson_and_smyth_with_clopper_and_pearsons_interval():
    scores, permutations = separated(25, 25, 0.5, 25), 400
    tail = draw(scores, 25, 7, permutations).greater
    b = round(tail.p * (permutations + 1)) - 1
    assert b > 0
    assert tail.p == (b + 1) / (permutations + 1)
    assert tail.interval == clopper_pearson(b, permutations)
    assert (tail.method, tail.permutations, tail.count) == ("sampled", permutations, None)


def test_a_seed_fixes_the_numbers_and_the_order_of_terms_does_not_change_them():
    scores = separated(10, 12, 0.4, 3)
    one = draw(scores, 10, 5)
    shuffled = np.concatenate([scores[:10][::-1], scores[10:][::-1]])
    assert draw(shuffled, 10, 5) == one
    assert draw(scores, 10, 6) != one


def test_what_is_certain_is_not_sampled():
    flat = draw([0.3] * 6, 3, 1)
    assert (flat.greater.method, flat.greater.p) == ("exact", 1.0)
    central = draw([1.0, -1.0, 1.0, -1.0], 2, 1)
    assert (central.two_sided.method, central.two_sided.count) == ("exact", 6)
    assert central.greater.method == "sampled"


def test_strict_draws_leave_ties_out():
    scores = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    loose, strict = draw(scores, 3, 2), draw(scores, 3, 2, strict=True)
    beyond = round(strict.greater.p * 501) - 1
    at_most = round(loose.less.p * 501) - 1
    assert beyond + at_most == 500
    assert strict.greater.p < loose.greater.p


@pytest.mark.parametrize(("size", "n"), [(8, 4), (9, 3), (16, 8)])
def test_a_sum_gives_the_counts_of_the_exact_engine(size, n):
    scores = np.random.default_rng(size).normal(size=size).round(1)  # with ties
    found = generic_permutation_test(lambda first: first @ scores, size, n, permutations=1)
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
    found = generic_permutation_test(ratio, 6, 3, permutations=10)
    assert found.greater.count == sum(v >= observed - 1e-12 for v in every)
    assert found.less.count == sum(v <= observed + 1e-12 for v in every)
    far = abs(observed - np.mean(every))
    assert found.two_sided.count == sum(abs(v - np.mean(every)) >= far - 1e-12 for v in every)


def test_a_large_design_is_sampled_and_says_so():
    scores = np.random.default_rng(1).normal(size=24)
    scores[:12] += 0.6
    found = generic_permutation_test(
        lambda first: first @ scores, 24, 12, permutations=20_000, rng=np.random.default_rng(2)
    )
    exact = permutation_test(scores, 12)
    for tail in TAILS:
        one = getattr(found, tail)
        assert (one.method, one.permutations, one.count) == ("sampled", 20_000, None)
        assert one.interval[0] <= getattr(exact, tail).p <= one.interval[1]
    again = generic_permutation_test(
        lambda first: first @ scores, 24, 12, permutations=20_000, rng=np.random.default_rng(2)
    )
    assert again == found


@pytest.mark.parametrize("kind", [0, 1, 2, 6])
def test_a_normal_with_the_moments_of_all_subsets(kind):
    r = np.random.default_rng(kind)
    for _ in range(30):
        scores, n = random_design(r, kind, largest=9)
        if np.ptp(scores) == 0:
            continue
        sums = np.array([sum(c) for c in itertools.combinations(scores, n)])
        z = (scores[:n].sum() - sums.mean()) / sums.std()
        result = permutation_test(scores, n, method="normal")
        assert result.greater.p == pytest.approx(stats.norm.sf(z), rel=1e-9)
        assert result.less.p == pytest.approx(stats.norm.cdf(z), rel=1e-9)
        assert result.two_sided.p == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
        assert {result.greater.method, result.two_sided.method} == {"normal"}


def test_p_is_never_zero_and_no_spread_is_counted():
    r = np.random.default_rng(2)
    scores = np.concatenate([r.random(3000) + 5, r.random(3000)])
    assert permutation_test(scores, 3000, method="normal").greater.p == SMALLEST
    flat = permutation_test([0.1] * 5, 2, method="normal")
    assert (flat.greater.p, flat.greater.method) == (1.0, "exact")
