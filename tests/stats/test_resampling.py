"""Resamples: what is drawn, in which shares, and independence of how it is cut."""

import numpy as np
import pytest

from eatlas.stats.bootstrap import draw, streams_of
from eatlas.stats.weighted import Design

TEST = Design(np.zeros((7, 6)), 3, 2)


def joined(over, count, seed=0):
    chunks = list(draw(TEST, over, count, streams_of(np.random.default_rng(seed))))
    return np.vstack([c.targets for c in chunks]), np.vstack([c.attributes for c in chunks])


def test_groups_keep_their_sizes():
    targets, attributes = joined("both", 200)
    assert targets.shape == (200, 7)
    assert attributes.shape == (200, 6)
    assert (targets[:, :3].sum(axis=1) == 3).all()
    assert (targets[:, 3:].sum(axis=1) == 4).all()
    assert (attributes[:, :2].sum(axis=1) == 2).all()
    assert (attributes[:, 2:].sum(axis=1) == 4).all()


def test_counts_are_multinomial():
    """Mean 1, variance 1 - 1/n, covariance -1/n within a group and 0 between groups."""
    many = 40_000
    targets, attributes = joined("both", many)
    found = np.cov(np.hstack([targets, attributes]).T)
    sizes = [3, 4, 2, 4]
    expected = np.zeros((13, 13))
    ends = np.cumsum(sizes)
    for size, end in zip(sizes, ends, strict=True):
        expected[end - size : end, end - size : end] = np.eye(size) - 1 / size
    # standard errors of a variance near 1 are below 0.012 here, of a mean below 0.005
    assert found == pytest.approx(expected, abs=0.05)
    assert targets.mean(axis=0) == pytest.approx(np.ones(7), abs=0.025)


@pytest.mark.parametrize("over", ["targets", "attributes", "both"])
def test_the_first_of_many_resamples_are_those_of_few(over):
    few, many = joined(over, 1500), joined(over, 5000)
    for one, other in zip(few, many, strict=True):
        same = min(len(one), 1500)
        if (one == 1).all():  # a side that stays as it is has one row of ones in each chunk
            assert (other == 1).all()
            continue
        assert (len(one), len(other)) == (1500, 5000)
        assert np.array_equal(one[:same], other[:same])


def test_each_group_has_draws_of_its_own():
    """Another list in place of B leaves the draws of X, Y and A as they are."""
    streams = streams_of(np.random.default_rng(1)), streams_of(np.random.default_rng(1))
    (one,) = draw(Design(np.zeros((7, 6)), 3, 2), "both", 50, streams[0])
    (other,) = draw(Design(np.zeros((7, 9)), 3, 2), "both", 50, streams[1])
    assert np.array_equal(one.targets, other.targets)
    assert np.array_equal(one.attributes[:, :2], other.attributes[:, :2])
