"""The maximum over rows that share relabellings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.stats.effect_size import effect_sizes
from eatlas.stats.permutation import permutation_test
from eatlas.stats.subsets import random_subsets
from eatlas_vocabulary.stats import max_t as module
from eatlas_vocabulary.stats.max_t import RunningMaxT, lattice_deviations

rows_of_8 = hnp.arrays(np.float64, (3, 8), elements=st.floats(-1e3, 1e3))


@given(rows_of_8)
def test_sums_are_exact_in_any_order(rows):
    deviations, _ = lattice_deviations(rows, None)
    for row in deviations:
        exact = sum(map(Fraction, row[:5].tolist()), Fraction(0))
        assert Fraction(float(np.add.reduce(row[:5]))) == exact
        assert Fraction(float(np.add.reduce(row[4::-1]))) == exact
        assert Fraction(float(row[:5] @ np.ones(5))) == exact


DESIGNS = [(2, 1), (3, 1), (6, 3), (7, 2), (8, 5), (9, 8), (10, 5)]


def rng():
    return np.random.default_rng(11)


def scores_of(rows, size, n):
    scores = rng().normal(size=(rows, size)) * rng().uniform(0.1, 10, (rows, 1))
    scores[:2, :n] += np.abs(scores[:2]).max()
    return scores


def adjusted(scores, n, **options):
    shared = RunningMaxT(scores.shape[1], n, rng=rng(), **options)
    reached, maxima = shared.statistics(scores)
    return shared.p(reached, maxima)


def statistic(row, chosen):
    first = np.isin(np.arange(row.size), chosen)
    return abs(row[first].mean() - row[~first].mean()) / row.std(ddof=1)


def naive(scores, subsets, n):
    """For each row the share of subsets whose greatest statistic reaches its own; ties to 1e-9."""
    greatest = np.array([max(statistic(row, chosen) for row in scores) for chosen in subsets])
    observed = [statistic(row, range(n)) for row in scores]
    return np.array([np.count_nonzero(greatest >= t - 1e-9) for t in observed]), len(subsets)


def test_maxima_by_hand():
    # the first row's split and its mirror image are the only two of 20 that reach it
    rows = np.array([[9.0, 8.0, 7.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]])
    assert adjusted(rows, 3).tolist() == [0.1, 1.0]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("size", "n"), DESIGNS)
def test_all_subsets_against_the_double_loop(monkeypatch, size, n, compiled):
    monkeypatch.setattr(module, "NUMPY_PAIRS", 0 if compiled else math.inf)
    scores = scores_of(9, size, n)
    counts, total = naive(scores, list(combinations(range(size), n)), n)
    assert adjusted(scores, n) == pytest.approx(counts / total, rel=1e-15)


def test_drawn_subsets_against_the_double_loop():
    scores, draws = scores_of(6, 12, 5), 60
    members = next(random_subsets(12, 5, draws, draws, rng()))
    counts, total = naive(scores, [np.flatnonzero(row) for row in members], 5)
    assert total == draws
    assert adjusted(scores, 5, permutations=draws) == pytest.approx(
        (counts + 1) / (draws + 1), rel=1e-15
    )


@pytest.mark.parametrize(("n", "draws"), [(6, 10_000), (5, 10_000), (6, 300)])
def test_chunks_change_nothing(monkeypatch, n, draws):
    scores = scores_of(500, 12, n)
    shared = RunningMaxT(12, n, rng=rng(), permutations=draws)
    reached, maxima = shared.statistics(scores)
    monkeypatch.setattr(module, "ROWS", 7)
    monkeypatch.setattr(module, "NUMPY_PAIRS", 20_000)
    together = np.zeros(shared.relabellings)
    for start in (0, 1, 2, 150):  # 1, 1, 148 and 350 rows: numpy for the first, compiled later
        stop = {0: 1, 1: 2, 2: 150, 150: 500}[start]
        mine, more = shared.statistics(scores[start:stop])
        assert mine.tolist() == reached[start:stop].tolist()
        together = np.maximum(together, more)
    assert together.tolist() == maxima.tolist()


coarse = hnp.arrays(
    np.float64, st.integers(2, 10), elements=st.integers(-3, 3).map(lambda i: i / 10)
)
fine = hnp.arrays(np.float64, st.integers(2, 10), elements=st.floats(-1e6, 1e6))


@given(coarse | fine, st.data())
def test_one_row_has_the_two_sided_p_of_the_permutation_test(row, data):
    n = data.draw(st.integers(1, row.size - 1))
    p = permutation_test(row, n).two_sided.p
    assert adjusted(row[None], n).tolist() == [pytest.approx(p, rel=1e-15)]


@pytest.mark.parametrize("n", [4, 3])
def test_family_wise_error_is_held_whatever_the_rows(n):
    """With no association each relabelling is equally likely: all of them are tried as observed."""
    rows = rng().normal(size=(6, 8)) @ np.diag(rng().uniform(0.1, 3, 8))
    rows[3] = rows[2] + 0.05 * rows[1]  # correlated rows, as words are
    smallest = []
    for chosen in combinations(range(8), n):
        others = [i for i in range(8) if i not in chosen]
        smallest.append(adjusted(rows[:, [*chosen, *others]], n).min())
    for alpha in (0.05, 0.1, 0.25, 0.5):
        assert np.mean(np.array(smallest) <= alpha) <= alpha


@pytest.mark.parametrize(("n", "draws"), [(5, 10_000), (3, 10_000), (5, 60)])
def test_critical_effect_size_parts_the_rows(n, draws):
    scores = np.concatenate([scores_of(200, 10, n), rng().normal(size=(40, 10))])
    scores[:60, :n] += np.linspace(0, 8, 60)[:, None]
    shared = RunningMaxT(10, n, rng=rng(), permutations=draws)
    reached, maxima = shared.statistics(scores)
    p = shared.p(reached, maxima)
    _, d = effect_sizes(scores, n)
    for alpha in (0.02, 0.1, 0.3):
        critical = shared.critical(maxima, alpha)
        assert (np.abs(d) > critical * (1 + 1e-12)).tolist() == (p < alpha).tolist()
    assert 0 < np.count_nonzero(p < 0.3) < len(p)


def test_a_row_of_rounding_noise_has_1_and_leaves_the_others_alone():
    good = np.array([9.0, 8.0, 7.0, 6.0, 1.0, 2.0, 3.0, 4.0])
    noise = 0.3 + 2.0**-54 * np.array([20, 20, 20, 20, 0, 0, 0, 0])
    (alone,) = adjusted(good[None], 4)
    assert adjusted(np.array([noise, good]), 4).tolist() == [1.0, alone]
