"""Mean and standard deviation of all products of two groups, against the table of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.kernels import moments, products_mean_and_sd

SAME = 1e-12
"""Largest relative difference observed: 2e-14."""


@given(st.integers(1, 40), st.integers(2, 40), st.integers(1, 9), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_against_the_table(n, m, d, seed):
    rng = np.random.default_rng(seed)
    t, a = rng.normal(1, 1, (n, d)), rng.normal(-1, 2, (m, d))
    table = t @ a.T
    mean, sd = products_mean_and_sd(moments(t), moments(a), 1)
    assert mean == pytest.approx(table.mean(), rel=SAME, abs=1e-12)
    assert sd == pytest.approx(table.std(ddof=1), rel=1e-10)


def test_a_small_spread_about_a_large_mean_is_not_lost():
    rng = np.random.default_rng(0)
    t, a = (np.array([1.0, 0, 0]) + 1e-7 * rng.normal(size=(50, 3)) for _ in range(2))
    _, sd = products_mean_and_sd(moments(t), moments(a), 1)
    assert sd == pytest.approx((t @ a.T).std(ddof=1), rel=1e-6)


def test_more_rows_than_are_centred_at_once():
    rows = np.random.default_rng(0).normal(size=(9_000, 3))
    np.testing.assert_allclose(moments(rows).scatter, np.cov(rows.T) * 8_999, rtol=SAME)


def test_two_groups_together():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(7, 4)), rng.normal(2, 1, size=(12, 4))
    both, whole = moments(one) + moments(other), moments(np.concatenate([one, other]))
    assert both.n == whole.n
    np.testing.assert_allclose(both.mean, whole.mean, rtol=SAME)
    np.testing.assert_allclose(both.scatter, whole.scatter, rtol=1e-11)
