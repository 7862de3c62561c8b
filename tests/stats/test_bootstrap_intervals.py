"""Intervals from a bootstrap distribution: by hand, and scipy's from the same resamples."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.bootstrap_intervals import acceleration, bca, percentile, studentised

SAME = 1e-10
"""Largest difference from scipy seen: 2e-15."""


def union_d(x, y, axis=-1):
    union = np.concatenate([x, y], axis=axis)
    return (x.mean(axis=axis) - y.mean(axis=axis)) / union.std(axis=axis, ddof=1)


@pytest.mark.parametrize(("n", "m", "shift"), [(8, 8, 1.0), (6, 15, 0.0), (25, 25, 2.0)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_scipy_from_the_same_resamples(n, m, shift, level):
    rng = np.random.default_rng(n)
    x, y = rng.exponential(size=n) + shift, rng.exponential(size=m)
    given = {"confidence_level": level, "vectorized": True, "rng": 1}
    first = stats.bootstrap((x, y), union_d, n_resamples=1999, method="percentile", **given)
    drawn = first.bootstrap_distribution
    assert percentile(drawn, level) == pytest.approx(tuple(first.confidence_interval), rel=SAME)
    # no more resamples: scipy's BCa from the distribution it is handed
    kept = SimpleNamespace(bootstrap_distribution=drawn)
    theirs = stats.bootstrap(
        (x, y), union_d, n_resamples=0, bootstrap_result=kept, method="BCa", **given
    )
    groups = [
        np.array([union_d(np.delete(x, i), y) for i in range(n)]),
        np.array([union_d(x, np.delete(y, i)) for i in range(m)]),
    ]
    ours = bca(drawn, float(union_d(x, y)), acceleration(groups), level)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), rel=SAME)


def test_acceleration_by_hand():
    # U = (n - 1) / n (mean - value): 2/3 (1, 1, -2) and, of two terms, 1/2 (-1, 1)
    u = [2 / 3, 2 / 3, -4 / 3, -1 / 2, 1 / 2]
    cubes, squares = sum(v**3 for v in u), sum(v**2 for v in u)
    found = acceleration([np.array([0.0, 0.0, 3.0]), np.array([2.0, 0.0])])
    assert found == pytest.approx(cubes / (6 * squares**1.5))


def test_acceleration_of_a_mean_is_a_sixth_of_its_skewness():
    values = np.random.default_rng(0).exponential(size=40)
    left_out = np.array([np.delete(values, i).mean() for i in range(40)])
    expected = stats.skew(values) / (6 * math.sqrt(40))
    assert acceleration([left_out]) == pytest.approx(expected, rel=1e-9)


def test_no_acceleration():
    assert math.isnan(acceleration([np.ones(4)]))
    assert math.isnan(acceleration([np.array([1.0, math.nan, 2.0])]))


def test_bca_shifts_by_twice_the_bias():
    """Without acceleration the tails are Phi(2 z0 +- z)."""
    drawn = np.random.default_rng(0).normal(size=5000)
    estimate = 0.4
    z0 = stats.norm.ppf(np.mean(drawn < estimate))
    tails = stats.norm.cdf([2 * z0 - 1.959964, 2 * z0 + 1.959964])
    assert bca(drawn, estimate, 0.0, 0.95) == pytest.approx(
        tuple(np.quantile(drawn, tails)), rel=1e-4
    )


@pytest.mark.parametrize(
    ("drawn", "estimate", "a"),
    [
        (np.arange(5.0), 9.0, 0.0),
        (np.arange(5.0), -1.0, 0.0),
        (np.arange(5.0), 2.0, math.nan),
        (np.array([]), 2.0, 0.0),
    ],
)
def test_bca_does_not_exist(drawn, estimate, a):
    assert all(map(math.isnan, bca(drawn, estimate, a, 0.95)))


def test_studentised_by_hand():
    # on Fisher's scale z = 0 with error 0.2, and (z* - z) / se* = -2, ..., 2 in steps of 1/50
    t = np.linspace(-2, 2, 201)
    se = np.full(201, 0.1)
    d = 2 * np.tanh(t * se)
    errors = se * 2 * (1 - np.tanh(t * se) ** 2)
    ends, left_out = studentised((0.0, 0.4), (d, errors), 2.0, 0.95)
    assert ends == pytest.approx((2 * math.tanh(-1.9 * 0.2), 2 * math.tanh(1.9 * 0.2)))
    assert left_out == 0


def test_studentised_reverses_the_tails():
    """Resamples with long upper tails speak for values far below the estimate."""
    t = np.concatenate([np.full(500, -1.0), np.linspace(0, 6, 500)])
    d, errors = 2 * np.tanh(0.5 + t * 0.1), 0.2 * (1 - np.tanh(0.5 + t * 0.1) ** 2)
    estimate = 2 * math.tanh(0.5), 0.2 * (1 - math.tanh(0.5) ** 2)
    (low, high), _ = studentised(estimate, (d, errors), 2.0, 0.9)
    assert np.arctanh(high / 2) == pytest.approx(0.6)
    assert np.arctanh(low / 2) < 0.5 - 0.5


def test_studentised_leaves_out_what_has_no_error():
    d, errors = np.array([0.1, 0.2, 0.3, 2.0, -2.0]), np.array([0.1, 0.1, 0.0, 0.0, 0.1])
    ends, left_out = studentised((0.15, 0.1), (d, errors), 2.0, 0.95)
    assert left_out == 3
    assert ends[0] < 0.15 < ends[1]


@pytest.mark.parametrize("estimate", [(2.0, 0.1), (-2.0, 0.0), (0.5, 0.0), (math.nan, math.nan)])
def test_studentised_does_not_exist(estimate):
    drawn = np.array([0.1, 0.2]), np.array([0.1, 0.1])
    assert all(map(math.isnan, studentised(estimate, drawn, 2.0, 0.95)[0]))
    empty = np.array([]), np.array([])
    assert all(map(math.isnan, studentised((0.5, 0.1), empty, 2.0, 0.95)[0]))
