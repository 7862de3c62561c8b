"""Clusters and blurred lattices: nothing that `auto` says about them is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import bounds

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation import solvers as module
from eatlas.stats.permutation.inversion import SLACK, allowed_beyond, band, invert, spectrum, tilted
from eatlas.stats.permutation.problem import ask
from eatlas.stats.permutation.solvers import GUARANTEE, QUICK, THOROUGH

DIRECT = 0.03
"""Binning and gaps between samples: worst observed 2.6% over 200 designs."""


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
    question = ask(scores, 17, None)
    count = exact.less.count if question.mirrored else exact.greater.count
    for effort in (QUICK,) if noise == 1e-4 else (THOROUGH,):
        found = invert(question.values, 17, [question.at_least], lattice=False, effort=effort)
        if found is not None and found[0].rel_err <= GUARANTEE:
            assert abs(math.expm1(found[0].log_count - math.log(count))) <= GUARANTEE


@pytest.mark.parametrize(("kind", "noise"), [("scale", 1e-6), ("two", 1e-4), ("three", 1e-6)])
def test_auto_never_inverts_a_blurred_lattice_of_many_scores(kind, noise):
    """128 scores cannot be counted here: what remains is certain bounds."""
    r = np.random.default_rng(77)
    result = permutation_test(blurred(kind, 128, noise, r), 64)
    assert result.greater.method == "bracket"
    low, high = result.greater.bracket
    assert 0 < low <= high == result.greater.p <= 1


def test_revivals_that_die_away_are_integrated():
    """At noise of a 200th of a step six revivals matter: they are sampled, the p is right."""
    r = np.random.default_rng(78)
    scores = blurred("fifty", 44, 2e-3, r)
    scores = scores[np.argsort(-scores + 0.5 * r.standard_normal(44))]
    question = ask(scores, 22, None)
    exact = permutation_test(scores, 22, method="exact")
    count = exact.less.count if question.mirrored else exact.greater.count
    (found,) = invert(question.values, 22, [question.at_least], lattice=False, effort=THOROUGH)
    assert found.rel_err < 1e-3
    assert abs(math.expm1(found.log_count - math.log(count))) <= found.rel_err


def test_a_blurred_fine_lattice_beyond_the_band_is_found():
    r = np.random.default_rng(5)
    for size, steps in [(60, 10**5), (120, 10**5), (300, 50_000), (1000, 20_000)]:
        scores = r.integers(0, steps, size) / steps
        for noise, found in ((0.01 / steps, True), (0.0, True), (None, False)):
            x = r.random(size) if noise is None else scores + noise * r.standard_normal(size)
            x = np.sort((x - x.mean()) / x.std())
            contour = tilted(x, size // 2, np.array([1.0]))
            end = band(contour, QUICK.finest)
            allowed = allowed_beyond(contour, end, 0.01)
            assert (allowed > 1e-7) == found


def test_the_spectrum_bounds_the_transform():
    r = np.random.default_rng(6)
    for kind in KINDS:
        x = np.sort(blurred(kind, 80, 1e-4, r))
        weights = r.random(80)
        m = np.sort(r.integers(0, 8 * 512, 500)) + 0.5
        theta = 2 * math.pi * m / (8 * (x[-1] - x[0]))
        direct = np.abs(np.exp(1j * theta[:, None] * x) @ weights)
        samples = spectrum(x, weights, 512)
        place = m.astype(int)
        bound = SLACK * np.maximum(samples[place], samples[place + 1])
        strong = direct > 0.5 * weights.sum()
        assert np.all(direct[strong] <= bound[strong])
        assert np.all(direct <= bound + DIRECT * weights.sum())


def test_bracket_and_exact_agree_on_clusters(monkeypatch):
    r = np.random.default_rng(8)
    for kind in KINDS:
        scores = blurred(kind, 28, 1e-4, r)
        exact = permutation_test(scores, 12, method="exact")
        monkeypatch.setattr(module, "WORK", 5e7)
        wide = bounds(scores, 12)
        for name in ("greater", "less", "two_sided"):
            low, high = getattr(wide, name).bracket or (0.0, 1.0)
            assert low <= getattr(exact, name).p * (1 + 1e-12)
            assert getattr(exact, name).p <= high * (1 + 1e-12)
