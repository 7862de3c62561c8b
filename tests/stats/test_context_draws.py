"""Draws of contexts: the published rule."""

import numpy as np
import pytest
from scipy import stats

from eatlas.stats.random_effects import draw_contexts


@pytest.mark.parametrize(
    ("count", "replace", "differ"),
    [(50, "auto", True), (40, "auto", True), (39, "auto", False), (50, "always", False)],
)
def test_without_replacement_where_there_is_a_context_for_each_draw(count, replace, differ):
    chosen = draw_contexts(count, 40, np.random.default_rng(0), replace).tolist()
    assert len(chosen) == 40
    assert max(chosen) < count
    assert (len(set(chosen)) == 40) is differ


@pytest.mark.parametrize(("count", "replace"), [(7, "auto"), (5000, "auto"), (7, "always")])
def test_every_context_is_as_likely_as_another(count, replace):
    chosen = np.concatenate(
        [draw_contexts(count, 3000, np.random.default_rng(seed), replace) for seed in range(5)]
    )
    seventh = np.bincount(chosen * 7 // count, minlength=7)
    # 6 degrees of freedom; without replacement the counts vary less
    assert stats.chisquare(seventh).statistic < stats.chi2.isf(1e-6, 6)
