"""Fourier inversion against exact counts, and its stated error: one row, many rows, clusters, ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.permutation.designs import question, separated

from eatlas.stats.permutation import permutation_test
from eatlas.stats.permutation.inversion import contour_of, flatten, invert
from eatlas.stats.permutation.two_sample import EFFORTS, GUARANTEE

QUICK, *_, THOROUGH = EFFORTS

AGAINST_COUNTS = 1e-7
"""Worst relative difference observed over the designs below: 3.7e-9 (30 v 30)."""


def difference(inverted, exact):
    return abs(math.expm1(math.log(inverted.p) - math.log(exact.p)))


@pytest.mark.parametrize(
    ("n", "m", "d", "seed"),
    [pytest.param(25, 25, 0.5, 3, marks=pytest.mark.slow), (21, 27, 0.4, 5)],
)
def test_within_a_ten_millionth_of_the_count(n, m, d, seed):
    scores = separated(n, m, d, seed)
    exact = permutation_test(scores, n, method="exact")
    found = permutation_test(scores, n)
    for name in ("greater", "less", "two_sided"):
        a, b = getattr(found, name), getattr(exact, name)
        assert a.method == "inversion"
        assert difference(a, b) < AGAINST_COUNTS
        assert difference(a, b) <= a.rel_err


@pytest.mark.parametrize(("n", "m", "d"), [(18, 22, 0.3), (19, 23, 0.6), (22, 23, 0.9)])
def test_an_accepted_error_saves_the_count_and_is_kept(n, m, d):
    scores = separated(n, m, d, 0)
    exact = permutation_test(scores, n)
    brief = permutation_test(scores, n, error=1e-5)
    assert exact.greater.method == "exact"
    for name in ("greater", "less", "two_sided"):
        a, b = getattr(brief, name), getattr(exact, name)
        assert a.method == "inversion"
        assert difference(a, b) <= a.rel_err < 1e-5
    few = permutation_test(scores[n - 8 : n + 8], 8, error=1e-5)
    assert few.greater.method == "exact"


@pytest.mark.parametrize(("n", "d"), [(22, 0.1), (24, 0.8)])
def test_a_flatter_contour_has_the_same_count_and_states_a_smaller_error(n, d, monkeypatch):
    scores = separated(n, n, d, 0)
    asked = question(scores, n)
    steepest = contour_of(asked.values, n, [asked.at_least])
    assert 0 < flatten(steepest).lam < steepest.lam
    exact = permutation_test(scores, n, method="exact")
    count = exact.less.count if asked.mirrored else exact.greater.count
    ((flat, error),) = invert(steepest, QUICK)
    monkeypatch.setattr("eatlas.stats.permutation.inversion.flatten", lambda contour: contour)
    ((steep, larger),) = invert(steepest, QUICK)
    assert error < larger
    assert abs(math.expm1(flat - math.log(count))) <= error
    assert abs(math.expm1(steep - math.log(count))) <= larger


@pytest.mark.parametrize("n", [8, 12, 16, 20])
def test_the_stated_error_holds_for_small_designs(n):
    for seed in range(5):
        scores = separated(n, n + seed % 3, 0.3 + 0.2 * seed, seed)
        asked = question(scores, n)
        exact = permutation_test(scores, n, method="exact")
        count = exact.less.count if asked.mirrored else exact.greater.count
        effort = THOROUGH if seed == 3 else QUICK
        found = invert(contour_of(asked.values, asked.n, [asked.at_least]), effort)
        if found is None:
            assert count <= 2
            continue
        assert abs(math.expm1(found[0][0] - math.log(count))) <= found[0][1]


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
@pytest.mark.parametrize("noise", [pytest.param(1e-6, marks=pytest.mark.slow), 1e-4, 1e-3])
def test_inversion_of_a_blurred_lattice_is_right_or_refused(kind, noise):
    """34 scores can be counted: what would be accepted must agree with the count."""
    r = np.random.default_rng(len(kind) * 1000 + round(-math.log10(noise)))
    scores = np.sort(blurred(kind, 34, noise, r))[::-1]
    scores = scores[np.argsort(np.arange(34) + 14 * r.standard_normal(34))]
    exact = permutation_test(scores, 17, method="exact")
    asked = question(scores, 17)
    count = exact.less.count if asked.mirrored else exact.greater.count
    for effort in (QUICK,) if noise == 1e-4 else (THOROUGH,):
        found = invert(contour_of(asked.values, 17, [asked.at_least]), effort)
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
    (found,) = invert(contour_of(asked.values, 22, [asked.at_least]), THOROUGH)
    assert found[1] < 1e-3
    assert abs(math.expm1(found[0] - math.log(count))) <= found[1]


"""Worst relative difference observed between lattice inversion and the count: 2.8e-14."""


@pytest.mark.parametrize("top", [2, 7, 50, 1000, 100_000])
def test_scores_on_a_lattice_are_drawn(top):
    """An inversion would split their ties: between two atoms it gives a p far from the right one."""
    r = np.random.default_rng(top)
    scores = r.integers(0, top, 128) / top
    assert permutation_test(scores, 64).greater.method == "sampled"
    asked = question(scores, 64)
    assert invert(contour_of(asked.values, 64, [asked.at_least]), THOROUGH) is None


SAME = 1e-9
"""Largest relative difference observed: 2e-13 from the whole grid, 3e-11 from the law."""


def test_many_thousand_scores_have_the_stated_precision():
    """With the scores of both groups exchanged the tails change places: another contour."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=6_000)
    scores[:2_000] += 0.04
    found, turned = permutation_test(scores, 2_000), permutation_test(-scores, 2_000)
    assert found.greater.method == "inversion"
    assert found.greater.rel_err < 1e-7
    assert found.greater.p == pytest.approx(turned.less.p, rel=SAME)
    # a normal law is off by the skewness of the scores alone, here next to none
    z = (scores[:2_000].mean() - scores.mean()) / (
        scores.std(ddof=1) * math.sqrt((6_000 - 2_000) / 6_000 / 2_000)
    )
    assert found.greater.p == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=1e-3)


@pytest.mark.parametrize("n", [10_000, 4_000])
def test_groups_that_do_not_overlap_are_counted(n):
    scores = np.random.default_rng(0).normal(size=20_000)
    scores[:n] += 20
    found = permutation_test(scores, n)
    assert (found.greater.method, found.greater.count) == ("exact", 1)
    assert found.less.count == found.total
    assert found.greater.p == found.min_p == 5e-324


def test_few_values_on_no_lattice_are_drawn():
    scores = np.random.default_rng(0).choice([0.0, 1.0, math.pi], 80)
    assert permutation_test(scores, 40).greater.method == "sampled"
