"""The effect size by hand, and where it is undefined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.stats.effect_size import effect_size


def test_by_hand():
    difference, d = effect_size(np.array([1.0, 2.0, -1.0, -2.0]), 2)
    assert difference == 3.0
    assert d == pytest.approx(3 / math.sqrt(10 / 3))
    assert effect_size(np.array([1.0, 2.0, -1.0, -2.0]), 2, ddof=0)[1] == 3 / math.sqrt(10 / 4)


def test_complete_separation_at_equal_sizes_approaches_2_from_below():
    for n in (2, 8, 64):
        d = effect_size(np.array([1.0] * n + [-1.0] * n), n)[1]
        assert d == pytest.approx(2 * math.sqrt((2 * n - 1) / (2 * n)))
        assert d < 2


@pytest.mark.parametrize("noise", [0.0, 2**-53, 4 * 2**-53])
def test_no_spread_is_undefined(noise):
    scores = np.array([0.3, 0.3 + noise, 0.3, 0.3 - noise])
    assert math.isnan(effect_size(scores, 2)[1])


def test_a_small_spread_is_a_spread():
    assert effect_size(np.array([1e-9, 2e-9, -1e-9, -2e-9]), 2)[1] == pytest.approx(1.6431676725)


@given(hnp.arrays(np.float64, st.integers(2, 30), elements=st.floats(-1, 1, width=32)), st.data())
def test_order_and_sign(scores, data):
    n = data.draw(st.integers(1, len(scores) - 1))
    d = effect_size(scores, n)[1]
    turned = effect_size(np.concatenate([scores[:n][::-1], scores[n:][::-1]]), n)[1]
    mirrored = effect_size(-scores, n)[1]
    assert d == turned or (math.isnan(d) and math.isnan(turned))
    assert d == -mirrored or (math.isnan(d) and math.isnan(mirrored))
