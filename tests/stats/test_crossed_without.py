"""Crossed tests without each row and each column: against the test of the others, one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.test_crossed import crossed_test, crossed_test_with_covariates

from eatlas.errors import EatlasError
from eatlas.stats.crossed_without import without_each_column, without_each_row
from eatlas.stats.regression import Regression

AGREEMENT = 1e-10
"""Relative; worst seen in 1,500 tables: 1e-12."""


def one_by_one(table, sizes, columns, covariates):
    """Difference and p without each row, then without each column."""
    found = []
    for axis, groups in enumerate((sizes, columns)):
        for i in range(sum(groups)):
            of = int(np.searchsorted(np.cumsum(groups), i, side="right"))
            left = [n - (k == of) for k, n in enumerate(groups)]
            if min(left) < 2:
                found.append((np.nan, np.nan))
                continue
            others = np.delete(table, i, axis)
            rows, over = (left, columns) if axis == 0 else (sizes, left)
            z = np.delete(covariates, i, 0) if axis == 0 else covariates
            try:
                regression = Regression.of_groups(rows, z)
            except EatlasError:
                found.append((np.nan, np.nan))
                continue
            tested = crossed_test_with_covariates(others, regression, over, scale=1.0)
            found.append((tested["difference"], tested["p_two_sided"]))
    return np.array(found).T


def at_once(table, sizes, columns, covariates):
    regression = Regression.of_groups(sizes, covariates)
    functions = without_each_row, without_each_column
    tests = [of(table, regression, columns, scale=1.0) for of in functions]
    difference, p = np.concatenate(tests, axis=1)
    difference[np.isnan(p)] = np.nan
    return np.stack([difference, p])


@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(2, 8), st.integers(2, 8)),
    st.lists(st.integers(2, 7), min_size=1, max_size=2),
    st.integers(0, 3),
)
def test_they_are_the_tests_of_the_others(seed, sizes, columns, k):
    if k and sum(sizes) - k - 2 < 2:
        return
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(sum(sizes), sum(columns))) + rng.normal(size=(sum(sizes), 1))
    covariates = rng.normal(size=(sum(sizes), k))
    expected = one_by_one(table, list(sizes), columns, covariates)
    found = at_once(table, list(sizes), columns, covariates)
    assert found == pytest.approx(expected, rel=AGREEMENT, abs=1e-12, nan_ok=True)


def test_without_covariates_they_are_plain_crossed_tests():
    table = np.random.default_rng(1).normal(size=(9, 7))
    found = at_once(table, [5, 4], [3, 4], np.empty((9, 0)))[1]
    assert found[2] == pytest.approx(
        crossed_test(np.delete(table, 2, 0), (4, 4), (3, 4))["p_two_sided"], rel=AGREEMENT
    )
    assert found[-1] == pytest.approx(
        crossed_test(table[:, :-1], (5, 4), (3, 3))["p_two_sided"], rel=AGREEMENT
    )


def test_a_row_that_alone_determines_a_covariate_has_no_answer():
    table = np.random.default_rng(2).normal(size=(10, 8))
    covariate = np.zeros((10, 1))
    covariate[3] = 1.0
    found = at_once(table, [5, 5], [4, 4], covariate)[1]
    assert np.flatnonzero(np.isnan(found)).tolist() == [3]


def test_nothing_varies():
    found = at_once(np.ones((6, 6)), [3, 3], [3, 3], np.empty((6, 0)))
    assert np.isnan(found).all()
