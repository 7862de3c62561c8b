"""How evenly a space is used, against the published steps and all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.kernels import unit_rows
from eatlas.stats.space import with_rows
from eatlas_vocabulary.stats.isotropy import iso_score, pair_cosines, variance_shares

FIT = 1e-13
"""Largest difference seen from the means over all pairs, in 5,000 draws: 4.4e-16."""
FIT_OF_SCORES = 1e-12
"""Largest difference seen from the published steps: 1.1e-15 in 5,000 clouds of points."""


def rows_of(seed, n=12, d=5):
    rng = np.random.default_rng(seed)
    return unit_rows(rng.standard_normal((n, d)) + rng.standard_normal(d))


def of(rows):
    return pair_cosines(with_rows(None, rows))


@given(st.integers(0, 2**32 - 1), st.integers(2, 15))
def test_every_pair(seed, n):
    rows = rows_of(seed, n)
    first, second = np.triu_indices(n, 1)
    products = rows[first] * rows[second]
    mean, sd, contributions, lengths = of(rows)
    assert mean == pytest.approx(products.sum(axis=1).mean(), abs=FIT)
    # a variance is a difference of like numbers, and its root loses half the digits: 3e-8 seen
    assert sd == pytest.approx(products.sum(axis=1).std(), abs=1e-7)
    # Timkey and van Schijndel (2021), eq. 3 and 4: the mean of u_i v_i over the pairs
    assert contributions == pytest.approx(products.mean(axis=0), abs=FIT)
    assert lengths == pytest.approx((rows**2).mean(axis=0), abs=FIT)


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
    assert iso_score(np.cov(points.T)) == pytest.approx(published(points), abs=FIT_OF_SCORES)


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
