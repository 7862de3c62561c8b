"""Batched counts are those of permutation_test, integer for integer and row for row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import counts, random_design, separated

from eatlas.errors import EatlasError
from eatlas.stats.permutation import batch, permutation_test
from eatlas.stats.permutation.batch import permutation_tests
from eatlas.stats.permutation.problem import TAILS

BACKENDS = [10**12, 0]
"""Pairs that numpy may count: all, none."""


def same_counts(rows, n, scale=None):
    found = permutation_tests(rows, n, scale=scale)
    for i, row in enumerate(rows):
        expected = counts(permutation_test(row, n, scale=scale))
        assert tuple(int(getattr(found, tail)[i]) for tail in TAILS) == expected, row.tolist()
    assert found.total == math.comb(rows.shape[1], n)


def some_rows(r, size, many):
    """Rows of every kind: continuous, coarse, repeated, constant, of any magnitude, near a tie."""
    rows = []
    for i in range(many):
        row = np.concatenate([random_design(r, i % 7)[0] for _ in range(size)])[:size]
        # a sum of magnitudes at a power of two, give or take one rounding
        row = row if i % 5 else np.full(size, 2.0 ** r.integers(-3, 4)) * r.choice([-1, 1], size)
        rows.append(row * (1 + 2.0**-52 * r.integers(-1, 2, size)) * 10.0 ** r.integers(-9, 10))
    return np.array(rows)


@pytest.mark.parametrize("limit", BACKENDS)
@pytest.mark.parametrize(
    ("size", "n"), [(2, 1), (3, 1), (3, 2), (7, 3), (8, 4), (10, 9), (12, 5), (13, 8), (14, 7)]
)
def test_every_kind_of_row(monkeypatch, limit, size, n):
    monkeypatch.setattr(batch, "NUMPY_PAIRS", limit)
    rows = some_rows(np.random.default_rng(size * n), size, 60)
    same_counts(rows, n)
    same_counts(rows, n, scale=float(np.abs(rows).max()))


def test_zeros_and_extreme_magnitudes():
    row = np.array([3.0, 1.0, 2.0, 0.5, -1.0, 0.25])
    rows = np.array([row * f for f in (0.0, 1e-320, 1e-300, 1.0, 1e300)])
    same_counts(rows, 2)
    assert permutation_tests(rows, 2).greater[0] == 15


@pytest.mark.parametrize(("size", "n"), [(16, 8), (20, 6), (22, 14)])
def test_designs_of_ordinary_size(monkeypatch, size, n):
    monkeypatch.setattr(batch, "NUMPY_PAIRS", 0)
    r = np.random.default_rng(size)
    rows = np.array([separated(n, size - n, d, 1) for d in (0.0, 0.7, 1.5)])
    same_counts(np.concatenate([rows, -rows, r.integers(0, 4, (3, size)) / 10]), n, 1.0)


def test_long_rows_are_counted_one_by_one():
    rows = np.array([separated(17, 17, 1.6, s) for s in (1, 2)])
    same_counts(rows, 17)
    rows = np.array([separated(40, 40, 1.85, 1), np.arange(80.0)[::-1]])
    result = permutation_tests(rows, 40)
    assert result.greater.dtype == object  # C(80, 40) does not fit into 64 bits
    assert result.greater[1] == 1
    assert result.greater[0] == permutation_test(rows[0], 40).greater.count
    assert result.p("greater")[1] == 1 / math.comb(80, 40)


def test_p_is_count_over_total_for_each_tail():
    rows = np.random.default_rng(5).standard_normal((6, 8))
    result = permutation_tests(rows, 4)
    for tail in TAILS:
        expected = [getattr(permutation_test(row, 4), tail).p for row in rows]
        assert result.p(tail).tolist() == expected
    with pytest.raises(EatlasError) as caught:
        result.p("both")
    assert str(caught.value) == ("no such tail\n  got: 'both'\n  allowed: greater, less, two_sided")


def test_no_rows():
    result = permutation_tests(np.empty((0, 16)), 8)
    assert result.greater.size == result.p("less").size == 0
    assert result.total == 12870
