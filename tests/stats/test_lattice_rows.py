"""Deviations on a lattice: sums without rounding, figures that no order of terms changes."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.stats.multiplicity import lattice_deviations

rows_of_8 = hnp.arrays(np.float64, (3, 8), elements=st.floats(-1e3, 1e3))


@given(rows_of_8)
def test_sums_are_exact_in_any_order(rows):
    deviations, _ = lattice_deviations(rows, None)
    for row in deviations:
        exact = sum(map(Fraction, row[:5].tolist()), Fraction(0))
        assert Fraction(float(np.add.reduce(row[:5]))) == exact
        assert Fraction(float(np.add.reduce(row[4::-1]))) == exact
        assert Fraction(float(row[:5] @ np.ones(5))) == exact


@given(rows_of_8, st.permutations(range(8)))
def test_order_of_terms_changes_no_bit(rows, order):
    mine, tolerance = lattice_deviations(rows, 1.0)
    other, same = lattice_deviations(rows[:, order], 1.0)
    assert mine[:, order].tolist() == other.tolist()
    assert tolerance.tolist() == same.tolist()
