"""IsoScore against the published steps, and its estimate from a few rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.stats.space import (
    effective_dimensions,
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


@pytest.mark.parametrize(
    ("variances", "score"),
    [
        # (k - 1) / (d - 1) where k of d dimensions vary alike and the others not at all
        ([1, 1, 0, 0, 0], 1 / 4),
        ([1, 1, 1, 0, 0], 2 / 4),
        ([7, 7, 7, 7, 0], 3 / 4),
        # (3 + 1)^2 / (9 + 1) = 1.6 dimensions of 2
        ([3, 1], 0.6),
    ],
)
def test_by_hand(variances, score):
    assert iso_score(np.diag(np.array(variances, float))) == pytest.approx(score, rel=1e-14)


@given(st.integers(0, 2**32 - 1), st.floats(0.001, 1000))
def test_neither_rotation_nor_scale_matters(seed, factor):
    rng = np.random.default_rng(seed)
    covariance = np.cov(rng.standard_normal((9, 5)).T)
    axes, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    turned = factor * (axes.T @ covariance @ axes)
    assert iso_score(turned) == pytest.approx(iso_score(covariance), abs=1e-13)
    assert variance_shares(turned, (1, 3)) == pytest.approx(variance_shares(covariance, (1, 3)))


def test_undefined_is_nan():
    assert np.isnan(iso_score(np.eye(1)))
    assert np.isnan(iso_score(np.zeros((3, 3))))
    assert np.isnan(effective_dimensions(np.zeros((3, 3))))
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
    true = 1 / effective_dimensions(np.diag(variances))
    # the ratio of estimates is clipped at 1/d: largest relative error seen in 15 such means 4.8%
    assert np.mean(inverses) == pytest.approx(true, rel=0.15)


def test_directions_of_one_side_alone_count_little():
    """Each side spreads in 4 of 200 dimensions of its own, as words of one topic do."""
    rng = np.random.default_rng(6)

    def side(loud):
        scale = np.ones(200)
        scale[loud] = 5
        return [rng.standard_normal((8, 200)) * scale for _ in range(2)]

    apart = shared_iso_score(side([0, 1, 2, 3]), side([4, 5, 6, 7]))
    together = shared_iso_score(side([0, 1, 2, 3]), side([0, 1, 2, 3]))
    assert apart > 0.5
    assert together < 0.2


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


def test_rows_that_do_not_vary_have_no_estimate():
    rng = np.random.default_rng(0)
    same = [np.tile(rng.standard_normal(9), (8, 1)) * k for k in (1.0, 3.0)]
    assert np.isnan(shared_iso_score(same, [rng.standard_normal((8, 9))]))
    assert np.isnan(shared_iso_score([rng.standard_normal((20, 1))], [rng.standard_normal((9, 1))]))
