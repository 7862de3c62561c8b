"""Every count against all subsets, one by one, in rational arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from tests.stats.permutation.designs import brute_counts, counts, random_design

from eatlas.stats.permutation import permutation_test

ROUNDS = 200
"""Random designs of each of the seven kinds: 1,400 in all, N up to 12, some up to 14."""


@pytest.mark.parametrize("kind", range(7))
def test_counts_equal_enumeration(kind):
    r = np.random.default_rng(100 + kind)
    for i in range(ROUNDS):
        scores, n = random_design(r, kind, largest=14 if i % 25 == 0 else 10)
        expected = brute_counts(scores, n)
        assert counts(permutation_test(scores, n)) == expected, (scores.tolist(), n)


@pytest.mark.parametrize("kind", range(7))
def test_order_and_naming_of_groups_do_not_matter(kind):
    r = np.random.default_rng(200 + kind)
    for _ in range(60):
        scores, n = random_design(r, kind)
        result = permutation_test(scores, n)
        shuffled = np.concatenate([r.permutation(scores[:n]), r.permutation(scores[n:])])
        assert permutation_test(shuffled, n) == result
        greater, less, both = counts(result)
        swapped = permutation_test(np.concatenate([scores[n:], scores[:n]]), scores.size - n)
        assert counts(swapped) == (less, greater, both)


def test_fixed_point_keeps_extreme_magnitudes():
    for factor in (1e-320, 1e-300, 1.0, 1e300):
        scores = np.array([3.0, 1.0, 2.0, 0.5, -1.0]) * factor
        assert counts(permutation_test(scores, 2)) == counts(
            permutation_test([3.0, 1.0, 2.0, 0.5, -1.0], 2)
        )
