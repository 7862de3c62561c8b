"""Kernels give the same bits whatever the order of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eatlas.kernels import (
    associations,
    mean_and_sd,
    mean_row,
    quantiles,
    similarities,
    unit_rows,
)


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


@given(
    arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e6, 1e6)),
    st.lists(st.floats(0, 1), min_size=1, max_size=7),
)
def test_quantiles_are_those_of_numpy_to_the_last_bit(values, shares):
    np.testing.assert_array_equal(quantiles(values, shares), np.quantile(values, shares))


def test_no_values_have_no_quantiles():
    assert np.isnan(quantiles(np.empty(0), [0.1, 0.9])).all()
