"""Geometry of a space: how alike directions are, linear maps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.kernels import unit_rows
from eatlas.stats.space import (
    Affine,
    cosines_mean_and_sd,
    joint_iso_score,
    standardize,
    whiten,
    with_rows,
    without_top,
)

FIT = 1e-13
"""Largest difference seen from the means over all pairs, in 5,000 draws: 4.4e-16."""


def rows_of(seed, n=12, d=5):
    rng = np.random.default_rng(seed)
    return unit_rows(rng.standard_normal((n, d)) + rng.standard_normal(d))


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=5))
def test_moments_of_parts_are_those_of_the_whole(seed, sizes):
    rows = np.random.default_rng(seed).standard_normal((sum(sizes) + 1, 4)) + 1e6
    moments = None
    for part in np.split(rows, np.cumsum(sizes)):
        moments = with_rows(moments, part)
    assert moments.n == len(rows)
    assert moments.mean == pytest.approx(rows.mean(axis=0), rel=1e-14)
    assert moments.scatter / (len(rows) - 1) == pytest.approx(np.cov(rows.T), abs=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(2, 9))
def test_cosines_of_two_sets(seed, n, m):
    """By either table: of 5 dimensions, 25 products or fewer, or more."""
    rows = rows_of(seed, n + m)
    cosines = rows[:n] @ rows[n:].T
    mean, sd = cosines_mean_and_sd(rows[:n], rows[n:], 1)
    assert mean == pytest.approx(cosines.mean(), abs=FIT)
    assert sd == pytest.approx(cosines.std(ddof=1), abs=FIT)


@given(st.integers(0, 2**32 - 1))
def test_the_estimate_by_its_definition_and_in_any_order_axes_or_scale(seed):
    rng = np.random.default_rng(seed)
    groups = [rng.standard_normal((n, 7)) for n in (5, 6, 7, 8)]
    found = joint_iso_score(groups[:2], groups[2:])
    one, other = (
        sum(len(rows) * np.cov(rows.T, bias=True) for rows in pair)
        for pair in (groups[:2], groups[2:])
    )
    k = np.trace(one) * np.trace(other) / np.trace(one @ other)
    assert found == pytest.approx((min(max(k, 1), 7) - 1) / 6, abs=1e-12)
    axes, _ = np.linalg.qr(rng.standard_normal((7, 7)))
    moved = [3.0 * rng.permutation(rows) @ axes + 1.0 for rows in reversed(groups)]
    assert joint_iso_score(moved[:2], moved[2:]) == pytest.approx(found, abs=1e-12)


def test_a_few_rows_say_nothing():
    rows = np.random.default_rng(0).standard_normal((12, 5))
    four, three = [rows[:3], rows[3:6]], [rows[6:9], rows[9:11]]
    assert np.isnan(joint_iso_score(four, three))
    assert 0 <= joint_iso_score(four, [rows[6:9], rows[9:]]) <= 1


FIT_OF_MAPS = 1e-9
"""Largest difference seen in 2,000 draws: 1.2e-12, where two components are almost equal."""


def cloud(seed, n=40, d=5):
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return (rng.standard_normal((n, d)) * np.arange(1, d + 1)) @ axes + 5 * rng.standard_normal(d)


def fitted(rows, matrix=None):
    covariance = np.cov(rows.T)
    return Affine(rows.mean(axis=0), None if matrix is None else matrix(covariance))


@given(st.integers(0, 2**32 - 1))
def test_center_gives_a_mean_of_zero_and_keeps_differences(seed):
    rows = cloud(seed)
    found = fitted(rows).rows(rows)
    assert found.mean(axis=0) == pytest.approx(np.zeros(5), abs=FIT_OF_MAPS)
    assert found[1:] - found[0] == pytest.approx(rows[1:] - rows[0], abs=FIT_OF_MAPS)


@given(st.integers(0, 2**32 - 1))
def test_standardize_gives_z_scores(seed):
    rows = cloud(seed)
    expected = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    assert fitted(rows, standardize).rows(rows) == pytest.approx(expected, abs=FIT_OF_MAPS)


@given(st.integers(0, 2**32 - 1))
def test_whiten_gives_the_identity_as_covariance(seed):
    rows = cloud(seed)
    fit = fitted(rows, whiten)
    assert np.cov(fit.rows(rows).T) == pytest.approx(np.eye(5), abs=FIT_OF_MAPS)
    # of all that do, the symmetric one: it turns nothing
    assert fit.matrix == pytest.approx(fit.matrix.T, abs=FIT_OF_MAPS)
    assert np.linalg.eigvalsh(fit.matrix).min() > 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_without_top_is_algorithm_1(seed, k):
    """Mu and Viswanath (2018), word by word: center, components, subtract the projections."""
    rows = cloud(seed)
    expected = rows - rows.mean(axis=0)
    _, _, components = np.linalg.svd(expected, full_matrices=False)
    expected = expected - sum(np.outer(expected @ components[i], components[i]) for i in range(k))
    found = fitted(rows, lambda covariance: without_top(covariance, k)).rows(rows)
    assert found == pytest.approx(expected, abs=FIT_OF_MAPS)


def test_a_row_maps_to_the_same_bits_whichever_rows_come_with_it():
    rows = cloud(3, n=600, d=50)
    fit = fitted(rows, whiten)
    together = fit.rows(rows)
    for i in (0, 17, 599):
        assert (fit.rows(rows[i : i + 1])[0] == together[i]).all()
    assert fit.rows(rows, bulk=True) == pytest.approx(together, abs=FIT_OF_MAPS)


def test_rows_of_zeros_stay_and_the_mean_becomes_zero():
    fit = Affine(np.array([0.1, 0.2]))
    assert fit.rows(np.array([[0.0, 0.0], [0.1, 0.2], [0.2, 0.2]])).tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
        [0.1, 0.0],
    ]


def test_dimensions_without_variance_become_zero():
    covariance = np.diag([4.0, 0.0, 1.0])
    assert np.diag(standardize(covariance)).tolist() == [0.5, 0.0, 1.0]
    assert np.diag(whiten(covariance)) == pytest.approx([0.5, 0.0, 1.0])
    assert standardize(np.zeros((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]
