"""Scores with massive ties are counted, never split: survey scales, few values, duplicates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import counts, lattice_counts, question

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.counting import count_at_least, in_steps, on_lattice
from eatlas.stats.permutation.inversion import invert
from eatlas.stats.permutation.two_sample import QUICK

INVERSION_ON_LATTICE = 1e-12
"""Worst relative difference observed between lattice inversion and the count: 2.8e-14."""


def scale_points(n, m, top, shift, seed):
    """Answers 1 ... top; the first group answers one point higher with probability `shift`."""
    r = np.random.default_rng(seed)
    first = r.integers(1, top + 1, n) + (r.random(n) < shift)
    return np.concatenate([np.minimum(first, top), r.integers(1, top + 1, m)])


@pytest.mark.parametrize(
    ("n", "m", "top", "shift"),
    [(100, 100, 6, 0.6), (100, 60, 5, 0.4), (64, 64, 2, 0.5), (40, 40, 21, 0.9), (30, 50, 7, 0.0)],
)
@pytest.mark.parametrize("unit", [0.1, 1 / 3])
def test_survey_scales_are_counted_exactly(n, m, top, shift, unit):
    points = scale_points(n, m, top, shift, seed=n + m + top)
    result = permutation_test(points * unit, n)
    assert counts(result) == lattice_counts(points.tolist(), n)


def test_the_value_that_splits_ties_is_never_given():
    # Integers 1 to 6 over 10, 100 against 100: an inversion between two atoms gives a p about
    # 0.8 times the right one.
    points = scale_points(100, 100, 6, 0.7, seed=3)
    result = permutation_test(points / 10, 100)
    expected = lattice_counts(points.tolist(), 100)[0]
    assert result.greater.count == expected
    asked = question(points / 10, 100)
    (split,) = invert(asked.values, 100, [asked.observed], lattice=False, effort=QUICK)
    assert math.exp(split[0] - math.log(expected)) < 0.97
    assert split[1] > 1e-3


def test_two_hundred_fifty_six_against_as_many():
    # Two values: the hypergeometric distribution, here in Fractions of binomials.
    r = np.random.default_rng(8)
    votes = np.concatenate([r.random(256) < 0.6, r.random(256) < 0.4]).astype(int)
    result = permutation_test(votes * 0.7 - 0.2, 256)
    hits, seen = int(votes.sum()), int(votes[:256].sum())
    upper = sum(
        math.comb(hits, k) * math.comb(512 - hits, 256 - k)
        for k in range(seen, min(hits, 256) + 1)
        if 256 - k <= 512 - hits
    )
    assert result.greater.count == upper


def test_few_values_on_no_lattice():
    r = np.random.default_rng(9)
    levels = np.array([0.0, 1.0, math.pi])
    picks = np.concatenate([r.choice(3, 40, p=[0.2, 0.3, 0.5]), r.choice(3, 40)])
    result = permutation_test(levels[picks], 40)
    groups = np.bincount(picks, minlength=3)
    t = levels[picks[:40]].sum()
    expected = sum(
        math.comb(groups[0], 40 - i - j) * math.comb(groups[1], i) * math.comb(groups[2], j)
        for i in range(41)
        for j in range(41 - i)
        if i + j * math.pi >= t - 1e-9
    )
    assert result.greater.count == expected
    assert result.less.method == "exact"


def test_noise_within_the_tie_tolerance_does_not_hide_a_lattice():
    points = scale_points(60, 60, 6, 0.5, seed=5)
    r = np.random.default_rng(6)
    noisy = points / 10 * (1 + r.choice([-1, 0, 1], 120) * 2.0**-53)
    result = permutation_test(noisy, 60)
    assert counts(result) == lattice_counts(points.tolist(), 60)


@pytest.mark.parametrize(("n", "top", "shift"), [(100, 6, 0.5), (60, 3, 0.1), (120, 11, 0.8)])
def test_lattice_inversion_equals_the_count(n, top, shift):
    points = scale_points(n, n, top, shift, seed=n)
    asked = question(points / 10, n)
    thresholds = [asked.at_least, asked.below]
    steps, moved = on_lattice(asked.values, n, thresholds, asked.tolerance)
    exact = lattice_counts(points.tolist(), n)
    found = invert(steps, n, moved, lattice=True, effort=QUICK)
    total = math.comb(2 * n, n)
    tail = exact[1] if asked.mirrored else exact[0]
    other = exact[0] if asked.mirrored else exact[1]
    for got, count in zip(found, (tail, total - other), strict=True):
        difference = abs(math.expm1(got[0] - math.log(count)))
        assert difference < INVERSION_ON_LATTICE
        assert difference <= got[1]


def test_noise_that_takes_a_sum_across_the_far_threshold_is_no_lattice():
    """One score stands off its step, so that the mirror image of the observed sum does too.

    On whole steps the far tail of this design would hold 288,752 sums in place of 272,128.
    """
    r = np.random.default_rng(397)
    size, n = 24, int(r.integers(6, 10))
    steps = r.integers(0, 5, size) * 1.0
    off = (r.random(size) < 0.1) * 1.0
    tie = 16 * size * 2.0**-53 * steps.max()
    scores = steps + r.permutation(off) * 0.98 * tie / off.sum()
    asked = question(scores, n)
    (far,) = count_at_least(-asked.values[::-1], asked.n, [1 - asked.far], 1 << 22)
    (near,) = count_at_least(asked.values, asked.n, [asked.at_least], 1 << 22)
    assert permutation_test(scores, n).two_sided.count == near + far


def test_whole_steps_need_thresholds_that_no_residual_crosses():
    values, steps = np.array([0, 10, 21, 30]), np.array([0, 1, 2, 3])
    assert in_steps(values, steps, 2, [9, 15]) == [1, 2]
    assert in_steps(values, steps, 2, [31]) is None
