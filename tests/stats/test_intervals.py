"""The exact interval of a proportion: by hand, against scipy, and at sizes where scipy errs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from eatlas.errors import EatlasError
from eatlas.stats.distributions import clopper_pearson

AGREEMENT = 4e-12
"""binomtest solves to an absolute 2e-12; the worst difference from it was 5e-13."""
PRECISION = 1e-12
"""Relative, against inverse incomplete beta functions up to 1,000 trials; worst seen: 3e-15."""

# found with 40 to 60 digits in mpmath 1.3: roots of the binomial tail
REFERENCE = [
    (1, 10**6, 0.5, "high", 2.6926322500675475493e-6),
    (3, 10**6, 0.5, "high", 5.1094220961410193221e-6),
    (23, 10**6, 0.95, "high", 3.4511094259718861356e-5),
    (1, 10**9, 0.5, "high", 2.6926345266108726831e-9),
    (3, 10**9, 0.95, "high", 8.7672730444606958671e-9),
]


def test_by_hand():
    # no success: (1 - high)**n = 0.025; one of one: low = 0.025
    assert clopper_pearson(0, 20) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20), rel=1e-14))
    assert clopper_pearson(1, 1) == (pytest.approx(0.025, rel=1e-14), 1.0)
    assert clopper_pearson(20, 20, 0.9) == (pytest.approx(0.05 ** (1 / 20), rel=1e-14), 1.0)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.95, 0.999])
def test_agreement_with_scipy(level):
    tail = (1 - level) / 2
    for trials in (1, 2, 7, 100, 1000):
        for successes in {0, 1, trials // 3, trials // 2, trials - 1, trials}:
            ours = clopper_pearson(successes, trials, level)
            theirs = stats.binomtest(successes, trials).proportion_ci(level, "exact")
            assert ours == pytest.approx((theirs.low, theirs.high), rel=0, abs=AGREEMENT)
            if 0 < successes < trials:
                low = special.betaincinv(successes, trials - successes + 1, tail)
                high = special.betainccinv(successes + 1, trials - successes, tail)
                assert ours == pytest.approx((low, high), rel=PRECISION)


@pytest.mark.parametrize(("successes", "trials", "level", "end", "value"), REFERENCE)
def test_rare_successes_of_many_trials(successes, trials, level, end, value):
    low, high = clopper_pearson(successes, trials, level)
    assert {"low": low, "high": high}[end] == pytest.approx(value, rel=1e-14)


def test_more_trials_than_doubles_can_count():
    # for rare successes the binomial is Poisson: chi-squared quantiles over 2 n
    low, high = clopper_pearson(2, 10**18)
    assert low == pytest.approx(stats.chi2.ppf(0.025, 4) / 2e18, rel=PRECISION)
    assert high == pytest.approx(stats.chi2.isf(0.025, 6) / 2e18, rel=PRECISION)


def test_half_of_very_many_trials_is_normal():
    low, high = clopper_pearson(5 * 10**11, 10**12)
    reach = stats.norm.isf(0.025) * math.sqrt(0.25e-12)
    assert (high - low) / 2 == pytest.approx(reach, rel=2e-6)
    assert low == pytest.approx(1 - high, rel=1e-14)


@given(st.integers(1, 5000), st.data())
def test_ends_mirror_each_other_and_hold_the_share(trials, data):
    successes = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(successes, trials)
    assert 0 <= low < high <= 1
    assert low <= successes / trials <= high
    mirrored = clopper_pearson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-14)


def test_coverage_is_never_below_the_level():
    trials = 40
    for p in np.linspace(0.01, 0.99, 23):
        held = [low <= p <= high for low, high in map(clopper_pearson, range(41), [trials] * 41)]
        assert stats.binom.pmf(np.flatnonzero(held), trials, p).sum() >= 0.95


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2), "successes is out of range\n  got: 3\n  allowed: 0 to 2"),
        ((-1, 2), "successes is out of range\n  got: -1\n  allowed: 0 to 2"),
        ((0, 0), "trials is out of range\n  got: 0\n  allowed: 1 or more"),
        ((0.5, 2), "successes must be a whole number\n  got: 0.5\n  allowed: 0 to 2"),
        ((1, 2, 1.0), "level must be a probability\n  got: 1.0"),
    ],
)
def test_messages(arguments, message):
    with pytest.raises(EatlasError) as caught:
        clopper_pearson(*arguments)
    assert str(caught.value).startswith(message)
