"""Bootstrap of effect sizes: scipy, a naive loop, an enumeration by hand, and what is undefined."""

import itertools
import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.stats.plain import bootstrap_effects

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.stats.effect_size import effect_size
from eatlas.stats.resampling import draw, streams_of
from eatlas.stats.weighted import Design

LEVELS = ("level1", "level2_x", "level2_y")
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
    found = bootstrap_effects(s, n_x, n_a, rng=rng(5), over=over, resamples=count, ddof=ddof)
    (weights,) = draw(Design(s, n_x, n_a), over, count, streams_of(rng(5)))
    drawn = []
    for k in range(count):
        rows, columns = copies(weights, k)
        drawn.append(three(s[np.ix_(rows, columns)], n_x, n_a, ddof))
    drawn = np.array(drawn)
    for i, name in enumerate(LEVELS):
        one = getattr(found, name)
        assert one.estimate == pytest.approx(three(s, n_x, n_a, ddof)[i], rel=SAME)
        assert one.se == pytest.approx(drawn[:, i].std(ddof=1), rel=SAME)
        assert one.percentile == pytest.approx(
            tuple(np.quantile(drawn[:, i], [0.025, 0.975])), rel=SAME
        )
        assert (one.undefined, one.unstudentised) == (0, 0)


def scored(scores):
    """A block with one attribute a side and these scores."""
    return np.stack([scores, np.zeros(scores.size)], axis=1)


def union_d(x, y, axis=-1):
    union = np.concatenate([x, y], axis=axis)
    return (x.mean(axis=axis) - y.mean(axis=axis)) / union.std(axis=axis, ddof=1)


@pytest.mark.parametrize("over", ["targets", "attributes"])
@pytest.mark.filterwarnings("ignore:level:eatlas.errors.UndefinedWarning")
def test_scipy_from_its_own_resamples(over):
    """Same method, other random numbers: ends differ by sampling error alone."""
    x, y = rng(1).normal(0.8, 1, 12), rng(2).normal(0, 1, 9)
    block, scores = scored(np.concatenate([x, y])), np.concatenate([x, y])
    if over == "targets":
        found = bootstrap_effects(block, 12, 1, rng=rng(3), resamples=20_000).level1
    else:
        block = np.stack([scores, scores[::-1]])
        found = bootstrap_effects(block, 1, 12, rng=rng(3), over=over, resamples=20_000).level2_x
    # standard deviations of an end over 20 seeds: up to 0.009 and 0.026; of the se 0.7%
    methods = (("percentile", found.percentile, 0.05), ("BCa", found.bca, 0.15))
    for method, ours, tolerance in methods:
        theirs = stats.bootstrap(
            (x, y), union_d, n_resamples=20_000, method=method, rng=rng(4), vectorized=True
        )
        assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=tolerance)
        assert found.se == pytest.approx(theirs.standard_error, rel=0.04)


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
    with pytest.warns(UndefinedWarning, match="level 1: .* of 16000 resamples have no spread"):
        found = bootstrap_effects(scored(scores), 2, 1, rng=rng(), resamples=16_000).level1
    assert found.undefined == pytest.approx(1000, abs=5 * math.sqrt(1000))
    # every group constant: no error to studentise with (1, 1 | 0, 0; 1, 1 | -1, -1; 0, 0 | -1, -1)
    assert found.unstudentised == pytest.approx(3000, abs=5 * math.sqrt(3000))
    values = {d: share for d, share in values.items() if not math.isnan(d)}
    d, share = np.array(list(values)), np.array(list(values.values()))
    mean = np.average(d, weights=share)
    assert found.se == pytest.approx(
        math.sqrt(np.average((d - mean) ** 2, weights=share)), rel=0.03
    )
    assert found.percentile == pytest.approx((d.min(), d.max()))
    assert found.estimate == pytest.approx(effect_size(scores, 2)[1])


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from(OVER))
@pytest.mark.filterwarnings("ignore::eatlas.errors.UndefinedWarning")
def test_ends_are_in_order_and_within_the_bound(seed, over):
    sizes = rng(seed).integers(2, 7, 4).tolist()
    s = cosines(*sizes, seed=seed)
    found = bootstrap_effects(s, sizes[0], sizes[2], rng=rng(seed), over=over, resamples=200)
    for name, pair in zip(LEVELS, (sizes[:2], sizes[2:], sizes[2:]), strict=True):
        one, size = getattr(found, name), sum(pair)
        bound = math.sqrt((size - 1) * size / (pair[0] * pair[1])) + 1e-9
        for low, high in (one.percentile, one.bca, one.studentised):
            assert math.isnan(low) or -bound <= low <= high <= bound
        low, high = one.studentised
        assert math.isnan(low) or low - 1e-9 <= high


@pytest.mark.parametrize("over", OVER)
def test_what_d_does_not_depend_on_does_not_matter(over):
    """A unit, and for level 1 a level of each target and of each attribute."""
    s = cosines()
    plain = bootstrap_effects(s, 8, 7, rng=rng(), over=over, resamples=400)
    doubled = bootstrap_effects(4.0 * s, 8, 7, rng=rng(), over=over, resamples=400)
    assert astuple(doubled) == astuple(plain)
    moved = s + rng(1).normal(size=(16, 1)) + rng(2).normal(size=16)
    again = bootstrap_effects(moved, 8, 7, rng=rng(), over=over, resamples=400)
    assert again.level1.bca == pytest.approx(plain.level1.bca, rel=1e-8)
    assert again.level1.studentised == pytest.approx(plain.level1.studentised, rel=1e-8)


@pytest.mark.parametrize("over", OVER)
def test_opposite_cosines_have_opposite_intervals(over):
    s = cosines()
    one, other = (
        bootstrap_effects(sign * s, 8, 7, rng=rng(), over=over, resamples=400) for sign in (1, -1)
    )
    for name in LEVELS:
        for kind in ("percentile", "bca", "studentised"):
            low, high = getattr(getattr(one, name), kind)
            assert getattr(getattr(other, name), kind) == pytest.approx((-high, -low), rel=1e-8)


def test_a_higher_level_is_wider():
    narrow, wide = (
        bootstrap_effects(
            cosines(), 8, 7, rng=rng(), over="both", resamples=2000, level=level
        ).level1
        for level in (0.8, 0.99)
    )
    for kind in ("percentile", "bca", "studentised"):
        (low, high), (lower, higher) = getattr(narrow, kind), getattr(wide, kind)
        assert lower < low < narrow.estimate < high < higher


def test_both_sides_add_their_variances():
    """Over both, the variance is near the sum of those over each, and a little larger."""
    s = cosines(20, 20, 20, 20)
    se = {
        over: bootstrap_effects(s, 20, 20, rng=rng(), over=over, resamples=4000).level1.se
        for over in OVER
    }
    apart = math.hypot(se["targets"], se["attributes"])
    assert max(se["targets"], se["attributes"]) < se["both"] < 1.3 * apart


def test_scores_without_spread():
    flat = np.full((6, 6), 0.3)
    with pytest.warns(UndefinedWarning) as caught:
        found = bootstrap_effects(flat, 3, 3, rng=rng(), over="both", resamples=50)
    assert len(caught) == 1
    assert str(caught[0].message).startswith(
        "level 1: 50 of 50 resamples have no spread and are left out; "
        "level 1 has no percentile or BCa or studentised interval; level 2 of X: 50 of 50"
    )
    for name in LEVELS:
        one = getattr(found, name)
        assert one.undefined == 50
        figures = (one.estimate, one.se, *one.percentile, *one.bca, *one.studentised)
        assert all(map(math.isnan, figures))


def test_separated_groups_without_spread_of_their_own():
    block = scored(np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
    with pytest.warns(UndefinedWarning, match="^level 1 has no BCa or studentised interval"):
        found = bootstrap_effects(block, 3, 1, rng=rng(), resamples=50).level1
    assert found.percentile == pytest.approx((found.estimate, found.estimate))
    assert found.unstudentised == 50
    assert found.undefined == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"over": "words"}, "over must say which stimuli are resampled\n  got: 'words'"),
        ({"resamples": 0}, "resamples is out of range\n  got: 0\n  allowed: 1 or more"),
        ({"level": 95}, "level must be a probability\n  got: 95"),
        ({"ddof": 2}, "ddof is out of range\n  got: 2\n  allowed: 0 to 1"),
    ],
)
def test_messages(change, message):
    given = {"cosines": cosines(), "n_x": 8, "n_a": 7, "rng": rng(), **change}
    with pytest.raises(EatlasError) as caught:
        bootstrap_effects(**given)
    assert str(caught.value).startswith(message)
