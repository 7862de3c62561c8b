"""Weighted effect sizes: copies of terms, the measure itself, derivatives and rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas import kernels
from eatlas.stats.effect_size import effect_size
from eatlas.stats.weighted import (
    Design,
    Weights,
)

FIT = 1e-12
"""Largest difference seen from correctly rounded sums: 1.5e-15 in 6,000 designs."""
SLOPE = 2e-8
"""Largest relative difference seen from numerical derivatives: 5e-10."""


def block(seed=0, targets=(4, 5), attributes=(3, 6)):
    rng = np.random.default_rng(seed)
    cosines = rng.uniform(-0.5, 0.5, (sum(targets), sum(attributes)))
    return Design(cosines, targets[0], attributes[0])


def naive(test, w, v, ddof):
    """The three effect sizes of a block in which each term stands as often as it weighs."""
    w, v = w.astype(int), v.astype(int)
    s = np.repeat(np.repeat(test.block, w, axis=0), v, axis=1)
    n_x, n_a = int(w[: test.n_x].sum()), int(v[: test.n_a].sum())
    scores = s[:, :n_a].mean(axis=1) - s[:, n_a:].mean(axis=1)
    return [
        effect_size(scores, n_x, ddof=ddof)[1],
        effect_size(s[:n_x].mean(axis=0), n_a, ddof=ddof)[1],
        effect_size(s[n_x:].mean(axis=0), n_a, ddof=ddof)[1],
    ]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_a_weight_is_a_number_of_copies(seed, ddof):
    test, rng = block(seed), np.random.default_rng(seed)
    w, v = rng.integers(0, 4, test.block.shape[0]), rng.integers(0, 4, test.block.shape[1])
    w[[0, -1]], v[[0, -1]] = 1, 2  # no group is left empty
    sides = test.sides(Weights(w[None] + 0.0, v[None] + 0.0))
    found = [
        level.effects(*pair, ddof).d[0] for level, pair in zip(test.levels, sides, strict=True)
    ]
    # where all the copies are of one unit of each group, d is at its bound: still defined
    assert found == pytest.approx(naive(test, w, v, ddof), rel=0, abs=FIT, nan_ok=True)


def test_the_measure_is_the_case_of_equal_weights():
    rng = np.random.default_rng(4)
    rows = {
        role: kernels.unit_rows(rng.normal(size=(n, 20)))
        for role, n in zip("XYAB", (5, 4, 6, 3), strict=True)
    }
    mean = {role: kernels.mean_row(group) for role, group in rows.items()}
    cosines = kernels.similarities(
        np.vstack([rows["X"], rows["Y"]]), np.vstack([rows["A"], rows["B"]])
    )
    test = Design(cosines, 5, 6)
    s = [kernels.associations(rows[role], mean["A"] - mean["B"]) for role in "XY"]
    published = [effect_size(np.concatenate(s), 5)[1]]
    for target in "XY":
        u = [kernels.associations(rows[role], mean[target]) for role in "AB"]
        published.append(effect_size(np.concatenate(u), 6)[1])
    found = [
        level.effects(*pair, 1).d[0]
        for level, pair in zip(test.levels, test.sides(test.as_is), strict=True)
    ]
    assert found == pytest.approx(published, rel=FIT)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("i", [0, 1, 2])
def test_variances_are_those_of_the_influence_function(i, ddof):
    """Move a little of each group's weight to one term, its size held, and look at d."""
    test = block(7)
    rng = np.random.default_rng(8)
    weights = Weights(rng.integers(1, 4, (1, 9)) + 0.0, rng.integers(1, 4, (1, 9)) + 0.0)
    level, (units, others) = test.levels[i], test.sides(weights)[i]
    found = level.effects(units, others, ddof)

    def slopes(groups, which):
        step, variance = 1e-6, 0.0
        for where in groups:
            base = (units, others)[which][0, where]
            size = base.sum()
            for j in range(base.size):
                d = []
                for sign in (-1, 1):
                    moved = [units.copy(), others.copy()]
                    towards = np.zeros(base.size)
                    towards[j] = size
                    moved[which][0, where] = base + sign * step * (towards - base)
                    d.append(level.effects(*moved, ddof).d[0])
                slope = (d[1] - d[0]) / (2 * step)
                variance += base[j] * slope**2 / size**2
        return variance

    over_units = slopes([slice(0, level.n), slice(level.n, None)], 0)
    over_others = slopes([where for where, _ in level.others], 1)
    assert level.unit_variance(found, units, others, ddof)[0] == pytest.approx(
        over_units, rel=SLOPE
    )
    assert level.other_variance(found, units, others, ddof)[0] == pytest.approx(
        over_others, rel=SLOPE
    )


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 0.0])
def test_rounding_is_no_spread(constant):
    rng = np.random.default_rng(0)
    # rows are rearrangements of the same numbers: sums in other orders differ in the last bits
    row = rng.uniform(-1, 1, 30) if constant else np.zeros(30)
    cosines = np.stack(
        [np.concatenate([rng.permutation(row), rng.permutation(row)]) for _ in range(8)]
    )
    test = Design(cosines + constant, 4, 30)
    level, pair = test.levels[0], test.sides(test.as_is)[0]
    assert np.isnan(level.effects(*pair, 1).d[0])
    assert np.isnan(level.effects(*pair, 1).sd[0])


def test_a_difference_above_rounding_is_a_spread():
    cosines = np.full((4, 4), 0.25)
    cosines[0, 0] += 1e-12
    test = Design(cosines, 2, 2)
    # scores 1, 0 | 0, 0 (times 5e-13): difference 1/2, sd 1/2
    assert test.levels[0].effects(*test.sides(test.as_is)[0], 1).d[0] == pytest.approx(1, rel=1e-3)
