"""Intervals from a bootstrap distribution: by hand, and scipy's from the same resamples."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.resampling import (
    acceleration,
    around,
    bca_tails,
    errors,
    percentile,
    quantiles,
    studentised,
    tails,
)

SAME = 1e-10
"""Largest difference from scipy seen: 2e-15."""


def bca(drawn, estimate, a, level):
    at = bca_tails(drawn, estimate, a, level)
    return (math.nan, math.nan) if at is None else tuple(quantiles(drawn, at).tolist())


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
    found = studentised((0.0, 0.4), (d, errors), 2.0, 0.95)
    assert found.ends == pytest.approx((2 * math.tanh(-1.9 * 0.2), 2 * math.tanh(1.9 * 0.2)))
    assert found.left_out == 0
    # 0.025 of 201 resamples +- its standard error, in 200 steps of t
    error = math.sqrt(0.025 * 0.975 / 201)
    t = [-2 + 4 * (0.025 + sign * error) for sign in (-1, 1)]
    expected = (2 * math.tanh(0.2 * t[1]) - 2 * math.tanh(0.2 * t[0])) / 2
    assert found.errors == pytest.approx((expected, expected))


def test_quantiles_are_those_of_numpy():
    drawn = np.random.default_rng(0).normal(size=501)
    at = [0.0, 0.0251, 0.025, 0.5, 0.999, 1.0]
    assert quantiles(drawn, at) == pytest.approx(np.quantile(drawn, at), rel=1e-14)
    assert np.isnan(quantiles(np.array([]), [0.5])).all()


def test_errors_of_ends_are_those_of_other_resamples():
    """Of 400 sets of 2,000 normal numbers, the ends vary as each set says of itself."""
    ends, said = [], []
    for seed in range(400):
        drawn = np.random.default_rng(seed).normal(size=2000)
        ends.append(percentile(drawn, 0.95))
        said.append(errors(quantiles(drawn, around(tails(0.95), 2000)).tolist()))
    # the standard deviation of 400 numbers has a relative standard error of .035
    assert np.mean(said, axis=0) == pytest.approx(np.std(ends, axis=0), rel=0.12)


def test_studentised_reverses_the_tails():
    """Resamples with long upper tails speak for values far below the estimate."""
    t = np.concatenate([np.full(500, -1.0), np.linspace(0, 6, 500)])
    d, errors = 2 * np.tanh(0.5 + t * 0.1), 0.2 * (1 - np.tanh(0.5 + t * 0.1) ** 2)
    estimate = 2 * math.tanh(0.5), 0.2 * (1 - math.tanh(0.5) ** 2)
    low, high = studentised(estimate, (d, errors), 2.0, 0.9).ends
    assert np.arctanh(high / 2) == pytest.approx(0.6)
    assert np.arctanh(low / 2) < 0.5 - 0.5


def test_studentised_leaves_out_what_has_no_error():
    d, errors = np.array([0.1, 0.2, 0.3, 2.0, -2.0]), np.array([0.1, 0.1, 0.0, 0.0, 0.1])
    found = studentised((0.15, 0.1), (d, errors), 2.0, 0.95)
    assert found.left_out == 3
    assert found.ends[0] < 0.15 < found.ends[1]


@pytest.mark.parametrize("estimate", [(2.0, 0.1), (-2.0, 0.0), (0.5, 0.0), (math.nan, math.nan)])
def test_studentised_does_not_exist(estimate):
    drawn = np.array([0.1, 0.2]), np.array([0.1, 0.1])
    assert all(map(math.isnan, studentised(estimate, drawn, 2.0, 0.95).ends))
    empty = np.array([]), np.array([])
    assert all(map(math.isnan, studentised((0.5, 0.1), empty, 2.0, 0.95).ends))
