"""Shares of paired comparisons: by hand, against loops, and properties."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from eatlas_models.stats import choices

NAN = np.nan
WORST = 0.1
"""Of a variance by its share; the worst difference that was seen is .05."""
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


# --- standard errors ------------------------------------------------------------------------------


def every(count):
    """All pairs of some competitors."""
    return np.array(list(combinations(range(count), 2)))


def test_standard_error_over_pairs_by_hand():
    # a ring of five: the first two won all, the others half; all five of ten pairs are known
    ring = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]])
    won = np.array([[0.5, 1.0, 0.5, 0.5, 1.0]])
    contrast = np.array([[0.5, 0.5, -1 / 3, -1 / 3, -1 / 3]])
    # shares: 3/4, 3/4, 1/4, 1/2, 1/4; of two comparisons each, so deviations are over sqrt(3/2)
    deviations = np.array([
        0.5 * (0.5 - 0.75) + 0.5 * (0.5 - 0.75),
        0.5 * (1.0 - 0.75) - (0.0 - 0.25) / 3,
        -(0.5 - 0.25) / 3 - (0.5 - 0.5) / 3,
        -(0.5 - 0.5) / 3 - (0.5 - 0.25) / 3,
        0.5 * (1.0 - 0.75) - (0.0 - 0.25) / 3,
    ])  # fmt: skip
    by_hand = np.sqrt(0.5 * (deviations**2).sum() / 1.5)
    assert choices.standard_error(won, ring, contrast, np.zeros((1, 5))) == pytest.approx(by_hand)


def test_probabilities_of_all_pairs_vary_by_nothing():
    won, contrast = np.random.default_rng(0).random((2, 10)), np.array([[1, 1, -1, -1, 0]] * 2)
    assert choices.standard_error(won, every(5), contrast, np.zeros((2, 10))) == 0


def test_answers_alone_vary_where_all_pairs_are_known():
    chance, pairs = np.random.default_rng(1), every(5)
    noise, contrast = chance.random((2, 10)), chance.normal(size=(2, 5))
    # each competitor has four comparisons; what the first of a pair wins, the second loses
    weights = (contrast[:, pairs[:, 0]] - contrast[:, pairs[:, 1]]) / 4
    by_hand = np.sqrt((weights**2 * noise).sum())
    won = chance.random((2, 10))
    assert choices.standard_error(won, pairs, contrast, noise) == pytest.approx(by_hand)


def test_what_all_competitors_share_does_not_vary():
    # of all shares the mean is 1/2, so that no contrast moves with a constant
    won, ring = (
        np.random.default_rng(2).random((2, 5)),
        np.array([(i, (i + 1) % 5) for i in range(5)]),
    )
    contrast = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 0]])
    errors = [
        choices.standard_error(won, ring, contrast + constant, np.full((2, 5), 0.1))
        for constant in (0, -0.4)
    ]
    assert errors[1] == pytest.approx(errors[0])


@pytest.mark.parametrize(("count", "steps"), [(9, (1, 3)), (16, (1, 3, 4))])
def test_the_variance_is_that_of_draws_of_pairs(count, steps):
    # the same design, of competitors in any order
    chance = np.random.default_rng(count + len(steps))
    design = np.array([(i, (i + step) % count) for step in steps for i in range(count)])
    utility = chance.normal(size=(3, count)) + 2 * (np.arange(count) < 4)
    table = 1 / (1 + np.exp(utility[:, None, :] - utility[:, :, None]))
    of_groups = np.where(np.arange(count) < 4, 1 / 4, -1 / (count - 4))
    contrast = np.outer([1, 0.5, -0.5], of_groups)
    drawn, variances = [], []
    for _ in range(1500):
        pairs = chance.permutation(count)[design]
        won = table[:, pairs[:, 0], pairs[:, 1]]
        drawn.append((contrast * choices.shares_won(won, pairs, count)).sum())
        se = choices.standard_error(won, pairs, contrast, np.zeros_like(won))
        variances.append(se**2)
    whole = table[:, *every(count).T]
    truth = (contrast * choices.shares_won(whole, every(count), count)).sum()
    assert np.mean(drawn) == pytest.approx(truth, abs=4 * np.std(drawn) / np.sqrt(1500))
    assert np.mean(variances) / np.var(drawn) == pytest.approx(1, abs=WORST)


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.95])
def test_noise_is_the_variance_of_answers(n, p):
    # over all outcomes of n answers to either order, each in a template of its own
    orders = stats.binom(n, p).pmf(np.arange(n + 1))
    mean = 0.0
    for first, second in product(range(n + 1), repeat=2):
        wins = np.array([np.arange(n) < first, np.arange(n) < second], float).T[None, None]
        noise = choices.noise_of(wins, np.ones(wins.shape, np.int64))
        mean += orders[first] * orders[second] * noise.item()
    assert mean == pytest.approx(2 * p * (1 - p) / n / 4)


def test_noise_of_one_answer_to_an_order_is_how_far_orders_differ():
    wins = np.array([[[[1.0, 0.0]], [[1.0, 0.0]], [[1.0, 1.0]], [[NAN, 1.0]]]])
    usable = np.array([[[[1, 1]], [[1, 1]], [[1, 1]], [[0, 1]]]])
    noise = choices.noise_of(wins, usable)
    apart = np.array([1, 1, 0]) - 2 / 3  # the first place wins five of six
    np.testing.assert_allclose(noise[0, :3], apart**2 / 4)
    assert np.isnan(noise[0, 3])


# --- the order of options, refusals ---------------------------------------------------------------


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


def test_answers_that_do_not_count_are_left_out():
    wins, usable, asked = (np.array([[[values]]]) for values in ([0.75, 0.5], [4, 2], [8, 2]))
    lean = np.ones((1, 1))
    half = choices.all_gone(wins, usable, asked, lean, np.array([[0.5]])).item()
    assert half == ((3 + 2) / (4 + 2) + 0.5) / 2
    none = choices.all_gone(wins, usable, asked, lean, np.array([[0.0]])).item()
    assert none == (0.75 + 0.5) / 2


def test_what_random_refusals_do_not_explain():
    # two subjects with 40 questions of each of three kinds
    asked = np.full((2, 3, 10, 2), 20)
    usable = asked.copy()
    for subject, lacking in enumerate([(30, 100, 200), (40, 20, 80)]):
        for kind, count in enumerate(lacking):
            usable[subject, kind].flat[:count] -= 1 if count <= 20 else count // 20
    kinds = np.array([[0, 1, 2], [3, 4, 5]])
    lacking = (asked - usable).sum(axis=(2, 3))
    beyond, alike = choices.beyond_chance(usable, asked, kinds, 6)
    limits = stats.beta.ppf(0.975, lacking + 0.5, 400 - lacking + 0.5)
    assert alike == pytest.approx(limits.min())
    rates = lacking / 400
    expected = [max(0, rate - alike) / rate for rate in rates.ravel()]
    assert beyond.ravel() == pytest.approx(expected)
    assert 0 in expected


def test_all_answers_count_where_a_kind_has_no_questions():
    asked = np.full((1, 2, 1, 2), 4)
    usable = asked - 1
    beyond, alike = choices.beyond_chance(usable, asked, np.array([[0, 1]]), 3)
    assert (alike, beyond.tolist()) == (0.0, [[1.0, 1.0]])


def test_a_question_without_any_answer_leans_nowhere():
    wins, none = np.full((1, 1, 1, 2), NAN), np.zeros((1, 1, 1, 2), np.int64)
    assert np.isnan(choices.all_gone(wins, none, none, np.ones((1, 1)))).all()
