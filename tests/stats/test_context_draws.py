"""Draws of contexts: the published rule, and what a stimulus' draws depend on."""

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.draws import draw_contexts


def streams(count, seed=0):
    return [np.random.default_rng([seed, k]) for k in range(count)]


def test_without_replacement_where_there_is_a_context_for_each_draw():
    chosen = draw_contexts([50, 40, 39, 1], 40, streams(4))
    assert chosen.shape == (40, 4)
    assert [len(set(column)) for column in chosen.T.tolist()][:2] == [40, 40]
    assert len(set(chosen[:, 2].tolist())) < 39
    assert not chosen[:, 3].any()
    assert (chosen.max(axis=0) < [50, 40, 39, 1]).all()


def test_always_with_replacement_as_in_published_code():
    chosen = draw_contexts([50], 40, streams(1), replace="always")
    assert len(set(chosen[:, 0].tolist())) < 40


@pytest.mark.parametrize(("count", "replace"), [(7, "auto"), (5000, "auto"), (7, "always")])
def test_every_context_is_as_likely_as_another(count, replace):
    chosen = np.concatenate(
        [draw_contexts([count], 3000, streams(1, seed), replace=replace) for seed in range(5)]
    )
    seventh = np.bincount(chosen[:, 0] * 7 // count, minlength=7)
    # 6 degrees of freedom; without replacement the counts vary less
    assert stats.chisquare(seventh).statistic < stats.chi2.isf(1e-6, 6)


def test_a_stimulus_does_not_see_the_others():
    both = draw_contexts([9, 12], 20, streams(2))
    alone = draw_contexts([12], 20, streams(2)[1:])
    assert np.array_equal(both[:, 1:], alone)
