"""Trend of a series: by hand, against scipy, and by brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eatlas.stats.paired import trend


def rng():
    return np.random.default_rng(0)


def test_a_straight_rise_by_hand():
    # of 8 periods in 2 blocks of 4 the two orders are 0123 4567 (rho 1) and 4567 0123 (rho -.52)
    found = trend(range(8), range(8), rng=rng(), block_length=4)
    assert (found.rho, found.n, found.block_length) == (1.0, 8, 4)
    assert (found.blocks.count, found.blocks.total, found.blocks.p) == (1, 2, 0.5)
    assert (found.shifts.count, found.shifts.total, found.shifts.p) == (1, 8, 0.125)
    assert found.blocks.least == 0.5
    assert math.isnan(found.autocorrelation)


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
    assert found.blocks.count == sum(abs(r) >= abs(rhos[0]) - 1e-12 for r in rhos)
    assert found.blocks.total == len(orders)


def test_blocks_of_one_are_the_permutation_test_of_scipy():
    values = [0.3, 0.1, 0.5, 0.4, 0.9, 0.2]
    found = trend(range(6), values, rng=rng(), block_length=1)
    theirs = stats.permutation_test(
        (values,),
        lambda x: stats.spearmanr(x, range(6)).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
    )
    assert found.blocks.exact
    assert found.blocks.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("n", [17, 21])
def test_independent_periods_are_rejected_as_often_as_stated(n):
    """At 17 and 21 runs of 4 with a last one of 1 rejected .064 and .062; the error here is .005."""
    draws, count = np.random.default_rng(n), 1000
    rejected = sum(
        trend(range(n), draws.normal(size=n), rng=draws).blocks.p <= 0.05 for _ in range(count)
    )
    assert rejected / count <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / count)
    assert rejected / count >= 0.03  # of 120 arrangements, ties leave p just above .05


@given(st.lists(st.integers(-5, 5), min_size=4, max_size=14).filter(lambda v: len(set(v)) > 1))
def test_properties(values):
    length = min(4, len(values) // 2)
    found = trend(range(len(values)), values, rng=rng(), block_length=length)
    fallen = trend(range(len(values)), [-v for v in values], rng=rng(), block_length=length)
    assert -1 <= found.rho <= 1
    assert fallen.rho == pytest.approx(-found.rho)
    assert (fallen.blocks.count, fallen.shifts.count) == (found.blocks.count, found.shifts.count)
    for test in (found.blocks, found.shifts):
        assert test.least <= test.p <= 1
        assert test.count >= 1  # the series as it is
