"""Random effects: by hand, against statsmodels, scipy and published figures, and at the edges."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from eatlas.stats.random_effects import ESTIMATORS, random_effects, weighted

METHODS = tuple(ESTIMATORS)
DL_AGREEMENT = 1e-10
"""Worst difference from statsmodels over 500 designs: 1.4e-14."""
PM_AGREEMENT = 1e-8
"""Worst difference from statsmodels over 500 designs: 4e-10, which is where it stops."""
CLOSED_FORM = 1e-12
"""Worst difference from the closed form for equal variances, over 500 designs: 5e-15."""

# BCG vaccine trials of Colditz et al. (1994): cases and others, vaccinated and not
BCG = np.array(
    [
        [4, 119, 11, 128],
        [6, 300, 29, 274],
        [3, 228, 11, 209],
        [62, 13536, 248, 12619],
        [33, 5036, 47, 5761],
        [180, 1361, 372, 1079],
        [8, 2537, 10, 619],
        [505, 87886, 499, 87892],
        [29, 7470, 45, 7232],
        [17, 1699, 65, 1600],
        [186, 50448, 141, 27197],
        [5, 2493, 3, 2338],
        [27, 16886, 29, 17825],
    ]
)


def designs(number=100):
    rng = np.random.default_rng(5)
    for _ in range(number):
        k = int(rng.integers(3, 40))
        variances = rng.uniform(0.01, 1, k) * 10 ** rng.uniform(-2, 2)
        yield rng.normal(rng.normal(), np.sqrt(variances + rng.uniform(0, 2))), variances


def test_by_hand():
    # equal variances 1: Q = 8, tau2 = sample variance 4 - 1 = 3, se = sqrt((3 + 1) / 3)
    for method in METHODS:
        pooled = random_effects(np.array([0.0, 4.0, 2.0]), np.ones(3), method=method)
        assert (pooled.q, pooled.i2) == (8.0, 0.75)
        assert pooled.mean == pytest.approx(2)
        assert pooled.tau2 == pytest.approx(3, rel=CLOSED_FORM)
        assert pooled.se == pytest.approx(math.sqrt(4 / 3))
        reach = stats.norm.isf(0.025) * math.sqrt(4 / 3)
        assert pooled.interval == pytest.approx((2 - reach, 2 + reach))
        beyond = stats.t.isf(0.025, 1) * math.sqrt(3 + 4 / 3)
        assert pooled.prediction == pytest.approx((2 - beyond, 2 + beyond))


@pytest.mark.parametrize(
    ("method", "tau2", "mean", "se"),
    [
        ("dl", 0.3088, -0.7141, 0.1787),
        ("pm", 0.3181, -0.7150, 0.1809),
    ],
)
def test_published_figures_of_the_bcg_trials(method, tau2, mean, se):
    """Risk ratios as in the manual of R's metafor, which prints four digits."""
    a, b, c, d = BCG.T
    y = np.log(a / (a + b)) - np.log(c / (c + d))
    v = 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    pooled = random_effects(y, v, method=method)
    found = (pooled.tau2, pooled.mean, pooled.se, pooled.q)
    assert found == pytest.approx((tau2, mean, se, 152.2330), abs=5.1e-5)


def test_dersimonian_laird_agrees_with_statsmodels():
    truncated = 0
    for y, v in designs():
        ours = random_effects(y, v)
        if ours.q <= y.size - 1:  # statsmodels goes on with a negative estimate
            assert (ours.tau2, ours.i2) == (0, 0)
            truncated += 1
            continue
        theirs = combine_effects(y, v, method_re="dl")
        found = (ours.q, ours.tau2, ours.mean, ours.se, ours.i2)
        expected = (
            theirs.q, theirs.tau2, theirs.mean_effect_re, theirs.sd_eff_w_re, theirs.i2
        )  # fmt: skip
        assert found == pytest.approx(expected, rel=DL_AGREEMENT, abs=DL_AGREEMENT)
    assert 0 < truncated < 70


def test_paule_mandel_agrees_with_statsmodels():
    compared = 0
    for y, v in designs():
        ours = random_effects(y, v, method="pm")
        theirs = combine_effects(y, v, method_re="iterated", atol=1e-10, maxiter=500)
        q = weighted(y, v, ours.tau2)[2]
        assert q == pytest.approx(y.size - 1, rel=1e-12) or (ours.tau2 == 0 and q < y.size - 1)
        if theirs.tau2 == 0 < ours.tau2:
            continue  # it starts over from 0 when its last step oversteps the root by rounding
        compared += 1
        found = (ours.tau2, ours.mean, ours.se)
        expected = (theirs.tau2, theirs.mean_effect_re, theirs.sd_eff_w_re)
        assert found == pytest.approx(expected, rel=PM_AGREEMENT, abs=PM_AGREEMENT)
    assert compared > 65


def test_two_effects_have_no_prediction_interval():
    assert random_effects(np.array([0.5, 0.7]), np.full(2, 0.25)).prediction is None
