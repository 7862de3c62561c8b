"""Correlations and changes of two lists: by hand, against scipy, by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from eatlas.results.trend import LevelTrend
from eatlas.stats.correlation import (
    compare_before_after,
    rank_correlation,
    ranks,
    spearman,
)
from eatlas.stats.trend import trend as fields_of

PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30)


@given(PAIRS)
def test_scipys_and_undefined_where_one_does_not_vary(pairs):
    x, y = np.array(pairs, float).T
    assert ranks(x).tolist() == stats.rankdata(x).tolist()
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(spearman(x, y))
    else:
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_by_hand():
    """1 - 6 sum d^2 / (n (n^2 - 1)) with differences 0, 1, 1, 0."""
    assert spearman(np.array([1, 2, 3, 4]), np.array([1, 30, 20, 40])) == pytest.approx(0.8)
    assert spearman(np.array([1, 2, 3]), np.array([9, 4, 1])) == pytest.approx(-1)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_four_changes_by_hand():
    # sums of +-1 +-2 +-1 +-2: two of sixteen reach 6, all signs alike
    found = compare_before_after([1, 2, 3, 4], [2, 4, 4, 6], rng=rng())
    assert (found.n, found.before, found.after, found.change) == (4, 2.5, 4.0, 1.5)
    assert (found.count, found.total, found.p, found.method) == (2, 16, 0.125, "exact")
    assert (found.fell, found.rose) == (0, 4)


def test_signs_are_those_of_scipy():
    before, after = rng(3).normal(size=(2, 9))
    found = compare_before_after(before, after, rng=rng())
    theirs = stats.permutation_test(
        (after, before), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    )
    assert found.p == pytest.approx(theirs.pvalue)


def test_ties_and_zeros_by_brute_force():
    change = np.array([0.1, 0.2, -0.3, 0.0, 0.2])
    found = compare_before_after(np.zeros(5), change, rng=rng())
    sums = [
        abs(sum(s * c for s, c in zip(signs, change, strict=True)))
        for signs in itertools.product([1, -1], repeat=5)
    ]
    assert found.count == sum(one >= 0.2 - 1e-12 for one in sums)
    assert (found.fell, found.rose) == (1, 3)


def test_drawn_signs_and_the_interval():
    before, after = rng(1).normal(size=(2, 40))
    found = compare_before_after(before, after + 0.3, rng=rng(2), resamples=300)
    again = rng(2)
    for start in range(0, 9_999, 4_096):  # the signs are drawn first
        again.integers(0, 2, size=(min(4_096, 9_999 - start), 40))
    change = after + 0.3 - before
    means = [change[row].mean() for row in again.integers(40, size=(300, 40))]
    assert found.interval == pytest.approx(np.quantile(means, [0.025, 0.975]))
    assert found.p == (found.count + 1) / 10_000
    # the Monte Carlo error at p = .3 is .005
    assert found.p == pytest.approx(stats.ttest_rel(after + 0.3, before).pvalue, abs=0.03)


def test_within_groups_by_brute_force():
    """Deviations from the means of groups of 3 and 4; pairs change places within groups alone."""
    groups = np.array([1, 0, 1, 0, 0, 1, 0])
    x, y = rng(5).normal(size=(2, 7)) + 10 * groups
    found = rank_correlation(x, y, groups=groups, rng=rng(), resamples=0)
    means = np.array([[part[groups == g].mean() for g in (0, 1)] for part in (x, y)])
    a, b = (part - mean[groups] for part, mean in zip((x, y), means, strict=True))
    rho = stats.spearmanr(a, b).statistic
    assert found.rho == pytest.approx(rho)
    far = 0
    for first in itertools.permutations(np.flatnonzero(groups == 0)):
        for second in itertools.permutations(np.flatnonzero(groups == 1)):
            order = np.arange(7)
            order[groups == 0], order[groups == 1] = first, second
            far += abs(stats.spearmanr(a, b[order]).statistic) >= abs(rho) - 1e-9
    assert (found.count, found.total, found.method) == (far, 144, "exact")


def test_what_groups_have_in_common_is_no_part_of_the_correlation_within():
    groups = np.repeat([0, 1], 25)
    x, y = rng(2).normal(size=(2, 50)) + 4 * groups
    over, within = (rank_correlation(x, y, groups=g, rng=rng()) for g in (None, groups))
    assert over.interval[0] > 0.5
    assert within.interval[0] < 0 < within.interval[1]
    same = rank_correlation(x, x, groups=groups, rng=rng())
    assert (same.rho, same.interval[1]) == (1, 1)


def test_within_groups_of_nothing_but_their_means():
    groups = [0, 0, 0, 1, 1, 1]
    alike = rank_correlation([0.1, 0.1, 0.1, 0.7, 0.7, 0.7], range(6), groups=groups, rng=rng())
    few = rank_correlation(range(4), range(4), groups=groups[1:5], rng=rng())
    assert math.isnan(alike.rho)
    assert math.isnan(few.rho)


@given(st.lists(st.integers(-9, 9), max_size=8))
def test_properties(changes):
    zeros = np.zeros(len(changes))
    found = compare_before_after(zeros, changes, rng=rng(), resamples=0)
    back = compare_before_after(changes, zeros, rng=rng(), resamples=0)
    assert found.interval is None
    if len(changes) < 2:
        assert math.isnan(found.p)
        assert found.method == "undefined"
    else:
        assert 0 < found.p <= 1
        assert (back.count, back.rose, back.fell) == (found.count, found.fell, found.rose)


def test_of_nothing():
    found = compare_before_after([], [], rng=rng())
    assert math.isnan(found.change)
    assert found.interval is None


def test_four_pairs_by_hand():
    # of 24 orders 1 has rho 1, 3 have .8, and so many the negatives: 8 with |rho| >= .8
    found = rank_correlation([1, 2, 3, 4], [10, 30, 20, 40], rng=rng())
    assert (found.n, found.rho, found.method) == (4, pytest.approx(0.8), "exact")
    assert (found.count, found.total, found.p) == (8, 24, pytest.approx(1 / 3))
    assert found.r2 == pytest.approx(0.8**2)


def test_exact_permutations_are_those_of_scipy():
    x, y = rng(5).normal(size=(2, 6))
    found = rank_correlation(x, y, rng=rng())
    theirs = stats.permutation_test(
        (x,),
        lambda one: stats.spearmanr(one, y).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
    )
    assert found.rho == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.r2 == pytest.approx(stats.pearsonr(x, y).statistic ** 2)


def test_drawn_permutations_are_near_the_t_test_of_scipy():
    """Of 60 pairs; the error of 9,999 draws at p = .04 is .002."""
    draws = rng(8)
    x = draws.normal(size=60)
    y = 0.3 * x + draws.normal(size=60)
    found, theirs = rank_correlation(x, y, rng=rng()), stats.spearmanr(x, y)
    assert (found.method, found.total) == ("sampled", 9_999)
    assert found.p == (found.count + 1) / 10_000
    assert found.p == pytest.approx(theirs.pvalue, abs=0.01)
    assert found == rank_correlation(x, y, rng=rng())


def test_the_interval_is_that_of_a_plain_loop():
    draws = rng(9)
    x = draws.normal(size=12)
    y = x + draws.normal(size=12)
    found = rank_correlation(x, y, rng=rng(1), resamples=200)
    again = rng(1)
    for start in range(0, 9_999, 1_000):  # the permutations are drawn first
        again.permuted(np.tile(np.arange(12), (min(1_000, 9_999 - start), 1)), axis=1)
    rows = again.integers(12, size=(200, 12))
    rhos = [stats.spearmanr(x[row], y[row]).statistic for row in rows]
    assert found.interval == pytest.approx(np.quantile(rhos, [0.025, 0.975]))
    assert rank_correlation(x, y, rng=rng(1), resamples=0).interval is None


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=0, max_size=9))
@settings(max_examples=60)
def test_properties_of_correlations(pairs):
    x, y = np.array(pairs, float).reshape(-1, 2).T
    found = rank_correlation(x, y, rng=rng(), permutations=200, resamples=0)
    other = rank_correlation(y, -x, rng=rng(), permutations=200, resamples=0)
    if len(x) < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(found.rho)
        assert math.isnan(found.p)
        assert found.method == "undefined"
    else:
        assert -1 - 1e-12 <= found.rho <= 1 + 1e-12
        assert other.rho == pytest.approx(-found.rho)
        assert 0 < found.p <= 1
        if found.method == "exact":
            assert other.count == found.count


def trend(*series, **how):
    slope = {"value": 1.0, "per": "year", "interval": None}
    return LevelTrend.model_validate(fields_of(*series, **how) | {"slope": slope})


def test_a_straight_rise_by_hand():
    # of 8 periods in 2 blocks of 4 the two orders are 0123 4567 (rho 1) and 4567 0123 (rho -.52)
    found = trend(range(8), range(8), rng=rng(), block_length=4)
    assert (found.rho, found.n, found.block_length) == (1.0, 8, 4)
    assert (found.p.count, found.p.total, found.p.p) == (1, 2, 0.5)
    assert (found.shifts.count, found.shifts.total, found.shifts.p) == (1, 8, 0.125)
    assert found.p.min_p == 0.5
    assert found.autocorrelation is None


@pytest.mark.parametrize(("length", "n"), [(1, 6), (2, 7), (3, 7)])
def test_blocks_against_brute_force(length, n):
    values = np.random.default_rng(3).normal(size=n)
    found = trend(range(n), values, rng=rng(), block_length=length)
    # 3 runs of 2 and one period left, or 2 runs of 3 and one: that one stays in the middle
    many = n // length
    before, left = (many + 1) // 2 * length, n % length
    rest, middle = [*values[:before], *values[before + left :]], [*values[before : before + left]]
    runs = [rest[i : i + length] for i in range(0, len(rest), length)]
    orders = []
    for order in itertools.permutations(runs):
        moved = [*itertools.chain(*order)]
        orders.append([*moved[:before], *middle, *moved[before:]])
    rhos = [stats.spearmanr(range(n), order).statistic for order in orders]
    assert found.rho == pytest.approx(rhos[0])
    assert found.p.count == sum(abs(r) >= abs(rhos[0]) - 1e-12 for r in rhos)
    assert found.p.total == len(orders)


def test_blocks_of_one_are_the_permutation_test_of_scipy():
    values = [0.3, 0.1, 0.5, 0.4, 0.9, 0.2]
    found = trend(range(6), values, rng=rng(), block_length=1)
    theirs = stats.permutation_test(
        (values,),
        lambda x: stats.spearmanr(x, range(6)).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
    )
    assert found.p.exact
    assert found.p.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("n", [17, 21])
def test_independent_periods_are_rejected_as_often_as_stated(n):
    """At 17 and 21 runs of 4 with a last one of 1 rejected .064 and .062; the error here is .005."""
    draws, count = np.random.default_rng(n), 1000
    rejected = sum(
        trend(range(n), draws.normal(size=n), rng=draws).p.p <= 0.05 for _ in range(count)
    )
    assert rejected / count <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / count)
    assert rejected / count >= 0.03  # of 120 arrangements, ties leave p just above .05


@given(st.lists(st.integers(-5, 5), min_size=4, max_size=14).filter(lambda v: len(set(v)) > 1))
def test_properties_of_trends(values):
    length = min(4, len(values) // 2)
    found = trend(range(len(values)), values, rng=rng(), block_length=length)
    fallen = trend(range(len(values)), [-v for v in values], rng=rng(), block_length=length)
    assert -1 <= found.rho <= 1
    assert fallen.rho == pytest.approx(-found.rho)
    assert (fallen.p.count, fallen.shifts.count) == (found.p.count, found.shifts.count)
    for test in (found.p, found.shifts):
        assert test.min_p <= test.p <= 1
        assert test.count >= 1  # the series as it is
