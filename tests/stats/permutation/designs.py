"""Score designs for the permutation tests, and counts made without the code under test."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from eatlas.stats.permutation.problem import ask


def separated(n, m, d, seed):
    """n + m normal scores (sd 0.05) with an effect size of about d, first group high."""
    r = np.random.default_rng(seed)
    x, y = (_standard(r.standard_normal(k)) for k in (n, m))
    gap = d / math.sqrt(max(1e-9, 1 - d * d / 4))
    return np.concatenate([x + gap / 2, y - gap / 2]) * 0.05


def _standard(x):
    return (x - x.mean()) / x.std() if x.size > 1 else x


def random_design(r, kind, largest=14):
    """Scores and first group size: continuous, coarse, repeated, duplicated or constant."""
    total = int(r.integers(2, largest + 1))
    n = int(r.choice([1, total - 1, int(r.integers(1, total))]))
    scores = {
        0: lambda: r.standard_normal(total),
        1: lambda: r.integers(-3, 4, total) / 10.0,
        2: lambda: r.choice(r.standard_normal(4), total),
        3: lambda: np.tile(r.standard_normal(total), 2)[:total],
        4: lambda: np.where(r.random(total) < 0.9, 0.3, r.standard_normal(total)),
        5: lambda: np.full(total, float(r.standard_normal())),
        6: lambda: r.standard_normal(total) * 10.0 ** r.integers(-8, 9, total),
    }[kind]()
    return scores, n


def brute_counts(scores, n, scale=None, *, strict=False):
    """(greater, less, two-sided) counts over all subsets, in exact rational arithmetic.

    The float scores are taken as the rational numbers they are, and two sums tie when they differ
    by at most 16 N 2^-53 scale: the stated definition, without any fixed-point step. With `strict`
    ties are not counted.
    """
    s = [Fraction(float(x)) for x in scores]
    scale = Fraction(max(abs(float(x)) for x in scores) if scale is None else scale)
    tie = 16 * len(s) * Fraction(2) ** -53 * scale
    t, mean = sum(s[:n]), Fraction(n, len(s)) * sum(s)
    sums = [sum(c) for c in itertools.combinations(s, n)]
    if strict:
        return (
            sum(x > t + tie for x in sums),
            sum(x < t - tie for x in sums),
            sum(abs(x - mean) > abs(t - mean) + tie for x in sums),
        )
    return (
        sum(x >= t - tie for x in sums),
        sum(x <= t + tie for x in sums),
        sum(abs(x - mean) >= abs(t - mean) - tie for x in sums),
    )


def counts(result):
    """The three counts of a result."""
    return result.greater.count, result.less.count, result.two_sided.count


def question(scores, n, scale=None, *, strict=False):
    """The integer question of one row."""
    return ask(np.asarray(scores, dtype=float)[None], n, scale, strict=strict).row(0)
