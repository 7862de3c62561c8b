"""Quantiles of Student's t: closed forms, and scipy's survival function."""

import pytest
from scipy import stats

from eatlas.stats.distributions import t_quantile


@pytest.mark.parametrize("df", [1, 2, 3, 11, 30, 1000, 10**6])
def test_student(df):
    for outside in (1e-9, 0.001, 0.05, 0.5, 0.9):
        # worst relative difference seen: 7e-15
        assert t_quantile(outside, df) == pytest.approx(stats.t.isf(outside / 2, df), rel=1e-13)


def test_closed_forms():
    assert t_quantile(0.5, 1) == pytest.approx(1, rel=1e-14)  # Cauchy
    assert t_quantile(0.5, 2) == pytest.approx((2 / 3) ** 0.5, rel=1e-14)
