"""Intervals and equivalence by exact tests: by hand, brute force, coverage, impossible designs."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.stats.designs import equivalence_test

FEW = settings(deadline=None, max_examples=12)
"""An example makes up to 120 exact tests."""
TWO = [7.0, 8.0, 9.0, 11.0]
"""2 v 2: 6 subsets, so a p is a sixth times 1 to 6."""


def test_equivalence_by_hand():
    # 2 v 2, margin 3: shifted by +3 the first group is 10, 11 | 9, 11: sums of pairs are
    # 21, 19, 21, 20, 22, 20, three of six at least 21; by -3 it is 4, 5 | 9, 11: the least
    found = equivalence_test(TWO, 2, 3.0, alpha=0.3)
    assert (found.above.count, found.below.count) == (3, 1)
    assert (found.p, found.equivalent) == (0.5, False)
    assert (found.difference, found.margin, found.alpha) == (-2.5, 3.0, 0.3)
    assert (found.min_p, found.reachable) == (1 / 6, True)
    wide = equivalence_test(TWO, 2, 4.5, alpha=0.3)
    assert (wide.p, wide.equivalent) == (1 / 6, True)


@FEW
@given(st.integers(0, 2**32), st.floats(0.05, 2))
def test_a_wider_margin_has_a_smaller_p(seed, margin):
    scores = np.random.default_rng(seed).normal(size=8)
    p = [equivalence_test(scores, 4, factor * margin).p for factor in (1, 1.5, 3)]
    assert p == sorted(p, reverse=True)
    mirrored = equivalence_test(-scores, 4, margin)
    assert (mirrored.p, mirrored.above) == (p[0], equivalence_test(scores, 4, margin).below)


def test_a_small_design_cannot_show_equivalence():
    found = equivalence_test([1.0, 2.0, 3.0, 1.0, 2.0, 3.0], 3, 100.0)
    assert (found.p, found.equivalent, found.reachable) == (1 / 20, False, False)


def test_false_equivalence_at_the_margin():
    """A difference of exactly the margin is called small in at most 10 %: 400 samples."""
    source, wrong = np.random.default_rng(3), 0
    for _ in range(400):
        scores = 0.5 * source.normal(size=12)
        scores[:6] += 1.0
        wrong += equivalence_test(scores, 6, 1.0, alpha=0.1).equivalent
    assert 0 < wrong / 400 <= 0.1 + 4 * math.sqrt(0.1 * 0.9 / 400)
