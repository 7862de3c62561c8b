"""Equivalence by exact tests: by hand, monotone, impossible designs, false claims at the margin."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.stats.designs import equivalence_p

FEW = settings(deadline=None, max_examples=12)
"""An example makes up to 120 exact tests."""
TWO = np.array([7.0, 8.0, 9.0, 11.0])
"""2 v 2: 6 subsets, so a p is a sixth times 1 to 6."""


def test_equivalence_by_hand():
    # 2 v 2, margin 3: shifted by +3 the first group is 10, 11 | 9, 11: sums of pairs are
    # 21, 19, 21, 20, 22, 20, three of six at least 21; by -3 it is 4, 5 | 9, 11: the least
    assert equivalence_p(TWO, 2, 3.0) == 3 / 6
    assert equivalence_p(TWO, 2, 4.5) == 1 / 6


@FEW
@given(st.integers(0, 2**32), st.floats(0.05, 2))
def test_a_wider_margin_has_a_smaller_p(seed, margin):
    scores = np.random.default_rng(seed).normal(size=8)
    p = [equivalence_p(scores, 4, factor * margin) for factor in (1, 1.5, 3)]
    assert p == sorted(p, reverse=True)
    assert equivalence_p(-scores, 4, margin) == p[0]


def test_a_small_design_cannot_show_equivalence():
    assert equivalence_p(np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0]), 3, 100.0) == 1 / 20


def test_false_equivalence_at_the_margin():
    """A difference of exactly the margin is called small in at most 10 %: 400 samples."""
    source, wrong = np.random.default_rng(3), 0
    for _ in range(400):
        scores = 0.5 * source.normal(size=12)
        scores[:6] += 1.0
        wrong += equivalence_p(scores, 6, 1.0) < 0.1
    assert 0 < wrong / 400 <= 0.1 + 4 * math.sqrt(0.1 * 0.9 / 400)
