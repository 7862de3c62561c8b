"""Reliability of two lists: identities, what random lists and several factors give, and bad input."""

import math

import numpy as np
import pytest

from eatlas.stats.reliability import list_reliability


def cronbach_alpha(rows):
    k = len(rows)
    return k / (k - 1) * (1 - rows.var(axis=1).sum() / rows.sum(axis=0).var())


def rng(seed=0):
    return np.random.default_rng(seed)


def found(one, other, **how):
    return list_reliability(one, other, rng=rng(), **{"resamples": 200, **how})


def factors(k, m, seed, several=1, shared=0.0):
    """k items with one factor, or with several that do not correlate, and what all words share."""
    source = rng(seed)
    own = source.normal(size=(several, m))
    common = shared * rng(99).normal(size=m)
    return common + own[np.arange(k) % several] + 0.4 * source.normal(size=(k, m))


def test_alpha_is_that_of_column_centred_scores():
    one, other = factors(8, 30, 1, shared=3.0), factors(6, 30, 2, shared=3.0)
    middle = (one.mean(axis=0) + other.mean(axis=0)) / 2
    result = found(one, other)
    assert result.first.alpha.value == pytest.approx(cronbach_alpha(one - middle))
    assert result.second.alpha.value == pytest.approx(cronbach_alpha(other - middle))
    assert result.first.raw_alpha == pytest.approx(cronbach_alpha(one))
    assert (result.first.items, result.second.items, result.observations) == (8, 6, 30)


def test_between_lists_by_hand():
    """D = 2, 0, 0, -2 has variance 2; items lie .5 from their profile in each observation."""
    profile = np.array([1.0, 0.0, 0.0, -1.0])
    off = np.array([0.5, -0.5, 0.5, -0.5])
    one, other = (
        np.stack([profile + off, profile - off]),
        np.stack([-profile + off, -profile - off]),
    )
    # squared distances: .25 an item and observation, by k - 1 = 1: v = .5; (.5 / 2 + .5 / 2) / 2
    assert found(one, other).between.value == pytest.approx(1 - 0.5 / 2)


def test_what_all_words_share_raises_raw_alpha_alone():
    """Random lists that share their popular attributes: .97 as they are, nothing beside each other."""
    raw, alpha, between = [], [], []
    for seed in range(40):
        source = rng(seed)
        common = 2 * source.normal(size=24)
        one, other = (common + source.normal(size=(8, 24)) for _ in range(2))
        result = found(one, other, resamples=1)
        raw.append(result.first.raw_alpha)
        alpha.append(result.first.alpha.value)
        between.append(result.between.value)
    assert np.median(raw) > 0.95
    assert np.median(alpha) < 0
    assert abs(np.median(between)) < 0.2


def test_lists_that_do_not_differ_are_undefined():
    rows = np.tile(rng().normal(size=10), (4, 1))
    result = found(rows, rows)
    assert math.isnan(result.between.value)
    assert math.isnan(result.first.alpha.value)
    assert result.first.raw_alpha == pytest.approx(1)
