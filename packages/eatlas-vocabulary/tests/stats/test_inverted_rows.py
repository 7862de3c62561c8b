"""Rows that are inverted together have the p-values of one row at a time."""

from __future__ import annotations

import numpy as np
import pytest

from eatlas.stats.permutation import permutation_test
from eatlas_vocabulary.stats.inverted_rows import invert_rows

TAILS = ("greater", "less", "two_sided")


def designs(rng, size):
    """Rows of many shapes: normal, heavy-tailed, with outliers, clusters, equal scores."""
    normal = rng.normal(size=size) * 0.1
    yield normal
    yield np.clip(rng.standard_t(2, size) * 0.05, -1, 1)
    yield np.clip(rng.standard_cauchy(size) * 0.02, -1, 1)
    yield rng.uniform(-1, 1, size)
    yield rng.exponential(0.1, size)
    one = normal.copy()
    one[0] = 1.0
    yield one
    yield (rng.integers(0, 2, size) + rng.normal(size=size) * 0.05) * 0.3
    twice = normal.copy()
    twice[:5] = twice[-5:]
    yield twice


@pytest.mark.parametrize(
    ("size", "n"), [pytest.param(33, 16, marks=pytest.mark.slow), (34, 17), (35, 24), (36, 12)]
)
def test_the_error_is_within_the_stated_one(size, n):
    rng = np.random.default_rng(size)
    rows = np.array([*designs(rng, size)])
    p, rel_err = invert_rows(rows, n, scale=1.0)
    known = np.isfinite(rel_err)
    assert known.mean() > 0.7
    for row, scores in enumerate(rows):
        exact = permutation_test(scores, n, scale=1.0, method="exact")
        for i, tail in enumerate(TAILS):
            if known[i, row]:
                assert abs(p[i, row] / getattr(exact, tail).p - 1) <= rel_err[i, row]


@pytest.mark.parametrize(("size", "n"), [(50, 25), (60, 22), (200, 100)])
def test_large_designs_agree_with_the_careful_inversion(size, n):
    rng = np.random.default_rng(size)
    rows = rng.normal(size=(4, size)) * 0.1
    rows[:, :n] += np.array([0.05, 0.02, 0.0, -0.04])[:, None]
    p, rel_err = invert_rows(rows, n, scale=1.0)
    assert (rel_err < 1e-3).all()
    for row, scores in enumerate(rows):
        careful = permutation_test(scores, n, scale=1.0)
        for i, tail in enumerate(TAILS):
            alone = getattr(careful, tail)
            error = rel_err[i, row] + (alone.rel_err or 0.0)
            assert abs(p[i, row] / alone.p - 1) <= error


def test_turning_groups_and_signs_changes_places_alone():
    rng = np.random.default_rng(1)
    row = rng.normal(size=(1, 40))
    p, _ = invert_rows(row, 15)
    other, _ = invert_rows(np.roll(row, -15, axis=1), 25)  # the second group first
    negative, _ = invert_rows(-row, 15)
    for turned in (other, negative):
        assert turned[[1, 0, 2]] == pytest.approx(p, rel=1e-9)


def test_the_order_of_rows_and_of_terms_changes_no_bit():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(5, 44))
    p, _ = invert_rows(rows, 20, scale=1.0)
    shuffled = np.concatenate(
        [rng.permutation(rows[:, :20], axis=1), rng.permutation(rows[:, 20:], axis=1)], axis=1
    )
    assert np.array_equal(invert_rows(shuffled[::-1], 20, scale=1.0)[0][:, ::-1], p)


def test_without_spread_every_subset_is_as_extreme():
    p, rel_err = invert_rows(np.full((2, 40), 0.3), 20, scale=1.0)
    assert (p == 1).all()
    assert (rel_err == 0).all()


def test_a_sum_at_its_mean_is_two_sided_in_every_subset():
    half = np.random.default_rng(3).normal(size=20)
    p, rel_err = invert_rows(np.concatenate([half, half])[None], 20, scale=1.0)
    assert (p[2], rel_err[2]) == (1.0, 0.0)


@pytest.mark.parametrize("steps", [3, 20, 150, 1000, 20_000])
def test_scores_on_a_lattice_are_left_to_a_count(steps):
    rng = np.random.default_rng(steps)
    rows = np.round(rng.normal(size=(20, 36)) * steps) / steps * 0.1
    assert np.isinf(invert_rows(rows, 18, scale=1.0)[1][0]).all()


def test_the_edge_of_the_support_is_left_to_a_count():
    row = np.concatenate([np.full(20, 1.0), np.zeros(20)]) + np.linspace(0, 0.1, 40)
    _, rel_err = invert_rows(row[None], 20, scale=1.0)
    assert rel_err[0, 0] > 1e-3
    assert permutation_test(row, 20, scale=1.0).greater.count == 1
