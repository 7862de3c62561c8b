"""Decisions on many rows: always those of the exact test, enumerated or screened."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.errors import EatlasError
from eatlas.stats import designs as module
from eatlas.stats.designs import TAILS, checked_alpha, checked_tail, rejected, screen, smallest_p
from eatlas.stats.permutation import permutation_test
from eatlas.stats.relabelling import drawn, samples


def rng():
    return np.random.default_rng(11)


def one_by_one(rows, n, alpha, tail):
    return [getattr(permutation_test(row, n), tail).p < alpha for row in rows]


def test_by_hand():
    # 4, 5, 6, 7 | 0, 1, 2, 3 has p 1/70 and 2/70; 1 of 20 is not below .05
    rows = np.array([[4.0, 5, 6, 7, 0, 1, 2, 3]])
    assert rejected(rows, 4, 1.5 / 70, "greater", rng()) == [True]
    assert rejected(rows, 4, 1.5 / 70, "two_sided", rng()) == [False]
    assert rejected(rows, 4, 2.5 / 70, "two_sided", rng()) == [True]
    assert rejected(rows, 4, 0.5, "less", rng()) == [False]
    assert rejected(-rows, 4, 1.5 / 70, "less", rng()) == [True]
    three = np.array([[3.0, 4, 5, 0, 1, 2]])
    assert rejected(three, 3, 0.05, "greater", rng()) == [False]
    assert rejected(three, 3, 0.0501, "greater", rng()) == [True]


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32),
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from(TAILS),
    st.sampled_from([0.02, 0.1, 0.3, 0.5]),
    st.booleans(),
)
def test_enumerated_decisions_are_the_exact_tests(seed, n, m, tail, alpha, coarse):
    source = np.random.default_rng(seed)
    rows = source.normal(size=(12, n + m))
    rows[:, :n] += 1.0
    if coarse:  # ties in thirds, whose sums depend on their order in doubles
        rows = np.rint(rows) / 3
    found = rejected(rows, n, alpha, tail, source).tolist()
    assert found == one_by_one(rows, n, alpha, tail)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("screens", [(200,), (100, 1000)])
def test_screened_decisions_are_the_exact_tests(monkeypatch, tail, screens):
    monkeypatch.setattr(module, "ENUMERATED", 10)
    monkeypatch.setattr(module, "SCREENS", screens)
    monkeypatch.setattr(module, "EXPECTED", 1)
    rows = rng().normal(size=(80, 11))
    rows[:, :6] += 0.9 if tail != "less" else -0.9
    found = rejected(rows, 6, 0.05, tail, rng())
    assert found.tolist() == one_by_one(rows, 6, 0.05, tail)
    assert 10 < found.sum() < 70


def test_a_screen_that_expects_too_little_is_left_out(monkeypatch):
    def never(*_):
        raise AssertionError("a screen was used")

    monkeypatch.setattr(module, "ENUMERATED", 10)
    monkeypatch.setattr(module, "reached", never)
    rows = np.vstack([np.arange(14.0)[::-1], rng().normal(size=14)])
    # 256,000 relabellings at 1e-4 expect 25.6, and the smallest p is 1 / 3432 = 2.9e-4
    assert rejected(rows, 7, 1e-4, "greater", rng()).tolist() == [False, False]
    monkeypatch.setattr(module, "SCREENS", (4_000,))
    assert rejected(rows, 7, 3e-4, "greater", rng()).tolist() == [True, False]


def test_no_spread_is_never_rejected():
    assert not rejected(np.full((3, 8), 0.1), 4, 0.9, "two_sided", rng()).any()


@pytest.mark.parametrize(
    ("n", "m", "tail"),
    [(3, 3, "greater"), (3, 3, "two_sided"), (2, 5, "two_sided"), (4, 1, "less")],
)
def test_smallest_p(n, m, tail):
    scores = np.geomspace(1, 3, n + m)
    scores = scores if tail == "less" else scores[::-1]
    assert smallest_p(n, m, tail) == getattr(permutation_test(scores, n), tail).p


def test_messages():
    with pytest.raises(EatlasError) as caught:
        checked_tail("upper")
    assert str(caught.value) == (
        "unknown tail\n  got: 'upper'\n  allowed: greater, less, two_sided"
    )
    for wrong in (0.0, 1, "5%", float("nan")):
        with pytest.raises(EatlasError, match="alpha must be a probability\n  got: "):
            checked_alpha(wrong)
    with pytest.raises(
        EatlasError, match="power must be .*\n.*\n  allowed: above 0.05 and below 1"
    ):
        checked_alpha(0.05, "power", above=0.05)


def test_a_screen_leaves_what_is_near_alpha_with_its_p():
    rows = rng().normal(size=(60, 12))
    asked = samples(rows, 6, two_sided=True)
    blocks = list(itertools.islice(drawn(12, 6, rng()), 40))
    screened = screen(asked, 0.3, [1_000, 10_000], blocks)
    p = np.array([permutation_test(row, 6).two_sided.p for row in rows])
    error = np.sqrt(0.3 * 0.7 / 10_000)
    near = np.flatnonzero(np.abs(p - 0.3) < 5 * error)
    assert set(near) <= set(screened.left.tolist()) < set(range(60))
    assert near.size
    assert np.abs(screened.p - p[screened.left]).max() < 5 * error
    settled = np.setdiff1d(np.arange(60), screened.left)
    assert np.array_equal(screened.found[settled], p[settled] < 0.3)
    assert not screened.found[screened.left].any()


def test_the_last_screen_counts_though_it_settles_nothing():
    # 1,000 draws at alpha = .01 expect 10: too few to be certain, enough for a p
    rows = rng().normal(size=(5, 12)) + np.repeat([3.0, 0.0], 6)
    asked = samples(rows, 6, two_sided=False)
    screened = screen(asked, 0.01, [500, 1_000], drawn(12, 6, rng()))
    assert screened.left.tolist() == list(range(5))
    assert (screened.p >= 1 / 1_001).all()
    assert (screened.p < 0.02).all()
