"""Random subsets: uniform, never p = 0, and the stated interval holds what it promises."""

from __future__ import annotations

import numpy as np
import pytest
from tests.stats.permutation.designs import random_design, separated

from eatlas.stats.inputs import clopper_pearson
from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation import sampled as module

TAILS = ("greater", "less", "two_sided")
CHI2_9 = 27.9
"""The 0.999 quantile of chi square with 9 degrees of freedom."""


def draw(scores, n, seed, draws=500, **options):
    rng = np.random.default_rng(seed)
    return permutation_test(scores, n, method="sampled", rng=rng, draws=draws, **options)


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
    scores, draws = separated(25, 25, 0.5, 25), 400
    tail = draw(scores, 25, 7, draws).greater
    b = round(tail.p * (draws + 1)) - 1
    assert b > 0
    assert tail.p == (b + 1) / (draws + 1)
    assert tail.interval == clopper_pearson(b, draws)
    assert (tail.method, tail.draws, tail.count) == ("sampled", draws, None)


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
