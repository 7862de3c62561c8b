"""The mean of paired changes: by hand, against scipy, by simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eatlas.stats.paired import paired_change


def rng(seed=0):
    return np.random.default_rng(seed)


def test_four_changes_by_hand():
    # sums of +-1 +-2 +-1 +-2: two of sixteen reach 6, all signs alike
    found = paired_change([1, 2, 3, 4], [2, 4, 4, 6], rng=rng())
    assert (found.n, found.before, found.after, found.change) == (4, 2.5, 4.0, 1.5)
    assert (found.count, found.total, found.p, found.method) == (2, 16, 0.125, "exact")
    assert (found.fell, found.rose) == (0, 4)


def test_signs_are_those_of_scipy():
    before, after = rng(3).normal(size=(2, 9))
    found = paired_change(before, after, rng=rng())
    theirs = stats.permutation_test(
        (after, before),
        lambda a, b: np.mean(a - b),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert found.p == pytest.approx(theirs.pvalue)


def test_ties_and_zeros_by_brute_force():
    change = np.array([0.1, 0.2, -0.3, 0.0, 0.2])
    found = paired_change(np.zeros(5), change, rng=rng())
    sums = [
        abs(sum(s * c for s, c in zip(signs, change, strict=True)))
        for signs in itertools.product([1, -1], repeat=5)
    ]
    assert found.count == sum(one >= 0.2 - 1e-12 for one in sums)
    assert (found.fell, found.rose) == (1, 3)


def test_drawn_signs_and_the_interval():
    before, after = rng(1).normal(size=(2, 40))
    found = paired_change(before, after + 0.3, rng=rng(2), resamples=300)
    again = rng(2)
    for start in range(0, 9_999, 4_096):  # the signs are drawn first
        again.integers(0, 2, size=(min(4_096, 9_999 - start), 40))
    change = after + 0.3 - before
    means = [change[row].mean() for row in again.integers(40, size=(300, 40))]
    assert found.interval == pytest.approx(np.quantile(means, [0.025, 0.975]))
    assert found.p == (found.count + 1) / 10_000
    # the Monte Carlo error at p = .3 is .005
    assert found.p == pytest.approx(stats.ttest_rel(after + 0.3, before).pvalue, abs=0.03)


@given(st.lists(st.integers(-9, 9), max_size=8))
def test_properties(changes):
    zeros = np.zeros(len(changes))
    found = paired_change(zeros, changes, rng=rng(), resamples=0)
    back = paired_change(changes, zeros, rng=rng(), resamples=0)
    assert found.interval is None
    if len(changes) < 2:
        assert math.isnan(found.p)
        assert found.method == "undefined"
    else:
        assert 0 < found.p <= 1
        assert (back.count, back.rose, back.fell) == (found.count, found.fell, found.rose)


def test_of_nothing():
    found = paired_change([], [], rng=rng())
    assert math.isnan(found.change)
    assert found.interval is None
