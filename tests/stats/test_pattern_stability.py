"""Shares of patterns: each resample again with the measure's own test and rule."""

import math

import numpy as np
import pytest
from tests.stats.plain import pattern_stability
from tests.stats.test_bootstrap import copies, cosines

from eatlas.errors import UndefinedWarning
from eatlas.measures.patterns import associated_with
from eatlas.stats import bootstrap as module
from eatlas.stats.bootstrap import PatternRule, draw, streams_of
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test
from eatlas.stats.weighted import Design

OVER = ("targets", "attributes", "both")


def rng(seed=0):
    return np.random.default_rng(seed)


def place(scores, n, rule):
    """Where ML-EAT would put a target group: 0 with A, 1 with neither, 2 with B."""
    d, p = effect_size(scores, n, ddof=rule.ddof)[1], permutation_test(scores, n, scale=1.0)
    p = p.two_sided.p if rule.tail == "two-sided" else (p.greater if d > 0 else p.less).p
    side = associated_with(d, p, alpha=rule.alpha, threshold=rule.threshold)
    return {"A": 0, None: 1, "B": 2}[side]


def naive(s, n_x, n_a, over, count, rule, seed):
    (weights,) = draw(Design(s, n_x, n_a), over, count, streams_of(rng(seed)))
    table = np.zeros((3, 3), int)
    for k in range(count):
        rows, columns = copies(weights, k)
        block = s[np.ix_(rows, columns)]
        table[
            place(block[:n_x].mean(axis=0), n_a, rule), place(block[n_x:].mean(axis=0), n_a, rule)
        ] += 1
    return table


RULES = [
    PatternRule(),
    PatternRule(alpha=0.2, tail="two-sided"),
    PatternRule(alpha=0.3, threshold=0.9, ddof=0),
]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("rule", RULES, ids=["published", "two-sided", "strict"])
@pytest.mark.parametrize(("n_a", "n_b"), [(5, 5), (4, 7)])
def test_enumerated_designs_agree_with_the_measure_in_every_resample(over, rule, n_a, n_b):
    s = cosines(6, 5, n_a, n_b, seed=3)
    found = pattern_stability(s, 6, n_a, rng=rng(1), over=over, resamples=150, rule=rule)
    expected = naive(s, 6, n_a, over, 150, rule, seed=1)
    assert np.array_equal(found.shares, expected / 150)
    assert found.decided == 150
    assert np.count_nonzero(expected) > 1
    assert found.p_error == 0


@pytest.mark.parametrize("over", OVER)
def test_drawn_designs_agree_but_for_p_near_alpha(over):
    s = cosines(8, 8, 10, 10, seed=4)
    found = pattern_stability(s, 8, 10, rng=rng(1), over=over, resamples=200)
    expected = naive(s, 8, 10, over, 200, PatternRule(), seed=1)
    assert found.p_error == pytest.approx(math.sqrt(0.05 * 0.95 / 8_000))
    # at most 1 of 200 has moved when this was written
    assert np.abs(200 * np.array(found.shares) - expected).sum() <= 2 * 4 + 1e-9


def test_errors_of_few_resamples_are_binomial():
    s = cosines(6, 6, 5, 5)
    found = pattern_stability(s, 6, 5, rng=rng(), resamples=400)
    share = np.array(found.shares)
    assert np.array(found.errors) == pytest.approx(np.sqrt(share * (1 - share) / 400))


@pytest.mark.parametrize(("n_a", "n_b"), [(5, 5), (4, 7)])
def test_most_resamples_are_judged_by_d_and_the_shares_are_those_of_their_p_values(
    n_a, n_b, monkeypatch
):
    """Both ways see the same 30,000 resamples."""
    s = cosines(6, 5, n_a, n_b, seed=3)
    quick = pattern_stability(s, 6, n_a, rng=rng(1), resamples=30_000)
    monkeypatch.setattr(module, "DECIDED", 30_000)
    exact = pattern_stability(s, 6, n_a, rng=rng(1), resamples=30_000)
    assert (quick.decided, exact.decided) == (2048, 30_000)
    assert sum(map(sum, quick.shares)) == pytest.approx(1)
    assert np.abs(np.subtract(quick.shares, exact.shares)).max() < 4 * np.max(quick.errors)
    # 2,048 resamples alone would say .011 of a share of one half
    assert np.max(quick.errors) < 0.0075


def test_stated_errors_of_shares_are_those_of_other_resamples():
    s = cosines(6, 6, 6, 6, seed=5)
    found = [pattern_stability(s, 6, 6, rng=rng(seed), resamples=8192) for seed in range(60)]
    shares, said = (np.array([getattr(f, of) for f in found]) for of in ("shares", "errors"))
    common = shares.mean(axis=0) > 0.05
    assert common.sum() >= 3
    # the standard deviation of 60 numbers has a relative standard error of .09
    assert said.mean(axis=0)[common] == pytest.approx(shares.std(axis=0)[common], rel=0.4)


def test_no_spread_is_no_association():
    s = cosines(4, 4, 4, 4)
    s[:4] = 0.25
    with pytest.warns(UndefinedWarning) as caught:
        found = pattern_stability(s, 4, 4, rng=rng(), resamples=60)
    assert str(caught[0].message) == (
        "Resampled: level 2 of X: 60 of 60 resamples have no spread and count as neither."
    )
    assert found.undefined == (60, 0)
    assert found.shares.sum(axis=1).tolist() == [0, 1, 0]
