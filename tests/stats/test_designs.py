"""Power against simulated exact tests and scipy; decisions on many rows against the exact test."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.designs import (
    Judge,
    attainable_level,
    chance_of_rejection,
    d_of_shift,
    shift_of_d,
    smallest_effect,
    terms_needed,
)
from eatlas.stats.inputs import clopper_pearson, t_outside, t_quantile
from eatlas.stats.permutation import permutation_test, permutation_tests
from eatlas.stats.subsets import (
    count_all_reaching,
    count_reaching,
    draws_each,
    random_labels,
    samples,
)

TAILS = ("greater", "less", "two_sided")


def p_of(rows, n, tail, scale=None):
    """Exact p-values of rows."""
    return permutation_tests(rows, n, scale=scale)[TAILS.index(tail)] / math.comb(rows.shape[1], n)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (3, 4), (4, 4), (3, 5), (5, 5), (6, 6), (4, 9)])
@pytest.mark.parametrize("tail", ["greater", "less", "two_sided"])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 1 / 35])
def test_the_level_is_that_of_counted_ranks(n, m, tail, alpha):
    # of distinct scores the one-sided p takes every value k / C; the two-sided one every second of
    # groups of one size
    total = math.comb(n + m, n)
    step = 2 if tail == "two_sided" and n == m else 1
    below = [k / total for k in range(step, total + 1, step) if k / total < alpha]
    assert attainable_level(n, m, alpha=alpha, tail=tail) == max(below, default=0.0)


def test_the_level_of_a_large_design_is_alpha():
    assert attainable_level(500, 800, alpha=0.03) == 0.03
    assert attainable_level(16, 16) == pytest.approx(0.05, abs=1e-8)


@pytest.mark.parametrize(
    ("n", "m", "tail", "alpha"),
    [
        (4, 4, "two_sided", 0.05),  # two relabellings below alpha: simulated
        (5, 5, "greater", 0.05),
        pytest.param(6, 6, "two_sided", 0.05, marks=pytest.mark.slow),
        (4, 8, "less", 0.05),
        (8, 8, "two_sided", 0.01),
        (9, 9, "greater", 0.05),
    ],
)
def test_power_is_near_that_of_exact_tests(n, m, tail, alpha):
    for shift in (0.7, 1.6, 2.4):
        signed = -shift if tail == "less" else shift
        rng = np.random.default_rng(5)
        rows = rng.standard_normal((2500, n + m))
        rows[:, :n] += signed
        exact = (p_of(rows, n, tail) < alpha).mean()
        own = chance_of_rejection(n, m, signed, alpha=alpha, tail=tail)
        assert own == pytest.approx(exact, abs=0.02 + 3 * 0.01)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (6, 6), (4, 12)])
def test_smallest_effects_have_the_wanted_power_in_simulated_tests(n, m):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((4000, n + m))
    rows[:, :n] += shift_of_d(smallest_effect(n, m), n, m)
    found = p_of(rows, n, "two_sided") < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.04)
    assert smallest_effect(n, m, tail="less") == -smallest_effect(n, m, tail="greater")


@pytest.mark.parametrize(("n", "m"), [(8, 8), (3, 12)])
def test_effect_sizes_of_the_union(n, m):
    # d of a great many scores in these proportions
    source, k = np.random.default_rng(0), 200_000
    shift = 1.7
    scores = source.normal(size=k)
    first = np.arange(k) < k * n // (n + m)
    scores[first] += shift
    d = (scores[first].mean() - scores[~first].mean()) / scores.std()
    assert d_of_shift(shift, n, m) == pytest.approx(d, rel=0.01)
    for value in (-1.9, -0.3, 0.0, 1e-9, 1.2):
        assert d_of_shift(shift_of_d(value, n, m), n, m) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("d", "tail"), [(0.5, "two_sided"), (0.8, "greater"), (1.9, "two_sided")])
def test_one_term_fewer_is_too_few(d, tail):
    n = terms_needed(d, tail=tail)
    chances = [chance_of_rejection(k, k, shift_of_d(d, k, k), tail=tail) for k in (n - 1, n)]
    assert chances[0] < 0.8 <= chances[1]


@pytest.mark.parametrize(("tail", "chance"), [("greater", 1.0), ("less", 0.0)])
def test_a_huge_difference_is_found_for_certain(tail, chance):
    shift = 12.362763339951282  # d = 1.974 of at most 1.975: scipy's far tail is NaN there
    assert chance_of_rejection(20, 20, shift, tail=tail) == chance


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
    found = count_all_reaching(samples(rows, n, two_sided=two_sided), MANY)
    assert found.tolist() == exact(rows, n, two_sided)


@pytest.mark.parametrize(("size", "n"), [(2, 1), (20, 8), (50, 25), (30, 1)])
def test_drawn_relabellings_are_subsets_and_equally_likely(size, n):
    stream = random_labels(size, n, rng())
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
        labels = list(itertools.islice(random_labels(16, 8, rng(1)), 40))
        draws = draws_each(asked) * sum(map(len, labels))
        share = sum(count_reaching(asked, block) for block in labels) / draws
        p = np.minimum(count_all_reaching(asked, MANY) / 12_870, 1)
        error = np.sqrt(p * (1 - p) / draws) + 1 / draws
        assert (np.abs(share - p) < 5 * error).all()


def judge(size, n, samples, *, alpha=0.05, two_sided=False):
    rng = np.random.default_rng(0)
    return Judge(size, n, alpha, two_sided=two_sided, samples=samples, rng=rng)


def effects(scores, n):
    gap = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
    return gap / scores.std(axis=1, ddof=1)


def test_more_samples_deserve_more_relabellings():
    errors = {}
    for count in (10, 2_000, 10_000):
        asked = judge(60, 30, count)
        errors[count] = asked.draws, asked.error
    assert [draws for draws, _ in errors.values()] == [8_000, 16_000, 64_000]
    assert errors[10][1] == pytest.approx(math.sqrt(0.05 * 0.95 / 8_000))
    # so many terms that their labels would not fit
    assert judge(2**22, 30, 10).draws == 1_000
    assert judge(2**14, 30, 10).draws == 2**12


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize(("n", "m"), [(5, 5), (4, 7), (12, 12)])
def test_associations_are_those_of_exact_tests(n, m, two_sided):
    scores = np.random.default_rng(1).normal(size=(150, n + m)) * 0.1
    scores[:, :n] += 0.06
    d = effects(scores, n)
    asked = judge(n + m, n, 150, alpha=0.1, two_sided=two_sided)
    found = asked.associations(scores, d, 0.2)
    unsure = 0
    greater, less, either = (p_of(scores, n, tail, scale=1.0) for tail in TAILS)
    exact = either if two_sided else np.where(d > 0, greater, less)
    for one, p, size in zip(found, exact, d, strict=True):
        unsure += abs(p - 0.1) < 4 * asked.error
        expected = np.sign(size) if abs(size) > 0.2 and p < 0.1 else 0
        assert one == expected or abs(p - 0.1) < 4 * asked.error
    assert unsure < 15
    assert {-1, 0, 1} >= set(found.tolist()) > {0}


def test_an_effect_that_is_not_defined_is_no_association():
    scores = np.zeros((2, 8))
    assert judge(8, 4, 2).associations(scores, np.full(2, math.nan), 0.2).tolist() == [0, 0]


def test_students_t():
    assert t_outside(1.0, 1) == pytest.approx(0.5)
    assert t_outside(-2.5, 7) == t_outside(2.5, 7) == pytest.approx(2 * stats.t.sf(2.5, 7))
    assert t_outside(0.0, 5) == 1.0
    assert 0 < t_outside(math.inf, 3) < 1e-300
    assert t_quantile(0.05, 10) == pytest.approx(2.228138851965)


def test_ends_of_an_interval():
    # no success: (1 - high)**n = 0.025; one of one: low = 0.025
    assert clopper_pearson(0, 20) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert clopper_pearson(1, 1) == (pytest.approx(0.025), 1.0)
    theirs = stats.binomtest(7, 100).proportion_ci(0.9, "exact")
    assert clopper_pearson(7, 100, 0.9) == pytest.approx((theirs.low, theirs.high))
    # of rare successes the ends are those of 60 digits, found with mpmath
    assert clopper_pearson(3, 10**6, 0.5)[1] == pytest.approx(5.1094220961410193e-6, rel=1e-9)
