"""Findings seldom claim what is not there: lists of words between which nothing holds for others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import eatlas
from eatlas.results.questions import PLACES

ROLES, ALPHA, DESIGNS = "XYAB", 0.05, 150
MOST = binom.ppf(0.99, DESIGNS, ALPHA)
"""Tests with a false claim, of so many, that a rule with a rate of alpha exceeds once in 100 times."""


class Sample:
    """The sample of GloVe: frequent words of letters alone in their order, and unit rows."""

    def __init__(self):
        self.source = eatlas.open_vectors("glove-sample")
        self.words = [w for w in [*self.source][100:10_000] if w.isalpha() and len(w) > 2]
        vectors = self.source.lookup(self.words)
        rows = np.array([vectors[word] for word in self.words], float)
        self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def pairs(self, n, rng):
        """Random words, each with its nearest neighbour."""
        places = []
        while len(places) < 4 * n:
            cosines = self.rows @ self.rows[rng.integers(len(self.words))]
            cosines[places] = -np.inf
            places += np.argsort(-cosines)[:2].tolist()
        return np.array(places)

    def frequency(self, n, rng):
        """X and A are frequent words, Y and B rare ones."""
        frequent = rng.choice(1_500, 2 * n, replace=False)
        rare = 4_000 + rng.choice(len(self.words) - 4_000, 2 * n, replace=False)
        return np.concatenate([frequent[:n], rare[:n], frequent[n:], rare[n:]])

    def measured(self, world, n):
        """The questions of tests of a world, and the p of single words at level 1."""
        tests = []
        for number in range(DESIGNS):
            lists = np.split(getattr(self, world)(n, np.random.default_rng([n, number])), 4)
            words = (tuple(self.words[i] for i in places) for places in lists)
            concepts = {
                r: eatlas.Concept(name=r, terms=w) for r, w in zip(ROLES, words, strict=True)
            }
            tests.append(eatlas.AssociationTest(id=f"{world}-{number}", **concepts))
        results = eatlas.run(tests, self.source, "ml-eat(resamples=0,frequency=off)")
        single = np.array([result.level1.p.two_sided for result in results])
        return [result.finding.questions for result in results], single


@pytest.fixture(scope="module")
def sample():
    return Sample()


def claims(questions, verdict="supported"):
    """Tests with a claim on any question."""
    return sum(any(of[place].verdict == verdict for place in PLACES) for of in questions)


def p_values(questions, name):
    """The p-values of level 1."""
    return np.array([getattr(of["level1"].p, name) for of in questions])


@pytest.mark.slow
def test_near_synonyms_are_not_claimed_to_differ(sample):
    """With single words as units, permutation would reject far more often than it may."""
    questions, single = sample.measured("pairs", 16)
    assert claims(questions) <= MOST
    assert np.sum(p_values(questions, "these") <= ALPHA) <= MOST
    assert np.sum(single <= ALPHA) > MOST


@pytest.mark.slow
def test_frequency_alone_is_not_claimed_to_associate(sample):
    """These words do differ, and so would others of their ranks; not at equal frequency."""
    questions, _ = sample.measured("frequency", 8)
    assert claims(questions) <= MOST
    unadjusted = np.maximum(p_values(questions, "these"), p_values(questions, "new"))
    assert np.mean(unadjusted <= ALPHA) > 0.5
    assert claims(questions, "these words") > 0.5 * DESIGNS
