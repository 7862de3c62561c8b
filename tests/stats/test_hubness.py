"""k-occurrences against a full sort of all cosines; skewness against scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eatlas.kernels import unit_rows
from eatlas.stats.space import k_occurrences, skewness


def naive(rows, k):
    counts = np.zeros(len(rows), int)
    for i, row in enumerate(rows):
        order = sorted((j for j in range(len(rows)) if j != i), key=lambda j: -(row @ rows[j]))
        counts[order[:k]] += 1
    return counts


@given(st.integers(0, 2**32 - 1), st.integers(3, 30), st.data())
def test_every_neighbour(seed, n, data):
    k = data.draw(st.integers(1, n - 1))
    rows = unit_rows(np.random.default_rng(seed).standard_normal((n, 4)))
    assert k_occurrences(rows, k).tolist() == naive(rows, k).tolist()


def test_all_others_are_neighbours_where_k_is_large():
    rows = unit_rows(np.random.default_rng(0).standard_normal((5, 3)))
    assert k_occurrences(rows, 4).tolist() == [4] * 5


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_skewness_is_scipys(values):
    array = np.array(values, float)
    if array.std() == 0:
        assert np.isnan(skewness(array))
    else:
        assert skewness(array) == pytest.approx(stats.skew(array), rel=1e-9, abs=1e-12)
