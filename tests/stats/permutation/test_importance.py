"""Tilted subsets: the stated distribution, no bias at any depth, intervals that hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.stats.permutation.designs import random_design, separated

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation import sampled as module
from eatlas.stats.permutation.problem import SMALLEST

TAILS = ("greater", "less", "two_sided")


def draw(scores, n, seed, draws=2000, **options):
    rng = np.random.default_rng(seed)
    return permutation_test(scores, n, method="importance", rng=rng, draws=draws, **options)


@pytest.mark.parametrize(("size", "n"), [(6, 3), (7, 2), (5, 1), (8, 4)])
def test_the_table_draws_each_subset_with_its_stated_chance(size, n):
    r = np.random.default_rng(size)
    chance = r.random(size)
    log_chance, table = module._table(chance, n)
    odds = chance / (1 - chance)
    subsets = list(itertools.combinations(range(size), n))
    weights = np.array([math.prod(odds[list(s)]) for s in subsets])
    assert math.exp(log_chance) == pytest.approx(weights.sum() * np.prod(1 - chance), rel=1e-12)
    for subset, weight in zip(subsets, weights / weights.sum(), strict=True):
        left, path = n, 1.0
        for j in range(size):
            taken = j in subset
            path *= table[j, left] if taken else 1 - table[j, left]
            left -= taken
        assert path == pytest.approx(weight, rel=1e-12)


def test_draws_have_the_stated_size_and_distribution():
    values, chance = np.array([1, 2, 4, 8]), np.array([0.2, 0.5, 0.6, 0.7])
    _, table = module._table(chance, 2)
    sums = np.concatenate(
        list(module._tilted_sums(values, 2, table, 40_000, np.random.default_rng(1)))
    )
    subsets, times = np.unique(sums, return_counts=True)
    odds = chance / (1 - chance)
    weights = np.array([math.prod(odds[[s >> j & 1 == 1 for j in range(4)]]) for s in subsets])
    assert [int(s).bit_count() for s in subsets] == [2] * 6
    expected = 40_000 * weights / weights.sum()
    assert ((times - expected) ** 2 / expected).sum() < 20.5  # 0.999 of chi square with 5


@pytest.mark.parametrize(
    ("n", "m", "d"), [(8, 8, 0.1), (8, 8, 1.5), (12, 20, 0.9), (25, 25, 1.5), (25, 25, 1.0)]
)
def test_the_mean_over_many_seeds_is_the_exact_p(n, m, d):
    scores = separated(n, m, d, n + m)
    exact = permutation_test(scores, n, method="exact")
    runs = [draw(scores, n, seed, 1000) for seed in range(60)]
    for name in TAILS:
        p = getattr(exact, name).p
        found = [getattr(run, name) for run in runs]
        mean = np.mean([tail.p for tail in found])
        stated = math.sqrt(np.mean([tail.std_err**2 for tail in found]))
        assert abs(mean - p) <= 4 * stated / math.sqrt(60)
        spread = np.std([tail.p for tail in found], ddof=1)
        assert 0.6 * stated <= spread <= 1.5 * stated
        # the bound of Maurer and Pontil is wider than a normal interval, so it seldom misses
        assert sum(not tail.interval[0] <= p <= tail.interval[1] for tail in found) <= 4


def test_far_beyond_counting():
    scores = separated(256, 256, 1.0, 256)
    truth = permutation_test(scores, 256).greater
    assert truth.method == "inversion"
    assert truth.p < 1e-33
    tail = draw(scores, 256, 1, 20_000).greater
    assert tail.interval[0] <= truth.p <= tail.interval[1]
    assert tail.std_err < 0.05 * tail.p
    assert tail.interval[1] - tail.interval[0] < 0.2 * tail.p


@pytest.mark.parametrize("kind", range(7))
def test_any_design_gives_valid_tails(kind):
    r = np.random.default_rng(kind)
    missed = 0
    for seed in range(40):
        scores, n = random_design(r, kind)
        exact, found = permutation_test(scores, n), draw(scores, n, seed, 300)
        for name in TAILS:
            p, tail = getattr(exact, name).p, getattr(found, name)
            low, high = tail.interval or (p, p)
            assert found.min_p <= low <= tail.p <= high <= 1 or tail.method == "exact"
            missed += not low * (1 - 1e-9) <= p <= high * (1 + 1e-9)
    assert missed <= 6  # of 120; 5% are allowed, none to 2 are seen


def test_the_edge_of_the_support():
    scores = np.arange(12.0)[::-1] ** 2
    result = draw(scores, 6, 1)
    assert result.greater.p == pytest.approx(1 / 924, rel=1e-9)
    beyond = draw(scores, 6, 1, strict=True)
    assert beyond.greater.p == SMALLEST
    assert beyond.greater.interval == (SMALLEST, SMALLEST)
    assert beyond.less.p == pytest.approx(923 / 924, rel=1e-9)


def test_a_seed_fixes_the_numbers():
    scores = separated(10, 12, 0.4, 3)
    assert draw(scores, 10, 5) == draw(scores[np.r_[9:-1:-1, 10:22]], 10, 5)
    assert draw(scores, 10, 6) != draw(scores, 10, 5)


def test_what_is_certain_is_not_sampled():
    assert draw([0.3] * 6, 3, 1).greater.method == "exact"
    central = draw([1.0, -1.0, 1.0, -1.0], 2, 1)
    assert central.two_sided.count == 6
    assert central.greater.method == "importance"
