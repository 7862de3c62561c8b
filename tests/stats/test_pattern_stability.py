"""Shares of patterns: each resample again with the measure's own test and rule."""

import numpy as np
import pytest
from tests.inputs import streams_of
from tests.stats.test_bootstrap import copied, cosines, rng

from eatlas.measures.patterns import associated_with
from eatlas.stats import bootstrap
from eatlas.stats.bootstrap import (
    PatternRule,
    block_layout,
    bootstrap_effects,
    draw,
    pattern_stability,
)
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test


def stability(s, n_x, n_a, seed, count, rule=PatternRule()):  # noqa: B008
    layout = block_layout(s, n_x, n_a)
    d = bootstrap_effects(layout, count, streams_of(rng(seed)), rule.ddof)[1:]
    how = {"streams": streams_of(rng(seed)), "aside": rng(seed + 1000), "rule": rule}
    return pattern_stability(layout, d, **how)


def place(scores, n, rule):
    """Where ML-EAT would put a target group: 0 with A, 1 with neither, 2 with B."""
    d, p = effect_size(scores, n, ddof=rule.ddof)[1], permutation_test(scores, n, scale=1.0)
    p = p.two_sided.p if rule.tail == "two-sided" else (p.greater if d > 0 else p.less).p
    side = associated_with(d, p, alpha=rule.alpha, threshold=rule.threshold)
    return {"A": 0, None: 1, "B": 2}[side]


def naive(s, n_x, n_a, count, rule, seed):
    sizes = block_layout(s, n_x, n_a).sizes
    (weights,) = draw(sizes, count, streams_of(rng(seed)))
    table = np.zeros((3, 3), int)
    for k in range(count):
        block, x, a = copied(s, weights, k, n_x, n_a)
        table[place(block[:x].mean(axis=0), a, rule), place(block[x:].mean(axis=0), a, rule)] += 1
    return table


RULES = [
    PatternRule(),
    PatternRule(alpha=0.2, tail="two-sided"),
    PatternRule(alpha=0.3, threshold=0.9, ddof=0),
]


@pytest.mark.parametrize("rule", RULES, ids=["published", "two-sided", "strict"])
@pytest.mark.parametrize(("n_a", "n_b"), [(5, 5), (4, 7)])
def test_enumerated_designs_agree_with_the_measure_in_every_resample(rule, n_a, n_b):
    s = cosines(6, 5, n_a, n_b, seed=3)
    shares, errors = stability(s, 6, n_a, 1, 100, rule)
    expected = naive(s, 6, n_a, 100, rule, seed=1)
    assert np.array_equal(shares, expected / 100)
    assert errors == pytest.approx(np.sqrt(shares * (1 - shares) / 100))
    assert np.count_nonzero(expected) > 1


def test_drawn_designs_agree_but_for_p_near_alpha():
    s = cosines(8, 8, 10, 10, seed=4)
    shares, _ = stability(s, 8, 10, 1, 100)
    expected = naive(s, 8, 10, 100, PatternRule(), seed=1)
    # at most 1 of 200 has moved when this was written
    assert np.abs(100 * shares - expected).sum() <= 2 * 2 + 1e-9


def test_most_resamples_are_judged_by_d_and_the_shares_are_those_of_their_p_values(monkeypatch):
    """Both ways see the same 20,000 resamples."""
    s = cosines(6, 5, 4, 7, seed=3)
    shares, errors = stability(s, 6, 4, 1, 20_000)
    monkeypatch.setattr(bootstrap, "DECIDED", 20_000)
    exact, _ = stability(s, 6, 4, 1, 20_000)
    assert shares.sum() == pytest.approx(1)
    assert np.abs(shares - exact).max() < 4 * errors.max()
    # 2,048 resamples alone would say .011 of a share of one half
    assert errors.max() < 0.0075


@pytest.mark.slow
def test_stated_errors_of_shares_are_those_of_other_resamples():
    s = cosines(6, 6, 6, 6, seed=5)
    both = [stability(s, 6, 6, seed, 8192) for seed in range(40)]
    shares, errors = (np.array(part) for part in zip(*both, strict=True))
    common = shares.mean(axis=0) > 0.05
    assert common.sum() >= 3
    # the standard deviation of 40 numbers has a relative standard error of .11
    assert errors.mean(axis=0)[common] == pytest.approx(shares.std(axis=0)[common], rel=0.45)


def test_no_spread_is_no_association():
    s = cosines(4, 4, 4, 4)
    s[:4] = 0.25
    shares, _ = stability(s, 4, 4, 0, 60)
    assert shares.sum(axis=1).tolist() == [0, 1, 0]
