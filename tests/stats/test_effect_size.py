"""Effect sizes: of rows, of draws, of unequal spread, combined, and shared out among choices."""

from __future__ import annotations

import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from eatlas.stats.correlation import correlation
from eatlas.stats.effect_size import (
    ESTIMATORS,
    Z,
    draw_contexts,
    draw_effects,
    effect_size,
    effect_sizes,
    inflation,
    random_effects,
    unequal_spread,
    union_variance,
    weigh_effects,
)
from eatlas.stats.permutation import permutation_test


def test_by_hand():
    difference, d = effect_size(np.array([1.0, 2.0, -1.0, -2.0]), 2)
    assert difference == 3.0
    assert d == pytest.approx(3 / math.sqrt(10 / 3))
    assert effect_size(np.array([1.0, 2.0, -1.0, -2.0]), 2, ddof=0)[1] == 3 / math.sqrt(10 / 4)


def test_complete_separation_at_equal_sizes_approaches_2_from_below():
    for n in (2, 8, 64):
        d = effect_size(np.array([1.0] * n + [-1.0] * n), n)[1]
        assert d == pytest.approx(2 * math.sqrt((2 * n - 1) / (2 * n)))
        assert d < 2


@pytest.mark.parametrize("noise", [0.0, 2**-53, 4 * 2**-53])
def test_no_spread_is_undefined(noise):
    scores = np.array([0.3, 0.3 + noise, 0.3, 0.3 - noise])
    assert math.isnan(effect_size(scores, 2)[1])


def test_a_small_spread_is_a_spread():
    assert effect_size(np.array([1e-9, 2e-9, -1e-9, -2e-9]), 2)[1] == pytest.approx(1.6431676725)


@given(hnp.arrays(np.float64, st.integers(2, 30), elements=st.floats(-1, 1, width=32)), st.data())
def test_order_and_sign(scores, data):
    n = data.draw(st.integers(1, len(scores) - 1))
    d = effect_size(scores, n)[1]
    turned = effect_size(np.concatenate([scores[:n][::-1], scores[n:][::-1]]), n)[1]
    mirrored = effect_size(-scores, n)[1]
    assert d == turned or (math.isnan(d) and math.isnan(turned))
    assert d == -mirrored or (math.isnan(d) and math.isnan(mirrored))


WORST = 1e-13
"""Relative; the greatest difference seen in 100,000 rows of 16 cosines was 2e-15."""


@pytest.mark.parametrize("ddof", [1, 0])
@pytest.mark.parametrize(("size", "n"), [(2, 1), (5, 2), (16, 8), (50, 25)])
def test_row_for_row(size, n, ddof):
    rows = np.random.default_rng(size).normal(0.2, 0.15, (200, size))
    difference, d = effect_sizes(rows, n, ddof=ddof)
    singles = np.array([effect_size(row, n, ddof=ddof) for row in rows])
    assert difference == pytest.approx(singles[:, 0], rel=WORST, abs=1e-16)
    assert d == pytest.approx(singles[:, 1], rel=WORST, abs=1e-15)


def test_no_spread_is_not_a_number_and_no_zero():
    tiny = 0.3 + 2.0**-54 * np.arange(4)
    rows = np.array([[0.3] * 4, tiny, [0.0] * 4, [0.1, 0.2, 0.3, 0.4]])
    assert np.isnan(effect_sizes(rows, 2)[1]).tolist() == [True, True, True, False]
    for row in rows[:3]:
        assert np.isnan(effect_size(row, 2)[1])


@given(
    hnp.arrays(np.float64, (3, 8), elements=st.floats(-1, 1)),
    st.permutations(range(4)),
    st.permutations(range(4)),
)
def test_order_within_groups_changes_no_bit_and_swapping_them_the_sign(rows, first, second):
    columns = [*first, *(4 + i for i in second)]
    for mine, other in zip(effect_sizes(rows, 4), effect_sizes(rows[:, columns], 4), strict=True):
        assert mine.tobytes() == other.tobytes()
    swapped = np.concatenate([rows[:, 4:], rows[:, :4]], axis=1)
    assert np.array_equal(effect_sizes(swapped, 4)[1], -effect_sizes(rows, 4)[1], equal_nan=True)


NEAR = 0.15
"""Worst relative difference over the designs below, with 40,000 samples each: .13 at 5 v 5, .10 at
8 v 8, .05 at 25 v 25; 10,000 samples know a variance within .015."""


def simulated(n, m, shift, count=10_000, seed=0):
    """Effect sizes of normal scores, one standard deviation within groups."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(count, n + m))
    values[:, :n] += shift
    return draw_effects(values, n).d


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize(("n", "m"), [(5, 5), (8, 8), (25, 25), (12, 30)])
def test_mean_variance_is_the_variance_over_samples(n, m, shift):
    d = simulated(n, m, shift)
    assert union_variance(d, n, m).mean() == pytest.approx(d.var(), rel=NEAR)


def test_it_is_the_square_of_the_slope_times_the_variance_of_the_textbook_d():
    n, m = 6, 9
    size, c = n + m, n * m / (n + m)
    g = np.linspace(-4, 4, 41)

    def of(g):
        return g * np.sqrt((size - 1) / (size - 2 + c * g**2))

    slope, textbook = (of(g + 1e-6) - of(g - 1e-6)) / 2e-6, 1 / c + g**2 / (2 * size)
    assert union_variance(of(g), n, m) == pytest.approx(slope**2 * textbook, rel=1e-6)


def test_an_effect_as_large_as_can_be_has_no_variance():
    largest = draw_effects(np.array([[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]]), 3).d
    assert union_variance(largest, 3, 3) == pytest.approx(0.0, abs=1e-15)
    assert union_variance(largest * (1 + 1e-12), 3, 3)[0] == 0.0


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
    assert found["sd"][0] == 0
    assert found["level"] > 0.16  # a factor of 2


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1 / 3, 3])
def test_the_level_is_about_that_of_the_test(ratio):
    r = np.random.default_rng(1)
    p = [
        permutation_test(np.concatenate([ratio * r.normal(size=6), r.normal(size=10)]), 6)
        for _ in range(150)
    ]
    rejected = np.mean([one.two_sided.p <= 0.05 for one in p])
    stated = math.erfc(Z / math.sqrt(2 * inflation((6, 10), (ratio**2, 1.0))))
    assert rejected == pytest.approx(stated, abs=0.06)


@pytest.mark.parametrize(
    ("count", "replace", "differ"),
    [(50, "auto", True), (40, "auto", True), (39, "auto", False), (50, "always", False)],
)
def test_without_replacement_where_there_is_a_context_for_each_draw(count, replace, differ):
    chosen = draw_contexts(count, 40, np.random.default_rng(0), replace).tolist()
    assert len(chosen) == 40
    assert max(chosen) < count
    assert (len(set(chosen)) == 40) is differ


@pytest.mark.parametrize(("count", "replace"), [(7, "auto"), (5000, "auto"), (7, "always")])
def test_every_context_is_as_likely_as_another(count, replace):
    chosen = np.concatenate(
        [draw_contexts(count, 3000, np.random.default_rng(seed), replace) for seed in range(5)]
    )
    seventh = np.bincount(chosen * 7 // count, minlength=7)
    # 6 degrees of freedom; without replacement the counts vary less
    assert stats.chisquare(seventh).statistic < stats.chi2.isf(1e-6, 6)


AGREEMENT = 1e-12
"""Worst difference from the effect size of a single draw: 5e-16."""


def scores(draws, n, m, *, shift=0.6, seed=0):
    """Scores of stimuli in random contexts: spread differs from draw to draw."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=n + m) * 0.1
    own[:n] += 0.1 * shift
    width = rng.uniform(0.02, 0.4, size=(draws, 1))
    return own + rng.normal(size=(draws, n + m)) * width


def relabelled(n, m):
    """Order of units for each of the relabellings, the first group first."""
    everyone = set(range(n + m))
    for first in combinations(range(n + m), n):
        yield [*first, *sorted(everyone - set(first))]


def tails(statistics, observed):
    """Counts of the three tails; the mean over all relabellings is 0 for groups of one size."""
    t, tie = np.array(statistics), 1e-9
    return {
        "greater": int((t >= observed - tie).sum()),
        "less": int((t <= observed + tie).sum()),
        "two_sided": int((np.abs(t) >= abs(observed) - tie).sum()),
    }


def brute(values, n, m, weigh):
    """Weighted mean effect under every relabelling; all is computed anew for each."""

    def statistic(order):
        found = draw_effects(values[:, order], n)
        w = weigh(found)
        return float(np.sum(w * found.d) / np.sum(w))

    everything = [statistic(order) for order in relabelled(n, m)]
    return tails(everything, everything[0])


@pytest.mark.parametrize("ddof", [0, 1])
def test_each_draw_is_the_effect_size_of_its_scores(ddof):
    values = scores(200, 7, 5)
    found = draw_effects(values, 7, ddof=ddof)
    for i, row in enumerate(values):
        difference, d = effect_size(row, 7, ddof=ddof)
        assert abs(found.difference[i] - difference) < AGREEMENT
        assert abs(found.d[i] - d) < AGREEMENT
    assert found.mean == pytest.approx(found.d.mean(), abs=AGREEMENT)


def test_the_mean_effect_is_the_difference_of_means_of_one_vector():
    values = scores(500, 6, 9)
    found = draw_effects(values, 6)
    assert found.scores[:6].mean() - found.scores[6:].mean() == pytest.approx(found.mean, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_exact_p_of_the_equally_weighted_mean_is_that_of_brute_force(seed):
    values = scores(40, 5, 5, seed=seed)
    found = draw_effects(values, 5)
    answer = permutation_test(found.scores, 5, scale=found.scale)
    counts = {name: getattr(answer, name).count for name in ("greater", "less", "two_sided")}
    assert counts == brute(values, 5, 5, lambda one: np.ones(len(one.d)))
    assert answer.total == 252


def test_draws_without_spread_are_left_out_of_the_mean_and_of_its_test():
    values = scores(30, 4, 4)
    flat = np.concatenate([values, np.full((5, 8), 0.3)])
    some, every = draw_effects(flat, 4), draw_effects(values, 4)
    assert some.is_defined.sum() == 30
    assert np.isnan(some.d[30:]).all()
    assert some.mean == pytest.approx(every.mean, abs=1e-15)
    assert np.allclose(some.scores, every.scores, atol=1e-15)


def test_a_spread_below_the_rounding_of_large_terms_is_none():
    rounded = 40.0 + np.array([[0.0, 1, 0, 1], [0.0, 1, 2, 4]]) * np.array([[4e-15], [1.0]])
    assert draw_effects(rounded - 40.0, 2).is_defined.tolist() == [True, True]
    found = draw_effects(rounded - 40.0, 2, scale=40.0)
    assert found.is_defined.tolist() == [False, True]
    assert found.scale == pytest.approx(40 / np.std([0, 1, 2, 4], ddof=1))


METHODS = tuple(ESTIMATORS)


def combined(*effects, **how):
    return SimpleNamespace(**random_effects(*effects, **how))


DL_AGREEMENT = 1e-10
"""Worst difference from statsmodels over 500 designs: 1.4e-14."""
PM_AGREEMENT = 1e-8
"""Worst difference from statsmodels over 500 designs: 4e-10, which is where it stops."""
CLOSED_FORM = 1e-12
"""Worst difference from the closed form for equal variances, over 500 designs: 5e-15."""
# BCG vaccine trials of Colditz et al. (1994): cases and others, vaccinated and not
BCG = np.array([
    [4, 119, 11, 128], [6, 300, 29, 274], [3, 228, 11, 209], [62, 13536, 248, 12619],
    [33, 5036, 47, 5761], [180, 1361, 372, 1079], [8, 2537, 10, 619], [505, 87886, 499, 87892],
    [29, 7470, 45, 7232], [17, 1699, 65, 1600], [186, 50448, 141, 27197], [5, 2493, 3, 2338],
    [27, 16886, 29, 17825],
])  # fmt: skip


def designs(number=100):
    rng = np.random.default_rng(5)
    for _ in range(number):
        k = int(rng.integers(3, 40))
        variances = rng.uniform(0.01, 1, k) * 10 ** rng.uniform(-2, 2)
        yield rng.normal(rng.normal(), np.sqrt(variances + rng.uniform(0, 2))), variances


def test_effects_combined_by_hand():
    # equal variances 1: Q = 8, tau2 = sample variance 4 - 1 = 3, se = sqrt((3 + 1) / 3)
    for method in METHODS:
        pooled = combined(np.array([0.0, 4.0, 2.0]), np.ones(3), method=method)
        assert (pooled.q, pooled.i2) == (8.0, 0.75)
        assert pooled.effect_size == pytest.approx(2)
        assert pooled.tau2 == pytest.approx(3, rel=CLOSED_FORM)
        assert pooled.se == pytest.approx(math.sqrt(4 / 3))
        reach = stats.norm.isf(0.025) * math.sqrt(4 / 3)
        assert pooled.interval == pytest.approx((2 - reach, 2 + reach))
        beyond = stats.t.isf(0.025, 1) * math.sqrt(3 + 4 / 3)
        assert pooled.prediction == pytest.approx((2 - beyond, 2 + beyond))


@pytest.mark.parametrize(
    ("method", "tau2", "mean", "se"),
    [("dl", 0.3088, -0.7141, 0.1787), ("pm", 0.3181, -0.7150, 0.1809)],
)
def test_published_figures_of_the_bcg_trials(method, tau2, mean, se):
    """Risk ratios as in the manual of R's metafor, which prints four digits."""
    a, b, c, d = BCG.T
    y = np.log(a / (a + b)) - np.log(c / (c + d))
    v = 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    pooled = combined(y, v, method=method)
    found = (pooled.tau2, pooled.effect_size, pooled.se, pooled.q)
    assert found == pytest.approx((tau2, mean, se, 152.2330), abs=5.1e-5)


def test_dersimonian_laird_agrees_with_statsmodels():
    truncated = 0
    for y, v in designs():
        ours = combined(y, v)
        if ours.q <= y.size - 1:  # statsmodels goes on with a negative estimate
            assert (ours.tau2, ours.i2) == (0, 0)
            truncated += 1
            continue
        theirs = combine_effects(y, v, method_re="dl")
        found = (ours.q, ours.tau2, ours.effect_size, ours.se, ours.i2)
        expected = (
            theirs.q, theirs.tau2, theirs.mean_effect_re, theirs.sd_eff_w_re, theirs.i2
        )  # fmt: skip
        assert found == pytest.approx(expected, rel=DL_AGREEMENT, abs=DL_AGREEMENT)
    assert 0 < truncated < 70


def test_paule_mandel_agrees_with_statsmodels():
    compared = 0
    for y, v in designs():
        ours = combined(y, v, method="pm")
        theirs = combine_effects(y, v, method_re="iterated", atol=1e-10, maxiter=500)
        q = weigh_effects(y, v, ours.tau2)[2]
        assert q == pytest.approx(y.size - 1, rel=1e-12) or (ours.tau2 == 0 and q < y.size - 1)
        if theirs.tau2 == 0 < ours.tau2:
            continue  # it starts over from 0 when its last step oversteps the root by rounding
        compared += 1
        found = (ours.tau2, ours.effect_size, ours.se)
        expected = (theirs.tau2, theirs.mean_effect_re, theirs.sd_eff_w_re)
        assert found == pytest.approx(expected, rel=PM_AGREEMENT, abs=PM_AGREEMENT)
    assert compared > 65


def test_two_effects_have_no_prediction_interval():
    assert combined(np.array([0.5, 0.7]), np.full(2, 0.25)).prediction is None


@pytest.mark.parametrize("n", [5, 9, 40])
def test_correlations_are_those_of_scipy(n):
    x, y = np.random.default_rng(n).normal(size=(2, n))
    y = np.round(x + y, 1)
    found = correlation(x, y)
    pearson = scipy.stats.pearsonr(x, y)
    interval = pearson.confidence_interval(0.95)
    assert found.pearson == pytest.approx(pearson.statistic)
    assert (found.pearson_low, found.pearson_high) == pytest.approx((interval.low, interval.high))
    assert found.spearman == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
    assert found.spearman_low < found.spearman < found.spearman_high
