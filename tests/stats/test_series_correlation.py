"""Permutation tests of rank correlations: by hand, against scipy; of series, by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from eatlas.stats.paired import (
    rank_correlation,
    series_correlation,
)


def rng(seed=0):
    return np.random.default_rng(seed)


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


def test_four_pairs_by_hand():
    # of 24 orders 1 has rho 1, 3 have .8, and so many the negatives: 8 with |rho| >= .8
    found = rank_correlation([1, 2, 3, 4], [10, 30, 20, 40], rng=rng())
    assert (found.n, found.rho, found.method) == (4, pytest.approx(0.8), "exact")
    assert (found.count, found.total, found.p) == (8, 24, pytest.approx(1 / 3))
    assert found.r2 == pytest.approx(0.8**2)


def test_exact_permutations_are_those_of_scipy():
    x, y = rng(5).normal(size=(2, 6))
    found = rank_correlation(x, y, rng=rng())
    theirs = stats.permutation_test(
        (x,),
        lambda one: stats.spearmanr(one, y).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
    )
    assert found.rho == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found.p == pytest.approx(theirs.pvalue)
    assert found.r2 == pytest.approx(stats.pearsonr(x, y).statistic ** 2)


def test_drawn_permutations_are_near_the_t_test_of_scipy():
    """Of 60 pairs; the error of 9,999 draws at p = .04 is .002."""
    draws = rng(8)
    x = draws.normal(size=60)
    y = 0.3 * x + draws.normal(size=60)
    found, theirs = rank_correlation(x, y, rng=rng()), stats.spearmanr(x, y)
    assert (found.method, found.total) == ("sampled", 9_999)
    assert found.p == (found.count + 1) / 10_000
    assert found.p == pytest.approx(theirs.pvalue, abs=0.01)
    assert found == rank_correlation(x, y, rng=rng())


def test_the_interval_is_that_of_a_plain_loop():
    draws = rng(9)
    x = draws.normal(size=12)
    y = x + draws.normal(size=12)
    found = rank_correlation(x, y, rng=rng(1), resamples=200)
    again = rng(1)
    for start in range(0, 9_999, 1_000):  # the permutations are drawn first
        again.permuted(np.tile(np.arange(12), (min(1_000, 9_999 - start), 1)), axis=1)
    rows = again.integers(12, size=(200, 12))
    rhos = [stats.spearmanr(x[row], y[row]).statistic for row in rows]
    assert found.interval == pytest.approx(np.quantile(rhos, [0.025, 0.975]))
    assert rank_correlation(x, y, rng=rng(1), resamples=0).interval is None


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=0, max_size=9))
@settings(max_examples=60)
def test_properties(pairs):
    x, y = np.array(pairs, float).reshape(-1, 2).T
    found = rank_correlation(x, y, rng=rng(), draws=200, resamples=0)
    other = rank_correlation(y, -x, rng=rng(), draws=200, resamples=0)
    if len(x) < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(found.rho)
        assert math.isnan(found.p)
        assert found.method == "undefined"
    else:
        assert -1 - 1e-12 <= found.rho <= 1 + 1e-12
        assert other.rho == pytest.approx(-found.rho)
        assert 0 < found.p <= 1
        if found.method == "exact":
            assert other.count == found.count


def test_the_null_is_that_of_a_plain_simulation():
    """The least favourable pair, found with loops and scipy; two Monte Carlo errors of .0025."""
    x = np.array([1, 2, 4, 3, 5, 6, 8, 7, 9, 10.0])
    y = np.array([2, 1, 3, 6, 4, 5, 10, 9, 8, 7.0])
    found = series_correlation(x, y, rng=rng(), draws=9_999)
    reach = abs(stats.spearmanr(x, y).statistic)
    assert found.rho == pytest.approx(reach)
    draws, shares = rng(77), []
    for phi in (0.0, 0.9, 1.0):
        a, b = (
            stats.zscore(stats.rankdata(list(walks(4_000, 10, phi, draws)), axis=1), axis=1)
            for _ in range(2)
        )
        shares.append(np.mean(abs((a * b).mean(axis=1)) >= reach - 1e-9))
    assert found.p == pytest.approx(max(shares), abs=0.012)
    assert shares[0] < found.p / 10


TRIALS = 200
LIMIT = 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)
"""Three errors above the nominal level; the seeds are fixed, so that the test is not random."""


@pytest.mark.parametrize(("phi", "noise"), [(0.0, "normal"), (0.9, "heavy"), (1.0, "heavy")])
def test_independent_series_are_called_correlated_no_more_often_than_stated(phi, noise):
    """Naive permutation calls 18% at phi of .9 and 30% or more at 1 correlated."""
    first = walks(TRIALS, 10, phi, rng(1), noise)
    second = walks(TRIALS, 10, phi, rng(2), noise)
    found = [
        series_correlation(a, b, rng=rng(3), draws=499, resamples=0)
        for a, b in zip(first, second, strict=True)
    ]
    assert np.mean([one.p <= 0.05 for one in found]) <= LIMIT
    unordered = np.mean([one.p_unordered <= 0.05 for one in found])
    if phi >= 0.9:
        assert unordered > 0.15
    else:
        assert unordered <= LIMIT
