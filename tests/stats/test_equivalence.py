"""Intervals and equivalence by exact tests: by hand, brute force, coverage, impossible designs."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.errors import EatlasError
from eatlas.stats.equivalence import equivalence_test, shift_interval
from eatlas.stats.permutation import permutation_test

FEW = settings(deadline=None, max_examples=12)
"""An example makes up to 120 exact tests."""
TWO = [7.0, 8.0, 9.0, 11.0]
"""2 v 2: 6 subsets, so a p is a sixth times 1 to 6."""


def brute_ends(scores, n, alpha):
    """Both ends from all differences of subset means, in rational numbers.

    The shift at which another subset's sum reaches the observed one is the mean of the scores
    that leave the first group less the mean of those that come in.
    """
    first, second = ([Fraction(float(v)) for v in part] for part in (scores[:n], scores[n:]))
    shifts = sorted(
        (sum(out) - sum(into)) / k
        for k in range(1, min(len(first), len(second)) + 1)
        for out in itertools.combinations(first, k)
        for into in itertools.combinations(second, k)
    )
    # with the observed subset, p is (1 + how many shifts are reached) / total
    needed = math.ceil(Fraction(str(alpha)) * (len(shifts) + 1)) - 1
    return float(shifts[needed - 1]), float(shifts[-needed])


@pytest.mark.parametrize(
    ("level", "low", "high"),
    [
        # p below .2 is 1/6: the second extreme difference ends it, 7 - 11 and 8 - 9
        (0.6, -4.0, -1.0),
        # p below .4 is 1/6 or 2/6: the third, of -4, -3, -2.5, -2, -1
        (0.2, -3.0, -2.0),
    ],
)
def test_by_hand_2_v_2(level, low, high):
    found = shift_interval(TWO, 2, level=level, steps=50)
    assert (found.low, found.high) == (
        pytest.approx(low, abs=1e-12),
        pytest.approx(high, abs=1e-12),
    )
    assert (found.difference, found.level) == (-2.5, level)
    assert (found.min_p, found.reachable, found.tests) == (1 / 6, True, 100)
    assert found.methods == ("exact",)


def test_by_hand_an_end_that_is_a_difference_of_subset_means():
    # 10 subsets; single scores differ by 3, 1, -3, 1, -1, -5, and the pair's mean of 5 from the
    # means 4, 6 and 7 of two by 1, -1, -2
    found = shift_interval([6.0, 4.0, 3.0, 5.0, 9.0], 2, level=0.2, steps=50)
    # p below .4 is at most 3/10: the third from below, -2, and from above, 1
    assert (found.low, found.high) == (pytest.approx(-2.0), pytest.approx(1.0))


def test_an_attained_level_is_not_rejected():
    # (1 - .9) / 2 is .05 = 1/20 at 3 v 3, and p < alpha rejects: no p is below .05
    scores = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]
    found = shift_interval(scores, 3, level=0.9)
    assert (found.low, found.high, found.reachable) == (-math.inf, math.inf, False)
    assert (found.tests, found.methods, found.min_p) == (0, (), 1 / 20)
    # two scores of 40: (1 - .95) / 2 exceeds .025 by its rounding alone
    assert not shift_interval(np.arange(40.0), 1, level=0.95).reachable
    assert shift_interval(scores, 3, level=0.89).reachable


@pytest.mark.parametrize("seed", range(6))
def test_agreement_with_brute_force(seed):
    source = np.random.default_rng(seed)
    n, m = [(5, 5), (5, 5), (4, 6), (3, 7), (6, 3), (5, 5)][seed]
    scores = source.normal(size=n + m)
    if seed == 5:
        scores = np.rint(2 * scores) / 3  # ties
    for level in (0.9, 0.95, 0.5):
        low, high = brute_ends(scores, n, round((1 - level) / 2, 6))
        found = shift_interval(scores, n, level=level, steps=30)
        # outside of the exact ends, by the tolerance at most (and rounding: 1e-14 of the scores)
        assert low - found.tolerance - 1e-13 <= found.low <= low + 1e-13
        assert high - 1e-13 <= found.high <= high + found.tolerance + 1e-13
        assert found.tolerance < 1e-7


@FEW
@given(st.integers(0, 2**32), st.integers(4, 6), st.integers(4, 6))
def test_zero_is_outside_where_the_permutation_test_rejects(seed, n, m):
    scores = np.random.default_rng(seed).normal(size=n + m)
    scores[:n] += 1.0
    found = shift_interval(scores, n, level=0.8, steps=30)
    test = permutation_test(scores, n)
    if min(abs(found.low), abs(found.high)) > found.tolerance:
        assert (test.greater.p < 0.1) == (found.low > 0)
        assert (test.less.p < 0.1) == (found.high < 0)
    assert found.low <= found.difference <= found.high


@FEW
@given(st.integers(0, 2**32))
def test_wider_for_more_confidence_and_tighter_with_steps(seed):
    scores = np.random.default_rng(seed).normal(size=10)
    narrow, wide = (shift_interval(scores, 5, level=level) for level in (0.8, 0.95))
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    rough = shift_interval(scores, 5, level=0.8, steps=5)
    assert rough.low <= narrow.low
    assert rough.high >= narrow.high
    assert (rough.tests, narrow.tests) == (10, 32)
    assert rough.tolerance == 2**11 * narrow.tolerance


@FEW
@given(st.integers(0, 2**32), st.floats(-3, 3))
def test_moving_a_group_moves_the_interval(seed, by):
    scores = np.random.default_rng(seed).normal(size=9)
    moved = scores.copy()
    moved[:4] += by
    here, there = (shift_interval(x, 4, level=0.8, steps=25) for x in (scores, moved))
    slack = here.tolerance + there.tolerance + 1e-12
    assert there.low == pytest.approx(here.low + by, abs=slack)
    assert there.high == pytest.approx(here.high + by, abs=slack)
    swapped = shift_interval(np.roll(scores, 5), 5, level=0.8, steps=25)
    assert swapped.low == pytest.approx(-here.high, abs=slack)


@pytest.mark.slow
def test_coverage():
    """Nominal 90 %, at 5 v 5 exactly 90.5 %: 400 samples, four standard errors on both sides."""
    source, held = np.random.default_rng(2), 0
    for _ in range(400):
        scores = source.exponential(size=10)
        scores[:5] += 1.5
        found = shift_interval(scores, 5, level=0.9, steps=10)
        held += found.low <= 1.5 <= found.high
    # p below .05 is at most 12 of 252, on each side
    assert abs(held / 400 - (1 - 24 / 252)) < 4 * math.sqrt(0.905 * 0.095 / 400)


def test_equal_scores():
    found = shift_interval([0.3] * 10, 5)
    assert (found.low, found.high, found.tolerance, found.tests) == (0.0, 0.0, 0.0, 0)
    assert found.reachable


def test_a_large_design_says_how():
    scores = np.random.default_rng(0).normal(size=60)
    found = shift_interval(scores, 30, steps=3)
    assert set(found.methods) <= {"exact", "inversion", "bracket"}
    assert "inversion" in found.methods


def test_equivalence_by_hand():
    # 2 v 2, margin 3: shifted by +3 the first group is 10, 11 | 9, 11: sums of pairs are
    # 21, 19, 21, 20, 22, 20, three of six at least 21; by -3 it is 4, 5 | 9, 11: the least
    found = equivalence_test(TWO, 2, 3.0, alpha=0.3)
    assert (found.above.count, found.below.count) == (3, 1)
    assert (found.p, found.equivalent) == (0.5, False)
    assert (found.difference, found.margin, found.alpha) == (-2.5, 3.0, 0.3)
    assert (found.min_p, found.reachable) == (1 / 6, True)
    wide = equivalence_test(TWO, 2, 4.5, alpha=0.3)
    assert (wide.p, wide.equivalent) == (1 / 6, True)


@FEW
@given(st.integers(0, 2**32), st.floats(0.05, 4))
def test_equivalent_where_the_interval_lies_within_the_margins(seed, margin):
    scores = np.random.default_rng(seed).normal(size=10)
    found = equivalence_test(scores, 5, margin, alpha=0.1)
    interval = shift_interval(scores, 5, level=0.8, steps=30)
    ends = abs(interval.low + margin), abs(interval.high - margin)
    if min(ends) > interval.tolerance:
        assert found.equivalent == (-margin < interval.low and interval.high < margin)


@FEW
@given(st.integers(0, 2**32), st.floats(0.05, 2))
def test_a_wider_margin_has_a_smaller_p(seed, margin):
    scores = np.random.default_rng(seed).normal(size=8)
    p = [equivalence_test(scores, 4, factor * margin).p for factor in (1, 1.5, 3)]
    assert p == sorted(p, reverse=True)
    mirrored = equivalence_test(-scores, 4, margin)
    assert (mirrored.p, mirrored.above) == (p[0], equivalence_test(scores, 4, margin).below)


def test_a_small_design_cannot_show_equivalence():
    found = equivalence_test([1.0, 2.0, 3.0, 1.0, 2.0, 3.0], 3, 100.0)
    assert (found.p, found.equivalent, found.reachable) == (1 / 20, False, False)


def test_false_equivalence_at_the_margin():
    """A difference of exactly the margin is called small in at most 10 %: 400 samples."""
    source, wrong = np.random.default_rng(3), 0
    for _ in range(400):
        scores = 0.5 * source.normal(size=12)
        scores[:6] += 1.0
        wrong += equivalence_test(scores, 6, 1.0, alpha=0.1).equivalent
    assert 0 < wrong / 400 <= 0.1 + 4 * math.sqrt(0.1 * 0.9 / 400)


def test_results_are_frozen():
    for found in (shift_interval(TWO, 2), equivalence_test(TWO, 2, 1.0)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.min_p = 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shift_interval(TWO, 4), "n is out of range\n  got: 4\n  allowed: 1 to 3"),
        (lambda: shift_interval([1.0], 1), "a difference takes two groups\n  got: 1 scores"),
        (lambda: shift_interval([[1.0]], 1), "scores must have 1 dimension\n  got: an array"),
        (lambda: shift_interval(TWO, 2, level=95), "level must be a probability\n  got: 95"),
        (lambda: shift_interval(TWO, 2, steps=61), "steps is out of range\n  got: 61"),
        (
            lambda: equivalence_test([1.0, np.nan], 1, 1.0),
            "scores must be finite\n  got: nan at [1]",
        ),
        (
            lambda: equivalence_test(TWO, 2, 0.0),
            "margin must be a finite difference\n  got: 0.0\n  allowed: above 0",
        ),
        (lambda: equivalence_test(TWO, 2, "1"), "margin must be a finite difference\n  got: '1'"),
        (lambda: equivalence_test(TWO, 2, math.inf), "margin must be a finite difference"),
        (lambda: equivalence_test(TWO, 2, 1.0, alpha=0), "alpha must be a probability\n  got: 0"),
    ],
)
def test_messages(call, message):
    with pytest.raises(EatlasError) as caught:
        call()
    assert str(caught.value).startswith(message)
