"""IsoScore against the published steps, and its estimate from a few rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.stats.space import (
    iso_score,
    shared_iso_score,
    variance_shares,
)

FIT = 1e-12
"""Largest difference seen from the published steps: 1.1e-15 in 5,000 clouds of points."""


def published(points):
    """Algorithm 1 of Rudman et al. (2022), step by step; rows are points."""
    n = points.shape[1]
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=True)  # 1 and 2: principal components
    reoriented = centred @ axes.T
    diagonal = np.diag(np.cov(reoriented.T))  # 3 and 4
    normalised = np.sqrt(n) * diagonal / np.linalg.norm(diagonal)  # 5
    defect = np.linalg.norm(normalised - 1) / np.sqrt(2 * (n - np.sqrt(n)))  # 6
    used = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2  # 7
    return (n * used - 1) / (n - 1)  # 8


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.floats(0, 3))
def test_the_published_steps_give_the_same(seed, d, power):
    rng = np.random.default_rng(seed)
    scales = np.arange(1.0, d + 1) ** -power
    axes, _ = np.linalg.qr(rng.standard_normal((d, d)))
    points = (rng.standard_normal((40, d)) * scales) @ axes + rng.standard_normal(d)
    assert iso_score(np.cov(points.T)) == pytest.approx(published(points), abs=FIT)


def test_undefined_is_nan():
    assert np.isnan(iso_score(np.eye(1)))
    assert np.isnan(iso_score(np.zeros((3, 3))))
    assert np.isnan(variance_shares(np.zeros((3, 3)), (1, 2))).all()


def test_shares_are_those_of_singular_values():
    points = np.random.default_rng(3).standard_normal((50, 6)) * [5, 3, 1, 1, 1, 0.1]
    singular = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    expected = singular.cumsum() / singular.sum()
    found = variance_shares(np.cov(points.T), (1, 3, 10))
    assert found == pytest.approx([expected[0], expected[2], 1.0], rel=1e-12)


@pytest.mark.parametrize("variances", [[1.0] * 60, [25.0] * 3 + [1.0] * 57, [400.0] + [1.0] * 59])
def test_the_estimate_from_two_sides_is_right_on_average(variances):
    """Whatever the means of the groups; its inverse is what is estimated, so that is averaged."""
    rng = np.random.default_rng(5)
    d, inverses = len(variances), []
    for _ in range(400):
        groups = [
            rng.standard_normal((8, d)) * np.sqrt(variances) + 50 * rng.standard_normal(d)
            for _ in range(4)
        ]
        inverses.append(1 / (1 + (d - 1) * shared_iso_score(groups[:2], groups[2:])))
    true = 1 / (1 + (d - 1) * iso_score(np.diag(variances)))
    # the ratio of estimates is clipped at 1/d: largest relative error seen in 15 such means 4.8%
    assert np.mean(inverses) == pytest.approx(true, rel=0.15)


@given(st.integers(0, 2**32 - 1))
def test_the_estimate_by_its_definition_and_in_any_order_axes_or_scale(seed):
    rng = np.random.default_rng(seed)
    groups = [rng.standard_normal((n, 7)) for n in (5, 6, 7, 8)]
    found = shared_iso_score(groups[:2], groups[2:])
    one, other = (
        sum(len(rows) * np.cov(rows.T, bias=True) for rows in pair)
        for pair in (groups[:2], groups[2:])
    )
    k = np.trace(one) * np.trace(other) / np.trace(one @ other)
    assert found == pytest.approx((min(max(k, 1), 7) - 1) / 6, abs=1e-12)
    axes, _ = np.linalg.qr(rng.standard_normal((7, 7)))
    moved = [3.0 * rng.permutation(rows) @ axes + 1.0 for rows in reversed(groups)]
    assert shared_iso_score(moved[:2], moved[2:]) == pytest.approx(found, abs=1e-12)


def test_a_few_rows_say_nothing():
    rows = np.random.default_rng(0).standard_normal((12, 5))
    four, three = [rows[:3], rows[3:6]], [rows[6:9], rows[9:11]]
    assert np.isnan(shared_iso_score(four, three))
    assert 0 <= shared_iso_score(four, [rows[6:9], rows[9:]]) <= 1
