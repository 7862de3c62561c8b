"""Deviations on a lattice: sums without rounding, figures that no order of terms changes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.stats.multiplicity import lattice_deviations

rows_of_8 = hnp.arrays(np.float64, (3, 8), elements=st.floats(-1e3, 1e3))


@given(rows_of_8, st.booleans())
def test_sums_are_exact_in_any_order(rows, studentised):
    deviations, _ = lattice_deviations(rows, None, studentised=studentised)
    for row in deviations:
        exact = sum(map(Fraction, row[:5].tolist()), Fraction(0))
        assert Fraction(float(np.add.reduce(row[:5]))) == exact
        assert Fraction(float(np.add.reduce(row[4::-1]))) == exact
        assert Fraction(float(row[:5] @ np.ones(5))) == exact


@given(rows_of_8, st.permutations(range(8)))
def test_order_of_terms_changes_no_bit(rows, order):
    mine, tolerance = lattice_deviations(rows, 1.0, studentised=True)
    other, same = lattice_deviations(rows[:, order], 1.0, studentised=True)
    assert mine[:, order].tolist() == other.tolist()
    assert tolerance.tolist() == same.tolist()


def test_studentised_deviations():
    rows = np.random.default_rng(0).normal(5, 3, (20, 11))
    deviations, tolerance = lattice_deviations(rows, None, studentised=True)
    expected = (rows - rows.mean(axis=1)[:, None]) / rows.std(axis=1, ddof=1)[:, None]
    assert deviations == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert np.all((tolerance > 0) & (tolerance < 1e-12))


def test_without_spread_all_is_0():
    rows = np.array([[0.3] * 6, [0.3 + 2.0**-54] * 3 + [0.3] * 3, [1, 2, 3, 4, 5, 6]])
    deviations, tolerance = lattice_deviations(rows, 1.0, studentised=True)
    assert deviations[:2].tolist() == [[0.0] * 6] * 2
    assert tolerance[:2].tolist() == [0.0, 0.0]
    assert tolerance[2] > 0
