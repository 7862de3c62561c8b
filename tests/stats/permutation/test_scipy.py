"""Against scipy's enumeration, where no tie can mislead it."""

from __future__ import annotations

import pytest
from scipy import stats
from tests.stats.permutation.designs import separated

from eatlas.stats.permutation import permutation_test


@pytest.mark.parametrize(("n", "m"), [(6, 6), (8, 8), (5, 8)])
@pytest.mark.parametrize("d", [0.2, 1.0])
def test_scipy_agrees(n, m, d):
    scores = separated(n, m, d, seed=n + m)
    result = permutation_test(scores, n)
    for alternative, tail in (("greater", result.greater), ("less", result.less)):
        expected = stats.permutation_test(
            (scores[:n], scores[n:]),
            lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            n_resamples=10**6,
            alternative=alternative,
            vectorized=True,
        ).pvalue
        assert tail.count == round(expected * result.total)
        assert tail.p == pytest.approx(expected, rel=1e-12)
