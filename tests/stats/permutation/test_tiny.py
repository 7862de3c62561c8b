"""Cases worked out by hand."""

from __future__ import annotations

import sys

import pytest
from tests.stats.permutation.designs import counts

from eatlas.stats.permutation import permutation_test


def test_complete_separation_of_three_and_three():
    # 20 subsets; only {9, 7, 8} has the largest sum, only {1, 2, 3} is as far below the mean.
    result = permutation_test([0.9, 0.7, 0.8, 0.1, 0.2, 0.3], 3)
    assert counts(result) == (1, 20, 2)
    assert result.total == 20
    assert result.greater.p == result.min_p == 0.05
    assert result.less.p == 1.0


def test_two_and_two_with_a_tie():
    # Pair sums of 1, 2, 3, 4: 3, 4, 5, 5, 6, 7; the observed 1 + 4 = 5 ties with 2 + 3.
    assert counts(permutation_test([1.0, 4.0, 2.0, 3.0], 2)) == (4, 4, 6)


def test_one_against_two():
    # Scores 5, 1, 3, mean 3: only 5 is >= 5; all are <= 5; 1 is as far from the mean as 5.
    assert counts(permutation_test([5.0, 1.0, 3.0], 1)) == (1, 3, 2)


def test_two_sided_is_not_twice_one_sided():
    # Scores 4, 0, 0 | 0, 1: sums of one: mean 1; |4 - 1| = 3 is matched by no other score.
    result = permutation_test([4.0, 0.0, 0.0, 0.0, 1.0], 1)
    assert counts(result) == (1, 5, 1)


def test_ties_that_floating_point_addition_would_miss():
    # 0.1 + 0.2 != 0.3 + 0.0 in doubles; as scores the two sums tie.
    assert 0.1 + 0.2 != 0.3
    assert counts(permutation_test([0.1, 0.2, 0.3, 0.0], 2)) == (4, 4, 6)


@pytest.mark.parametrize("method", ["auto", "exact", "inversion"])
@pytest.mark.parametrize("value", [0.0, 0.25, -3.0, 1e308, 5e-324])
def test_no_spread_is_counted_by_every_method(value, method):
    result = permutation_test([value] * 7, 3, method=method)
    assert counts(result) == (35, 35, 35)
    assert {result.greater.p, result.less.p, result.two_sided.p} == {1.0}


def test_spread_of_rounding_noise_is_no_spread():
    scores = [1.0, 1.0 + 2**-52, 1.0, 1.0 - 2**-53, 1.0, 1.0 + 2**-51]
    assert counts(permutation_test(scores, 3)) == (20, 20, 20)


def test_scale_widens_the_ties():
    # Scores of 1e-12 are noise if cosines of 1e4 were added up to make them.
    scores = [3e-12, 2e-12, 1e-12, 0.0]
    assert counts(permutation_test(scores, 2)) == (1, 6, 2)
    assert counts(permutation_test(scores, 2, scale=1e4)) == (6, 6, 6)


def test_a_p_value_below_the_smallest_double_is_not_zero():
    scores = [float(i) for i in range(1200, 0, -1)]
    result = permutation_test(scores, 600)
    assert result.greater.count == 1
    assert result.greater.p == result.min_p == sys.float_info.min * sys.float_info.epsilon > 0
    assert result.less.count == result.total
