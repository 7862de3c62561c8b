"""The last item held back or not gives the same integer, and pruning never loses a subset."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import counts

from eatlas.stats.permutation import counting, permutation_test
from eatlas.stats.permutation.counting import count_at_least, count_on_lattice

PLENTY = 1 << 22


def both_ways(monkeypatch, values, n, thresholds):
    found = []
    for limit in (1 << 24, 0):
        monkeypatch.setattr(counting, "EXTENDED", limit)
        found.append(count_at_least(values, n, thresholds, PLENTY))
    return found


def test_random_designs_on_both_ways(monkeypatch):
    r = np.random.default_rng(11)
    for i in range(300):
        size = int(r.integers(6, 17))
        n = int(r.integers(3, size // 2 + 1))
        values = np.sort(r.integers(-50, 50, size) if i % 2 else r.integers(-(2**55), 2**55, size))
        t = int(r.choice(values, n, replace=False).sum())
        added, held_back = both_ways(monkeypatch, values, n, [t, t + 1, t - 7])
        assert added == held_back


def test_upper_and_lower_counts_make_up_the_total(monkeypatch):
    r = np.random.default_rng(12)
    values = np.sort(r.integers(-(10**6), 10**6, 28))
    for t in r.integers(-(10**6), 10**6, 6).tolist():
        up = both_ways(monkeypatch, values, 11, [t])
        down = both_ways(monkeypatch, -values[::-1], 11, [1 - t])
        assert up[0] == up[1]
        assert down[0] == down[1]
        assert up[0][0] + down[0][0] == math.comb(28, 11)


def test_lattice_and_meet_in_the_middle_agree():
    r = np.random.default_rng(13)
    for _ in range(100):
        size = int(r.integers(4, 26))
        n = int(r.integers(1, size // 2 + 1))
        values = np.sort(r.integers(0, 9, size))
        ts = [int(r.integers(-2, 9 * n + 2)) for _ in range(3)]
        assert count_on_lattice(values, n, ts) == count_at_least(values, n, ts, PLENTY)


@pytest.mark.parametrize(("size", "n"), [(300_000, 1), (1414, 2), (182, 3), (71, 4), (24, 8)])
def test_up_to_a_million_subsets_are_always_counted(size, n):
    assert math.comb(size, n) <= 1_000_000
    scores = np.random.default_rng(size).standard_normal(size)
    result = permutation_test(scores, n)
    assert None not in counts(result)
    swapped = permutation_test(np.concatenate([scores[n:], scores[:n]]), size - n)
    assert counts(swapped) == (result.less.count, result.greater.count, result.two_sided.count)
