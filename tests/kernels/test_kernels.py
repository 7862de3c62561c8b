"""Kernels: by hand, the same bits in any order of rows, draws of contexts by the plain formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from eatlas.kernels import (
    associations,
    mean_and_sd,
    mean_row,
    pair_direction,
    similarities,
    unit_rows,
)
from eatlas_corpora.kernels import context_draws
from eatlas_corpora.kernels.context_draws import compact_rows, draw_associations
from eatlas_models.kernels.pair_draws import draw_pairs


def test_unit_rows_by_hand():
    np.testing.assert_allclose(
        unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]])), [[0.6, 0.8], [0, -1]]
    )


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_unit_rows_of_extreme_length(scale):
    np.testing.assert_allclose(unit_rows(np.array([[3.0, 4.0]]) * scale), [[0.6, 0.8]], rtol=1e-15)


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(1, 40))
def test_the_order_of_rows_changes_no_bit(seed, n, dim):
    rng = np.random.default_rng(seed)
    rows = unit_rows(rng.standard_normal((n, dim)))
    order = rng.permutation(n)
    assert np.array_equal(mean_row(rows), mean_row(rows[order]))
    direction = rng.standard_normal(dim)
    scores = associations(rows, direction)
    assert np.array_equal(scores[order], associations(rows[order], direction))
    assert np.array_equal(scores[:1], associations(rows[:1], direction))
    block = similarities(rows, rows[: n // 2 + 1])
    assert np.array_equal(block[order], similarities(rows[order], rows[: n // 2 + 1]))
    assert mean_and_sd(block, 1) == mean_and_sd(block[order], 1)


def test_a_mean_of_cosines_is_a_dot_product_with_the_mean():
    rng = np.random.default_rng(3)
    targets, attributes = (unit_rows(rng.standard_normal((n, 7))) for n in (4, 5))
    np.testing.assert_allclose(
        associations(targets, mean_row(attributes)),
        (targets @ attributes.T).mean(axis=1),
        atol=1e-15,  # worst difference observed: 1e-16
    )


def test_the_deviation_of_one_value_is_undefined():
    mean, sd = mean_and_sd(np.array([2.0]), 1)
    assert mean == 2.0
    assert np.isnan(sd)


def bolukbasi(pairs):
    """First principal component of C = sum over pairs of sum over members of (w-mu)(w-mu)^T / 2."""
    scatter = 0.0
    for pair in pairs:
        centred = pair - pair.mean(axis=0)
        scatter = scatter + centred.T @ centred / 2
    return np.linalg.eigh(scatter)[1][:, -1]


@pytest.mark.parametrize("seed", range(5))
def test_pair_direction_is_that_of_the_published_covariance(seed):
    rng = np.random.default_rng(seed)
    first, second = (unit_rows(rng.normal(size=(4, 7))) for _ in range(2))
    found = pair_direction(first, second)
    along = float(found @ bolukbasi(np.stack([first, second], axis=1)))
    assert abs(along) == pytest.approx(1, abs=1e-10)
    assert float(found @ found) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(3))
def test_a_centred_pair_direction_is_that_of_the_pca_of_differences(seed):
    rng = np.random.default_rng(seed)
    first, second = (rng.normal(size=(5, 7)) + part for part in (0, 3))
    found = pair_direction(first, second, centred=True)
    (axis,) = PCA(n_components=1).fit(first - second).components_
    assert abs(float(found @ axis)) == pytest.approx(1, abs=1e-10)
    assert abs(float(found @ pair_direction(first, second))) < 0.9


def test_pairs_of_one_difference_have_no_centred_direction():
    rng = np.random.default_rng(0)
    second = rng.normal(size=(7, 4))
    first = second + rng.normal(size=4)
    assert not pair_direction(first, second, centred=True).any()


def test_a_direction_is_the_same_in_any_order_of_pairs():
    rng = np.random.default_rng(5)
    first, second = (unit_rows(rng.normal(size=(4, 8))) for _ in range(2))
    assert np.array_equal(pair_direction(first, second), pair_direction(first[::-1], second[::-1]))


def test_pairs_that_coincide_have_no_direction():
    rows = unit_rows(np.eye(3)[:2])
    assert not pair_direction(rows, rows).any()


AGREEMENT = 1e-12
"""Worst difference of an association from the plain formula: 4e-16 at 768 dimensions."""


def design(sizes, contexts, dim, count, *, dtype=np.float32, seed=0):
    """Vectors that share a direction, as those of encoders do, and draws among them."""
    rng = np.random.default_rng(seed)
    stimuli = sum(sizes)
    rows = (rng.normal(size=(stimuli * contexts, dim)) + 1).astype(dtype)
    chosen = rng.integers(contexts, size=(count, stimuli)) + np.arange(stimuli) * contexts
    return rows, chosen


def plain(vectors, sizes):
    """Cosines of one draw one by one, and their means."""
    x, y, a, b = np.split(vectors.astype(np.float64), np.cumsum(sizes)[:-1])

    def cos(one, other):
        return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))

    def mean(w, group):
        return sum(cos(w, v) for v in group) / len(group)

    targets = [mean(w, a) - mean(w, b) for w in (*x, *y)]
    attributes = [[mean(w, group) for w in (*a, *b)] for group in (x, y)]
    cells = [np.mean([mean(w, group) for w in t]) for t in (x, y) for group in (a, b)]
    return targets, attributes, cells


@pytest.mark.parametrize(
    ("compiled", "dtype"), [(False, np.float32), (False, np.float64), (True, np.float32)]
)
@pytest.mark.parametrize(
    "sizes", [pytest.param((3, 3, 4, 4), marks=pytest.mark.slow), (2, 5, 3, 1)]
)
def test_every_draw_is_the_plain_formula(monkeypatch, compiled, dtype, sizes):
    monkeypatch.setattr(context_draws, "NUMPY_NUMBERS", 0 if compiled else 10**9)
    monkeypatch.setattr(context_draws, "BLOCK", 7)
    monkeypatch.setattr(context_draws, "TOGETHER", 7 * sum(sizes) * 33)
    vectors, chosen = design(sizes, 5, 33, 40, dtype=dtype)
    found = draw_associations(compact_rows(vectors), chosen, sizes)
    for i, places in enumerate(chosen):
        targets, attributes, cells = plain(vectors[places], sizes)
        assert np.abs(found.targets[i] - targets).max() < AGREEMENT
        assert np.abs(found.attributes[i] - attributes).max() < AGREEMENT
        assert np.abs(found.cells[i] - cells).max() < AGREEMENT


def test_single_precision_is_kept_and_double_where_it_says_more():
    vectors, _ = design((2, 2, 2, 2), 300, 8, 1)
    assert compact_rows(vectors.astype(np.float64)).values.dtype == np.float32
    more = vectors.astype(np.float64)
    more[-1, -1] += 1e-9
    assert compact_rows(more).values.dtype == np.float64


@pytest.mark.parametrize("magnitude", [1e-300, 1e-40, 1.0, 1e30, 1e300])
def test_units_have_length_one_whatever_the_magnitude(magnitude):
    vectors = np.random.default_rng(1).normal(size=(5, 7)) * magnitude
    rows = compact_rows(vectors)
    assert np.abs(rows.units(slice(None)) - unit_rows(vectors)).max() < 1e-15


def test_equal_rows_have_equal_scores_to_the_bit(monkeypatch):
    vectors, _ = design((2, 2, 2, 2), 1, 300, 1)
    vectors[3] = vectors[0]
    for limit in (10**9, 0):
        monkeypatch.setattr(context_draws, "NUMPY_NUMBERS", limit)
        found = draw_associations(compact_rows(vectors), np.arange(8)[None], (2, 2, 2, 2))
        assert found.targets[0, 3] == found.targets[0, 0]


@pytest.mark.parametrize("sizes", [(2, 3, 4, 2), (1, 1, 2, 2), (3, 3, 1, 5)])
def test_all_that_is_found_is_what_the_whole_matrices_say(sizes):
    n_x, n_y, n_a, n_b = sizes
    m = np.random.default_rng(1).normal(size=(7, n_x + n_y, n_a + n_b))  # draws first
    found = draw_pairs(iter(m.transpose(1, 2, 0).copy()), 7, sizes, 3)
    assert found.targets == pytest.approx(m[:, :, :n_a].mean(axis=2) - m[:, :, n_a:].mean(axis=2))
    assert found.attributes[:, 0] == pytest.approx(m[:, :n_x].mean(axis=1))
    assert found.attributes[:, 1] == pytest.approx(m[:, n_x:].mean(axis=1))
    blocks = [m[:, t, a] for t in (slice(n_x), slice(n_x, None))
              for a in (slice(n_a), slice(n_a, None))]  # fmt: skip
    assert found.cells == pytest.approx(
        np.stack([one.reshape(7, -1).mean(axis=1) for one in blocks], 1)
    )
    assert found.means == pytest.approx(m.mean(axis=0))
    assert np.array_equal(found.first, m[:3])


def test_no_more_draws_are_kept_than_there_are():
    m = np.ones((4, 4, 2))
    assert draw_pairs(iter(m), 2, (2, 2, 2, 2), 9).first.shape == (2, 4, 4)
