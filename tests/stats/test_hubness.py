"""k-occurrences against a full sort of all cosines; skewness against scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eatlas.errors import EatlasError
from eatlas.kernels import unit_rows
from eatlas.stats.space import BLOCK, k_occurrences, skewness


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


def test_blocks_of_rows_are_seen_whole():
    rows = unit_rows(np.random.default_rng(2).standard_normal((BLOCK + 9, 3)))
    counts = k_occurrences(rows, 5)
    assert counts.tolist() == naive(rows, 5).tolist()
    assert counts.sum() == 5 * len(rows)


def test_a_row_near_all_others_is_a_hub():
    """Three rows at right angles, and one that lies between them."""
    rows = unit_rows(np.vstack([np.eye(3), np.ones(3)]))
    assert k_occurrences(rows, 1)[3] == 3


def test_all_others_are_neighbours_where_k_is_large():
    rows = unit_rows(np.random.default_rng(0).standard_normal((5, 3)))
    assert k_occurrences(rows, 4).tolist() == [4] * 5


@pytest.mark.parametrize("k", [0, 5])
def test_a_k_that_cannot_be(k):
    with pytest.raises(EatlasError, match=rf"k is out of range\n  got: {k}\n  allowed: 1 to 4"):
        k_occurrences(np.eye(5), k)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40))
def test_skewness_is_scipys(values):
    array = np.array(values, float)
    if array.std() == 0:
        assert np.isnan(skewness(array))
    else:
        assert skewness(array) == pytest.approx(stats.skew(array), rel=1e-9, abs=1e-12)
