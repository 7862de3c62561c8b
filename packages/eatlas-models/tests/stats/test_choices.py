"""Shares of paired comparisons: by hand, against loops, and properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from eatlas_models.stats import choices

NAN = np.nan
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def test_both_orders_weigh_the_same_and_one_alone_is_no_comparison():
    won = choices.won(np.array([[[1, 0.5], [1, NAN]]]))
    assert won[0, 0] == 0.75
    assert np.isnan(won[0, 1])


def test_shares_by_hand():
    shares = choices.shares_won(np.array([[1, 0.5, 0.25], [NAN, 0.5, NAN]]), PAIRS, 4)
    assert shares.tolist()[0][:3] == [0.75, 0.125, 0.625]
    assert shares.tolist()[1][::2] == [0.5, 0.5]
    assert np.isnan(shares[:, 3]).all()
    assert np.isnan(shares[1, 1])


wins_of_pairs = arrays(
    np.float64, (2, 3), elements=st.one_of(st.just(NAN), st.floats(0, 1, allow_subnormal=False))
)


def looped(won):
    """Shares, comparison after comparison."""
    shares = np.full((len(won), 3), NAN)
    for subject, row in enumerate(won):
        for competitor in range(3):
            points = [
                p if competitor == first else 1 - p
                for (first, second), p in zip(PAIRS, row, strict=True)
                if not np.isnan(p) and competitor in (first, second)
            ]
            if points:
                shares[subject, competitor] = np.mean(points)
    return shares


@given(wins_of_pairs)
def test_shares_are_those_of_a_loop(won):
    np.testing.assert_allclose(choices.shares_won(won, PAIRS, 3), looped(won))


@settings(max_examples=50)
@given(st.permutations(range(5)), st.integers(0, 99))
def test_the_order_of_competitors_changes_no_bit(order, seed):
    won = np.random.default_rng(seed).random((2, 10)) / 3
    pairs = np.array([(i, j) for i in range(5) for j in range(i + 1, 5)])
    shares = choices.shares_won(won, pairs, 5)
    moved = choices.shares_won(won, np.array(order)[pairs], 5)
    assert moved[:, order].tobytes() == shares.tobytes()


# --- the order of options, refusals ---------------------------------------------------------------


def test_first_place_is_the_mean_over_pairs_with_an_interval_of_t():
    wins = np.array([[[1, 0], [1, 1], [NAN, 0], [NAN, NAN]]])
    by_pair = [1, 0.5, 1]  # named first: 1 and 1; 1 and 0; 1 alone
    share, interval = choices.first_place(wins, 0.9)
    assert share == pytest.approx(np.mean(by_pair))
    low, high = stats.t.interval(0.9, 2, np.mean(by_pair), stats.sem(by_pair))
    assert interval == pytest.approx((low, min(1, high)))


def test_first_place_of_pairs_that_are_alike_has_no_interval():
    assert choices.first_place(np.array([[[1.0, 0.0], [1.0, 0.0]]])) == (1.0, None)


def test_answers_that_choose_nothing_go_where_they_lean():
    # one of two answers chose the first; the second order has no usable answer
    wins = np.array([[[1.0, NAN]]])
    usable, asked = np.array([[[1, 0]]]), np.array([[[2, 1]]])
    gone = [choices.all_gone(wins, usable, asked, np.array([[lean]])) for lean in (-1, 0, 1)]
    assert [share.item() for share, _ in gone] == [(0.5 + 0) / 2, (0.75 + 0.5) / 2, 1.0]
    assert [weight.item() for _, weight in gone] == [1, 1, 1]
    _, weight = choices.all_gone(wins, usable, asked, np.array([[1]]), np.array([[0.3]]))
    assert weight.item() == 0.3


def test_answers_that_do_not_count_are_left_out():
    wins, usable, asked = (np.array([[values]]) for values in ([0.75, 0.5], [4, 2], [8, 2]))
    lean = np.ones((1, 1))
    half, weight = choices.all_gone(wins, usable, asked, lean, np.array([[0.5]]))
    assert (half.item(), weight.item()) == (((3 + 2) / (4 + 2) + 0.5) / 2, 1)
    none, _ = choices.all_gone(wins, usable, asked, lean, np.array([[0.0]]))
    assert none.item() == (0.75 + 0.5) / 2


def test_comparisons_of_less_weight_count_less():
    shares = choices.shares_won(np.array([[1.0, 0.0]]), PAIRS[:2], 3, np.array([[1.0, 0.5]]))
    assert shares.tolist() == [[1 / 1.5, 0.0, 1.0]]


def test_what_random_refusals_do_not_explain():
    # two subjects with 40 questions of each of three kinds
    asked = np.full((2, 30, 2), 20)
    usable = asked.copy()
    for subject, lacking in enumerate([(30, 100, 200), (40, 20, 80)]):
        for kind, count in enumerate(lacking):
            own = slice(10 * kind, 10 * kind + 10)
            usable[subject, own].flat[:count] -= 1 if count <= 20 else count // 20
    kinds = np.repeat([[0, 1, 2], [3, 4, 5]], 10, axis=1)
    lacking = (asked - usable).reshape(2, 3, 20).sum(axis=2)
    beyond, alike = choices.beyond_chance(usable, asked, kinds, 6)
    limits = stats.beta.ppf(0.975, lacking + 0.5, 400 - lacking + 0.5)
    assert alike == pytest.approx(limits.min())
    rates = lacking / 400
    expected = [max(0, rate - alike) / rate for rate in rates.ravel()]
    assert beyond[:, ::10].ravel() == pytest.approx(expected)
    assert 0 in expected


def test_all_answers_count_where_a_kind_has_no_questions():
    asked = np.full((1, 2, 2), 4)
    usable = asked - 1
    beyond, alike = choices.beyond_chance(usable, asked, np.array([[0, 1]]), 3)
    assert (alike, beyond.tolist()) == (0.0, [[1.0, 1.0]])


def test_a_question_without_any_answer_leans_nowhere():
    wins, none = np.full((1, 1, 2), NAN), np.zeros((1, 1, 2), np.int64)
    assert np.isnan(choices.all_gone(wins, none, none, np.ones((1, 1)))[0]).all()
