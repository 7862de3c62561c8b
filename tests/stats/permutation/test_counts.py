"""Counts of all relabellings: by hand, by enumeration, by scipy, with ties and without."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.stats.permutation.designs import (
    brute_counts,
    counts,
    question,
    random_design,
    separated,
)
from tests.stats.permutation.outlying import check

from eatlas.errors import EatlasError
from eatlas.stats.effect_size import effect_size, effect_sizes
from eatlas.stats.permutation import batch, counting, permutation_test, permutation_tests
from eatlas.stats.permutation.counting import count_at_least
from eatlas.stats.permutation.problem import SMALLEST, tie_tolerance, to_fixed


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


@pytest.mark.parametrize("method", ["auto", "exact"])
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


ROUNDS = 100
"""Random designs of each of the seven kinds: 700 in all, N up to 10, some up to 14."""


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


@pytest.mark.parametrize(("n", "m"), [(6, 6), (8, 8), (5, 8)])
@pytest.mark.parametrize("d", [0.2, 1.0])
def test_scipy_agrees(n, m, d):
    scores = separated(n, m, d, seed=n + m)
    result = permutation_test(scores, n)
    for alternative, tail in (("greater", result.greater), ("less", result.less)):
        expected = stats.permutation_test(
            (scores[:n], scores[n:]),
            lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            n_resamples=10**6,
            alternative=alternative,
            vectorized=True,
        ).pvalue
        assert tail.count == round(expected * result.total)
        assert tail.p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", range(7))
def test_strict_counts_equal_enumeration(kind):
    r = np.random.default_rng(300 + kind)
    for _ in range(75):
        scores, n = random_design(r, kind, largest=10)
        result = permutation_test(scores, n, strict=True)
        if np.ptp(scores) == 0:
            assert counts(result) == (result.total,) * 3
            continue
        assert counts(result) == brute_counts(scores, n, strict=True), (scores.tolist(), n)


def test_a_count_of_zero_is_the_smallest_p():
    result = permutation_test([0.9, 0.7, 0.8, 0.1, 0.2, 0.3], 3, strict=True)
    assert counts(result) == (0, 19, 0)
    assert result.greater.p == result.two_sided.p == SMALLEST > 0


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


@pytest.mark.parametrize(("size", "n"), [(12, 5), (12, 6)])
def test_rows_of_rounded_vectors_have_the_counts_of_each(size, n):
    r = np.random.default_rng(5)
    rows = np.stack([rounded(r, size) for _ in range(40)])
    for scale in (1.0, None):
        same_counts(rows, n, scale, SINGLE)


def test_scores_that_differ_by_rounding_alone_have_no_effect_and_p_1():
    scores = 0.3 + np.array([1, 1, -1, 1, -1, -1, 1, -1]) * 0.9 * SINGLE
    assert np.isnan(effect_size(scores, 4, precision=SINGLE)[1])
    assert np.isnan(effect_sizes(scores[None], 4, precision=SINGLE)[1][0])
    assert effect_size(scores, 4)[1] > 0.5
    found = permutation_test(scores, 4, scale=1.0, precision=SINGLE)
    assert found.greater.count == found.less.count == found.two_sided.count == found.total == 70


def test_pruned_halves_count_what_all_subsets_do(monkeypatch):
    r = np.random.default_rng(11)
    for i in range(200):
        size = int(r.integers(6, 13))
        n = int(r.integers(3, size // 2 + 1))
        values = np.sort(r.integers(-50, 50, size) if i % 2 else r.integers(-(2**55), 2**55, size))
        sums = [sum(chosen) for chosen in itertools.combinations(values.tolist(), n)]
        ts = [t := int(r.choice(sums)), t + 1, t - 7]
        right = [sum(x >= t for x in sums) for t in ts]
        assert count_at_least(values, n, ts, 1 << 22) == right
        with monkeypatch.context() as patched:
            patched.setattr(counting, "FEW", 0)
            patched.setattr(counting, "LOOKUP", 0.0 if i % 3 else 100.0)
            assert count_at_least(values, n, ts, 1 << 22) == right


@pytest.mark.parametrize(("n", "m", "d"), [(24, 24, 1.1), (20, 20, 0.1), (10, 40, 0.8), (9, 60, 1)])
def test_counts_from_the_tops_of_halves_are_those_of_whole_halves(n, m, d, monkeypatch):
    asked = question(separated(n, m, d, 3), n)
    ends = asked.values, asked.n, [asked.at_least, asked.below]
    monkeypatch.setattr(counting, "FEW", 1 << 24)
    whole = count_at_least(*ends, 1 << 24)
    monkeypatch.setattr(counting, "FEW", 1 << 10)
    assert count_at_least(*ends, 1 << 24) == whole is not None
    assert count_at_least(*ends, 10_000) is None
    assert count_at_least(*ends, 20_000, foreseen=1.0) is None


def test_rows_have_the_same_counts_however_many_are_compared_at_once(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(7, 11))
    together = permutation_tests(rows, 4)
    monkeypatch.setattr(batch, "PAIRS", 1)
    assert np.array_equal(permutation_tests(rows, 4), together)


def test_rows_have_the_same_counts_where_numba_is_not_installed(monkeypatch):
    rows = np.random.default_rng(1).normal(size=(50, 12))
    monkeypatch.setattr(batch, "NUMPY_PAIRS", 0)
    compiled = permutation_tests(rows, 5)
    monkeypatch.setattr(batch, "find_spec", {"numba": None}.get)
    monkeypatch.setattr(batch.permutation, "compiled_batch", None)
    assert np.array_equal(permutation_tests(rows, 5), compiled)


def test_upper_and_lower_counts_make_up_the_total():
    r = np.random.default_rng(12)
    values = np.sort(r.integers(-(10**6), 10**6, 28))
    for t in r.integers(-(10**6), 10**6, 6).tolist():
        (up,) = count_at_least(values, 11, [t], 1 << 22)
        (down,) = count_at_least(-values[::-1], 11, [1 - t], 1 << 22)
        assert up + down == math.comb(28, 11)


@pytest.mark.parametrize(("size", "n"), [(300_000, 1), (1414, 2), (182, 3), (71, 4), (24, 8)])
def test_up_to_a_million_subsets_are_always_counted(size, n):
    assert math.comb(size, n) <= 1_000_000
    scores = np.random.default_rng(size).standard_normal(size)
    result = permutation_test(scores, n)
    assert None not in counts(result)
    swapped = permutation_test(np.concatenate([scores[n:], scores[:n]]), size - n)
    assert counts(swapped) == (result.less.count, result.greater.count, result.two_sided.count)


BACKENDS = [10**12, 0]
"""Pairs that numpy may count: all, none."""


def same_counts(rows, n, scale=None, precision=None):
    """The batch's counts are those of each row alone."""
    tails = permutation_tests(rows, n, scale=scale, precision=precision)
    for row, found in zip(rows, tails.T.tolist(), strict=True):
        alone = permutation_test(row, n, scale=scale, precision=precision)
        assert tuple(found) == counts(alone), row.tolist()


def some_rows(r, size, many):
    """Rows of every kind: continuous, coarse, repeated, constant, of any magnitude, near a tie."""
    rows = []
    for i in range(many):
        row = np.concatenate([random_design(r, i % 7)[0] for _ in range(size)])[:size]
        # a sum of magnitudes at a power of two, give or take one rounding
        row = row if i % 5 else np.full(size, 2.0 ** r.integers(-3, 4)) * r.choice([-1, 1], size)
        rows.append(row * (1 + 2.0**-52 * r.integers(-1, 2, size)) * 10.0 ** r.integers(-9, 10))
    return np.array(rows)


@pytest.mark.parametrize("limit", BACKENDS)
@pytest.mark.parametrize(
    ("size", "n"), [(2, 1), (3, 1), (3, 2), (7, 3), (8, 4), (10, 9), (12, 5), (13, 8), (14, 7)]
)
def test_every_kind_of_row(monkeypatch, limit, size, n):
    monkeypatch.setattr(batch, "NUMPY_PAIRS", limit)
    rows = some_rows(np.random.default_rng(size * n), size, 30)
    same_counts(rows, n)
    same_counts(rows, n, scale=float(np.abs(rows).max()))


def test_zeros_and_extreme_magnitudes():
    row = np.array([3.0, 1.0, 2.0, 0.5, -1.0, 0.25])
    rows = np.array([row * f for f in (0.0, 1e-320, 1e-300, 1.0, 1e300)])
    same_counts(rows, 2)
    assert permutation_tests(rows, 2)[0, 0] == 15


@pytest.mark.parametrize(("size", "n"), [(16, 8), (20, 6), (22, 14)])
def test_designs_of_ordinary_size(monkeypatch, size, n):
    monkeypatch.setattr(batch, "NUMPY_PAIRS", 0)
    r = np.random.default_rng(size)
    rows = np.array([separated(n, size - n, d, 1) for d in (0.0, 0.7, 1.5)])
    same_counts(np.concatenate([rows, -rows, r.integers(0, 4, (3, size)) / 10]), n, 1.0)


def test_no_rows_and_rows_too_long():
    assert permutation_tests(np.empty((0, 16)), 8).shape == (3, 0)
    with pytest.raises(EatlasError, match="rows of this length cannot be counted together"):
        permutation_tests(np.zeros((2, 33)), 8)


@pytest.mark.parametrize(
    "seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 24))]
)
def test_designs_with_outliers_and_heavy_tails(seed):
    label, result, wrong = check(seed, largest=80)
    assert result is not None, (label, wrong)
    assert not wrong, (label, wrong)
