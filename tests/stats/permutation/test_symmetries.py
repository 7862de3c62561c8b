"""Statistical symmetries, on scores whose sums are exact."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stats.permutation.designs import counts

from eatlas.stats.permutation import permutation_test

SETTINGS = settings(max_examples=60, deadline=None)
scores_and_size = st.lists(st.integers(-(2**20), 2**20), min_size=2, max_size=14).flatmap(
    lambda s: st.tuples(st.just(s), st.integers(1, len(s) - 1))
)


@SETTINGS
@given(scores_and_size)
def test_swapping_the_groups_swaps_the_tails(case):
    scores, n = case
    greater, less, both = counts(permutation_test(scores, n))
    swapped = permutation_test(scores[n:] + scores[:n], len(scores) - n)
    assert counts(swapped) == (less, greater, both)


@SETTINGS
@given(scores_and_size, st.integers(-30, 30), st.integers(-1000, 1000))
def test_shifting_and_scaling_changes_nothing(case, exponent, shift):
    scores, n = case
    expected = counts(permutation_test(scores, n))
    moved = [(s + shift) * 2.0**exponent for s in scores]
    assert counts(permutation_test(moved, n)) == expected


@SETTINGS
@given(scores_and_size)
def test_tails_fit_together(case):
    scores, n = case
    result = permutation_test(scores, n)
    greater, less, both = counts(result)
    assert min(greater, less, both) >= 1
    assert max(greater, less, both) <= result.total
    assert greater + less > result.total
    assert both >= min(greater, less) or 2 * n != len(scores)
    if 2 * n == len(scores) and both < result.total:
        assert both == 2 * min(greater, less)
    assert result.greater.p == float(Fraction(greater, result.total))


@SETTINGS
@given(scores_and_size)
def test_raising_the_observed_sum_lowers_its_upper_tail(case):
    """Swap a member for a higher score of the other group: t rises on the same null."""
    scores, n = case
    first, second = sorted(scores[:n]), sorted(scores[n:])
    before = permutation_test(first + second, n)
    if first[0] < second[-1]:
        raised = [*first[1:], second[-1], *second[:-1], first[0]]
        after = permutation_test(raised, n)
        assert after.greater.count < before.greater.count
        assert after.less.count > before.less.count
