"""When groups differ so much in size and spread that a test of means must not be relied on."""

from __future__ import annotations

import numpy as np
import pytest

from eatlas.stats.effect_size import Spread, inflation, unequal_spread
from eatlas.stats.permutation import permutation_test


def share(n, ratio, seed=0, tests=300):
    r = np.random.default_rng(seed)
    found = [unequal_spread(ratio * r.normal(size=n[0]), r.normal(size=n[1])) for _ in range(tests)]
    return sum(one is not None for one in found) / tests


@pytest.mark.parametrize(("n", "least"), [((5, 15), 0.6), ((8, 25), 0.85), ((25, 60), 0.98)])
def test_a_ratio_of_three_is_noticed(n, least):
    assert share(n, 3) > least
    assert share(n, 1 / 3) > least


@pytest.mark.parametrize("n", [(5, 15), (8, 25), (25, 60)])
def test_equal_spreads_are_seldom_doubted(n):
    assert share(n, 1) < 0.12


def test_groups_of_one_size_are_never_doubted():
    assert share((8, 8), 5) == 0
    assert inflation((9, 9), (100.0, 1.0)) == pytest.approx(1)


def test_a_constant_group_is_noticed():
    found = unequal_spread(np.zeros(12), np.array([-1.0, 1.0, -2.0, 2.0]))
    assert found.sd[0] == 0
    assert found.factor > 2


@pytest.mark.parametrize("ratio", [1 / 3, 3])
def test_the_level_is_about_that_of_the_test(ratio):
    r = np.random.default_rng(1)
    p = [
        permutation_test(np.concatenate([ratio * r.normal(size=6), r.normal(size=10)]), 6)
        for _ in range(400)
    ]
    rejected = np.mean([one.two_sided.p <= 0.05 for one in p])
    stated = Spread((6, 10), (ratio, 1.0), inflation((6, 10), (ratio**2, 1.0))).level
    assert rejected == pytest.approx(stated, abs=0.05)
