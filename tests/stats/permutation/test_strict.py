"""Strict inequalities, as in some published code: ties with the observed sum are not counted."""

from __future__ import annotations

import numpy as np
import pytest
from tests.stats.permutation.designs import brute_counts, counts, random_design

from eatlas.stats.permutation import permutation_test
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
