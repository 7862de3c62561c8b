"""Shares of labels in a softmax: by hand, against plain loops, and their derivatives."""

import numpy as np
import pytest

from eatlas.stats.bootstrap import streams_of
from eatlas.stats.shares import ShareDesign, label_powers
from eatlas.stats.weighted import Weights

FIT = 1e-11
"""Relative; room for the rounding of sums in another order."""
SLOPE = 1e-4
"""Of numeric derivatives with steps of 1e-6."""
N_X, N_A = 3, 4
X, Y, A, B = slice(0, N_X), slice(N_X, None), slice(0, N_A), slice(N_A, None)


def cosines(seed=0, targets=7, labels=9):
    return 0.2 + 0.02 * np.random.default_rng(seed).standard_normal((targets, labels))


def design(seed=0, scale=100.0):
    return ShareDesign(label_powers(cosines(seed), scale), N_X, N_A)


def effect_by_loops(table, scale, level, of_targets, of_labels, ddof=1):
    """One effect size, each share written out, each stimulus as often as its weight says."""
    shares = np.zeros(table.shape)
    for i, row in enumerate(table):
        powers = [np.exp(scale * c) for c in row]
        total = sum(w * e for w, e in zip(of_labels, powers, strict=True))
        shares[i] = [e / total for e in powers]
    if level == 0:
        scores = [sum(of_labels[A] * row[A]) for row in shares]
        weights, n = of_targets, N_X
    else:
        some = (X, Y)[level - 1]
        scores = [sum(of_targets[some] * column[some]) for column in shares.T]
        scores = np.array(scores) / sum(of_targets[some])
        weights, n = of_labels, N_A
    scores = np.array(scores)
    one, other = (
        sum(weights[part] * scores[part]) / sum(weights[part])
        for part in (slice(0, n), slice(n, None))
    )
    size = sum(weights)
    mean = sum(weights * scores) / size
    return (one - other) / np.sqrt(sum(weights * (scores - mean) ** 2) / (size - ddof))


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("scale", [1.0, 30.0, 100.0])
def test_effect_sizes_are_those_of_plain_loops(level, scale):
    rng, test = np.random.default_rng(5), design(1, scale)
    for _ in range(5):
        w, v = rng.integers(0, 3, 7) + 0.0, rng.integers(0, 3, 9) + 0.0
        w[[0, 4]] += 1
        v[[0, 1, 5, 6]] += 1
        units, others = test.sides(Weights(w[None], v[None]))[level]
        found = test.levels[level].effect(units, others, 1)
        assert found[0] == pytest.approx(effect_by_loops(cosines(1), scale, level, w, v), rel=FIT)


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("over", [(True, False), (False, True), (True, True)])
def test_variances_are_those_of_numeric_derivatives(level, over):
    """The infinitesimal jackknife: weights of a group move, and their sum stays."""
    rng, test = np.random.default_rng(8), design(2, 60.0)
    w, v = rng.integers(1, 4, 7) + 0.0, rng.integers(1, 4, 9) + 0.0
    units, others = test.sides(Weights(w[None], v[None]))[level]
    _, variance = test.levels[level].effect_and_variance(units, others, 1, over)
    sides = (("targets", (X, Y)), ("labels", (A, B)))
    if level:
        sides = (sides[1], ("targets", ((X, Y)[level - 1],)))
    expected, step = 0.0, 1e-6
    for (side, groups), resampled in zip(sides, over, strict=True):
        base = w if side == "targets" else v
        for group in groups if resampled else ():
            slopes = []
            for i in range(*group.indices(len(base))):
                d = []
                for sign in (1, -1):
                    moved = base.copy()
                    moved[i] += sign * step
                    both = (moved, v) if side == "targets" else (w, moved)
                    d.append(effect_by_loops(cosines(2), 60.0, level, *both))
                slopes.append((d[0] - d[1]) / (2 * step))
            weights = base[group]
            away = np.array(slopes) - np.average(slopes, weights=weights)
            expected += float(weights @ away**2)
    assert variance[0] == pytest.approx(expected, rel=SLOPE)


def test_mean_shares_of_resamples():
    test = design(6)
    w, v = np.array([[1.0, 2, 0, 1, 1, 0, 2]]), np.array([[1.0, 0, 2, 1, 1, 1, 3, 0, 0]])
    shares = []
    for row in cosines(6):
        powers = np.exp(100.0 * row) * v[0]
        shares.append(powers[A].sum() / powers.sum())
    expected = [(shares[0] + 2 * shares[1]) / 3, (shares[3] + shares[4] + 2 * shares[6]) / 4]
    assert test.mean_shares(Weights(w, v))[0] == pytest.approx(expected, rel=FIT)
    drawn = test.mean_shares_drawn("both", 50, streams_of(np.random.default_rng(0)))
    assert drawn.shape == (50, 2)
    assert ((drawn > 0) & (drawn < 1)).all()
