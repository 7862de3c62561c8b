"""Outlying scores: no exception, no hidden information, no stated error exceeded."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.stats.permutation.designs import bounds
from tests.stats.permutation.outlying import check

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.problem import Tail
from eatlas.stats.permutation.solvers import PARTS, outliers_apart


def with_outlier(size, *outliers, seed=0):
    scores = np.random.default_rng(seed).normal(size=size)
    scores[size - len(outliers) :] = outliers
    return scores


@pytest.mark.parametrize("outlier", [100.0, -100.0, 1e6, -1e6, 1e9, -1e9])
@pytest.mark.parametrize("method", ["auto", "inversion", "bracket"])
def test_one_outlier_leaves_the_test_of_the_others(outlier, method):
    """With 30 of 60 scores, an outlier in the second group: the tail that it decides is 1/2."""
    scores = with_outlier(60, outlier)
    found = (
        bounds(scores, 30) if method == "bracket" else permutation_test(scores, 30, method=method)
    )
    rest = permutation_test(scores[:-1], 30)
    # the tie tolerance grows with an outlier of 1e9: 7e-5 of this p are ties
    # an outlier above: T <= t only without it, so half of the subsets times the others' p
    near, alone = (found.less, rest.less) if outlier > 0 else (found.greater, rest.greater)
    assert near.p == pytest.approx(alone.p / 2, rel=1e-3 if method == "bracket" else 1e-4)
    if method == "bracket":
        low, high = near.bracket
        assert low <= alone.p / 2 <= high < 1.001 * low
    else:
        assert near.method == "inversion"
        assert near.rel_err <= 1e-7


def test_whole_numbers_beside_an_outlier_are_counted():
    scores = np.random.default_rng(1).integers(0, 9, 100) * 1.0
    scores[99] = 123456.789
    result = permutation_test(scores, 50)
    rest = permutation_test(scores[:-1], 50)
    assert rest.less.method == "exact"
    assert result.less.count == rest.less.count
    assert result.greater.count == rest.greater.count + math.comb(99, 49)


@pytest.mark.parametrize("seed", range(40))
def test_designs_with_outliers_and_heavy_tails(seed):
    label, result, wrong = check(seed, largest=120)
    assert result is not None, (label, wrong)
    assert not wrong, (label, wrong)


@pytest.mark.parametrize("seed", [2, 13, 32, 52, 183, 197])
def test_large_designs_with_outliers(seed):
    label, _, wrong = check(seed)
    assert not wrong, (label, wrong)


def test_parts_add_up_to_the_whole(monkeypatch):
    """Divided and undivided counts are the same integers, whatever is taken apart."""
    monkeypatch.setattr("eatlas.stats.permutation.solvers.FAR", 1.5)
    monkeypatch.setattr("eatlas.stats.permutation.solvers.HIDING", 3.0)
    r = np.random.default_rng(7)
    asked, undivided = [], []

    def plainly(values, n, thresholds):
        sums = [sum(c) for c in itertools.combinations(values.tolist(), n)]
        return [Tail.exact(sum(s >= t for s in sums), len(sums)) for t in thresholds]

    def of_part(values, n, thresholds):
        asked.append(values.size)
        assert np.all(np.diff(values) >= 0)
        assert 2 * n <= values.size
        assert values.size * thresholds[0] >= n * values.sum()
        return plainly(values, n, thresholds)

    def whole(values, n, thresholds):
        undivided.append(values.size)
        return plainly(values, n, thresholds)

    for _ in range(60):
        values = np.sort(np.rint(r.standard_t(2, 11) * 10).astype(np.int64))
        n = int(r.integers(1, 6))
        t = int(r.choice(values, n, replace=False).sum())
        asked.clear()
        tails = outliers_apart(values, n, [t, t + 3], whole, of_part)
        expected = plainly(values, n, [t, t + 3])
        assert [tail.count for tail in tails] == [tail.count for tail in expected]
        assert len(asked) <= PARTS
        assert all(size < 11 for size in asked)
    assert len(undivided) < 30
