"""Effect sizes over clusters: naive loops over rows, and the design without clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inputs import streams_of

from eatlas.stats.bootstrap import (
    block_layout,
    bootstrap_effects,
    cluster_layout,
    draw,
    influence,
)
from eatlas.stats.effect_size import effect_size

SAME = 1e-9
"""Largest difference seen from naive loops: 3e-13, of effect sizes of magnitude 1."""
TARGETS, ATTRIBUTES = (3, 1, 9, 2, 4, 1, 6), (2, 12, 1, 5, 1, 3)
N_X, N_A = 4, 3


def places(counts):
    return np.repeat(np.arange(len(counts)), counts)


def clustered(block, targets=TARGETS, attributes=ATTRIBUTES, n_x=N_X, n_a=N_A):
    """The design of a block of cosines of rows, from means over the clusters of the other side."""
    rows, columns = places(targets), places(attributes)
    over_attributes = np.stack(
        [block[:, columns == j].mean(axis=1) for j in range(len(attributes))], axis=1
    )
    over_targets = np.stack([block[rows == i].mean(axis=0) for i in range(len(targets))], axis=1)
    return cluster_layout(over_attributes, over_targets, (rows, columns), n_x, n_a)


def cosines(seed=0, targets=TARGETS, attributes=ATTRIBUTES):
    """Rows of one cluster are alike."""
    rng = np.random.default_rng(seed)
    block = 0.3 * rng.normal(size=(sum(targets), sum(attributes)))
    block += rng.normal(size=len(targets))[places(targets), None]
    block += rng.normal(size=len(attributes))[places(attributes)]
    block += rng.normal(size=(len(targets), len(attributes)))[
        np.ix_(places(targets), places(attributes))
    ]
    return block / 10


def three(block, rows, columns, ddof=1):
    """Effect sizes of all rows and columns of clusters, each as often as it stands in the list."""
    of_rows, of_columns = places(TARGETS), places(ATTRIBUTES)
    r = [np.flatnonzero(of_rows == i) for i in rows]
    c = [np.flatnonzero(of_columns == j) for j in columns]
    x, y = (
        np.concatenate([w for w, i in zip(r, rows, strict=True) if (i < N_X) == first])
        for first in (True, False)
    )
    a, b = (
        np.concatenate([w for w, j in zip(c, columns, strict=True) if (j < N_A) == first])
        for first in (True, False)
    )

    def s(w):
        return block[np.ix_(w, a)].mean(axis=1) - block[np.ix_(w, b)].mean(axis=1)

    def u(t):
        return [block[np.ix_(t, w)].mean(axis=0) for w in (a, b)]

    groups = [(s(x), s(y)), u(x), u(y)]
    return [effect_size(np.concatenate(g), len(g[0]), ddof=ddof)[1] for g in groups]


@pytest.mark.parametrize("ddof", [0, 1])
def test_a_naive_loop_over_resampled_clusters(ddof):
    block = cosines()
    layout = clustered(block)
    drawn = bootstrap_effects(layout, 60, streams_of(np.random.default_rng(1)), ddof)
    (weights,) = draw(layout.sizes, 60, streams_of(np.random.default_rng(1)))
    for k in range(60):
        rows, columns = (np.repeat(np.arange(len(s)), s[:, k].astype(int)) for s in weights)
        expected = three(block, rows, columns, ddof)
        np.testing.assert_allclose([d[k] for d in drawn], expected, atol=SAME)


def test_a_cluster_left_out_is_left_out_with_all_its_rows():
    block = cosines(3)
    levels = [changes for _, changes in influence(clustered(block), 1)]
    rows, columns = list(range(len(TARGETS))), list(range(len(ATTRIBUTES)))
    full = three(block, rows, columns)
    for i in rows:
        changes = np.subtract(three(block, [r for r in rows if r != i], columns), full)
        role, at = ("X", i) if i < N_X else ("Y", i - N_X)
        own = 1 + (i >= N_X)
        assert levels[0][role][at] == pytest.approx(changes[0], abs=SAME)
        assert levels[own][role][at] == pytest.approx(changes[own], abs=SAME)
    for j in columns:
        without = three(block, rows, [c for c in columns if c != j])
        role, at = ("A", j) if j < N_A else ("B", j - N_A)
        changes = [level[role][at] for level in levels]
        np.testing.assert_allclose(changes, np.subtract(without, full), atol=SAME)


def test_clusters_of_one_row_are_the_design_without_clusters():
    ones = (1,) * 8
    block = cosines(5, ones, ones)
    layouts = block_layout(block, 4, 3), clustered(block, ones, ones, 4, 3)
    drawn = [
        bootstrap_effects(each, 300, streams_of(np.random.default_rng(2)), 1) for each in layouts
    ]
    np.testing.assert_allclose(*drawn, atol=SAME)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_many_rows_weigh_as_their_moments(seed):
    """Clusters that are compressed and clusters that are not have one and the same effect size."""
    block = cosines(seed)
    twice = np.repeat(np.repeat(block, 5, axis=0), 7, axis=1)
    many = clustered(twice, tuple(5 * n for n in TARGETS), tuple(7 * n for n in ATTRIBUTES))
    plain = clustered(block)
    assert many.work < twice.size
    for few, more in zip(plain.levels, many.levels, strict=True):
        weights = [np.ones((size, 1)) for size in few.shape]
        np.testing.assert_allclose(more.effects(*weights, 0), few.effects(*weights, 0), atol=SAME)


def test_no_spread_is_no_effect_size():
    flat = np.full((sum(TARGETS), sum(ATTRIBUTES)), 0.3)
    drawn = bootstrap_effects(clustered(flat), 20, streams_of(np.random.default_rng()), 1)
    assert np.isnan(drawn).all()
