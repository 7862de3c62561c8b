"""Transforms against plain numpy on all rows, and what each promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.stats.space import Affine, standardize, whiten, without_top

FIT = 1e-9
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
    assert found.mean(axis=0) == pytest.approx(np.zeros(5), abs=FIT)
    assert found[1:] - found[0] == pytest.approx(rows[1:] - rows[0], abs=FIT)


@given(st.integers(0, 2**32 - 1))
def test_standardize_gives_z_scores(seed):
    rows = cloud(seed)
    expected = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    assert fitted(rows, standardize).rows(rows) == pytest.approx(expected, abs=FIT)


@given(st.integers(0, 2**32 - 1))
def test_whiten_gives_the_identity_as_covariance(seed):
    rows = cloud(seed)
    fit = fitted(rows, whiten)
    assert np.cov(fit.rows(rows).T) == pytest.approx(np.eye(5), abs=FIT)
    # of all that do, the symmetric one: it turns nothing
    assert fit.matrix == pytest.approx(fit.matrix.T, abs=FIT)
    assert np.linalg.eigvalsh(fit.matrix).min() > 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_without_top_is_algorithm_1(seed, k):
    """Mu and Viswanath (2018), word by word: center, components, subtract the projections."""
    rows = cloud(seed)
    expected = rows - rows.mean(axis=0)
    _, _, components = np.linalg.svd(expected, full_matrices=False)
    expected = expected - sum(np.outer(expected @ components[i], components[i]) for i in range(k))
    found = fitted(rows, lambda covariance: without_top(covariance, k)).rows(rows)
    assert found == pytest.approx(expected, abs=FIT)


def test_a_row_maps_to_the_same_bits_whichever_rows_come_with_it():
    rows = cloud(3, n=600, d=50)
    fit = fitted(rows, whiten)
    together = fit.rows(rows)
    for i in (0, 17, 599):
        assert (fit.rows(rows[i : i + 1])[0] == together[i]).all()
    assert fit.rows(rows, bulk=True) == pytest.approx(together, abs=FIT)


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
