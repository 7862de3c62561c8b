"""Zero-shot readings in resamples, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inputs import streams_of

from eatlas.stats.bootstrap import draw
from eatlas.stats.shares import label_powers
from eatlas_models.stats.readings import mean_shares_drawn, share_layout

FIT = 1e-11
"""Relative; room for the rounding of sums in another order."""
N_X, N_A = 3, 4
X, Y, A, B = slice(0, N_X), slice(N_X, None), slice(0, N_A), slice(N_A, None)


def cosines(seed=0, targets=7, labels=9):
    return 0.2 + 0.02 * np.random.default_rng(seed).standard_normal((targets, labels))


def design(seed=0, scale=100.0):
    return share_layout(label_powers(cosines(seed), scale), N_X, N_A)


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
        units, others = test.sides(w[:, None], v[:, None])[level]
        found = test.levels[level].effects(units, others, 1)
        assert found[0] == pytest.approx(effect_by_loops(cosines(1), scale, level, w, v), rel=FIT)


def test_mean_shares_of_resamples():
    powers, layout = (
        label_powers(cosines(6), 100.0),
        share_layout(label_powers(cosines(6), 100.0), N_X, N_A),
    )
    (weights,) = draw(layout.sizes, 50, streams_of(np.random.default_rng(0)))
    drawn = mean_shares_drawn(powers, layout, 50, streams_of(np.random.default_rng(0)))
    assert drawn.shape == (50, 2)
    w, v = (side[:, 7] for side in weights)
    shares = [(row * v)[A].sum() / (row * v).sum() for row in powers]
    expected = [np.average(shares[group], weights=w[group]) for group in (X, Y)]
    assert drawn[7] == pytest.approx(expected, rel=FIT)
