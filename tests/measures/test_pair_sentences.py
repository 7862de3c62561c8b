"""Ratios of the sentences of pairs: what a pair is given, and where the variance of draws lies."""

import numpy as np
import pytest

from eatlas.measures.lpbs_ceat import PairSentences


def pairs(single, counts, sizes):
    """Pairs whose ratios stand one after the other."""
    names = [
        tuple(f"{side}{i}" for i in range(n)) for side, n in zip("ta", counts.shape, strict=True)
    ]
    places = tuple(np.arange(n) for n in counts.shape)
    starts = (np.cumsum(counts) - counts.ravel()).reshape(counts.shape)
    return PairSentences(single, starts, counts, tuple(names), sizes, places)


def test_components_are_unbiased_for_pairs_of_unequal_numbers_of_sentences():
    rng = np.random.default_rng(2)
    sizes, found = (5, 4, 3, 3), []
    counts = rng.integers(2, 7, size=(9, 6))
    for _ in range(200):
        own = 2 * rng.normal(size=9)
        own[:5] += 6  # the gap between groups: 6
        m = own[:, None] * np.array([0.5, 0.5, 0.5, -0.5, -0.5, -0.5])
        single = np.repeat(m.ravel(), counts.ravel()) + rng.normal(size=counts.sum())
        one = pairs(single, counts, sizes).components()[0]
        found.append((one.within, one.units, one.groups))
    # a score is a mean over 3 less one over 3, each of one sentence of variance 1
    errors = np.std(found, axis=0) / np.sqrt(1500)
    assert (np.abs(np.mean(found, axis=0) - [2 / 3, 4, 9]) < 4 * errors).all()


def test_every_part_is_that_of_the_scores_it_is_named_for():
    rng = np.random.default_rng(3)
    sizes, counts = (2, 3, 3, 2), np.full((5, 5), 4)
    single = rng.normal(size=100) + np.repeat(rng.normal(size=25) * 3, 4)
    table = single.reshape(5, 5, 4)
    _, x, y, over = pairs(single, counts, sizes).components()
    v = table.var(axis=2, ddof=1)
    assert x.within == pytest.approx(np.mean(v[:2].sum(axis=0) / 4))
    assert y.within == pytest.approx(np.mean(v[2:].sum(axis=0) / 9))
    assert over.within == pytest.approx(x.within + y.within)
    means = table.mean(axis=2)
    u = means[:2].mean(axis=0) - means[2:].mean(axis=0)
    pooled = (3 * u[:3].var() + 2 * u[3:].var()) / 3
    gap = u[:3].mean() - u[3:].mean()
    assert over.units == pytest.approx(max(0, pooled - over.within / 4))
    assert over.groups == pytest.approx(max(0, (gap**2 - pooled * 5 / 6) / 4))


def test_a_pair_with_one_sentence_counts_as_the_others_do():
    counts = np.full((4, 4), 2)
    counts[0, 0] = 1
    single = np.tile([0.0, 2.0], 16)[1:]
    level1, *_ = pairs(single, counts, (2, 2, 2, 2)).components()
    assert level1.within == pytest.approx(2 * (2 / 4 + 2 / 4))  # each pair has a variance of 2
    alone, *_ = pairs(np.arange(16.0), np.ones((4, 4), int), (2, 2, 2, 2)).components()
    assert np.isnan(alone.within)
    assert pairs(np.arange(4.0), np.ones((2, 2), int), (1, 1, 1, 1)).components() == (None,) * 4
