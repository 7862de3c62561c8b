"""A bracket is certain: it contains the exact p-value, and its p is the upper end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import bounds, random_design, separated

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation import solvers as module

ROUNDING = 1e-12
"""Division of the exact count and of the bounds: a few units in the last place."""


def contains(wide, exact):
    for name in ("greater", "less", "two_sided"):
        tail, true = getattr(wide, name), getattr(exact, name).p
        if tail.method == "exact":
            assert tail.p == true
            continue
        low, high = tail.bracket
        assert low * (1 - ROUNDING) <= true <= high * (1 + ROUNDING)
        assert tail.p == high
        assert tail.method == "bracket"


@pytest.mark.parametrize("most_steps", [3, 17, 1000])
def test_small_designs_on_coarse_lattices(monkeypatch, most_steps):
    monkeypatch.setattr(module, "MOST_STEPS", most_steps)
    monkeypatch.setattr(module, "LEAST_STEPS", 1)
    r = np.random.default_rng(most_steps)
    for i in range(120):
        scores, n = random_design(r, i % 7)
        contains(bounds(scores, n), permutation_test(scores, n))


@pytest.mark.parametrize(
    ("n", "m", "d"), [(8, 8, 1.5), (8, 12, 0.3), (16, 16, 0.0), (25, 25, 1.0), (10, 30, 0.5)]
)
def test_larger_designs(monkeypatch, n, m, d):
    monkeypatch.setattr(module, "WORK", 2e7)
    scores = separated(n, m, d, n)
    contains(bounds(scores, n), permutation_test(scores, n, method="exact"))


def test_a_far_tail_of_many_scores_gets_a_useful_bracket():
    result = bounds(separated(128, 128, 1.8, 3), 128)
    exact = permutation_test(separated(128, 128, 1.8, 3), 128, method="exact")
    contains(result, exact)
    assert result.greater.bracket[1] / result.greater.bracket[0] < 2


def test_too_many_scores_fall_back_on_chernoff():
    scores = separated(1000, 1000, 0.5, 4)
    low, high = bounds(scores, 1000).greater.bracket
    p = permutation_test(scores, 1000).greater.p
    assert 0 < low <= p < high < 1e4 * p
    assert math.log10(high) < -20
