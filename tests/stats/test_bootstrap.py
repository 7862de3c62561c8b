"""Resamples of terms: what is drawn, effect sizes of weights, intervals, and influence."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.inputs import streams_of

from eatlas.stats.bootstrap import (
    block_layout,
    bootstrap_effects,
    draw,
    influence,
    percentile,
    sizes_of,
)
from eatlas.stats.effect_size import effect_size

SAME = 1e-11
"""Largest difference seen from naive loops: 1e-15."""


def rng(seed=0):
    return np.random.default_rng(seed)


def cosines(n_x=8, n_y=8, n_a=7, n_b=9, seed=0):
    s = rng(seed).uniform(-0.3, 0.3, (n_x + n_y, n_a + n_b))
    s[:n_x, :n_a] += 0.1
    s[n_x:] += np.linspace(-0.2, 0.2, n_a + n_b)
    return s


def three(s, n_x, n_a, ddof=1):
    """Effect sizes of a block, term by term."""
    scores = s[:, :n_a].mean(axis=1) - s[:, n_a:].mean(axis=1)
    rows = scores, s[:n_x].mean(axis=0), s[n_x:].mean(axis=0)
    return [effect_size(row, n, ddof=ddof)[1] for row, n in zip(rows, (n_x, n_a, n_a), strict=True)]


def copied(s, weights, k, n_x, n_a):
    """The k-th resample of a block, each term as often as it was drawn."""
    targets, attributes = (side[:, k].astype(int) for side in weights)
    block = np.repeat(np.repeat(s, targets, axis=0), attributes, axis=1)
    return block, int(targets[:n_x].sum()), int(attributes[:n_a].sum())


def effects(layout, targets, attributes, ddof=1):
    pairs = layout.sides(targets, attributes)
    return [level.effects(*pair, ddof) for level, pair in zip(layout.levels, pairs, strict=True)]


SIZES = sizes_of((7, 6), 3, 2)


def joined(count, sizes=SIZES, seed=0):
    chunks = list(draw(sizes, count, streams_of(rng(seed))))
    return [np.hstack(side) for side in zip(*chunks, strict=True)]


def test_counts_are_multinomial_within_groups():
    """Mean 1, variance 1 - 1/n, covariance -1/n within a group and 0 between groups."""
    targets, attributes = joined(40_000)
    both = np.vstack([targets, attributes])
    expected, end = np.zeros((13, 13)), 0
    for size in (3, 4, 2, 4):
        group = slice(end, end + size)
        assert (both[group].sum(axis=0) == size).all()
        expected[group, group] = np.eye(size) - 1 / size
        end += size
    # standard errors of a variance near 1 are below 0.012 here, of a mean below 0.005
    assert np.cov(both) == pytest.approx(expected, abs=0.05)
    assert both.mean(axis=1) == pytest.approx(np.ones(13), abs=0.025)


def test_the_first_of_many_resamples_are_those_of_few():
    for few, many in zip(joined(1500), joined(5000), strict=True):
        assert (few.shape[1], many.shape[1]) == (1500, 5000)
        assert np.array_equal(few, many[:, :1500])


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_a_weight_is_a_number_of_copies(seed, ddof):
    s, random = cosines(4, 5, 3, 6, seed), rng(seed)
    w, v = random.integers(0, 4, 9), random.integers(0, 4, 9)
    w[[0, -1]], v[[0, -1]] = 1, 2  # no group is left empty
    weights = w[:, None] + 0.0, v[:, None] + 0.0
    d = [level[0] for level in effects(block_layout(s, 4, 3), *weights, ddof)]
    # where all the copies are of one unit of each group, d is at its bound: still defined
    expected = three(*copied(s, weights, 0, 4, 3), ddof)
    assert d == pytest.approx(expected, rel=0, abs=SAME, nan_ok=True)


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 0.0])
def test_rounding_is_no_spread(constant):
    # rows are rearrangements of the same numbers: sums in other orders differ in the last bits
    row = rng().uniform(-1, 1, 30) if constant else np.zeros(30)
    s = np.stack([np.concatenate([rng(i).permutation(row), row]) for i in range(8)])
    layout = block_layout(s + constant, 4, 30)
    assert np.isnan(effects(layout, np.ones((8, 1)), np.ones((60, 1)))[0][0])


def test_a_difference_above_rounding_is_a_spread():
    s = np.full((4, 4), 0.25)
    s[0, 0] += 1e-12
    # scores 1, 0 | 0, 0 (times 5e-13): difference 1/2, sd 1/2
    d = effects(block_layout(s, 2, 2), np.ones((4, 1)), np.ones((4, 1)))[0]
    assert d[0] == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize("ddof", [0, 1])
def test_resamples_are_those_of_a_naive_loop(ddof):
    s, count = cosines(), 300
    drawn = bootstrap_effects(block_layout(s, 8, 7), count, streams_of(rng(5)), ddof)
    (weights,) = draw(sizes_of(s.shape, 8, 7), count, streams_of(rng(5)))
    expected = [three(*copied(s, weights, k, 8, 7), ddof) for k in range(count)]
    assert np.transpose(drawn) == pytest.approx(np.array(expected), abs=SAME)
    ends = np.quantile(drawn[0], [0.025, 0.975])
    assert percentile(drawn[0], 0.95)[0] == pytest.approx(tuple(ends), rel=SAME)


def test_the_standard_error_is_scipys():
    """Same method, other random numbers: they differ by sampling error alone, 0.7% over seeds."""

    def union_d(x, y, axis=-1):
        union = np.concatenate([x, y], axis=axis)
        return (x.mean(axis=axis) - y.mean(axis=axis)) / union.std(axis=axis, ddof=1)

    x, y = rng(1).normal(0.8, 1, 12), rng(2).normal(0, 1, 9)
    how = {"n_resamples": 10_000, "method": "percentile", "rng": rng(4), "vectorized": True}
    theirs = stats.bootstrap((x, y), union_d, **how)
    scores = np.concatenate([x, y])
    s = np.stack([scores, scores, 0 * scores, 0 * scores], axis=1)
    ours = bootstrap_effects(block_layout(s, 12, 2), 10_000, streams_of(rng(3)), 1, levels=1)[0]
    assert ours.std(ddof=1) == pytest.approx(theirs.standard_error, rel=0.04)


def test_all_resamples_by_hand():
    """Scores 1, 0 | 0, -1: each group gives (hi, hi), twice (hi, lo) and (lo, lo)."""
    scores = np.array([1.0, 0.0, 0.0, -1.0])
    values = {}
    pairs = [itertools.product(group, repeat=2) for group in ((0, 1), (2, 3))]
    for x, y in itertools.product(*pairs):
        d = round(effect_size(scores[[*x, *y]], 2)[1], 9)
        values[d] = values.get(d, 0) + 1 / 16
    assert sum(math.isnan(d) for d in values) == 1  # 0, 0 | 0, 0 has no spread, once in 16
    s = np.stack([scores, scores, 0 * scores, 0 * scores], axis=1)
    drawn = bootstrap_effects(block_layout(s, 2, 2), 16_000, streams_of(rng()), 1, levels=1)[0]
    assert np.isnan(drawn).sum() == pytest.approx(1000, abs=5 * math.sqrt(1000))
    values = {d: share for d, share in values.items() if not math.isnan(d)}
    d, share = np.array(list(values)), np.array(list(values.values()))
    sd = math.sqrt(np.average((d - np.average(d, weights=share)) ** 2, weights=share))
    assert np.nanstd(drawn, ddof=1) == pytest.approx(sd, rel=0.03)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_influence_is_each_effect_size_again(seed, ddof):
    random = rng(seed)
    n_x, n_y, n_a, n_b = random.integers(2, 7, 4).tolist()
    s = random.uniform(-1, 1, (n_x + n_y, n_a + n_b))
    full = three(s, n_x, n_a, ddof)
    targets = [three(np.delete(s, i, axis=0), n_x - (i < n_x), n_a, ddof) for i in range(n_x + n_y)]
    attributes = [
        three(np.delete(s, j, axis=1), n_x, n_a - (j < n_a), ddof) for j in range(n_a + n_b)
    ]
    changes = {
        **dict(zip("XY", (targets[:n_x], targets[n_x:]), strict=True)),
        **dict(zip("AB", (attributes[:n_a], attributes[n_a:]), strict=True)),
    }
    used = ("XYAB", "XAB", "YAB")
    for i, (d, of_roles) in enumerate(influence(block_layout(s, n_x, n_a), ddof)):
        assert d == pytest.approx(full[i], abs=SAME)
        assert set(of_roles) == set(used[i])
        for role, values in of_roles.items():
            expected = [without[i] - full[i] for without in changes[role]]
            assert values == pytest.approx(expected, abs=SAME)


@pytest.mark.parametrize("spread", [1.0, 1e-6, 1e-9])
def test_effects_of_samples_are_those_of_their_weights(spread):
    s = 0.5 + spread * cosines()  # of a small spread the mean is most of a sum of squares
    s[:, :7] += 0.3
    layout = block_layout(s, 8, 7)
    for weights in draw(layout.sizes, 5_000, streams_of(rng(1))):
        for level, pair in zip(layout.levels, layout.sides(*weights), strict=True):
            d = level.effects_of_samples(*pair, 1)
            np.testing.assert_allclose(d, level.effects(*pair, 1), rtol=1e-6 * spread**0.5 + 1e-9)


def test_samples_without_spread_have_no_effect_size():
    layout = block_layout(np.tile([0.25, 0.5, -0.1, 0.3], (4, 1)), 2, 2)
    (d,) = bootstrap_effects(layout, 100, streams_of(rng()), 1, 1)
    assert np.isnan(d).all()


def test_lists_that_are_retained_are_those_that_are_drawn():
    def later():
        streams = streams_of(rng(5))
        lists = [targets for targets, _ in draw(SIZES, 9_000, streams)]
        return np.concatenate(lists, axis=1), [one.random() for one in streams.values()]

    first, again = later(), later()
    np.testing.assert_array_equal(first[0], again[0])
    assert first[1] == again[1]
    # a stream that is elsewhere draws other lists
    streams = streams_of(rng(5))
    streams["X"].random()
    targets, _ = next(draw(SIZES, 1_024, streams))
    assert not np.array_equal(targets[: SIZES["X"]], first[0][: SIZES["X"], :1_024])


def test_scores_without_a_term_are_means_of_the_others():
    s = cosines()
    layout = block_layout(s, 8, 7)
    without, _ = layout.levels[0].moments_without(np.array([2, 9]))
    for column, term in zip(without.T, (2, 9), strict=True):
        left = np.ones((16, 1))
        left[term] = 0.0
        means, _ = layout.levels[0].moments(np.ones((16, 1)), left)
        np.testing.assert_allclose(column, means[:, 0], atol=1e-14)
