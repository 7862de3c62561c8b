"""Batched permutation p-values: the exact test's counts where listed, within error where drawn."""

import math

import numpy as np
import pytest

from eatlas.errors import EatlasError
from eatlas.stats.permutation import permutation_test
from eatlas.stats.relabelling import FIRST, LABELS, MARGIN, relabelling_p, relabellings, tail_rule

TAILS = ("directional", "two-sided")


def rng(seed=0):
    return np.random.default_rng(seed)


def resampled(n, m, count, seed=0, population="normal"):
    """Scores of n + m terms a little apart, and how often each was drawn."""
    r = rng(seed)
    scores = r.standard_t(2, n + m) if population == "heavy" else r.normal(size=n + m)
    scores[:n] += (
        scores[n:].mean() - scores[:n].mean() + 1.8 * scores.std() * math.sqrt(1 / n + 1 / m)
    )
    first, second = r.multinomial(n, [1 / n] * n, count), r.multinomial(m, [1 / m] * m, count)
    return np.broadcast_to(scores, (count, n + m)), np.hstack([first, second]).astype(float)


def exact(scores, counts, n, tail):
    found = []
    for row, times in zip(scores, counts, strict=True):
        terms = np.repeat(row, times.astype(int))
        p = permutation_test(terms, n, scale=1.0)
        up = terms[:n].mean() >= terms[n:].mean()
        found.append(p.two_sided.p if tail == "two-sided" else (p.greater if up else p.less).p)
    return np.array(found)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (5, 5), (8, 8), (3, 6), (6, 3), (2, 40)])
def test_listed_designs_are_exact(n, m, tail):
    scores, counts = resampled(n, m, 40)
    listed = relabellings(n + m, n, rng())
    assert listed.exact
    assert listed.draws == math.comb(n + m, n)
    assert listed.error(0.05) == 0
    p = relabelling_p(scores, counts, listed, tail=tail, alpha=0.05)
    assert p == pytest.approx(exact(scores, counts, n, tail), rel=1e-12)


@pytest.mark.parametrize("tail", TAILS)
def test_ties_count_as_in_the_exact_test(tail):
    """Scores on a grid, and none at all: sums tie by the dozen."""
    grid = rng().integers(0, 3, (40, 8)) * 0.1
    grid[0], grid[1, :] = 0.3, [0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1]
    once = np.ones((1, 8))
    p = relabelling_p(grid, once, relabellings(8, 4, rng()), tail=tail, alpha=0.05)
    signs = [permutation_test(row, 4, scale=1.0) for row in grid]
    by_hand = []
    for row, one in zip(grid, signs, strict=True):
        up = row[:4].sum() - row[4:].sum() > -1e-12
        by_hand.append(
            one.two_sided.p if tail == "two-sided" else (one.greater if up else one.less).p
        )
    # where the means are equal both directions are the tail of the observed sign
    middle = np.abs(grid[:, :4].sum(axis=1) - grid[:, 4:].sum(axis=1)) < 1e-12
    assert p == pytest.approx(by_hand, rel=1e-12)
    assert middle[:2].all()
    assert (p[middle] >= 0.5).all()


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("population", ["normal", "heavy"])
@pytest.mark.parametrize(("n", "m"), [(10, 10), (7, 14)])
def test_drawn_designs_are_within_their_error_and_on_the_right_side(n, m, population, tail):
    scores, counts = resampled(n, m, 150, population=population)
    listed, alpha = relabellings(n + m, n, rng(1)), 0.05
    assert not listed.exact
    assert listed.draws == 50_000
    p = relabelling_p(scores, counts, listed, tail=tail, alpha=alpha)
    true = exact(scores, counts, n, tail)
    refined = np.abs(true - alpha) < 0.01
    assert refined.sum() >= 5
    assert np.abs(p - true)[refined].max() < 5 * math.sqrt(2) * listed.error(alpha)
    coarse = np.sqrt(2 * true * (1 - true) / FIRST) + 1 / FIRST
    assert (np.abs(p - true) < MARGIN * coarse).all()
    clear = np.abs(true - alpha) > 5 * math.sqrt(2) * listed.error(alpha)
    assert clear.mean() > 0.9
    assert ((p < alpha) == (true < alpha))[clear].all()


def test_relabellings_are_subsets_of_their_size_and_equally_likely():
    listed = relabellings(20, 8, rng())
    assert (listed.chosen.sum(axis=0) == 8).all()
    share = listed.chosen.mean(axis=1)
    assert share == pytest.approx(
        np.full(20, 0.4), abs=5 * math.sqrt(0.24 / listed.chosen.shape[1])
    )


def test_mirror_images_are_not_listed():
    listed = relabellings(6, 3, rng())
    columns = {tuple(c) for c in listed.chosen.T.tolist()}
    assert len(columns) == 10
    assert not columns & {tuple(not x for x in c) for c in columns}


def test_many_terms_have_fewer_relabellings():
    assert relabellings(1000, 400, rng()).draws == LABELS // 1000 < 50_000


def test_p_is_never_0():
    separated = np.concatenate([np.ones(12), np.zeros(12)])[None] + 0.01 * rng().random((1, 24))
    listed = relabellings(24, 12, rng())
    for tail in TAILS:
        p = relabelling_p(separated, np.ones((1, 24)), listed, tail=tail, alpha=0.05)
        assert 0 < p[0] < 0.002


def test_message():
    with pytest.raises(EatlasError) as caught:
        tail_rule("greater")
    assert str(caught.value) == (
        "tail must say which relabellings count as extreme\n"
        "  got: 'greater'\n  allowed: directional, two-sided"
    )
