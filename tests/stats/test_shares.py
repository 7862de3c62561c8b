"""Shares of groups and of labels, their divergences, intervals and relabellings."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon
from scipy.stats import beta, entropy

from eatlas.stats import shares
from eatlas.stats.bootstrap import central
from eatlas.stats.permutation import permutation_test
from eatlas.stats.shares import (
    DIVERGENCES,
    distribution,
    divergence,
    jeffreys,
    label_tests,
    relabellings,
)

EXACT = 1e-12
"""Worst difference seen from scipy: 3e-16."""
POSITIVE = st.integers(2, 6).flatmap(lambda k: arrays(np.float64, k, elements=st.floats(1e-3, 1e3)))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        # p = (0.8, 0.2), p0 = (0.5, 0.5)
        ("l1", 0.6),
        ("tv", 0.3),
        ("l2", np.sqrt(0.18)),
        ("linf", 0.3),
        ("kl", 0.8 * np.log(1.6) + 0.2 * np.log(0.4)),
        (
            "js",
            (
                0.8 * np.log(0.8 / 0.65)
                + 0.2 * np.log(0.2 / 0.35)
                + 0.5 * np.log(0.5 / 0.65)
                + 0.5 * np.log(0.5 / 0.35)
            )
            / 2,
        ),
        ("hellinger", np.sqrt(1 - np.sqrt(0.4) - np.sqrt(0.1))),
    ],
)
def test_divergences_by_hand(kind, expected):
    p, p0 = np.array([0.8, 0.2]), np.array([0.5, 0.5])
    assert divergence(p, p0, kind) == pytest.approx(expected, abs=EXACT)


@given(POSITIVE, st.randoms(use_true_random=False))
def test_divergences_as_scipy(s, random):
    p = s / s.sum()
    other = np.array([random.random() + 1e-3 for _ in p])
    p0 = other / other.sum()
    assert divergence(p, p0, "kl") == pytest.approx(entropy(p, p0), abs=EXACT)
    with np.errstate(invalid="ignore"):  # scipy takes the root of a rounded 0
        distance = np.nan_to_num(jensenshannon(p, p0))
    assert divergence(p, p0, "js") == pytest.approx(distance**2, abs=EXACT)


@given(POSITIVE, st.floats(1e-3, 1e3))
def test_shares_do_not_change_with_scale_or_order(s, factor):
    np.testing.assert_allclose(distribution(s), distribution(s * factor), rtol=1e-9)
    order = np.argsort(s)
    np.testing.assert_allclose(distribution(s)[order], distribution(s[order]), rtol=1e-12)
    for kind in DIVERGENCES:
        p, p0 = distribution(s), np.full(len(s), 1 / len(s))
        assert divergence(p, p0, kind) == pytest.approx(divergence(p[order], p0, kind), abs=1e-9)
        assert divergence(p, p, kind) == pytest.approx(0, abs=EXACT)


@pytest.mark.parametrize(
    ("s", "negative", "expected"),
    [
        ([-0.1, -0.2], "clip", [np.nan] * 2),
        ([-0.1, -0.2], "raw", [1 / 3, 2 / 3]),
        ([-0.3, 0.1], "raw", [1.5, -0.5]),
        ([0.1, -0.1], "raw", [np.nan] * 2),
        ([0.0, 0.0], "clip", [np.nan] * 2),
        ([0.3, -0.1], "raw", [1.5, -0.5]),
        ([0.3, -0.1], "clip", [1.0, 0.0]),
    ],
)
def test_associations_below_0(s, negative, expected):
    np.testing.assert_allclose(distribution(np.array(s), "sum", negative), expected, atol=EXACT)


def test_undefined_divergences():
    raw, p0 = np.array([1.5, -0.5]), np.array([0.5, 0.5])
    assert divergence(raw, p0, "l1") == pytest.approx(2.0)
    for kind in ("js", "kl", "hellinger"):
        assert np.isnan(divergence(raw, p0, kind)), kind
    assert np.isnan(divergence(np.array([0.5, 0.5]), np.array([1.0, 0.0]), "kl"))
    assert divergence(np.array([1.0, 0.0]), np.array([1.0, 0.0]), "kl") == 0
    assert divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0]), "js") == pytest.approx(np.log(2))
    assert divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0]), "hellinger") == pytest.approx(1)


def test_intervals_leave_out_what_is_undefined():
    drawn = np.column_stack([np.arange(1000.0), np.arange(1000.0)])
    drawn[:5, 0] = np.nan
    drawn[:50, 1] = np.nan
    low, high = central(drawn, 0.9)
    assert low[0] == pytest.approx(5 + 0.05 * 994)
    assert high[0] == pytest.approx(5 + 0.95 * 994)
    assert np.isnan([low[1], high[1]]).all()


def test_counts_are_those_of_all_relabellings():
    rng = np.random.default_rng(3)
    scores, sizes = rng.standard_normal((2, 7)), (3, 2, 2)
    found = label_tests(scores, sizes, permutations=1, rng=rng)
    labels = {tuple(one) for one in permutations([0, 0, 0, 1, 1, 2, 2])}
    assert len(labels) == relabellings(sizes) == 210

    def between(row, label):
        label = np.array(label)
        return sum(
            (label == g).sum() * (row[label == g].mean() - row.mean()) ** 2 for g in range(3)
        )

    for row, count in zip(scores, found, strict=True):
        observed = between(row, (0, 0, 0, 1, 1, 2, 2))
        assert count == sum(between(row, one) >= observed - 1e-9 for one in labels)


def test_two_groups_agree_with_the_permutation_engine():
    scores = np.random.default_rng(4).standard_normal((5, 11))
    found = label_tests(scores, (5, 6), permutations=1, rng=np.random.default_rng())
    for row, count in zip(scores, found, strict=True):
        assert count == permutation_test(row, 5).two_sided.count


def test_drawn_counts_are_those_of_all():
    scores, how = np.random.default_rng(5).standard_normal((4, 9)), {"permutations": 20_000}
    every = label_tests(scores, (3, 3, 3), rng=np.random.default_rng(0), **how) / 1680
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "MOST_LISTED", 1000)
        drawn = label_tests(scores, (3, 3, 3), rng=np.random.default_rng(0), **how) / 20_000
    assert drawn == pytest.approx(every, abs=0.015)


def test_jeffreys_intervals_are_those_of_scipy_and_hold_the_share():
    counts = np.random.default_rng(0).integers(0, 40, (50, 3)).astype(float)
    counts[0], counts[1] = (5, 0, 0), (0, 0, 0)
    low, high = jeffreys(counts, 0.9)
    assert np.isnan(low[1]).all()
    counts, low, high = np.delete(counts, 1, 0), np.delete(low, 1, 0), np.delete(high, 1, 0)
    n = counts.sum(axis=1, keepdims=True)
    expected = beta.ppf([[[0.05]], [[0.95]]], counts + 0.5, n - counts + 0.5)
    np.testing.assert_allclose(low, np.where(counts == 0, 0, expected[0]), atol=EXACT)
    np.testing.assert_allclose(high, np.where(counts == n, 1, expected[1]), atol=EXACT)
    assert ((low <= counts / n) & (counts / n <= high)).all()
