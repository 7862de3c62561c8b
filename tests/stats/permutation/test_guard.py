"""Clusters and blurred lattices: nothing that `auto` says about them is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import question

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.inversion import invert
from eatlas.stats.permutation.two_sample import GUARANTEE, QUICK, THOROUGH


def blurred(kind, size, noise, r):
    """Scores at most 1 that cluster: a scale, two or three values, a fine lattice."""
    base = {
        "scale": lambda: r.integers(0, 7, size) / 6,
        "two": lambda: r.choice([-1.0, 1.0], size),
        "three": lambda: r.choice([0.0, 1.0, math.pi], size) / math.pi,
        "fifty": lambda: r.integers(0, 50, size) / 49,
        "fine": lambda: r.integers(0, 10**5, size) / 10**5,
    }[kind]()
    return base + noise * r.standard_normal(size) * (1e-3 if kind == "fine" else 1.0)


KINDS = ["scale", "two", "three", "fifty", "fine"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise", [1e-6, 1e-4, 1e-3])
def test_inversion_of_a_blurred_lattice_is_right_or_refused(kind, noise):
    """34 scores can be counted: what would be accepted must agree with the count."""
    r = np.random.default_rng(len(kind) * 1000 + round(-math.log10(noise)))
    scores = np.sort(blurred(kind, 34, noise, r))[::-1]
    scores = scores[np.argsort(np.arange(34) + 14 * r.standard_normal(34))]
    exact = permutation_test(scores, 17, method="exact")
    asked = question(scores, 17)
    count = exact.less.count if asked.mirrored else exact.greater.count
    for effort in (QUICK,) if noise == 1e-4 else (THOROUGH,):
        found = invert(asked.values, 17, [asked.at_least], lattice=False, effort=effort)
        if found is not None and found[0][1] <= GUARANTEE:
            assert abs(math.expm1(found[0][0] - math.log(count))) <= GUARANTEE


@pytest.mark.parametrize(("kind", "noise"), [("scale", 1e-6), ("two", 1e-4)])
def test_auto_never_inverts_a_blurred_lattice_of_many_scores(kind, noise):
    """128 scores cannot be counted here: what remains is to draw, the same in every call."""
    r = np.random.default_rng(77)
    result = permutation_test(blurred(kind, 128, noise, r), 64)
    assert result.greater.method == "sampled"
    low, high = result.greater.interval
    assert 0 < low <= result.greater.p <= high <= 1
    assert result == permutation_test(blurred(kind, 128, noise, np.random.default_rng(77)), 64)


def test_revivals_that_die_away_are_integrated():
    """At noise of a 200th of a step six revivals matter: they are sampled, the p is right."""
    r = np.random.default_rng(78)
    scores = blurred("fifty", 44, 2e-3, r)
    scores = scores[np.argsort(-scores + 0.5 * r.standard_normal(44))]
    asked = question(scores, 22)
    exact = permutation_test(scores, 22, method="exact")
    count = exact.less.count if asked.mirrored else exact.greater.count
    (found,) = invert(asked.values, 22, [asked.at_least], lattice=False, effort=THOROUGH)
    assert found[1] < 1e-3
    assert abs(math.expm1(found[0] - math.log(count))) <= found[1]
