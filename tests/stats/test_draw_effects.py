"""Effects of draws, and the exact test of their mean against relabelling by brute force."""

from itertools import combinations

import numpy as np
import pytest

from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test
from eatlas.stats.random_effects import draw_effects

AGREEMENT = 1e-12
"""Worst difference from the effect size of a single draw: 5e-16."""


def scores(draws, n, m, *, shift=0.6, seed=0):
    """Scores of stimuli in random contexts: spread differs from draw to draw."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=n + m) * 0.1
    own[:n] += 0.1 * shift
    width = rng.uniform(0.02, 0.4, size=(draws, 1))
    return own + rng.normal(size=(draws, n + m)) * width


def relabelled(n, m):
    """Order of units for each of the relabellings, the first group first."""
    everyone = set(range(n + m))
    for first in combinations(range(n + m), n):
        yield [*first, *sorted(everyone - set(first))]


def tails(statistics, observed):
    """Counts of the three tails; the mean over all relabellings is 0 for groups of one size."""
    t, tie = np.array(statistics), 1e-9
    return {
        "greater": int((t >= observed - tie).sum()),
        "less": int((t <= observed + tie).sum()),
        "two_sided": int((np.abs(t) >= abs(observed) - tie).sum()),
    }


def brute(values, n, m, weigh):
    """Weighted mean effect under every relabelling; all is computed anew for each."""

    def statistic(order):
        found = draw_effects(values[:, order], n)
        w = weigh(found)
        return float(np.sum(w * found.d) / np.sum(w))

    everything = [statistic(order) for order in relabelled(n, m)]
    return tails(everything, everything[0])


@pytest.mark.parametrize("ddof", [0, 1])
def test_each_draw_is_the_effect_size_of_its_scores(ddof):
    values = scores(200, 7, 5)
    found = draw_effects(values, 7, ddof=ddof)
    for i, row in enumerate(values):
        difference, d = effect_size(row, 7, ddof=ddof)
        assert abs(found.difference[i] - difference) < AGREEMENT
        assert abs(found.d[i] - d) < AGREEMENT
    assert found.mean == pytest.approx(found.d.mean(), abs=AGREEMENT)


def test_the_mean_effect_is_the_difference_of_means_of_one_vector():
    values = scores(500, 6, 9)
    found = draw_effects(values, 6)
    assert found.scores[:6].mean() - found.scores[6:].mean() == pytest.approx(found.mean, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_exact_p_of_the_equally_weighted_mean_is_that_of_brute_force(seed):
    values = scores(40, 5, 5, seed=seed)
    found = draw_effects(values, 5)
    answer = permutation_test(found.scores, 5, scale=found.scale)
    counts = {name: getattr(answer, name).count for name in ("greater", "less", "two_sided")}
    assert counts == brute(values, 5, 5, lambda one: np.ones(len(one.d)))
    assert answer.total == 252


def test_draws_without_spread_are_left_out_of_the_mean_and_of_its_test():
    values = scores(30, 4, 4)
    flat = np.concatenate([values, np.full((5, 8), 0.3)])
    some, every = draw_effects(flat, 4), draw_effects(values, 4)
    assert some.defined.sum() == 30
    assert np.isnan(some.d[30:]).all()
    assert some.mean == pytest.approx(every.mean, abs=1e-15)
    assert np.allclose(some.scores, every.scores, atol=1e-15)


def test_a_spread_below_the_rounding_of_large_terms_is_none():
    rounded = 40.0 + np.array([[0.0, 1, 0, 1], [0.0, 1, 2, 4]]) * np.array([[4e-15], [1.0]])
    assert draw_effects(rounded - 40.0, 2).defined.tolist() == [True, True]
    found = draw_effects(rounded - 40.0, 2, scale=40.0)
    assert found.defined.tolist() == [False, True]
    assert found.scale == pytest.approx(40 / np.std([0, 1, 2, 4], ddof=1))
