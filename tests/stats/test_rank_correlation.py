"""Spearman's rank correlation against scipy's, ties and all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eatlas.stats.paired import ranks, spearman

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
