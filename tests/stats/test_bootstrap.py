"""Bootstrap of effect sizes: scipy, a naive loop, an enumeration by hand, and what is undefined."""

import itertools
import math
from dataclasses import astuple

import numpy as np
import pytest
from scipy import stats
from tests.stats.plain import bootstrap_effects

from eatlas.errors import UndefinedWarning
from eatlas.kernels import quantiles
from eatlas.stats.bootstrap import around, draw, errors, streams_of, studentised, tails
from eatlas.stats.effect_size import effect_size
from eatlas.stats.weighted import Design

OVER = ("targets", "attributes", "both")
SAME = 1e-10
"""Largest difference seen from naive loops: 7e-16."""


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


def copies(weights, k):
    """Places of the k-th resample, a term as often as it was drawn."""
    return [
        np.repeat(np.arange(side.shape[1]), side[min(k, len(side) - 1)].astype(int))
        for side in (weights.targets, weights.attributes)
    ]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("ddof", [0, 1])
def test_a_naive_loop(over, ddof):
    s, n_x, n_a, count = cosines(), 8, 7, 300
    intervals = bootstrap_effects(s, n_x, n_a, rng=rng(5), over=over, resamples=count, ddof=ddof)
    (weights,) = draw(Design(s, n_x, n_a), over, count, streams_of(rng(5)))
    drawn = []
    for k in range(count):
        rows, columns = copies(weights, k)
        drawn.append(three(s[np.ix_(rows, columns)], n_x, n_a, ddof))
    drawn = np.array(drawn)
    for i, level in enumerate(intervals):
        assert level.se == pytest.approx(drawn[:, i].std(ddof=1), rel=SAME)
        assert level.undefined == 0
        if over == "both":
            ends = tuple(np.quantile(drawn[:, i], [0.025, 0.975]))
            assert level.interval == pytest.approx(ends, rel=SAME)


def scored(scores):
    """A block with one attribute a side and these scores."""
    return np.stack([scores, np.zeros(scores.size)], axis=1)


def union_d(x, y, axis=-1):
    union = np.concatenate([x, y], axis=axis)
    return (x.mean(axis=axis) - y.mean(axis=axis)) / union.std(axis=axis, ddof=1)


def test_the_standard_error_is_scipys():
    """Same method, other random numbers: they differ by sampling error alone, 0.7% over seeds."""
    x, y = rng(1).normal(0.8, 1, 12), rng(2).normal(0, 1, 9)
    how = {"n_resamples": 20_000, "method": "percentile", "rng": rng(4), "vectorized": True}
    theirs = stats.bootstrap((x, y), union_d, **how)
    with pytest.warns(UndefinedWarning):  # one attribute a side has no level 2
        ours = bootstrap_effects(
            scored(np.concatenate([x, y])), 12, 1, rng=rng(3), resamples=20_000
        )
    assert ours[0].se == pytest.approx(theirs.standard_error, rel=0.04)


def test_all_resamples_by_hand():
    """Scores 1, 0 | 0, -1: each group gives (hi, hi), twice (hi, lo) and (lo, lo)."""
    scores = np.array([1.0, 0.0, 0.0, -1.0])
    values = {}
    for x, y in itertools.product(
        itertools.product((0, 1), repeat=2), itertools.product((2, 3), repeat=2)
    ):
        d = round(effect_size(scores[[*x, *y]], 2)[1], 9)
        values[d] = values.get(d, 0) + 1 / 16
    assert sum(math.isnan(d) for d in values) == 1  # 0, 0 | 0, 0 has no spread, once in 16
    with pytest.warns(UndefinedWarning, match="no spread|no interval"):
        level1 = bootstrap_effects(scored(scores), 2, 1, rng=rng(), resamples=16_000)[0]
    assert level1.undefined == pytest.approx(1000, abs=5 * math.sqrt(1000))
    values = {d: share for d, share in values.items() if not math.isnan(d)}
    d, share = np.array(list(values)), np.array(list(values.values()))
    mean = np.average(d, weights=share)
    assert level1.se == pytest.approx(
        math.sqrt(np.average((d - mean) ** 2, weights=share)), rel=0.03
    )


@pytest.mark.parametrize("over", OVER)
def test_what_d_does_not_depend_on_does_not_matter(over):
    """A unit, and for level 1 a level of each target and of each attribute."""
    s, how = cosines(), {"over": over, "resamples": 400}
    plain = bootstrap_effects(s, 8, 7, rng=rng(), **how)
    doubled = bootstrap_effects(4.0 * s, 8, 7, rng=rng(), **how)
    assert [astuple(level) for level in doubled] == [astuple(level) for level in plain]
    moved = s + rng(1).normal(size=(16, 1)) + rng(2).normal(size=16)
    again = bootstrap_effects(moved, 8, 7, rng=rng(), **how)
    assert again[0].interval == pytest.approx(plain[0].interval, rel=1e-8)
    opposite = bootstrap_effects(-s, 8, 7, rng=rng(), **how)
    for level, mirrored in zip(plain, opposite, strict=True):
        low, high = level.interval
        assert mirrored.interval == pytest.approx((-high, -low), rel=1e-8)


def test_scores_without_spread():
    flat = np.full((6, 6), 0.3)
    with pytest.warns(UndefinedWarning) as caught:
        intervals = bootstrap_effects(flat, 3, 3, rng=rng(), over="both", resamples=50)
    assert len(caught) == 6
    assert str(caught[0].message) == (
        "Resampled: level 1: 50 of 50 resamples have no spread and are left out."
    )
    for level in intervals:
        assert level.undefined == 50
        assert all(map(math.isnan, (level.se, *level.interval, *level.error)))


def test_separated_groups_without_spread_of_their_own():
    block = scored(np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    with pytest.warns(UndefinedWarning, match="no spread|no interval"):
        level1 = bootstrap_effects(block, 3, 1, rng=rng(), resamples=50)[0]
    assert level1.undefined == 0
    assert level1.se == pytest.approx(0, abs=1e-12)


def test_errors_of_ends_are_those_of_other_resamples():
    """Of 400 sets of 2,000 normal numbers, the ends vary as each set says of itself."""
    ends, said = [], []
    for seed in range(400):
        drawn = rng(seed).normal(size=2000)
        ends.append(quantiles(drawn, tails(0.95)))
        said.append(errors(quantiles(drawn, around(tails(0.95), 2000)).tolist()))
    # the standard deviation of 400 numbers has a relative standard error of .035
    assert np.mean(said, axis=0) == pytest.approx(np.std(ends, axis=0), rel=0.12)


def test_studentised_by_hand():
    # on Fisher's scale z = 0 with error 0.2, and (z* - z) / se* = -2, ..., 2 in steps of 1/50
    t, se = np.linspace(-2, 2, 201), np.full(201, 0.1)
    d, error = 2 * np.tanh(t * se), se * 2 * (1 - np.tanh(t * se) ** 2)
    interval, moved = studentised((0.0, 0.4, 2.0), d, error, np.full(201, 2.0), 0.95)
    assert interval == pytest.approx((2 * math.tanh(-1.9 * 0.2), 2 * math.tanh(1.9 * 0.2)))
    # 0.025 of 201 resamples +- its standard error, in 200 steps of t
    share = math.sqrt(0.025 * 0.975 / 201)
    near = [-2 + 4 * (0.025 + sign * share) for sign in (-1, 1)]
    expected = (2 * math.tanh(0.2 * near[1]) - 2 * math.tanh(0.2 * near[0])) / 2
    assert moved == pytest.approx((expected, expected))
