"""Student's t and Clopper and Pearson's interval: closed forms and published ends."""

import math

import pytest
from scipy import stats

from eatlas.errors import EatlasError
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2), "successes is out of range\n  got: 3\n  allowed: 0 to 2"),
        ((0, 0), "trials is out of range\n  got: 0\n  allowed: 1 or more"),
        ((1, 2, 1.0), "level must be a probability\n  got: 1.0"),
    ],
)
def test_messages(arguments, message):
    with pytest.raises(EatlasError) as caught:
        clopper_pearson(*arguments)
    assert str(caught.value).startswith(message)
