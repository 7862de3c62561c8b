"""Running moments against numpy's over all rows at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.stats.space import Moments


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=5))
def test_parts_give_what_the_whole_gives(seed, sizes):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((sum(sizes) + 1, 4)) + 3
    moments = Moments(4)
    for part in np.split(rows, np.cumsum(sizes)):
        moments.add(part)
    assert moments.n == len(rows)
    assert moments.mean == pytest.approx(rows.mean(axis=0), abs=1e-13)
    assert moments.covariance() == pytest.approx(np.cov(rows.T), abs=1e-12)
    assert moments.total == pytest.approx(rows.sum(axis=0))
    assert moments.products == pytest.approx(rows.T @ rows)


def test_a_pivot_keeps_digits_far_from_the_origin():
    rows = np.random.default_rng(1).standard_normal((500, 3))
    far = rows + 1e8
    moments = Moments(3, pivot=far[0])
    moments.add(far)
    # adding 1e8 itself rounds each component to 1.5e-8
    assert moments.covariance() == pytest.approx(np.cov(rows.T), abs=1e-7)
    assert moments.mean == pytest.approx(far.mean(axis=0), rel=1e-14)


def test_a_variance_is_never_negative():
    moments = Moments(2)
    moments.add(np.full((7, 2), 0.1))
    covariance = moments.covariance()
    assert (np.diag(covariance) >= 0).all()
    assert (covariance == covariance.T).all()
    assert covariance == pytest.approx(np.zeros((2, 2)), abs=1e-17)
