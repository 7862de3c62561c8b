"""Decisions on many samples: each against the exact test, and how many relabellings they take."""

import math

import numpy as np
import pytest

from eatlas.stats.designs import Judge
from eatlas.stats.permutation import permutation_test


def judge(size, n, samples, *, alpha=0.05, two_sided=False):
    rng = np.random.default_rng(0)
    return Judge(size, n, alpha, two_sided=two_sided, samples=samples, rng=rng)


def effects(scores, n):
    gap = scores[:, :n].mean(axis=1) - scores[:, n:].mean(axis=1)
    return gap / scores.std(axis=1, ddof=1)


def test_more_samples_deserve_more_relabellings():
    errors = {}
    for count in (10, 2_000, 10_000):
        asked = judge(60, 30, count)
        errors[count] = asked.draws, asked.error
    assert [draws for draws, _ in errors.values()] == [8_000, 16_000, 64_000]
    assert errors[10][1] == pytest.approx(math.sqrt(0.05 * 0.95 / 8_000))
    # so many terms that their labels would not fit
    assert judge(2**22, 30, 10).draws == 1_000
    assert judge(2**14, 30, 10).draws == 2**12


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize(("n", "m"), [(5, 5), (4, 7), (12, 12)])
def test_associations_are_those_of_exact_tests(n, m, two_sided):
    scores = np.random.default_rng(1).normal(size=(150, n + m)) * 0.1
    scores[:, :n] += 0.06
    d = effects(scores, n)
    asked = judge(n + m, n, 150, alpha=0.1, two_sided=two_sided)
    found = asked.associations(scores, d, 0.2)
    unsure = 0
    for one, row, size in zip(found, scores, d, strict=True):
        answer = permutation_test(row, n, scale=1.0)
        tail = "two_sided" if two_sided else ("greater" if size > 0 else "less")
        p = getattr(answer, tail).p
        unsure += abs(p - 0.1) < 4 * asked.error
        expected = np.sign(size) if abs(size) > 0.2 and p < 0.1 else 0
        assert one == expected or abs(p - 0.1) < 4 * asked.error
    assert unsure < 15
    assert {-1, 0, 1} >= set(found.tolist()) > {0}


def test_an_effect_that_is_not_defined_is_no_association():
    scores = np.zeros((2, 8))
    assert judge(8, 4, 2).associations(scores, np.full(2, math.nan), 0.2).tolist() == [0, 0]
