"""Directions of defining pairs: by hand, against the covariance of Bolukbasi et al., in any order."""

import numpy as np
import pytest

from eatlas.kernels import (
    GroupDirections,
    coordinates,
    group_direction,
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


@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (1, 4)])
def test_group_direction_takes_every_pair(sizes):
    rng = np.random.default_rng(sum(sizes))
    first, second = (unit_rows(rng.normal(size=(n, 6))) for n in sizes)
    pairs = np.array([[a, b] for a in first for b in second])
    assert same_line(group_direction(first, second), bolukbasi(pairs))


def test_every_labelling_has_its_own_direction():
    rows = unit_rows(np.random.default_rng(3).normal(size=(6, 9)))
    labels = np.array([[1, 1, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0], [0, 0, 1, 0, 1, 1]], dtype=bool)
    for mask, found in zip(labels, GroupDirections(rows)(labels), strict=True):
        assert same_line(found, group_direction(rows[mask], rows[~mask]))


def test_more_rows_than_dimensions_and_repeated_rows():
    rows = unit_rows(np.random.default_rng(4).normal(size=(5, 2)))
    rows = np.concatenate([rows, rows[:2]])
    mask = np.arange(7) < 3
    pairs = np.array([[a, b] for a in rows[mask] for b in rows[~mask]])
    assert same_line(group_direction(rows[mask], rows[~mask]), bolukbasi(pairs))


def test_the_order_of_rows_changes_no_bit():
    rng = np.random.default_rng(5)
    first, second = (unit_rows(rng.normal(size=(4, 8))) for _ in range(2))
    swapped = group_direction(first[::-1], second[[2, 0, 3, 1]])
    assert np.array_equal(group_direction(first, second), swapped)
    assert np.array_equal(pair_direction(first, second), pair_direction(first[::-1], second[::-1]))


def test_pairs_that_coincide_have_no_direction():
    rows = unit_rows(np.eye(3)[:2])
    assert not pair_direction(rows, rows).any()


def test_products_of_coordinates_do_not_depend_on_the_sign_of_the_direction():
    rows = unit_rows(np.random.default_rng(6).normal(size=(4, 5)))
    g = group_direction(rows[:2], rows[2:])
    one, other = (
        similarities(coordinates(rows[:2], s * g), coordinates(rows[2:], s * g)) for s in (1, -1)
    )
    np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(one, np.outer(rows[:2] @ g, rows[2:] @ g), atol=1e-15)
