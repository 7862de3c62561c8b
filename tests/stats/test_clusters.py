"""Effect sizes over clusters: naive loops over rows, and the design without clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stats.plain import bootstrap_effects, influence

from eatlas.errors import UndefinedWarning
from eatlas.stats import bootstrap
from eatlas.stats.bootstrap import draw, streams_of
from eatlas.stats.effect_size import effect_size
from eatlas.stats.weighted import Side, cluster_design

SAME = 1e-9
"""Largest difference seen from naive loops: 3e-13, of effect sizes of magnitude 1."""
TARGETS, ATTRIBUTES = (3, 1, 9, 2, 4, 1, 6), (2, 12, 1, 5, 1, 3)
N_X, N_A = 4, 3
OVER = ("targets", "attributes", "both")


def places(counts):
    return np.repeat(np.arange(len(counts)), counts)


def clustered(block, targets=TARGETS, attributes=ATTRIBUTES, n_x=N_X, n_a=N_A):
    """The design of a block of cosines of rows, from means over the clusters of the other side."""
    rows, columns = places(targets), places(attributes)
    over_attributes = np.stack(
        [block[:, columns == j].mean(axis=1) for j in range(len(attributes))], axis=1
    )
    over_targets = np.stack([block[rows == i].mean(axis=0) for i in range(len(targets))], axis=1)
    return cluster_design(Side(over_attributes, rows, n_x), Side(over_targets, columns, n_a))


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


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("ddof", [0, 1])
def test_a_naive_loop_over_resampled_clusters(over, ddof):
    block = cosines()
    test = clustered(block)
    (weights,) = draw(test, over, 60, streams_of(np.random.default_rng(1)))
    found = [
        level.effect(*pair, ddof)
        for level, pair in zip(test.levels, test.sides(weights), strict=True)
    ]
    for k in range(60):
        rows, columns = (
            np.repeat(np.arange(side.shape[1]), side[min(k, len(side) - 1)].astype(int))
            for side in (weights.targets, weights.attributes)
        )
        np.testing.assert_allclose(
            [d[min(k, len(d) - 1)] for d in found], three(block, rows, columns, ddof), atol=SAME
        )


def test_a_cluster_left_out_is_left_out_with_all_its_rows():
    block = cosines(3)
    level1, *level2 = bootstrap.influence(clustered(block), ddof=1)
    rows, columns = list(range(len(TARGETS))), list(range(len(ATTRIBUTES)))
    full = three(block, rows, columns)
    for i in rows:
        without = three(block, [r for r in rows if r != i], columns)
        assert level1.targets[i] == pytest.approx(without[0] - full[0], abs=SAME)
        own = level2[i >= N_X]
        assert own.targets[i] == pytest.approx(without[1 + (i >= N_X)] - full[1 + (i >= N_X)])
    for j in columns:
        without = three(block, rows, [c for c in columns if c != j])
        changes = [level.attributes[j] for level in (level1, *level2)]
        np.testing.assert_allclose(changes, np.subtract(without, full), atol=SAME)


@pytest.mark.parametrize("over", OVER)
def test_clusters_of_one_row_are_the_design_without_clusters(over):
    ones = (1,) * 8
    block = cosines(5, ones, ones)
    test = clustered(block, ones, ones, 4, 3)
    how = {"over": over, "resamples": 300, "level": 0.9, "ddof": 1}
    plain = bootstrap_effects(block, 4, 3, rng=np.random.default_rng(2), **how)
    streams = streams_of(np.random.default_rng(2))
    found, _ = bootstrap.bootstrap(test, streams=streams, **how)
    for one, other in zip(
        plain,
        found,
        strict=True,
    ):
        for name in ("se", "interval", "error"):
            np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=SAME)
    one, other = influence(block, 4, 3), bootstrap.influence(test, ddof=1)
    np.testing.assert_allclose(other[0].targets, one[0].targets, atol=SAME)
    np.testing.assert_allclose(other[2].attributes, one[2].attributes, atol=SAME)


@pytest.mark.parametrize("over", [(True, False), (False, True)])
def test_the_variance_is_that_of_small_changes_of_weights(over):
    """The infinitesimal jackknife by finite differences: sum over clusters of the derivative**2."""
    test = clustered(cosines(7))
    step = 1e-6
    for level in test.levels:
        units, others = (np.ones((1, size)) for size in level.shape)
        side = 0 if over[0] else 1
        groups = (
            (slice(0, level.n), slice(level.n, None)) if over[0] else [w for w, _ in level.others]
        )
        derivatives = np.zeros(level.shape[side])
        for i in range(level.shape[side]):
            ends = []
            for sign in (1, -1):
                moved = [units.copy(), others.copy()]
                moved[side][0, i] += sign * step
                ends.append(level.effect(*moved, 1)[0])
            derivatives[i] = (ends[0] - ends[1]) / (2 * step)
        expected = sum(
            np.sum((derivatives[where] - derivatives[where].mean()) ** 2) for where in groups
        )
        _, variance = level.effect_and_variance(units, others, 1, over)
        assert variance[0] == pytest.approx(expected, rel=1e-6)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_many_rows_weigh_as_their_moments(seed):
    """Clusters that are compressed and clusters that are not have one and the same effect size."""
    block = cosines(seed)
    twice = np.repeat(np.repeat(block, 5, axis=0), 7, axis=1)
    many = clustered(twice, tuple(5 * n for n in TARGETS), tuple(7 * n for n in ATTRIBUTES))
    plain = clustered(block)
    assert all(len(level.rows) < len(twice) for level in many.levels)
    for one, other in zip(plain.levels, many.levels, strict=True):
        units, others = (np.ones((1, size)) for size in one.shape)
        np.testing.assert_allclose(
            other.effect(units, others, 0), one.effect(units, others, 0), atol=SAME
        )


def test_no_spread_is_no_effect_size():
    flat = np.full((sum(TARGETS), sum(ATTRIBUTES)), 0.3)
    with pytest.warns(UndefinedWarning, match="no spread|no interval"):
        found, _ = bootstrap.bootstrap(
            clustered(flat),
            streams=streams_of(np.random.default_rng()),
            over="both",
            resamples=20,
            level=0.95,
            ddof=1,
        )
    assert np.isnan(found[0].se)
