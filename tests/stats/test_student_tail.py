"""Probabilities outside a t value: closed forms, scipy, and the quantile that it inverts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eatlas.stats.distributions import t_outside, t_quantile

PRECISION = 2e-13
"""Relative, against scipy for df from 0.3 to 1e6; worst seen: 2.2e-14."""


def test_closed_forms():
    for t in (1e-8, 0.1, 1.0, 3.0, 1e5):  # scipy 1.17 is wrong by 3e-9 at 1e-8
        assert t_outside(t, 1) == pytest.approx(2 * math.atan(1 / t) / math.pi, rel=1e-14)
        # df = 2: 1 - t / sqrt(2 + t**2), without the cancellation
        root = math.sqrt(2 + t * t)
        assert t_outside(t, 2) == pytest.approx(2 / (root * (root + t)), rel=1e-14)


@pytest.mark.parametrize("df", [0.3, 1, 2.5, 10, 47.3, 1e3, 1e6])
def test_agreement_with_scipy(df):
    for t in (0.01, 0.5, 1, 2, 5, 12):
        assert t_outside(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=PRECISION)
        assert t_outside(-t, df) == t_outside(t, df)


def test_ends():
    assert t_outside(0.0, 5) == t_outside(1e-200, 5) == 1.0
    assert t_outside(1e120, 1) == pytest.approx(2e-120 / math.pi, rel=1e-13)
    assert 0 < t_outside(1e300, 50) <= 1e-300
    assert 0 < t_outside(math.inf, 3) < 1e-300


@given(st.floats(1e-12, 0.999), st.floats(1, 1e4))
def test_it_inverts_the_quantile(outside, df):
    assert t_outside(t_quantile(outside, df), df) == pytest.approx(outside, rel=1e-11)
