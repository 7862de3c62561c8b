"""Ties of scores whose vectors were rounded: counts by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.stats.permutation.designs import counts

from eatlas.stats.effect_size import effect_size, effect_sizes
from eatlas.stats.permutation import permutation_test, permutation_tests
from eatlas.stats.permutation.problem import tie_tolerance, to_fixed

SINGLE = 2.0**-24


def rounded(r: np.random.Generator, size: int, noise: float = 0.2) -> np.ndarray:
    """Scores of a few terms, some of them twice and rounded differently."""
    values = r.normal(scale=0.05, size=r.integers(1, size + 1))
    return r.choice(values, size) + r.uniform(-noise, noise, size) * SINGLE


def enumerated(scores, n, precision, scale=1.0):
    """Counts with near ties, of all subsets, in whole numbers."""
    (w,), (q,) = to_fixed(scores[None])
    size, whole = w.size, int(w.sum())
    tolerance = tie_tolerance(size, scale, int(q), precision)
    t = int(w[:n].sum())
    sums = np.array([sum(c) for c in itertools.combinations(w.tolist(), n)], object)
    away, mine = np.abs(size * sums - n * whole), abs(size * t - n * whole)
    return (
        (sums >= t - tolerance).sum(),
        (sums <= t + tolerance).sum(),
        (away >= mine - size * tolerance).sum(),
    )


def counted(scores, n, precision):
    return counts(permutation_test(scores, n, scale=1.0, precision=precision))


@pytest.mark.parametrize("size", range(2, 12))
def test_counts_with_near_ties_equal_enumeration(size):
    r = np.random.default_rng(size)
    seen = 0
    for _ in range(60):
        scores, n = rounded(r, size), int(r.integers(1, size))
        found = counted(scores, n, SINGLE)
        assert found == enumerated(scores, n, SINGLE), (scores.tolist(), n)
        seen += found != counted(scores, n, None)
    assert seen  # the case that is tested does occur


def test_counts_do_not_fall_when_the_tolerance_grows():
    r = np.random.default_rng(4)
    for _ in range(50):
        scores = rounded(r, 12, noise=2.0)
        counts = [counted(scores, 5, SINGLE * factor) for factor in (0.25, 0.5, 1, 1.5, 4)]
        for lower, higher in itertools.pairwise(counts):
            assert all(a <= b for a, b in zip(lower, higher, strict=True))


@pytest.mark.parametrize(("size", "n"), [(12, 5), (12, 6), (33, 3)])
def test_many_rows_have_the_counts_of_each(size, n):
    r = np.random.default_rng(5)
    rows = np.stack([rounded(r, size) for _ in range(40)])
    for scale in (1.0, None):
        found = permutation_tests(rows, n, scale=scale, precision=SINGLE)
        for i, row in enumerate(rows):
            one = permutation_test(row, n, scale=scale, precision=SINGLE)
            assert found.row(i).greater == one.greater
            assert found.row(i).less == one.less
            assert found.row(i).two_sided == one.two_sided


def test_scores_that_differ_by_rounding_alone_have_no_effect_and_p_1():
    scores = 0.3 + np.array([1, 1, -1, 1, -1, -1, 1, -1]) * 0.9 * SINGLE
    assert np.isnan(effect_size(scores, 4, precision=SINGLE)[1])
    assert np.isnan(effect_sizes(scores[None], 4, precision=SINGLE)[1][0])
    assert effect_size(scores, 4)[1] > 0.5
    found = permutation_test(scores, 4, scale=1.0, precision=SINGLE)
    assert found.greater.count == found.less.count == found.two_sided.count == found.total == 70
