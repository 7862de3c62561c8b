"""Draws of contexts by the plain formula."""

from __future__ import annotations

import numpy as np
import pytest

from eatlas.kernels import (
    unit_rows,
)
from eatlas_corpora.kernels import context_draws
from eatlas_corpora.kernels.context_draws import compact_rows, draw_associations

AGREEMENT = 1e-12
"""Worst difference of an association from the plain formula: 4e-16 at 768 dimensions."""


def design(sizes, contexts, dim, count, *, dtype=np.float32, seed=0):
    """Vectors that share a direction, as those of encoders do, and draws among them."""
    rng = np.random.default_rng(seed)
    stimuli = sum(sizes)
    rows = (rng.normal(size=(stimuli * contexts, dim)) + 1).astype(dtype)
    chosen = rng.integers(contexts, size=(count, stimuli)) + np.arange(stimuli) * contexts
    return rows, chosen


def plain(vectors, sizes):
    """Cosines of one draw one by one, and their means."""
    x, y, a, b = np.split(vectors.astype(np.float64), np.cumsum(sizes)[:-1])

    def cos(one, other):
        return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))

    def mean(w, group):
        return sum(cos(w, v) for v in group) / len(group)

    targets = [mean(w, a) - mean(w, b) for w in (*x, *y)]
    attributes = [[mean(w, group) for w in (*a, *b)] for group in (x, y)]
    cells = [np.mean([mean(w, group) for w in t]) for t in (x, y) for group in (a, b)]
    return targets, attributes, cells


@pytest.mark.parametrize(
    ("compiled", "dtype"), [(False, np.float32), (False, np.float64), (True, np.float32)]
)
@pytest.mark.parametrize(
    "sizes", [pytest.param((3, 3, 4, 4), marks=pytest.mark.slow), (2, 5, 3, 1)]
)
def test_every_draw_is_the_plain_formula(monkeypatch, compiled, dtype, sizes):
    monkeypatch.setattr(context_draws, "NUMPY_NUMBERS", 0 if compiled else 10**9)
    monkeypatch.setattr(context_draws, "BLOCK", 7)
    monkeypatch.setattr(context_draws, "TOGETHER", 7 * sum(sizes) * 33)
    vectors, chosen = design(sizes, 5, 33, 40, dtype=dtype)
    found = draw_associations(compact_rows(vectors), chosen, sizes)
    for i, places in enumerate(chosen):
        targets, attributes, cells = plain(vectors[places], sizes)
        assert np.abs(found.targets[i] - targets).max() < AGREEMENT
        assert np.abs(found.attributes[i] - attributes).max() < AGREEMENT
        assert np.abs(found.cells[i] - cells).max() < AGREEMENT


def test_single_precision_is_kept_and_double_where_it_says_more():
    vectors, _ = design((2, 2, 2, 2), 300, 8, 1)
    assert compact_rows(vectors.astype(np.float64)).values.dtype == np.float32
    more = vectors.astype(np.float64)
    more[-1, -1] += 1e-9
    assert compact_rows(more).values.dtype == np.float64


@pytest.mark.parametrize("magnitude", [1e-300, 1e-40, 1.0, 1e30, 1e300])
def test_units_have_length_one_whatever_the_magnitude(magnitude):
    vectors = np.random.default_rng(1).normal(size=(5, 7)) * magnitude
    rows = compact_rows(vectors)
    assert np.abs(rows.units(slice(None)) - unit_rows(vectors)).max() < 1e-15


def test_equal_rows_have_equal_scores_to_the_bit(monkeypatch):
    vectors, _ = design((2, 2, 2, 2), 1, 300, 1)
    vectors[3] = vectors[0]
    for limit in (10**9, 0):
        monkeypatch.setattr(context_draws, "NUMPY_NUMBERS", limit)
        found = draw_associations(compact_rows(vectors), np.arange(8)[None], (2, 2, 2, 2))
        assert found.targets[0, 3] == found.targets[0, 0]
