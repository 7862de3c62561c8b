"""Shares of paired comparisons: by hand, against loops, and properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from eatlas.stats import choices

NAN = np.nan
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def test_orders_weigh_the_same_however_many_templates_answer():
    wins = np.array([[[[1, 0], [1, NAN], [0.5, NAN]]]])
    assert choices.won(wins)[0, 0] == pytest.approx((2.5 / 3 + 0) / 2)


def test_one_order_alone_is_no_comparison():
    assert np.isnan(choices.won(np.array([[[[1, NAN], [1, NAN]]]]))).all()


def test_shares_by_hand():
    shares = choices.shares_won(np.array([[1, 0.5, 0.25], [NAN, 0.5, NAN]]), PAIRS, 4)
    assert shares.tolist()[0][:3] == [0.75, 0.125, 0.625]
    assert shares.tolist()[1][::2] == [0.5, 0.5]
    assert np.isnan(shares[:, 3]).all()
    assert np.isnan(shares[1, 1])


wins_of_pairs = arrays(
    np.float64, (2, 3), elements=st.one_of(st.just(NAN), st.floats(0, 1, allow_subnormal=False))
)


def looped(won, weights):
    """Weighted shares, comparison after comparison."""
    shares = np.full((len(won), 3), NAN)
    for subject, row in enumerate(won):
        for competitor in range(3):
            points = of = 0.0
            for (first, second), p, weight in zip(PAIRS, row, weights, strict=True):
                if not np.isnan(p) and competitor in (first, second):
                    points += weight * (p if competitor == first else 1 - p)
                    of += weight
            if of:
                shares[subject, competitor] = points / of
    return shares


@given(wins_of_pairs, arrays(np.float64, (2, 3), elements=st.floats(0.01, 5)))
def test_shares_are_those_of_a_loop(won, weights):
    np.testing.assert_allclose(choices.shares_won(won, PAIRS, 3), looped(won, np.ones(3)))
    (drawn,) = choices.drawn_shares(won, PAIRS, 3, weights)
    for shares, each in zip(drawn, weights, strict=True):
        np.testing.assert_allclose(shares, looped(won, each))


def test_draws_come_in_blocks(monkeypatch):
    weights = np.random.default_rng(0).standard_exponential((7, 3))
    won = np.array([[0.1, 0.9, 0.4]])
    (whole,) = choices.drawn_shares(won, PAIRS, 3, weights)
    monkeypatch.setattr(choices, "AT_ONCE", 6)
    blocks = list(choices.drawn_shares(won, PAIRS, 3, weights))
    assert [len(block) for block in blocks] == [2, 2, 2, 1]
    np.testing.assert_allclose(np.concatenate(blocks), whole)


@settings(max_examples=50)
@given(st.permutations(range(5)), st.integers(0, 99))
def test_the_order_of_competitors_changes_no_bit(order, seed):
    won = np.random.default_rng(seed).random((2, 10)) / 3
    pairs = np.array([(i, j) for i in range(5) for j in range(i + 1, 5)])
    shares = choices.shares_won(won, pairs, 5)
    moved = choices.shares_won(won, np.array(order)[pairs], 5)
    assert moved[:, order].tobytes() == shares.tobytes()


def test_first_place_is_the_mean_over_pairs_with_an_interval_of_t():
    wins = np.array([[[[1, 0]], [[1, 1]], [[NAN, 0]], [[NAN, NAN]]]])
    by_pair = [1, 0.5, 1]  # named first: 1 and 1; 1 and 0; 1 alone
    share, interval = choices.first_place(wins, 0.9)
    assert share == pytest.approx(np.mean(by_pair))
    low, high = stats.t.interval(0.9, 2, np.mean(by_pair), stats.sem(by_pair))
    assert interval == pytest.approx((low, min(1, high)))


def test_first_place_of_pairs_that_are_alike_has_no_interval():
    assert choices.first_place(np.array([[[[1.0, 0.0]], [[1.0, 0.0]]]])) == (1.0, None)


def test_answers_that_choose_nothing_go_where_they_lean():
    # one of two answers chose the first; the second order has no usable answer
    wins = np.array([[[[1.0, NAN]]]])
    usable, asked = np.array([[[[1, 0]]]]), np.array([[[[2, 1]]]])
    gone = [choices.all_gone(wins, usable, asked, np.array([[lean]])).item() for lean in (-1, 0, 1)]
    assert gone == [(0.5 + 0) / 2, (0.75 + 0.5) / 2, 1.0]


def test_a_question_without_any_answer_leans_nowhere():
    wins, none = np.full((1, 1, 1, 2), NAN), np.zeros((1, 1, 1, 2), np.int64)
    assert np.isnan(choices.all_gone(wins, none, none, np.ones((1, 1)))).all()
