"""Effect sizes of many rows are those of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.stats.effect_size import effect_size, effect_sizes

WORST = 1e-13
"""Relative; the greatest difference seen in 100,000 rows of 16 cosines was 2e-15."""


@pytest.mark.parametrize("ddof", [1, 0])
@pytest.mark.parametrize(("size", "n"), [(2, 1), (5, 2), (16, 8), (50, 25)])
def test_row_for_row(size, n, ddof):
    rows = np.random.default_rng(size).normal(0.2, 0.15, (200, size))
    difference, d = effect_sizes(rows, n, ddof=ddof)
    singles = np.array([effect_size(row, n, ddof=ddof) for row in rows])
    assert difference == pytest.approx(singles[:, 0], rel=WORST, abs=1e-16)
    assert d == pytest.approx(singles[:, 1], rel=WORST, abs=1e-15)


def test_no_spread_is_not_a_number_and_no_zero():
    tiny = 0.3 + 2.0**-54 * np.arange(4)
    rows = np.array([[0.3] * 4, tiny, [0.0] * 4, [0.1, 0.2, 0.3, 0.4]])
    assert np.isnan(effect_sizes(rows, 2)[1]).tolist() == [True, True, True, False]
    for row in rows[:3]:
        assert np.isnan(effect_size(row, 2)[1])


@given(
    hnp.arrays(np.float64, (3, 8), elements=st.floats(-1, 1)),
    st.permutations(range(4)),
    st.permutations(range(4)),
)
def test_order_within_groups_changes_no_bit_and_swapping_them_the_sign(rows, first, second):
    columns = [*first, *(4 + i for i in second)]
    for mine, other in zip(effect_sizes(rows, 4), effect_sizes(rows[:, columns], 4), strict=True):
        assert mine.tobytes() == other.tobytes()
    swapped = np.concatenate([rows[:, 4:], rows[:, :4]], axis=1)
    assert np.array_equal(effect_sizes(swapped, 4)[1], -effect_sizes(rows, 4)[1], equal_nan=True)
