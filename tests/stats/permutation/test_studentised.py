"""The studentised statistic against scipy's Welch test over all relabellings."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.permutation import permutation_test, studentised_test


def welch_counts(scores, n, *, strict=False):
    """(greater, less, two-sided) counts by scipy's Welch test of every relabelling.

    Its t is carried to the normal scale by its degrees of freedom (Wallace 1959).
    """

    def statistic(first):
        x, y = scores[first], scores[~first]
        if x.mean() == y.mean():
            return 0.0
        if not x.var() and not y.var():
            return math.copysign(math.inf, x.mean() - y.mean())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = stats.ttest_ind(x, y, equal_var=False)
        t, f = float(found.statistic), float(found.df)
        return math.copysign((8 * f + 1) / (8 * f + 3) * math.sqrt(f * math.log1p(t * t / f)), t)

    values = []
    for chosen in itertools.combinations(range(scores.size), n):
        first = np.zeros(scores.size, bool)
        first[list(chosen)] = True
        values.append(statistic(first))
    found, t = np.array(values), values[0]
    tie = 0.0 if math.isinf(t) else 1e-8 * max(1.0, abs(t))
    if strict:
        counts = found > t + tie, found < t - tie, np.abs(found) > abs(t) + tie
    else:
        counts = found >= t - tie, found <= t + tie, np.abs(found) >= abs(t) - tie
    return tuple(int(x.sum()) for x in counts)


def counts(result):
    return result.greater.count, result.less.count, result.two_sided.count


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_counts_are_those_of_all_relabellings(seed, strict):
    r = np.random.default_rng(seed)
    size = int(r.integers(4, 11))
    n = int(r.integers(2, size - 1))
    scores = [r.normal(size=size), r.integers(0, 4, size) * 1.0, r.normal(size=size) * 1e-6 + 1][
        seed % 3
    ]
    if np.ptp(scores) == 0:
        pytest.skip("no spread")
    scores[:n] *= 1 + seed % 4
    result = studentised_test(scores, n, strict=strict)
    assert counts(result) == welch_counts(scores, n, strict=strict)
    assert result.total == math.comb(size, n)
    assert result.greater.method == "exact"


def test_constant_groups_are_the_most_extreme_relabelling():
    result = studentised_test([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 3)
    assert counts(result) == (1, 35, 1)


def test_no_spread_makes_every_p_one():
    result = studentised_test([0.3] * 9, 4)
    assert counts(result) == (126, 126, 126)
    near = 0.3 + np.arange(9) * 2.0**-28
    assert studentised_test(near, 4, scale=1.0, precision=2.0**-24).two_sided.p == 1.0
    assert studentised_test(near, 4, scale=1.0).two_sided.p < 1.0


def test_large_designs_are_drawn_with_a_stated_interval():
    scores = np.random.default_rng(5).normal(size=60)
    one, same, other = (
        studentised_test(scores, 20, rng=np.random.default_rng(seed), draws=20_000)
        for seed in (1, 1, 2)
    )
    assert one == same != other
    assert one.greater.method == "sampled"
    assert one.greater.draws == 20_000
    low, high = one.greater.interval
    assert low < one.greater.p < high
    assert low < other.greater.p < high
    assert one.greater.p + one.less.p == pytest.approx(1, abs=1e-3)


def test_unequal_spreads_are_allowed_for():
    """5 of 20 scores three times as wide: the difference rejects equal means four times too often.

    Rejections of 200 tests at .05; two standard errors are .031.
    """
    r = np.random.default_rng(7)
    rejected = np.zeros(2)
    for _ in range(200):
        scores = np.concatenate([3 * r.normal(size=5), r.normal(size=15)])
        tests = permutation_test(scores, 5), studentised_test(scores, 5)
        rejected += [test.two_sided.p <= 0.05 for test in tests]
    difference, studentised = rejected / 200
    assert difference > 0.15
    assert studentised < 0.09
