"""How much a series rises: the slope of Theil and Sen, its samples of words, and its interval."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.inputs import load_benchmark

from eatlas.stats.bootstrap import block_layout
from eatlas.stats.trend import (
    WordTable,
    resample_words,
    slope_interval,
    theil_sen,
    variance_over_noise,
    variance_over_words,
)


def rng():
    return np.random.default_rng(0)


def test_slopes_of_rows_are_those_of_scipy():
    times, values = np.array([1790.5, 1800, 1811, 1830, 1831]), rng().normal(size=(7, 5))
    for row, slope in zip(values, theil_sen(times, values), strict=True):
        assert slope == pytest.approx(stats.theilslopes(row, times).slope)


def test_what_is_undefined_is_left_out():
    times, row = np.arange(5.0), np.array([0.0, 1.0, math.nan, 3.0, 5.0])
    known = np.isfinite(row)
    assert theil_sen(times, row) == theil_sen(times[known], row[known]) == 1.25 - 0.125
    assert np.isnan(theil_sen(times, np.array([1.0, *[math.nan] * 4])))


def test_samples_of_words_are_the_same_in_all_periods():
    values = rng().normal(size=(6, 4))
    words = {"X": np.arange(3), "Y": np.arange(3), "A": np.arange(2), "B": np.arange(2)}
    sizes = {"X": 3, "Y": 3, "A": 2, "B": 2}
    tables = [WordTable(values, words), WordTable(2 * values, words)]
    samples = resample_words(tables, sizes, 0, ddof=1, rng=rng())
    np.testing.assert_allclose(samples[:, 0], samples[:, 1])
    layout = block_layout(values, 3, 2)
    d = layout.levels[0].effects(np.ones((6, 1)), np.ones((4, 1)), 1)[0]
    assert np.nanquantile(samples[:, 0], 0.01) < d < np.nanquantile(samples[:, 0], 0.99)


def test_a_period_without_a_word_of_a_group_in_a_sample_has_no_effect_size():
    values = rng().normal(size=(4, 4))
    some = {"X": np.array([0]), "Y": np.arange(3), "A": np.arange(2), "B": np.arange(2)}
    sizes = {"X": 2, "Y": 3, "A": 2, "B": 2}
    samples = resample_words([WordTable(values, some)], sizes, 0, ddof=1, rng=rng())
    assert 0.2 < np.isnan(samples).mean() < 0.32  # a half to the power of two, and more


def test_variances_by_hand():
    times = np.arange(4.0)
    slopes = rng().normal(size=500)
    samples = slopes[:, None] * times
    assert variance_over_words(times, samples, 8) == pytest.approx(slopes.var(ddof=1) * 8 / 7)
    assert math.isnan(variance_over_words(times, samples, 1))
    samples[:100] = math.nan
    assert math.isnan(variance_over_words(times, samples, 8))
    two = np.array([0.0, 1.0])
    found = variance_over_noise(two, np.zeros(2), np.array([3.0, 4.0]), rng())
    assert found == pytest.approx(25, rel=0.15)


def test_the_interval_is_that_of_student():
    t = stats.t.ppf(0.975, 14)
    assert slope_interval(1.0, 4.0, 0.0, 14, 0.95) == pytest.approx((1 - 2 * t, 1 + 2 * t))
    z = stats.norm.ppf(0.975)
    assert slope_interval(1.0, 0.0, 4.0, 0, 0.95) == pytest.approx((1 - 2 * z, 1 + 2 * z))
    t = stats.t.ppf(0.975, 14 * 4)
    assert slope_interval(0.0, 2.0, 2.0, 14, 0.95) == pytest.approx((-2 * t, 2 * t))


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 3])
def test_the_interval_holds_the_slope_of_the_periods(number):
    """The small form of benchmarks/trend_interval.py."""
    script = load_benchmark("trend_interval")
    held, _, width, apart, _ = script.simulate(script.DESIGNS[number], 120)
    assert held >= 0.92
    assert 0.05 < width < 0.12
    assert (apart > 0.3) == bool(script.DESIGNS[number].rise)
