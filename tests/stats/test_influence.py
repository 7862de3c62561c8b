"""Leaving out one term at a time: by hand, and computed again without it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.plain import influence

from eatlas.errors import UndefinedWarning
from eatlas.stats import bootstrap
from eatlas.stats.effect_size import effect_size

SAME = 1e-11
"""Largest difference seen from computing each d again: 1e-15."""


def three(s, n_x, n_a, ddof):
    scores = s[:, :n_a].mean(axis=1) - s[:, n_a:].mean(axis=1)
    rows = scores, s[:n_x].mean(axis=0), s[n_x:].mean(axis=0)
    return [effect_size(row, n, ddof=ddof)[1] for row, n in zip(rows, (n_x, n_a, n_a), strict=True)]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_each_effect_size_again(seed, ddof):
    rng = np.random.default_rng(seed)
    n_x, n_y, n_a, n_b = rng.integers(2, 7, 4).tolist()
    s = rng.uniform(-1, 1, (n_x + n_y, n_a + n_b))
    found, whole = influence(s, n_x, n_a, ddof=ddof), three(s, n_x, n_a, ddof)
    targets = [three(np.delete(s, i, axis=0), n_x - (i < n_x), n_a, ddof) for i in range(n_x + n_y)]
    attributes = [
        three(np.delete(s, j, axis=1), n_x, n_a - (j < n_a), ddof) for j in range(n_a + n_b)
    ]
    for i, one in enumerate(found):
        assert one.estimate == pytest.approx(whole[i], abs=SAME)
        assert one.targets == pytest.approx([d[i] - whole[i] for d in targets], abs=SAME)
        assert one.attributes == pytest.approx([d[i] - whole[i] for d in attributes], abs=SAME)
    # level 2 does not look at the other targets
    assert found[1].targets[n_x:] == (0.0,) * n_y
    assert found[2].targets[:n_x] == (0.0,) * n_x


def test_blocks_change_nothing(monkeypatch):
    s = np.random.default_rng(0).normal(size=(9, 11))
    whole = influence(s, 4, 5)
    monkeypatch.setattr(bootstrap, "HELD", 20)
    cut = influence(s, 4, 5)
    for mine, other in zip(cut, whole, strict=True):
        assert mine.targets == pytest.approx(other.targets, abs=SAME)
        assert mine.attributes == pytest.approx(other.attributes, abs=SAME)


def test_no_spread():
    with pytest.warns(UndefinedWarning) as caught:
        found = influence(np.full((4, 4), 0.2), 2, 2)
    assert [str(warning.message) for warning in caught] == [
        f"Without each term: {place} has no effect size: its scores do not differ."
        for place in ("level 1", "level 2 of X", "level 2 of Y")
    ]
    assert math.isnan(found[0].estimate)
    assert all(map(math.isnan, found[0].targets + found[0].attributes))
