"""Kernels: by hand, the same bits in any order of rows, draws of contexts by the plain formula."""

from __future__ import annotations

import math

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
from eatlas.kernels.cosines import product, sum_exactly


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


@pytest.mark.parametrize("size", [2_000, 2_001, 50_000])
@pytest.mark.parametrize("smallest", [1, 1e-12, 1e-290])
def test_sums_of_many_numbers_are_rounded_once(size, smallest):
    rng = np.random.default_rng(size)
    values = rng.normal(size=size) * smallest ** rng.random(size)
    for numbers in (values, values**2, values - values.mean(), values * smallest):
        assert sum_exactly(numbers) == math.fsum(numbers)
        assert sum_exactly(rng.permutation(numbers)) == math.fsum(numbers)


@pytest.mark.parametrize(("m", "k", "n"), [(3, 5, 7), (1_600, 900, 70), (40, 9_000, 130)])
def test_tiles_make_a_product(m, k, n):
    rng = np.random.default_rng(m)
    left, right = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    np.testing.assert_allclose(product(left, right), left @ right, rtol=0, atol=1e-12 * k)
