"""Rows whose p is below a level: as their p-values say."""

import math

import numpy as np
import pytest

from eatlas.stats.permutation import below, permutation_test
from eatlas.stats.permutation.inversion import saddlepoint
from eatlas.stats.permutation.problem import ask

DESIGNS = [(2, 2), (3, 5), (8, 8), (9, 10), (6, 14), (2, 40), (13, 12), (20, 24)]


def rows_of(n, m, count, rng):
    """Rows whose groups differ so much that p is near usual levels, a third of them skewed."""
    rows = rng.standard_normal((count, n + m))
    rows[::3] = rng.exponential(size=rows[::3].shape)
    shift = rng.uniform(0, 3.5, (count, 1)) * math.sqrt(1 / n + 1 / m)
    rows[:, :n] += shift * rng.choice([-1, 1], (count, 1))
    return rows


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("n", "m"), DESIGNS)
def test_rows_are_decided_as_their_p_values_say(n, m, strict):
    rows = rows_of(n, m, 40 if n + m < 30 else 3, np.random.default_rng(1000 * n + m))
    tests = [permutation_test(row, n, strict=strict) for row in rows]
    higher = rows[:, :n].mean(axis=1) > rows[:, n:].mean(axis=1)
    ahead = [p.greater if up else p.less for p, up in zip(tests, higher, strict=True)]
    for alpha in (0.05, 0.01):
        one_sided = below(rows, n, alpha, strict=strict)
        assert one_sided.tolist() == [tail.p < alpha for tail in ahead]
        two_sided = below(rows, n, alpha, two_sided=True, strict=strict)
        assert two_sided.tolist() == [p.two_sided.p < alpha for p in tests]


@pytest.mark.parametrize(("n", "m"), [(12, 13), (20, 24)])
def test_rows_beyond_those_looked_at_are_decided_by_the_approximation(n, m, monkeypatch):
    monkeypatch.setattr("eatlas.stats.permutation.decided.COUNTED", 0)
    monkeypatch.setattr("eatlas.stats.permutation.decided.MOST_OPEN", 0)
    rows = rows_of(n, m, 30, np.random.default_rng(2))
    p = saddlepoint((question := ask(rows, n, None)).values, question.n, question.at_least)
    np.testing.assert_array_equal(below(rows, n, 0.05), np.nan_to_num(p, nan=0.0) < 0.05)


def test_an_answer_that_is_kept_is_the_one_that_is_computed(monkeypatch):
    rows = rows_of(8, 9, 12, np.random.default_rng(3))
    choices = {"alpha": 0.05, "two_sided": True}
    kept = [below(scores, n, **choices) for scores in (rows, -rows) for n in (8, 9)]
    kept += [below(scores, n, **choices) for scores in (rows, -rows) for n in (8, 9)]
    monkeypatch.setattr("eatlas.stats.permutation.decided.KEPT_CELLS", 0)
    computed = [below(scores, n, **choices) for scores in (rows, -rows) for n in (8, 9)]
    np.testing.assert_array_equal(kept, computed * 2)


def test_scores_without_spread_and_sums_at_the_edge():
    rows = np.zeros((3, 44))
    rows[1, :20] = 1 + np.arange(20) / 100  # the greatest sum of all
    rows[2, 20:] = 1 + np.arange(24) / 100
    assert below(rows, 20, 0.05).tolist() == [False, True, True]
    assert below(rows, 20, 0.05, two_sided=True).tolist() == [False, True, True]


@pytest.mark.parametrize(("n", "m", "worst"), [(15, 16, 0.03), (10, 25, 0.04), (30, 30, 0.01)])
def test_the_saddlepoint_approximation_is_near(n, m, worst):
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((12, n + m))
    rows[:, :n] += rng.uniform(1.2, 2.6, (12, 1)) * math.sqrt(1 / n + 1 / m)
    question = ask(rows, n, None)
    p = saddlepoint(question.values, question.n, question.at_least)
    exact = [permutation_test(row, n) for row in rows]
    exact = [(t.less if q else t.greater).p for t, q in zip(exact, question.mirrored, strict=True)]
    np.testing.assert_allclose(p, exact, rtol=worst)
