"""Shares of choices in the variance of effect sizes."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from eatlas_workbench.stats.variance_shares import variance_shares

WORST_OF_SHARES = 1e-12
"""Worst difference observed: 4e-15."""


def grid(*sizes):
    return np.array(list(product(*map(range, sizes))))


def shares(values, levels):
    explained, rows = variance_shares(np.asarray(values, float), levels)
    return explained, *rows.T


def test_additive_effects_have_the_shares_of_their_variances():
    levels = grid(2, 3, 2)
    a, b, c = np.array([0.0, 2.0]), np.array([0.0, 1.0, 5.0]), np.array([1.0, 1.0])
    found = shares(a[levels[:, 0]] + b[levels[:, 1]] + c[levels[:, 2]], levels)
    parts = np.array([a.var(), b.var(), 0.0])
    for each in found[1:]:
        np.testing.assert_allclose(each, parts / parts.sum(), atol=WORST_OF_SHARES)
    assert found[0] == pytest.approx(1.0)


def test_a_pure_interaction_is_shared_out():
    levels = grid(2, 2, 2)
    found = shares(np.where(levels[:, 0] == levels[:, 1], 1.0, -1.0), levels)
    np.testing.assert_allclose(found[1], [0, 0, 0], atol=WORST_OF_SHARES)
    np.testing.assert_allclose(found[2], [1, 1, 0], atol=WORST_OF_SHARES)
    np.testing.assert_allclose(found[3], [0.5, 0.5, 0], atol=WORST_OF_SHARES)


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
    np.testing.assert_allclose(found[3], expected, atol=WORST_OF_SHARES)
    assert found[3].sum() == pytest.approx(found[0])
