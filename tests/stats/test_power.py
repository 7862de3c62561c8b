"""Power: by hand, against brute force and the t test, impossible designs, search for an effect."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson
from eatlas.stats.permutation import permutation_test
from eatlas.stats.power import (
    TOLERANCE,
    d_of_shift,
    detectable_effect,
    permutation_power,
    shift_of_d,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_counts_rejections_of_the_exact_test_on_the_same_scores():
    found = permutation_power(5, 6, 1.3, rng=rng(), simulations=150, alpha=0.04)
    rows = rng().standard_normal((150, 11))
    rows[:, :5] += 1.3
    count = sum(permutation_test(row, 5).two_sided.p < 0.04 for row in rows)
    assert 20 < count < 130
    assert (found.rejections, found.simulations, found.power) == (count, 150, count / 150)
    assert (found.low, found.high) == clopper_pearson(count, 150)
    assert (found.n, found.m, found.shift, found.alpha) == (5, 6, 1.3, 0.04)
    assert found.d == d_of_shift(1.3, 5, 6)


@pytest.mark.parametrize("tail", ["two_sided", "greater", "less"])
def test_near_the_power_of_the_t_test(tail):
    # both tests have one power in the end (Hoeffding 1952); at 8 v 8, 60,000 simulations of each
    # tail differ by .2 % at most
    shift = -1.2 if tail == "less" else 1.2
    found = permutation_power(8, 8, shift, rng=rng(), tail=tail, simulations=8000)
    share = 0.025 if tail == "two_sided" else 0.05
    power = stats.nct.sf(stats.t.isf(share, 14), 14, 1.2 * math.sqrt(8 / 2))
    assert abs(found.power - power) < 0.002 + 4 * math.sqrt(power * (1 - power) / 8000)


def test_without_effect_power_is_the_exact_level():
    # all 70 ranks are equally likely: 2 of 70 two-sided p are below .05, and 3 of 70 one-sided
    for tail, level in (("two_sided", 2 / 70), ("greater", 3 / 70)):
        found = permutation_power(4, 4, 0.0, rng=rng(), tail=tail, simulations=20_000)
        assert abs(found.power - level) < 4 * math.sqrt(level / 20_000)


def test_large_groups():
    found = permutation_power(30, 20, 0.8, rng=rng(), simulations=60)
    power = stats.nct.sf(stats.t.isf(0.025, 48), 48, 0.8 * math.sqrt(30 * 20 / 50))
    assert found.low <= power <= found.high


@pytest.mark.parametrize(
    ("n", "m", "tail", "alpha", "min_p"),
    [
        (3, 3, "greater", 0.05, 1 / 20),
        (3, 3, "two_sided", 0.05, 2 / 20),
        (1, 10, "less", 0.05, 1 / 11),
        (4, 4, "two_sided", 0.02, 2 / 70),
    ],
)
def test_designs_that_cannot_reach_alpha(n, m, tail, alpha, min_p):
    found = permutation_power(n, m, 50.0, rng=rng(), tail=tail, alpha=alpha)
    assert (found.power, found.low, found.high) == (0.0, 0.0, 0.0)
    assert (found.reachable, found.min_p) == (False, min_p)
    assert (found.rejections, found.simulations) == (0, 0)
    effect = detectable_effect(n, m, rng=rng(), tail=tail, alpha=alpha)
    assert effect.shift == (-math.inf if tail == "less" else math.inf)
    assert abs(effect.d) == pytest.approx((n + m) / math.sqrt(n * m))
    assert (effect.at.power, effect.at.reachable) == (0.0, False)


def test_just_reachable():
    found = permutation_power(3, 3, 50.0, rng=rng(), tail="greater", alpha=0.051, simulations=20)
    assert (found.power, found.reachable) == (1.0, True)


def test_a_pool_gives_its_own_shape():
    # of two values, a shift of 4 deviations separates the groups; without one, many ties
    pool = np.array([0.0, 10.0])
    far = permutation_power(6, 6, 4.0, rng=rng(), pool=pool, simulations=100)
    assert far.power == 1.0
    none = permutation_power(6, 6, 0.0, rng=rng(), pool=pool, simulations=4000)
    both = stats.binom(6, 0.5).pmf(np.arange(7))
    exact = sum(
        both[i] * both[j]
        for i in range(7)
        for j in range(7)
        if 0 < i + j < 12
        and permutation_test(
            [1.0] * i + [0.0] * (6 - i) + [1.0] * j + [0.0] * (6 - j), 6
        ).two_sided.p
        < 0.05
    )
    assert none.low <= exact <= none.high
    # shape alone counts, not the mean and the unit
    moved = permutation_power(6, 6, 0.0, rng=rng(), pool=7 + 3 * pool, simulations=4000)
    assert moved == none


@pytest.mark.parametrize("tail", ["two_sided", "greater", "less"])
def test_detectable_effect_is_the_first_with_the_power_on_the_same_numbers(tail):
    effect = detectable_effect(7, 5, rng=rng(), tail=tail, simulations=400, power=0.7)
    assert (effect.wanted, effect.tolerance) == (0.7, TOLERANCE)
    assert (effect.shift, effect.d) == (effect.at.shift, effect.at.d)
    assert (effect.shift < 0) == (tail == "less")

    def power(shift):
        return permutation_power(7, 5, shift, rng=rng(), tail=tail, simulations=400)

    # the same seed, so the same scores: rows that the search settled early are decided again
    assert power(effect.shift) == effect.at
    assert effect.at.power >= 0.7
    assert power(effect.shift - math.copysign(TOLERANCE, effect.shift)).power < 0.7


def test_detectable_effect_beyond_1_and_of_small_size():
    small = detectable_effect(12, 12, rng=rng(), power=0.3, simulations=40)
    assert 0 < small.shift < 1
    large = detectable_effect(4, 4, rng=rng(), power=0.95, simulations=300)
    assert 2 < large.shift < 6


def test_larger_groups_and_larger_shifts_have_more_power():
    shifts = [permutation_power(8, 8, s, rng=rng(), simulations=500).power for s in (0, 1, 2)]
    assert shifts == sorted(shifts)
    groups = [permutation_power(n, n, 1.2, rng=rng(), simulations=500).power for n in (4, 8, 16)]
    assert groups == sorted(groups)


def test_a_seed_repeats():
    first, again = (permutation_power(6, 6, 1.0, rng=rng(3), simulations=50) for _ in range(2))
    assert first == again
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.power = 1.0


@pytest.mark.parametrize(("n", "m"), [(8, 8), (3, 12)])
def test_effect_sizes_of_the_union(n, m):
    # d of a great many scores in these proportions
    source, k = rng(), 200_000
    shift = 1.7
    scores = source.normal(size=k)
    first = np.arange(k) < k * n // (n + m)
    scores[first] += shift
    d = (scores[first].mean() - scores[~first].mean()) / scores.std()
    assert d_of_shift(shift, n, m) == pytest.approx(d, rel=0.01)
    for value in (-1.9, -0.3, 0.0, 1e-9, 1.2):
        assert d_of_shift(shift_of_d(value, n, m), n, m) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n is out of range\n  got: 0\n  allowed: 1 or more"),
        ({"m": 2.5}, "m must be a whole number\n  got: 2.5"),
        ({"shift": math.nan}, "shift must be finite\n  got: nan"),
        ({"shift": "1"}, "shift must be finite\n  got: '1'"),
        ({"alpha": 5}, "alpha must be a probability\n  got: 5\n  allowed: above 0 and below 1"),
        ({"tail": "both"}, "unknown tail\n  got: 'both'\n  allowed: greater, less, two_sided"),
        ({"simulations": 0}, "simulations is out of range\n  got: 0\n  allowed: 1 or more"),
        ({"rng": 3}, "rng must be a numpy Generator\n  got: int"),
        (
            {"pool": [2.0, 2.0]},
            "scores to draw from must have a spread\n  got: 2 scores, range 0.0",
        ),
        ({"pool": []}, "scores to draw from must have a spread\n  got: 0 scores"),
        ({"pool": [1.0, math.inf]}, "pool must be finite\n  got: inf at [1]"),
    ],
)
def test_messages(change, message):
    with pytest.raises(EatlasError) as caught:
        permutation_power(**{"n": 5, "m": 5, "shift": 1.0, "rng": rng()} | change)
    assert str(caught.value).startswith(message)


def test_messages_of_effects():
    with pytest.raises(EatlasError) as caught:
        shift_of_d(2.0, 8, 8)
    assert str(caught.value) == (
        "no difference of means has such an effect size\n  got: d = 2.0 for groups of 8 and 8\n"
        "  allowed: below 2 in size"
    )
    with pytest.raises(EatlasError, match="m is out of range\n  got: 0"):
        d_of_shift(1.0, 8, 0)
    with pytest.raises(EatlasError, match="power must be a probability\n  got: 0.05"):
        detectable_effect(8, 8, rng=rng(), power=0.05)
