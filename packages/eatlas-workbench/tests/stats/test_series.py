"""Correlations of series, and what their p-values hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.stats.test_correlation import rng

from eatlas_workbench.stats.series import series_correlation


def walks(count, n, phi, draws, noise="normal"):
    """Independent autoregressions of order 1, one at a time."""
    steps = {"normal": draws.normal, "heavy": lambda size: draws.standard_t(3, size)}[noise](
        size=(count, n)
    )
    for row in steps:
        made = [row[0] / math.sqrt(1 - phi**2) if phi < 1 else row[0]]
        for step in row[1:]:
            made.append(phi * made[-1] + step)
        yield np.array(made)


def test_the_null_is_that_of_a_plain_simulation():
    """The least favourable pair, found with loops and scipy; two Monte Carlo errors of .0025."""
    x = np.array([1, 2, 4, 3, 5, 6, 8, 7, 9, 10.0])
    y = np.array([2, 1, 3, 6, 4, 5, 10, 9, 8, 7.0])
    found = series_correlation(x, y, rng=rng(), permutations=9_999)
    reach = abs(stats.spearmanr(x, y).statistic)
    assert found.unordered.rho == pytest.approx(reach)
    draws, shares = rng(77), []
    for phi in (0.0, 0.9, 1.0):
        a, b = (
            stats.zscore(stats.rankdata(list(walks(4_000, 10, phi, draws)), axis=1), axis=1)
            for _ in range(2)
        )
        shares.append(np.mean(abs((a * b).mean(axis=1)) >= reach - 1e-9))
    assert found.p == pytest.approx(max(shares), abs=0.012)
    assert shares[0] < found.p / 10


TRIALS = 100
LIMIT = 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)
"""Three errors above the nominal level; the seeds are fixed, so that the test is not random."""


@pytest.mark.parametrize(
    ("phi", "noise"),
    [(0.0, "normal"), pytest.param(0.9, "heavy", marks=pytest.mark.slow), (1.0, "heavy")],
)
def test_independent_series_are_called_correlated_no_more_often_than_stated(phi, noise):
    """Naive permutation calls 18% at phi of .9 and 30% or more at 1 correlated."""
    first = walks(TRIALS, 10, phi, rng(1), noise)
    second = walks(TRIALS, 10, phi, rng(2), noise)
    found = [
        series_correlation(a, b, rng=rng(3), permutations=499, resamples=0)
        for a, b in zip(first, second, strict=True)
    ]
    assert np.mean([one.p <= 0.05 for one in found]) <= LIMIT
    unordered = np.mean([one.unordered.p <= 0.05 for one in found])
    if phi >= 0.9:
        assert unordered > 0.15
    else:
        assert unordered <= LIMIT
