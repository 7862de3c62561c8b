"""Ratios of the sentences of pairs: what a pair is given, and where the variance of draws lies."""

import numpy as np
import pytest

from eatlas_models.measures.lpbs_ceat import PairSentences


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
        found.append(pairs(single, counts, sizes).components()[0])
    # a score is a mean over 3 less one over 3, each of one sentence of variance 1
    errors = np.std(found, axis=0) / np.sqrt(1500)
    assert (np.abs(np.mean(found, axis=0) - [2 / 3, 4, 9]) < 4 * errors).all()


def test_every_part_is_that_of_the_scores_it_is_named_for():
    rng = np.random.default_rng(3)
    sizes, counts = (2, 3, 3, 2), np.full((5, 5), 4)
    single = rng.normal(size=100) + np.repeat(rng.normal(size=25) * 3, 4)
    table = single.reshape(5, 5, 4)
    _, x, y, (within, units, groups) = pairs(single, counts, sizes).components()
    v = table.var(axis=2, ddof=1)
    assert x[0] == pytest.approx(np.mean(v[:2].sum(axis=0) / 4))
    assert y[0] == pytest.approx(np.mean(v[2:].sum(axis=0) / 9))
    assert within == pytest.approx(x[0] + y[0])
    means = table.mean(axis=2)
    u = means[:2].mean(axis=0) - means[2:].mean(axis=0)
    pooled = (3 * u[:3].var() + 2 * u[3:].var()) / 3
    gap = u[:3].mean() - u[3:].mean()
    assert units == pytest.approx(max(0, pooled - within / 4))
    assert groups == pytest.approx(max(0, (gap**2 - pooled * 5 / 6) / 4))
