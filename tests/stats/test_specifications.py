"""Variance shares of grids whose answer is known; correlations against others."""

from itertools import permutations, product

import numpy as np
import pytest
import scipy.stats

from eatlas.stats.specifications import correlation, variance_shares

WORST = 1e-12
"""Worst difference observed: 4e-15."""


def grid(*sizes):
    return np.array(list(product(*map(range, sizes))))


def shares(values, levels):
    return variance_shares(np.asarray(values, float), levels)


def test_additive_effects_have_the_shares_of_their_variances():
    levels = grid(2, 3, 2)
    a, b, c = np.array([0.0, 2.0]), np.array([0.0, 1.0, 5.0]), np.array([1.0, 1.0])
    found = shares(a[levels[:, 0]] + b[levels[:, 1]] + c[levels[:, 2]], levels)
    parts = np.array([a.var(), b.var(), 0.0])
    for name in ("first", "total", "shapley"):
        np.testing.assert_allclose(getattr(found, name), parts / parts.sum(), atol=WORST)
    assert found.explained == pytest.approx(1.0)


def test_a_pure_interaction_is_shared_out():
    levels = grid(2, 2, 2)
    found = shares(np.where(levels[:, 0] == levels[:, 1], 1.0, -1.0), levels)
    np.testing.assert_allclose(found.first, [0, 0, 0], atol=WORST)
    np.testing.assert_allclose(found.total, [1, 1, 0], atol=WORST)
    np.testing.assert_allclose(found.shapley, [0.5, 0.5, 0], atol=WORST)


def test_shapley_effects_are_means_over_all_orders():
    rng = np.random.default_rng(5)
    levels = grid(2, 3, 2, 2)[rng.permutation(24)[:19]]  # a grid with holes
    values = rng.normal(size=19)

    def explained(subset):
        cells = {}
        for row, value in zip(levels[:, list(subset)].tolist(), values, strict=True):
            cells.setdefault(tuple(row), []).append(value)
        means = [(len(some), np.mean(some)) for some in cells.values()]
        return sum(n * (m - values.mean()) ** 2 for n, m in means) / 19 / values.var()

    expected = np.zeros(4)
    for order in permutations(range(4)):
        for place, one in enumerate(order):
            expected[one] += (explained(order[: place + 1]) - explained(order[:place])) / 24
    found = shares(values, levels)
    np.testing.assert_allclose(found.shapley, expected, atol=WORST)
    assert found.shapley.sum() == pytest.approx(found.explained)


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
