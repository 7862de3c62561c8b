"""Variance components of scores within units within groups."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eatlas_corpora.stats.nested import variance_components


def test_a_balanced_design_is_the_analysis_of_variance():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2, 6, 4)) + rng.normal(size=(2, 6, 1)) + [[[0.0]], [[2.0]]]
    of_within, of_units, of_groups = variance_components(table.ravel(), np.full(12, 4), 6)
    means = table.mean(axis=2)
    within = ((table - means[..., None]) ** 2).sum() / (12 * 3)
    between = 4 * ((means - means.mean(axis=1, keepdims=True)) ** 2).sum() / (2 * 5)
    assert of_within == pytest.approx(within)
    assert of_units == pytest.approx((between - within) / 4)
    gap = means[0].mean() - means[1].mean()
    assert of_groups == pytest.approx((gap**2 - between / 4 * 2 / 6) / 4)


def test_components_are_unbiased_for_units_of_unequal_size_and_spread():
    rng = np.random.default_rng(1)
    sizes = np.array([2, 3, 9, 4, 2, 5, 7, 2, 3, 6, 4, 4])
    spread = np.repeat(np.linspace(0.5, 2.0, 12), sizes)
    found = []
    for _ in range(1000):
        units = rng.normal(size=12) * 2
        units[:5] += 6
        values = np.repeat(units, sizes) + rng.normal(size=sizes.sum()) * spread
        found.append(variance_components(values, sizes, 5))
    expected = [np.mean(np.linspace(0.5, 2.0, 12) ** 2), 4.0, 9.0]
    errors = np.std(found, axis=0) / math.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - expected) < 4 * errors).all()


def test_negative_estimates_are_none():
    found = variance_components(np.array([0.0, 10, 0, 10, 0, 10]), np.array([2, 2, 2]), 1)
    assert found[1:] == (0.0, 0.0)


def test_units_of_one_score_leave_the_variance_within_open():
    found = variance_components(np.array([0.0, 2.0, 10.0, 12.0]), np.ones(4, int), 2)
    assert math.isnan(found[0])
    assert found[1] == 2.0
