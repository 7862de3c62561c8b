"""Random lists in the place of a test's own, and the effect sizes that they give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.correlation import rank_sum
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import permutation_test
from eatlas.stats.random_lists import matched_effects, matched_lists, monte_carlo_p


def test_a_list_has_one_unit_of_each_window_and_none_twice():
    windows = [np.arange(i, i + 6) for i in range(0, 12, 2)]
    lists = matched_lists(windows, 3000, np.random.default_rng(0))
    for place, window in enumerate(windows):
        assert set(lists[:, place].tolist()) == set(window.tolist())
    assert all(len(set(one)) == len(windows) for one in lists.tolist())


def test_windows_that_leave_few_lists_give_them_all():
    """Of two windows of two units with one in common there are three lists."""
    windows = [np.array([0, 1]), np.array([1, 2])]
    lists = matched_lists(windows, 3000, np.random.default_rng(0))
    seen = {tuple(one) for one in lists.tolist()}
    assert seen == {(0, 1), (0, 2), (1, 2)}


def test_effect_sizes_are_those_of_each_list_by_itself():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 10))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    sizes = (5, 6, 4, 7)
    lists = np.stack([rng.permutation(60)[: sum(sizes)] for _ in range(40)])
    rule = PatternRule(alpha=0.2)
    (d1, *d2), signs = matched_effects(rows, lists, sizes, rule=rule, rng=rng)
    for i, one in enumerate(lists):
        x, y, a, b = (rows[part] for part in np.split(one, np.cumsum(sizes)[:-1]))
        s = np.array([w @ (a.mean(axis=0) - b.mean(axis=0)) for w in (*x, *y)])
        assert_allclose(d1[i], effect_size(s, 5)[1], rtol=1e-10)
        for target, d, sign in zip((x, y), d2, signs, strict=True):
            u = np.array([w @ target.mean(axis=0) for w in (*a, *b)])
            assert_allclose(d[i], effect_size(u, 4)[1], rtol=1e-10)
            p = permutation_test(u, 4)
            tail = p.greater if d[i] > 0 else p.less
            associated = abs(d[i]) > rule.threshold and tail.p < rule.alpha
            assert sign[i] == (np.sign(d[i]) if associated else 0)
    assert set(signs[0].tolist()) == {-1, 0, 1}


def test_lists_without_spread_have_no_effect_size_and_count_as_extreme():
    rows = np.ones((8, 4)) / 2
    d, signs = matched_effects(rows, np.arange(8)[None], (2, 2, 2, 2), rule=PatternRule())
    assert np.isnan(d).all()
    assert [sign.tolist() for sign in signs] == [[0], [0]]
    assert monte_carlo_p(1.0, np.array([np.nan, 0.0, 0.5])) == (0.5, 1.0, 0.75)


def test_p_of_exchangeable_numbers_is_valid_in_every_tail():
    """Each place among B + 1 numbers is as likely, so p <= k / (B + 1) has that probability."""
    numbers = np.array([0.3, -1.0, 2.5, 0.9, -0.2, 1.4, 0.1, -3.0, 0.7])
    p = np.array([monte_carlo_p(numbers[i], np.delete(numbers, i)) for i in range(len(numbers))])
    for tail in range(3):
        assert_allclose(np.sort(p[:, tail]), np.arange(1, 10) / 9)


@pytest.mark.parametrize(("n", "m"), [(8, 8), (25, 25), (6, 13)])
def test_rank_sum_is_that_of_scipy(n, m):
    rng = np.random.default_rng(n)
    for scale in (1.0, 3.0):  # rounded, so that there are ties
        first, second = np.round(rng.normal(size=n) * scale), np.round(rng.normal(size=m) * scale)
        theirs = stats.mannwhitneyu(first, second, method="asymptotic").pvalue
        assert_allclose(rank_sum(first, second), theirs, rtol=1e-10)


def test_rank_sum_of_equal_numbers_is_1():
    assert rank_sum(np.ones(4), np.ones(5)) == 1.0
