"""Batched counts are those of permutation_test, integer for integer and row for row."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from tests.stats.permutation.designs import counts, random_design, separated

from eatlas.errors import EatlasError
from eatlas.stats.permutation import batch, permutation_test
from eatlas.stats.permutation.batch import ask_rows, permutation_tests
from eatlas.stats.permutation.problem import TAILS, tie_tolerance, to_fixed

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


@pytest.mark.parametrize("limit", BACKENDS)
def test_scales_far_above_and_below_the_scores(monkeypatch, limit):
    monkeypatch.setattr(batch, "NUMPY_PAIRS", limit)
    rows = np.random.default_rng(1).standard_normal((4, 9))
    for scale in (1e-300, 1e-20, 1e5, 1e12, 1e14, 1e16, 1e30, 1e300):
        same_counts(rows, 4, scale)


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


def test_fixed_point_is_that_of_single_rows():
    r = np.random.default_rng(3)
    rows = np.abs(some_rows(r, 11, 400))
    asked = ask_rows(rows, 5, None)
    for i, row in enumerate(rows):
        w, q = to_fixed(row)
        assert np.array_equal(np.sort(np.abs(asked.values[i])), np.sort(np.abs(w)))
        tolerance = (int(asked.below[i]) - 1 - int(asked.at_least[i])) // 2
        assert tolerance == tie_tolerance(11, float(np.abs(row).max()), q)


def test_blocks_and_threads_change_nothing(monkeypatch):
    rows = np.random.default_rng(4).standard_normal((50, 10))
    whole = permutation_tests(rows, 5)
    for threads in (1, 3):
        monkeypatch.setattr(batch, "BLOCK", 7)
        monkeypatch.setattr(batch, "THREADS", threads)
        parts = permutation_tests(rows, 5)
        assert all(np.array_equal(getattr(parts, t), getattr(whole, t)) for t in TAILS)


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


@pytest.mark.parametrize(
    ("scores", "n", "scale", "text"),
    [
        ([1.0, 2.0], 1, None, "scores must have 2 dimensions\n  got: an array of shape (2,)"),
        ([[1.0, math.nan]], 1, None, "scores must be finite\n  got: nan at [0, 1]"),
        (
            [[1.0]],
            1,
            None,
            "a permutation test compares two groups\n  got: rows of 1 scores\n  allowed: 2 or more",
        ),
        ([[1.0, 2.0]], 2, None, "n is out of range\n  got: 2\n  allowed: 1 to 1"),
        (
            [[1.0, 2.0]],
            1,
            -1.0,
            "scale must be the magnitude of what was added up\n  got: -1.0\n  allowed: above 0",
        ),
    ],
)
def test_errors(scores, n, scale, text):
    with pytest.raises(EatlasError) as caught:
        permutation_tests(scores, n, scale=scale)
    assert str(caught.value) == text


def test_a_small_batch_loads_no_compiler():
    code = (
        "import sys, numpy as np; from eatlas.stats.permutation.batch import permutation_tests;"
        "permutation_tests(np.random.default_rng(0).random((100, 16)), 8);"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
