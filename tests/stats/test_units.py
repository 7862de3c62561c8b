"""Near-synonyms as one unit: by hand, against scipy's own clusters, and what does not depend on order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from eatlas.stats.units import average_over_units, find_units


def test_copies_and_near_copies_are_one_unit_and_others_are_not():
    r = np.random.default_rng(0)
    words = r.normal(size=(6, 50))
    rows = np.vstack([words, words[2], words[4] + 0.1 * r.normal(size=50)])
    assert find_units(rows).tolist() == [0, 1, 2, 3, 4, 5, 2, 4]
    assert find_units(words).tolist() == list(range(6))


def test_clusters_are_cut_where_the_mean_cosine_of_residuals_falls_below_the_threshold():
    rows = np.random.default_rng(1).normal(size=(12, 5))
    residuals = rows - rows.mean(axis=0)
    unit = residuals / np.linalg.norm(residuals, axis=1, keepdims=True)
    labels = find_units(rows, threshold=0.3)
    groups = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    assert 1 < len(groups) < 12
    for i, first in enumerate(groups):
        for second in groups[i + 1 :]:
            assert (unit[first] @ unit[second].T).mean() < 0.3


@pytest.mark.parametrize("n", [3, 20, 200])
@pytest.mark.parametrize("threshold", [0.1, 0.4, 0.8])
def test_units_are_the_clusters_of_scipy(n, threshold):
    r = np.random.default_rng(n)
    rows = r.normal(size=(n, 8)) + 2 * r.normal(size=(n // 3, 8))[r.integers(0, n // 3, n)]
    residuals = rows - rows.mean(axis=0)
    unit = residuals / np.linalg.norm(residuals, axis=1, keepdims=True)
    distances = (1 - unit @ unit.T)[np.triu_indices(n, 1)]
    theirs = fcluster(linkage(distances, "average"), 1 - threshold, "distance")
    ours = find_units(rows, threshold)
    assert ((ours[:, None] == ours) == (theirs[:, None] == theirs)).all()
    assert list(dict.fromkeys(ours.tolist())) == list(range(ours.max() + 1))


def test_lists_of_one_and_two_words():
    assert find_units(np.ones((1, 3))).tolist() == [0]
    assert find_units(np.array([[1.0, 0], [0.99, 0.01]])).tolist() == [0, 1], "always opposite"
    assert find_units(np.ones((2, 3))).tolist() == [0, 0]


def test_words_with_the_vector_of_the_mean_are_one_unit():
    rows = np.array([[1.0, 0], [-1, 0], [0, 0], [0, 0]])
    assert find_units(rows).tolist() == [0, 1, 2, 2]
    alike = np.random.default_rng(0).normal(size=20) * np.ones((6, 1)) * (1 + 1e-12)
    assert find_units(alike).tolist() == [0] * 6


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 12), st.integers(0, 2**32 - 1))
def test_the_order_of_the_words_changes_no_unit(n, seed):
    r = np.random.default_rng(seed)
    rows, order = r.normal(size=(n, 4)), r.permutation(n)
    one, other = find_units(rows), find_units(rows[order])
    same = one[:, None] == one
    assert ((other[:, None] == other) == same[np.ix_(order, order)]).all()


def test_means_over_units_by_hand():
    table = np.array([[1.0, 2], [3, 4], [5, 9]])
    assert average_over_units(table, np.array([0, 1, 0])).tolist() == [[3, 5.5], [3, 4]]
    assert average_over_units(table, np.array([0, 0]), axis=1).tolist() == [[1.5], [3.5], [7]]
    assert average_over_units(table, np.arange(3)) is table
