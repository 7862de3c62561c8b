"""Student's t and Clopper and Pearson's interval: closed forms and published ends."""

import math

import pytest
from scipy import stats

from eatlas.stats.inputs import clopper_pearson, t_outside, t_quantile


def test_students_t():
    assert t_outside(1.0, 1) == pytest.approx(0.5)
    assert t_outside(-2.5, 7) == t_outside(2.5, 7) == pytest.approx(2 * stats.t.sf(2.5, 7))
    assert t_outside(0.0, 5) == 1.0
    assert 0 < t_outside(math.inf, 3) < 1e-300
    assert t_quantile(0.05, 10) == pytest.approx(2.228138851965)


def test_ends_of_an_interval():
    # no success: (1 - high)**n = 0.025; one of one: low = 0.025
    assert clopper_pearson(0, 20) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert clopper_pearson(1, 1) == (pytest.approx(0.025), 1.0)
    theirs = stats.binomtest(7, 100).proportion_ci(0.9, "exact")
    assert clopper_pearson(7, 100, 0.9) == pytest.approx((theirs.low, theirs.high))
    # of rare successes the ends are those of 60 digits, found with mpmath
    assert clopper_pearson(3, 10**6, 0.5)[1] == pytest.approx(5.1094220961410193e-6, rel=1e-9)
