"""Designs with outliers and heavy tails, and their p-values made another way.

Each p-value of `auto` must agree, within the error that it states, with

- a count of all subsets in exact rational arithmetic (up to 14 scores),
- a count by halves in doubles, with both sides of the tie tolerance (up to 32 scores),
- beyond: an interval from random subsets that misses once in 10**9 designs.

Every tenth design goes through each other method too.
"""

from __future__ import annotations

import itertools
import math
import traceback
from fractions import Fraction

import numpy as np

from eatlas.errors import EatlasError
from eatlas.stats.inputs import clopper_pearson
from eatlas.stats.permutation import permutation_test

BRUTE, HALVES = 14, 32
DRAWS, MISS = 4_000, 1e-9
GUARANTEE = 1e-7
TAILS = ("greater", "less", "two_sided")
KINDS = ("cauchy", "t2", "outliers", "outliers", "whole numbers")


def design(r, largest=600):
    """Scores, the size of the first group, and what they are."""
    kind = KINDS[int(r.integers(len(KINDS)))]
    size = round(math.exp(r.uniform(math.log(10), math.log(largest))))
    n = size // 2 if r.random() < 0.5 else int(r.integers(1, size))
    if kind == "cauchy":
        scores = r.standard_cauchy(size)
    elif kind == "t2":
        scores = r.standard_t(2, size)
    else:
        base = r.standard_normal(size) if kind == "outliers" else r.integers(0, 12, size) * 1.0
        count = int(r.integers(1, 4))
        places = r.choice(size, count, replace=False)
        magnitudes = 10 ** r.uniform(1, 9, count)
        if r.random() < 0.3:
            # outliers of one magnitude, which may change places
            magnitudes = magnitudes[0] * r.uniform(0.8, 1.2, count)
        base[places] = magnitudes * r.choice([-1.0, 1.0], count)
        scores = base
    scores[:n] += r.choice([0.0, 0.5, 2.0])
    return scores * float(r.choice([1.0, 1e-3])), n, kind


def tolerance(scores):
    """Two sums tie when they differ by at most this."""
    return 16 * len(scores) * 2.0**-53 * float(np.abs(scores).max())


def by_enumeration(scores, n):
    """Bounds of each tail's count, equal to one another: all subsets, in rational numbers."""
    s = [Fraction(float(x)) for x in scores]
    tie = 16 * len(s) * Fraction(2) ** -53 * max(abs(x) for x in s)
    t, mean = sum(s[:n]), Fraction(n, len(s)) * sum(s)
    sums = [sum(c) for c in itertools.combinations(s, n)]
    exact = (
        sum(x >= t - tie for x in sums),
        sum(x <= t + tie for x in sums),
        sum(abs(x - mean) >= abs(t - mean) - tie for x in sums),
    )
    return [(count, count) for count in exact]


def by_halves(scores, n):
    """Bounds of each tail's count: subsets of two halves, sums as doubles, ties in and out."""
    lists = []
    for half in (scores[::2], scores[1::2]):
        sums = [np.zeros(0)] * (half.size + 1)
        sums[0] = np.zeros(1)
        for item in half:
            for k in range(half.size, 0, -1):
                sums[k] = np.concatenate([sums[k], sums[k - 1] + item])
        lists.append([np.sort(x) for x in sums])
    total = math.comb(scores.size, n)
    tie = tolerance(scores)
    t, mean = math.fsum(scores[:n]), n * math.fsum(scores) / scores.size
    distance = abs(t - mean)

    def at_least(threshold):
        count = 0
        for k, first in enumerate(lists[0]):
            if 0 <= n - k < len(lists[1]):
                second = lists[1][n - k]
                count += first.size * second.size
                count -= int(np.searchsorted(second, threshold - first).sum())
        return count

    def both(slack):
        if distance <= slack:
            return total
        return (
            at_least(mean + distance - slack)
            + total
            - at_least(np.nextafter(mean - distance + slack, math.inf))
        )

    least, most = 0.5 * tie, 2.0 * tie
    return [
        (at_least(t - least), at_least(t - most)),
        (total - at_least(t + least), total - at_least(t + most)),
        (both(least), both(2 * most)),
    ]


def by_chance(scores, n, r):
    """Bounds of each tail's p from random subsets; each holds but for once in 10**9."""
    sums = r.permuted(np.repeat(scores[None], DRAWS, axis=0), axis=1)[:, :n].sum(axis=1)
    tie = tolerance(scores)
    t, mean = math.fsum(scores[:n]), n * math.fsum(scores) / scores.size
    within = []
    for slack in (0.5 * tie, 2.0 * tie):
        far = np.abs(sums - mean) >= abs(t - mean) - 2 * slack
        within.append([np.sum(sums >= t - slack), np.sum(sums <= t + slack), np.sum(far)])
    return [
        (
            clopper_pearson(int(low), DRAWS, level=1 - MISS)[0],
            clopper_pearson(int(high), DRAWS, level=1 - MISS)[1],
        )
        for low, high in zip(*within, strict=True)
    ]


def known(tail):
    """What a tail states about p."""
    if tail.permutations:
        reached = round(tail.p * (tail.permutations + 1)) - 1
        return clopper_pearson(max(reached, 0), tail.permutations, level=1 - MISS)
    slack = (tail.rel_err or 0.0) + 1e-12
    return tail.p * (1 - slack), tail.p * (1 + slack)


def disagreements(result, bounds, total=1):
    """Tails whose statement has nothing in common with certain bounds."""
    for name, (low, high) in zip(TAILS, bounds, strict=True):
        tail = getattr(result, name)
        if tail.count is not None and total > 1:
            wrong = not low <= tail.count <= high
        else:
            least, most = known(tail)
            wrong = most < low / total * (1 - 1e-12) or least > high / total * (1 + 1e-12)
        if wrong:
            yield f"{name}: {tail} against {low / total!r} to {high / total!r}"
        if tail.rel_err is not None and tail.rel_err > GUARANTEE:
            yield f"{name}: stated error {tail.rel_err:.2g} is beyond the guarantee"
        if not tail.p > 0:
            yield f"{name}: p = {tail.p}"


def other_methods(scores, n, seed):
    """Every other method gives a result, or says what it cannot do."""
    methods = ["sampled", "normal"] + ["exact"] * (scores.size <= HALVES)
    for method in methods:
        try:
            permutation_test(
                scores, n, method=method, rng=np.random.default_rng(seed), permutations=200
            )
        except EatlasError as error:
            yield f"{method}: {error}"


def check(seed, largest=600):
    """A design, how its tails were found, and what is wrong with them."""
    r = np.random.default_rng(seed)
    scores, n, kind = design(r, largest)
    label = f"design {seed}: {kind}, {n} of {scores.size}"
    try:
        result = permutation_test(scores, n)
        wrong = []
        total = result.total
        if scores.size <= BRUTE:
            wrong += disagreements(result, by_enumeration(scores, n), total)
        elif scores.size <= HALVES:
            wrong += disagreements(result, by_halves(scores, n), total)
        else:
            wrong += disagreements(result, by_chance(scores, n, r))
        if seed % 10 == 0:
            wrong += other_methods(scores, n, seed)
    except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
        return label, None, [traceback.format_exc()]
    return label, result, wrong
