"""Strict inequalities, as in some published code: ties with the observed sum are not counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import bounds, brute_counts, counts, random_design, separated

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation import solvers as module
from eatlas.stats.permutation.problem import SMALLEST


@pytest.mark.parametrize("kind", range(7))
def test_counts_equal_enumeration(kind):
    r = np.random.default_rng(300 + kind)
    for _ in range(150):
        scores, n = random_design(r, kind, largest=10)
        result = permutation_test(scores, n, strict=True)
        if np.ptp(scores) == 0:
            assert counts(result) == (result.total,) * 3
            continue
        assert counts(result) == brute_counts(scores, n, strict=True), (scores.tolist(), n)


@pytest.mark.parametrize(("n", "m"), [(40, 40), (60, 30)])
def test_on_a_lattice_strict_and_loose_make_up_the_total(n, m):
    r = np.random.default_rng(n)
    scores = r.integers(1, 7, n + m) / 10
    strict, loose = permutation_test(scores, n, strict=True), permutation_test(scores, n)
    assert strict.greater.count + loose.less.count == strict.total
    assert strict.less.count + loose.greater.count == strict.total
    assert strict.two_sided.count < loose.two_sided.count


def test_a_count_of_zero_is_the_smallest_p():
    result = permutation_test([0.9, 0.7, 0.8, 0.1, 0.2, 0.3], 3, strict=True)
    assert counts(result) == (0, 19, 0)
    assert result.greater.p == result.two_sided.p == SMALLEST > 0


def test_without_ties_one_subset_less():
    scores = separated(25, 25, 1.3, 4)
    strict, loose = permutation_test(scores, 25, strict=True), permutation_test(scores, 25)
    assert strict.greater.count == loose.greater.count - 1
    assert strict.two_sided.count == loose.two_sided.count - 2


def test_brackets_contain_the_strict_count(monkeypatch):
    monkeypatch.setattr(module, "MOST_STEPS", 50)
    r = np.random.default_rng(5)
    for i in range(60):
        scores, n = random_design(r, i % 7)
        exact = permutation_test(scores, n, strict=True)
        wide = bounds(scores, n, strict=True)
        for name in ("greater", "less", "two_sided"):
            low, high = getattr(wide, name).bracket or (0.0, 1.0)
            assert low * (1 - 1e-12) <= getattr(exact, name).p <= high * (1 + 1e-12)


def test_nothing_beyond_the_greatest_sum_of_very_many_scores():
    scores = np.arange(2400.0)[::-1] ** 1.5
    result = bounds(scores, 1200, strict=True)
    assert result.greater.count == 0
    assert result.greater.p == SMALLEST


def test_inversion_hardly_notices_one_subset():
    scores = separated(64, 64, 0.5, 1)
    strict, loose = (permutation_test(scores, 64, strict=s) for s in (True, False))
    assert strict.greater.method == "inversion"
    assert math.isclose(strict.greater.p, loose.greater.p, rel_tol=1e-7)
    assert math.isclose(strict.two_sided.p, 2 * strict.greater.p, rel_tol=1e-12)
