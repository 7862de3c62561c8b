"""Quantiles of beta and Student's t against scipy's distribution functions."""

import pytest
from scipy import special, stats

from eatlas.stats.distributions import beta_quantile, t_quantile

SHAPES = [0.5, 1.0, 1.5, 8.0, 333.3, 1e5]
TAILS = [1e-12, 0.005, 0.025, 0.3, 0.5, 0.9]


@pytest.mark.parametrize("tail", TAILS)
def test_beta_quantiles_have_their_probability(tail):
    for a in SHAPES:
        for b in SHAPES:
            x, y = beta_quantile(tail, a, b)
            assert x + y == pytest.approx(1, rel=1e-15)
            # worst relative difference seen: 6e-13, most of it scipy's
            below = special.betainc(a, b, x) if x < y else special.betaincc(b, a, y)
            assert below == pytest.approx(tail, rel=1e-11)


@pytest.mark.parametrize("df", [1, 2, 3, 11, 30, 1000, 10**6])
def test_student(df):
    for outside in (1e-9, 0.001, 0.05, 0.5, 0.9):
        # worst relative difference seen: 7e-15
        assert t_quantile(outside, df) == pytest.approx(stats.t.isf(outside / 2, df), rel=1e-13)


def test_closed_forms():
    assert t_quantile(0.5, 1) == pytest.approx(1, rel=1e-14)  # Cauchy
    assert t_quantile(0.5, 2) == pytest.approx((2 / 3) ** 0.5, rel=1e-14)
    assert beta_quantile(0.5, 1, 1) == pytest.approx((0.5, 0.5), rel=1e-15)
    assert beta_quantile(0.01, 2, 1)[0] == pytest.approx(0.1, rel=1e-14)
