"""Cosines of all pairs from sums, against every pair computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.kernels import unit_rows
from eatlas.stats.space import Moments, pair_cosines

FIT = 1e-13
"""Largest difference seen from the means over all pairs, in 5,000 draws: 4.4e-16."""


def of(rows):
    moments = Moments(rows.shape[1])
    moments.add(rows)
    return pair_cosines(moments)


def rows_of(seed, n=12, d=5):
    rng = np.random.default_rng(seed)
    return unit_rows(rng.standard_normal((n, d)) + rng.standard_normal(d))


@given(st.integers(0, 2**32 - 1), st.integers(2, 15))
def test_every_pair(seed, n):
    rows = rows_of(seed, n)
    first, second = np.triu_indices(n, 1)
    products = rows[first] * rows[second]
    found = of(rows)
    assert found.n == n
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
