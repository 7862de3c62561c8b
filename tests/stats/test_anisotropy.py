"""Cosines of all pairs from sums, against every pair computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.kernels import unit_rows
from eatlas.stats.space import cosines_mean_and_sd, pair_cosines, with_rows

FIT = 1e-13
"""Largest difference seen from the means over all pairs, in 5,000 draws: 4.4e-16."""


def of(rows):
    return pair_cosines(with_rows(None, rows))


def rows_of(seed, n=12, d=5):
    rng = np.random.default_rng(seed)
    return unit_rows(rng.standard_normal((n, d)) + rng.standard_normal(d))


@given(st.integers(0, 2**32 - 1), st.integers(2, 15))
def test_every_pair(seed, n):
    rows = rows_of(seed, n)
    first, second = np.triu_indices(n, 1)
    products = rows[first] * rows[second]
    found = of(rows)
    assert found.mean == pytest.approx(products.sum(axis=1).mean(), abs=FIT)
    # a variance is a difference of like numbers, and its root loses half the digits: 3e-8 seen
    assert found.sd == pytest.approx(products.sum(axis=1).std(), abs=1e-7)
    # Timkey and van Schijndel (2021), eq. 3 and 4: the mean of u_i v_i over the pairs
    assert found.contributions == pytest.approx(products.mean(axis=0), abs=FIT)
    assert found.lengths == pytest.approx((rows**2).mean(axis=0), abs=FIT)


@given(st.integers(0, 2**32 - 1))
def test_parts_add_up_and_axes_do_not_matter(seed):
    rows = rows_of(seed)
    found = of(rows)
    assert found.contributions.sum() == pytest.approx(found.mean, abs=FIT)
    assert found.lengths.sum() == pytest.approx(1, abs=FIT)
    axes, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((5, 5)))
    assert of(rows @ axes).mean == pytest.approx(found.mean, abs=FIT)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=5))
def test_moments_of_parts_are_those_of_the_whole(seed, sizes):
    rows = np.random.default_rng(seed).standard_normal((sum(sizes) + 1, 4)) + 1e6
    moments = None
    for part in np.split(rows, np.cumsum(sizes)):
        moments = with_rows(moments, part)
    assert moments.n == len(rows)
    assert moments.mean == pytest.approx(rows.mean(axis=0), rel=1e-14)
    assert moments.scatter / (len(rows) - 1) == pytest.approx(np.cov(rows.T), abs=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(2, 9))
def test_cosines_of_two_sets(seed, n, m):
    """By either table: of 5 dimensions, 25 products or fewer, or more."""
    rows = rows_of(seed, n + m)
    cosines = rows[:n] @ rows[n:].T
    mean, sd = cosines_mean_and_sd(rows[:n], rows[n:], 1)
    assert mean == pytest.approx(cosines.mean(), abs=FIT)
    assert sd == pytest.approx(cosines.std(ddof=1), abs=FIT)
