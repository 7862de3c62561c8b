"""Random effects: by hand, against statsmodels, scipy and published figures, and at the edges."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.meta_analysis import combine_effects

from eatlas.errors import UndefinedWarning
from eatlas.stats.draws import ESTIMATORS, random_effects, weighted

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


def designs(number=150):
    rng = np.random.default_rng(5)
    for _ in range(number):
        k = int(rng.integers(3, 40))
        variances = rng.uniform(0.01, 1, k) * 10 ** rng.uniform(-2, 2)
        yield rng.normal(rng.normal(), np.sqrt(variances + rng.uniform(0, 2))), variances


def restricted(tau2, y, v):
    """The restricted log-likelihood from the density of the contrasts, not from our formula."""
    contrasts = np.eye(y.size)[1:] - np.eye(y.size)[:1]
    covariance = contrasts @ np.diag(v + tau2) @ contrasts.T
    return stats.multivariate_normal(np.zeros(y.size - 1), covariance).logpdf(contrasts @ y)


def test_by_hand():
    # equal variances 1: Q = 8, tau2 = sample variance 4 - 1 = 3, se = sqrt((3 + 1) / 3)
    for method in METHODS:
        pooled = random_effects([0.0, 4.0, 2.0], [1.0, 1.0, 1.0], method=method)
        assert (pooled.method, pooled.k, pooled.q, pooled.i2) == (method, 3, 8.0, 0.75)
        assert pooled.mean == pytest.approx(2)
        assert pooled.tau2 == pytest.approx(3, rel=CLOSED_FORM)
        assert pooled.se == pytest.approx(math.sqrt(4 / 3))
        assert pooled.z == pytest.approx(math.sqrt(3))
        assert pooled.p == pytest.approx(2 * stats.norm.sf(math.sqrt(3)), rel=1e-13)
        assert pooled.high - 2 == pytest.approx(stats.norm.isf(0.025) * math.sqrt(4 / 3))
        assert pooled.prediction_high - 2 == pytest.approx(
            stats.t.isf(0.025, 1) * math.sqrt(3 + 4 / 3)
        )
        assert 2 - pooled.low == pytest.approx(pooled.high - 2)
        assert 2 - pooled.prediction_low == pytest.approx(pooled.prediction_high - 2)


@pytest.mark.parametrize(
    ("method", "tau2", "mean", "se"),
    [
        ("DL", 0.3088, -0.7141, 0.1787),
        ("PM", 0.3181, -0.7150, 0.1809),
        ("REML", 0.3132, -0.7145, 0.1798),
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
    assert 0 < truncated < 100


def test_paule_mandel_agrees_with_statsmodels():
    compared = 0
    for y, v in designs():
        ours = random_effects(y, v, method="PM")
        theirs = combine_effects(y, v, method_re="iterated", atol=1e-10, maxiter=500)
        q = weighted(y, v, ours.tau2)[2]
        assert q == pytest.approx(y.size - 1, rel=1e-12) or (ours.tau2 == 0 and q < y.size - 1)
        if theirs.tau2 == 0 < ours.tau2:
            continue  # it starts over from 0 when its last step oversteps the root by rounding
        compared += 1
        found = (ours.tau2, ours.mean, ours.se)
        expected = (theirs.tau2, theirs.mean_effect_re, theirs.sd_eff_w_re)
        assert found == pytest.approx(expected, rel=PM_AGREEMENT, abs=PM_AGREEMENT)
    assert compared > 100


def test_reml_is_the_maximum_of_the_restricted_likelihood():
    for y, v in designs(25):
        tau2 = random_effects(y, v, method="REML").tau2
        found = optimize.minimize_scalar(
            lambda t, y=y, v=v: -restricted(t, y, v), bounds=(0, 10), options={"xatol": 1e-9}
        )
        assert restricted(tau2, y, v) >= -found.fun - 1e-10
        # a maximum is flat: half the digits of the likelihood are those of its place
        assert tau2 == pytest.approx(found.x, rel=1e-5, abs=1e-5)


def test_reml_takes_the_higher_of_two_maxima():
    y, v = np.array([0.0, 0.0, 3.0, -3.2]), np.array([1e-4, 1e-4, 4.0, 4.0])
    grid = np.geomspace(1e-7, 100, 400)
    best = max(restricted(t, y, v) for t in grid)
    assert restricted(random_effects(y, v, method="REML").tau2, y, v) >= best


@pytest.mark.parametrize("method", METHODS)
def test_one_effect(method):
    with pytest.warns(UndefinedWarning, match="tau2, I2 and the prediction interval are not"):
        pooled = random_effects([0.5], [0.25], method=method)
    assert (pooled.mean, pooled.se, pooled.z, pooled.q) == (0.5, 0.5, 1.0, 0.0)
    assert all(map(math.isnan, (pooled.tau2, pooled.i2, pooled.prediction_low)))
