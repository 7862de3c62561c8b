"""Directions of defining pairs: by hand, against the covariance of Bolukbasi et al., in any order."""

import numpy as np
import pytest

from eatlas.kernels import (
    coordinates,
    pair_direction,
    similarities,
    unit_rows,
)


def bolukbasi(pairs):
    """First principal component of C = sum over pairs of sum over members of (w-mu)(w-mu)^T / 2."""
    scatter = 0.0
    for pair in pairs:
        centred = pair - pair.mean(axis=0)
        scatter = scatter + centred.T @ centred / 2
    return np.linalg.eigh(scatter)[1][:, -1]


def same_line(one, other):
    return abs(float(one @ other)) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_pair_direction_is_that_of_the_published_covariance(seed):
    rng = np.random.default_rng(seed)
    first, second = (unit_rows(rng.normal(size=(4, 7))) for _ in range(2))
    found = pair_direction(first, second)
    assert same_line(found, bolukbasi(np.stack([first, second], axis=1)))
    assert float(found @ found) == pytest.approx(1)


def test_the_order_of_rows_changes_no_bit():
    rng = np.random.default_rng(5)
    first, second = (unit_rows(rng.normal(size=(4, 8))) for _ in range(2))
    assert np.array_equal(pair_direction(first, second), pair_direction(first[::-1], second[::-1]))


def test_pairs_that_coincide_have_no_direction():
    rows = unit_rows(np.eye(3)[:2])
    assert not pair_direction(rows, rows).any()


def test_products_of_coordinates_do_not_depend_on_the_sign_of_the_direction():
    rows = unit_rows(np.random.default_rng(6).normal(size=(4, 5)))
    g = pair_direction(rows[:2], rows[2:])
    one, other = (
        similarities(coordinates(rows[:2], s * g), coordinates(rows[2:], s * g)) for s in (1, -1)
    )
    np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(one, np.outer(rows[:2] @ g, rows[2:] @ g), atol=1e-15)
