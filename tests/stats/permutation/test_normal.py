"""The normal approximation: the exact moments, and what published code tends to."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.stats.permutation.designs import random_design, separated

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.problem import SMALLEST


@pytest.mark.parametrize("kind", [0, 1, 2, 6])
def test_a_normal_with_the_moments_of_all_subsets(kind):
    r = np.random.default_rng(kind)
    for _ in range(30):
        scores, n = random_design(r, kind, largest=9)
        if np.ptp(scores) == 0:
            continue
        sums = np.array([sum(c) for c in itertools.combinations(scores, n)])
        z = (scores[:n].sum() - sums.mean()) / sums.std()
        result = permutation_test(scores, n, method="normal")
        assert result.greater.p == pytest.approx(stats.norm.sf(z), rel=1e-9)
        assert result.less.p == pytest.approx(stats.norm.cdf(z), rel=1e-9)
        assert result.two_sided.p == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
        assert {result.greater.method, result.two_sided.method} == {"normal"}


@pytest.mark.parametrize(("n", "m", "d"), [(8, 8, 0.9), (25, 25, 0.6), (10, 30, 0.5)])
def test_published_code_tends_to_it(n, m, d):
    """A normal fitted to differences of means of random relabellings; p = min(cdf, 1 - cdf)."""
    scores = separated(n, m, d, n)
    rng = np.random.default_rng(1)
    shuffled = rng.permuted(np.tile(scores, (200_000, 1)), axis=1)
    differences = shuffled[:, :n].mean(axis=1) - shuffled[:, n:].mean(axis=1)
    cdf = stats.norm(*stats.norm.fit(differences)).cdf(scores[:n].mean() - scores[n:].mean())
    result = permutation_test(scores, n, method="normal")
    assert min(result.greater.p, result.less.p) == pytest.approx(min(cdf, 1 - cdf), rel=0.04)


def test_p_is_never_zero_and_no_spread_is_counted():
    r = np.random.default_rng(2)
    scores = np.concatenate([r.random(3000) + 5, r.random(3000)])
    assert permutation_test(scores, 3000, method="normal").greater.p == SMALLEST
    flat = permutation_test([0.1] * 5, 2, method="normal")
    assert (flat.greater.p, flat.greater.method) == (1.0, "exact")
