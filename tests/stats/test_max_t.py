"""Step-down maxT: by hand, against a double loop, and the error rate that it promises."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.errors import EatlasError
from eatlas.stats import max_t as module
from eatlas.stats.max_t import max_t
from eatlas.stats.multiplicity import holm
from eatlas.stats.permutation import permutation_test


def rng():
    return np.random.default_rng(7)


def naive(scores, subsets, n, *, studentised=True):
    """Westfall and Young's algorithm 4.1 row by row and subset by subset; ties to 1e-9."""
    k, size = scores.shape
    sd = scores.std(axis=1, ddof=1) if studentised else np.ones(k)

    def statistics(chosen):
        first = np.isin(np.arange(size), chosen)
        return [
            abs(row[first].mean() - row[~first].mean()) / s
            for row, s in zip(scores, sd, strict=True)
        ]

    observed = statistics(range(n))
    table = [statistics(chosen) for chosen in subsets]
    ranked = sorted(range(k), key=lambda i: -observed[i])
    p, last = np.empty(k), 0.0
    for rank, i in enumerate(ranked):
        reach = [max(row[j] for j in ranked[rank:]) for row in table]
        last = p[i] = max(last, sum(r >= observed[i] - 1e-9 for r in reach) / len(table))
    return p


def test_by_hand():
    # first row: its split and the mirror image are the only two that reach it
    rows = [[9.0, 8.0, 7.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
    assert max_t(rows, 3, rng=rng()).tolist() == [0.1, 1.0]


@pytest.mark.parametrize("studentised", [True, False])
@pytest.mark.parametrize(("size", "n"), [(6, 3), (7, 2), (8, 5)])
def test_all_subsets_against_the_double_loop(size, n, studentised):
    scores = rng().normal(size=(9, size)) * rng().uniform(0.1, 10, (9, 1))
    scores[:2, :n] += 3 * np.abs(scores[:2]).max()
    subsets = list(combinations(range(size), n))
    expected = naive(scores, subsets, n, studentised=studentised)
    assert max_t(scores, n, rng=rng(), studentised=studentised).tolist() == expected.tolist()


def test_drawn_subsets_against_the_double_loop():
    scores = rng().normal(size=(6, 12))
    draws = 50
    drawn = [np.argsort(rng_row)[:5] for rng_row in rng().random((draws, 12))]
    expected = (naive(scores, drawn, 5) * draws + 1) / (draws + 1)
    assert max_t(scores, 5, rng=rng(), draws=draws) == pytest.approx(expected, rel=1e-14)


def test_draws_begin_where_enumeration_ends():
    scores = rng().normal(size=(3, 8))
    exact = max_t(scores, 4, rng=rng(), draws=70)
    assert (exact * 70).tolist() == np.rint(exact * 70).tolist()
    sampled = max_t(scores, 4, rng=rng(), draws=69)
    assert sampled * 70 == pytest.approx(np.rint(sampled * 70))
    assert sampled.tolist() != exact.tolist()


coarse = hnp.arrays(
    np.float64, st.integers(2, 10), elements=st.integers(-3, 3).map(lambda i: i / 10)
)
fine = hnp.arrays(np.float64, st.integers(2, 10), elements=st.floats(-1e6, 1e6))


@given(coarse | fine, st.data(), st.booleans())
def test_one_row_has_the_two_sided_p_of_the_permutation_test(scores, data, studentised):
    n = data.draw(st.integers(1, scores.size - 1))
    p = max_t(scores[None], n, rng=rng(), studentised=studentised)
    assert p.tolist() == [permutation_test(scores, n).two_sided.p]
    scale = 3 * float(np.abs(scores).max()) + 1e-3
    p = max_t(scores[None], n, rng=rng(), studentised=studentised, scale=scale)
    assert p.tolist() == [permutation_test(scores, n, scale=scale).two_sided.p]


@given(hnp.arrays(np.float64, (4, 8), elements=st.floats(-1, 1, width=16)))
def test_adjusted_p_lies_between_the_raw_one_and_1(scores):
    adjusted = max_t(scores, 4, rng=rng())
    raw = np.array([permutation_test(row, 4).two_sided.p for row in scores])
    assert np.all(adjusted >= raw)
    assert np.all(adjusted <= 1)


def test_copies_of_a_row_cost_nothing_where_holm_multiplies():
    row = rng().normal(size=10)
    row[:5] += 2
    p = permutation_test(row, 5).two_sided.p
    copies = np.tile(row, (20, 1)) * np.linspace(1, 3, 20)[:, None]
    assert max_t(copies, 5, rng=rng()) == pytest.approx(p)
    assert holm([p] * 20)[0] == pytest.approx(min(1.0, 20 * p))


@given(st.permutations(range(5)), st.permutations(range(4)), st.permutations(range(4)))
def test_order_of_rows_and_terms_and_the_unit_do_not_matter(rows, first, second):
    scores = rng().normal(size=(5, 8)).round(1)
    p = max_t(scores, 4, rng=rng())
    columns = [*first, *(4 + i for i in second)]
    assert max_t(scores[rows][:, columns], 4, rng=rng()).tolist() == p[rows].tolist()
    assert max_t(3 * scores + 0.7, 4, rng=rng()).tolist() == p.tolist()


def test_blocks_change_nothing(monkeypatch):
    scores = rng().normal(size=(37, 13))
    whole = max_t(scores, 6, rng=rng(), draws=500), max_t(scores, 6, rng=rng())
    monkeypatch.setattr(module, "BLOCK_ROWS", 5)
    monkeypatch.setattr(module, "BLOCK_WORK", 5 * 13 * 64)
    parts = max_t(scores, 6, rng=rng(), draws=500), max_t(scores, 6, rng=rng())
    assert [p.tolist() for p in whole] == [p.tolist() for p in parts]


def test_a_row_of_rounding_noise_has_1_and_leaves_the_others_alone():
    good = np.array([9.0, 8.0, 7.0, 6.0, 1.0, 2.0, 3.0, 4.0])
    alone = max_t(good[None], 4, rng=rng())[0]
    noise = 0.3 + 2.0**-54 * np.array([20, 20, 20, 20, 0, 0, 0, 0])
    for bad in (noise, np.full(8, 0.3)):
        for rows in ([good, bad], [bad, good]):
            p = max_t(rows, 4, rng=rng())
            assert sorted(p.tolist()) == [pytest.approx(alone), 1.0]


def test_any_finite_magnitude():
    row = rng().normal(size=8)
    p = max_t(row[None], 4, rng=rng()).tolist()
    for factor in (2.0**-1000, 2.0**1020):
        assert max_t(factor * row[None], 4, rng=rng()).tolist() == p
        assert max_t(factor * row[None], 4, rng=rng(), studentised=False).tolist() == p


def test_family_wise_error_with_and_without_true_effects():
    """At most 5 %; 400 families put the bound, four standard errors higher, at 9.4 %."""
    source, wrong = rng(), np.zeros(2)
    for _ in range(400):
        common = source.normal(size=10)
        null = 0.5 * common + source.normal(size=(8, 10))
        true = null[:3] + np.repeat([2.5, 0.0], 5)
        wrong[0] += max_t(null, 5, rng=source).min() <= 0.05
        wrong[1] += max_t(np.vstack([true, null[3:]]), 5, rng=source)[3:].min() <= 0.05
    bound = 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)
    assert np.all(wrong / 400 <= bound)
    assert wrong[0] > 0  # the rate is held, not by never rejecting


def test_it_finds_true_effects_more_often_than_holm():
    source, found = rng(), np.zeros(2)
    for _ in range(60):
        common = source.normal(size=12)
        rows = 2 * common + source.normal(size=(8, 12)) + np.repeat([4.0, 0.0], 6)
        found[0] += (max_t(rows, 6, rng=source) <= 0.05).sum()
        found[1] += (holm([permutation_test(r, 6).two_sided.p for r in rows]) <= 0.05).sum()
    assert found[0] > found[1]


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([1.0, 2.0], {}, "scores must have 2 dimensions\n  got: an array of shape (2,)"),
        (
            [[1.0], [2.0]],
            {},
            "a family needs a row, and a row scores of two groups\n  got: an array of shape (2, 1)\n"
            "  allowed: at least 1 row of 2 scores",
        ),
        (np.empty((0, 4)), {}, "a family needs a row, and a row scores of two groups"),
        ([[1.0, np.nan]], {}, "scores must be finite\n  got: nan at [0, 1]"),
        ([[1.0, 2.0]], {"n": 2}, "n is out of range\n  got: 2\n  allowed: 1 to 1"),
        ([[1.0, 2.0]], {"draws": 0}, "draws is out of range\n  got: 0\n  allowed: 1 or more"),
        ([[1.0, 2.0]], {"rng": 1}, "rng must be a numpy Generator\n  got: int"),
        (
            [[1.0, 2.0]],
            {"scale": 0.0},
            "scale must be the magnitude of what was added up\n  got: 0.0\n  allowed: above 0",
        ),
    ],
)
def test_messages(scores, options, message):
    with pytest.raises(EatlasError) as caught:
        max_t(scores, **{"n": 1, "rng": rng()} | options)
    assert str(caught.value).startswith(message)
