"""Quick power: against simulated exact tests, scipy, and each other; designs that cannot reach."""

import math

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.designs import (
    _both_below,
    attained_level,
    chance_of_rejection,
    d_of_shift,
    pattern_chances,
    shift_of_d,
    smallest_effect,
    terms_needed,
)
from eatlas.stats.permutation import permutation_tests

TAILS = ("greater", "less", "two_sided")


def p_of(rows, n, tail):
    """Exact p-values of rows."""
    return permutation_tests(rows, n)[TAILS.index(tail)] / math.comb(rows.shape[1], n)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (3, 4), (4, 4), (3, 5), (5, 5), (6, 6), (4, 9)])
@pytest.mark.parametrize("tail", ["greater", "less", "two_sided"])
@pytest.mark.parametrize("alpha", [0.05, 0.1, 1 / 35])
def test_the_level_is_that_of_counted_ranks(n, m, tail, alpha):
    # of distinct scores the one-sided p takes every value k / C; the two-sided one every second of
    # groups of one size
    total = math.comb(n + m, n)
    step = 2 if tail == "two_sided" and n == m else 1
    below = [k / total for k in range(step, total + 1, step) if k / total < alpha]
    assert attained_level(n, m, alpha=alpha, tail=tail) == max(below, default=0.0)


def test_the_level_of_a_large_design_is_alpha():
    assert attained_level(500, 800, alpha=0.03) == 0.03
    assert attained_level(16, 16) == pytest.approx(0.05, abs=1e-8)


@pytest.mark.parametrize("rho", [-0.95, -0.3, 0.0, 0.5, 0.99])
def test_the_bivariate_normal_is_scipys(rho):
    whole = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]], seed=0)
    for point in ([0.0, 0.0], [-1.2, 0.4], [2.0, 1.0]):
        assert _both_below(*point, rho) == pytest.approx(whole.cdf(point), abs=2e-5)


@pytest.mark.parametrize(
    ("n", "m", "tail", "alpha"),
    [
        (4, 4, "two_sided", 0.05),  # two relabellings below alpha: simulated
        (5, 5, "greater", 0.05),
        (6, 6, "two_sided", 0.05),
        (4, 8, "less", 0.05),
        (8, 8, "two_sided", 0.01),
        (9, 9, "greater", 0.05),
    ],
)
def test_power_is_near_that_of_exact_tests(n, m, tail, alpha):
    for shift in (0.7, 1.6, 2.4):
        signed = -shift if tail == "less" else shift
        rng = np.random.default_rng(5)
        rows = rng.standard_normal((4000, n + m))
        rows[:, :n] += signed
        exact = (p_of(rows, n, tail) < alpha).mean()
        own = chance_of_rejection(n, m, signed, alpha=alpha, tail=tail)
        assert own == pytest.approx(exact, abs=0.02 + 3 * 0.008)


def test_a_threshold_takes_away_what_is_small():
    # at 200 v 200 a d of .1656 is significant at .05 in one direction, and .2 is not reached
    free = chance_of_rejection(200, 200, 0.2, tail="greater")
    held = chance_of_rejection(200, 200, 0.2, tail="greater", threshold=0.2)
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((20_000, 400))
    rows[:, :200] += 0.2
    d = (rows[:, :200].mean(axis=1) - rows[:, 200:].mean(axis=1)) / rows.std(axis=1, ddof=1)
    assert held == pytest.approx((d > 0.2).mean(), abs=0.015)
    assert held < free - 0.1
    assert chance_of_rejection(8, 8, 0.9, threshold=0.2) == chance_of_rejection(8, 8, 0.9)
    assert chance_of_rejection(8, 8, 0.9, threshold=1.999) == 0.0


@pytest.mark.parametrize(("n", "m"), [(5, 5), (6, 6), (4, 12)])
def test_smallest_effects_have_the_wanted_power_in_simulated_tests(n, m):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((4000, n + m))
    rows[:, :n] += shift_of_d(smallest_effect(n, m), n, m)
    found = p_of(rows, n, "two_sided") < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.04)
    assert smallest_effect(n, m, tail="less") == -smallest_effect(n, m, tail="greater")


@pytest.mark.parametrize(("n", "m"), [(8, 8), (3, 12)])
def test_effect_sizes_of_the_union(n, m):
    # d of a great many scores in these proportions
    source, k = np.random.default_rng(0), 200_000
    shift = 1.7
    scores = source.normal(size=k)
    first = np.arange(k) < k * n // (n + m)
    scores[first] += shift
    d = (scores[first].mean() - scores[~first].mean()) / scores.std()
    assert d_of_shift(shift, n, m) == pytest.approx(d, rel=0.01)
    for value in (-1.9, -0.3, 0.0, 1e-9, 1.2):
        assert d_of_shift(shift_of_d(value, n, m), n, m) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("d", "tail"), [(0.5, "two_sided"), (0.8, "greater"), (1.9, "two_sided")])
def test_one_term_fewer_is_too_few(d, tail):
    n = terms_needed(d, tail=tail)
    chances = [chance_of_rejection(k, k, shift_of_d(d, k, k), tail=tail) for k in (n - 1, n)]
    assert chances[0] < 0.8 <= chances[1]


def test_patterns_against_simulated_pairs_of_tests():
    rng = np.random.default_rng(8)
    n, shifts, rho = 8, (1.1, -0.6), 0.6
    x = rng.standard_normal((4000, 2 * n))
    y = rho * x + math.sqrt(1 - rho**2) * rng.standard_normal(x.shape)
    signs = []
    for rows, shift in ((x, shifts[0]), (y, shifts[1])):
        rows[:, :n] += shift
        a, b = (p_of(rows, n, tail) < 0.05 for tail in ("greater", "less"))
        signs.append(a.astype(int) - b)
    margins = {
        t: tuple(chance_of_rejection(n, n, s, tail=tail) for tail in ("greater", "less"))
        for t, s in zip("XY", shifts, strict=True)
    }
    found = pattern_chances(margins, rho)
    assert sum(found.values()) == pytest.approx(1)
    for (i, j), chance in found.items():
        share = float(np.mean((signs[0] == i) & (signs[1] == j)))
        assert chance == pytest.approx(share, abs=0.03), (i, j)


@pytest.mark.parametrize(("tail", "chance"), [("greater", 1.0), ("less", 0.0)])
def test_a_huge_difference_is_found_for_certain(tail, chance):
    shift = 12.362763339951282  # d = 1.974 of at most 1.975: scipy's far tail is NaN there
    assert chance_of_rejection(20, 20, shift, tail=tail, threshold=0.2) == chance
