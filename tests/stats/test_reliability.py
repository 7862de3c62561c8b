"""Reliability of word lists: by hand, identities, and where it is undefined."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.stats import reliability as module
from eatlas.stats.reliability import cronbach_alpha, split_half


def rng():
    return np.random.default_rng(3)


def parallel(k, observations=20, noise=1.0):
    """k items that measure one thing, each with its own error."""
    source = rng()
    return source.normal(size=observations) + noise * source.normal(size=(k, observations))


def test_alpha_by_hand():
    # item variances 1, 1, 4; sums 6, 5, 1, so variance 7: alpha = 3/2 (1 - 6/7)
    scores = [[3.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.0]]
    assert cronbach_alpha(scores) == pytest.approx(3 / 2 * (1 - (1 + 1 + 1) / 7))


def test_alpha_of_copies_is_1_and_of_opposites_negative():
    row = parallel(1)[0]
    assert cronbach_alpha([row, row, row]) == pytest.approx(1)
    # variances 4 and 1, sum 2x - x has variance 1: 2 (1 - 5) = -8
    assert cronbach_alpha([2 * row, -row]) == pytest.approx(-8)


def test_alpha_of_unrelated_items_is_near_0():
    assert abs(cronbach_alpha(rng().normal(size=(10, 5000)))) < 0.1


@given(hnp.arrays(np.float64, (4, 6), elements=st.floats(-1, 1, width=16)))
def test_alpha_is_the_mean_of_rulons_coefficient_over_all_halves(scores):
    """Cronbach (1951): alpha is the mean of 4 cov(a, b) / var(a + b) over all splits."""
    total = scores.sum(axis=0)
    assume(np.ptp(total) > 1e-6)
    halves = [scores[list(chosen)].sum(axis=0) for chosen in combinations(range(4), 2)]
    rulon = [4 * np.cov(half, total - half)[0, 1] / total.var(ddof=1) for half in halves]
    alpha = cronbach_alpha(scores)
    assert alpha == pytest.approx(np.mean(rulon), rel=1e-9, abs=1e-9)
    assert alpha <= 1 + 1e-12


def test_split_half_by_hand():
    # one split: r = 0.5 between (1, 2, 3) and (1, 3, 2), corrected 2 (1/2) / (3/2)
    halves = split_half([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]], rng=rng())
    assert halves.mean == halves.low == halves.median == halves.high == pytest.approx(2 / 3)
    assert (halves.splits, halves.undefined, halves.exact) == (1, 0, True)


@pytest.mark.parametrize(("k", "count"), [(4, 3), (5, 10), (8, 35), (9, 126)])
def test_all_halves_against_a_loop(k, count):
    scores = parallel(k)
    values = []
    for chosen in combinations(range(k), k // 2):
        if k % 2 == 0 and 0 not in chosen:
            continue  # the other half of a split already seen
        first = scores[list(chosen)].sum(axis=0)
        r = np.corrcoef(first, scores.sum(axis=0) - first)[0, 1]
        values.append(2 * r / (1 + r))
    halves = split_half(scores, rng=rng(), splits=count)
    assert (halves.splits, halves.exact, len(values)) == (count, True, count)
    found = (halves.mean, halves.low, halves.median, halves.high)
    expected = (np.mean(values), *np.quantile(values, [0.025, 0.5, 0.975]))
    assert found == pytest.approx(expected, rel=1e-12)


def test_random_halves_estimate_all_halves():
    scores = parallel(10)
    every, some = (split_half(scores, rng=rng(), splits=splits) for splits in (126, 125))
    assert (every.exact, some.exact, some.splits) == (True, False, 125)
    many = split_half(parallel(16), rng=rng(), splits=4000)
    exact = split_half(parallel(16), rng=rng(), splits=6435)
    assert exact.exact
    assert not many.exact
    assert many.mean == pytest.approx(exact.mean, abs=0.005)
    assert some.mean == pytest.approx(every.mean, abs=0.02)


def test_blocks_change_nothing(monkeypatch):
    scores = parallel(14)
    whole = [split_half(scores, rng=rng(), splits=splits) for splits in (500, 2000)]
    monkeypatch.setattr(module, "BLOCK", 700)
    assert [split_half(scores, rng=rng(), splits=splits) for splits in (500, 2000)] == whole


def test_unit_and_origin_do_not_matter():
    scores = parallel(6)
    moved = 8.0 * scores + np.arange(6)[:, None]
    assert cronbach_alpha(moved) == pytest.approx(cronbach_alpha(scores), rel=1e-12)
    assert split_half(moved, rng=rng()).mean == pytest.approx(split_half(scores, rng=rng()).mean)
    for factor in (2.0**-1000, 2.0**1020):
        assert cronbach_alpha(factor * scores) == pytest.approx(cronbach_alpha(scores))


@pytest.mark.parametrize("spread", [0.0, 2.0**-54])
def test_no_variance_is_undefined(spread):
    scores = 0.3 + spread * rng().integers(-2, 3, (4, 6))
    with pytest.warns(UndefinedWarning, match="the sum over items does not vary"):
        assert math.isnan(cronbach_alpha(scores))
    with pytest.warns(UndefinedWarning, match="is not defined for 3 of 3 splits: a half does not"):
        halves = split_half(scores, rng=rng())
    assert all(map(math.isnan, (halves.mean, halves.low, halves.median, halves.high)))
    assert (halves.splits, halves.undefined) == (3, 3)


def test_halves_that_cancel_are_left_out_and_counted():
    row = parallel(1)[0]
    # a + b against -a - b has r = -1; the two other splits have halves of no variance
    with pytest.warns(UndefinedWarning, match="not defined for 3 of 3 splits"):
        split_half([row, row, -row, -row], rng=rng())
    # (a, a) | (a, 0) and its like are defined; nothing stands against (0, 0) of no variance
    flat = np.zeros_like(row)
    with pytest.warns(UndefinedWarning, match="not defined for 1 of 3 splits"):
        halves = split_half([row, row, flat, flat], rng=rng())
    assert halves.undefined == 1
    assert halves.mean == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cronbach_alpha([[1.0, 2.0]]),
            "reliability needs several items measured on several observations\n"
            "  got: 1 items and 2 observations\n  allowed: 2 items and 2 observations, or more",
        ),
        (
            lambda: split_half([[1.0, 2.0], [1.0, 2.0]], rng=rng()),
            "reliability needs several items measured on several observations\n"
            "  got: 2 items and 2 observations\n  allowed: 2 items and 3 observations, or more",
        ),
        (
            lambda: cronbach_alpha([[1.0, np.nan], [1.0, 2.0]]),
            "scores must be finite\n  got: nan at [0, 1]",
        ),
        (
            lambda: split_half(np.eye(3), rng=rng(), splits=0),
            "splits is out of range\n  got: 0\n  allowed: 1 or more",
        ),
        (lambda: split_half(np.eye(3), rng=0), "rng must be a numpy Generator\n  got: int"),
    ],
)
def test_messages(call, message):
    with pytest.raises(EatlasError) as caught:
        call()
    assert str(caught.value).startswith(message)
