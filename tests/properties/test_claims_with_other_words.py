"""Supported claims keep their direction with other words of the same kinds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

import eatlas
from eatlas.results.questions import PLACES
from eatlas.stimuli import built_in_tests

ROLES, WORDS, TESTS = "XYAB", 8, 200
SAME = 0.92
"""The proportion of supported claims with so many words that keep their direction in the full study."""


def pools(vocabulary):
    """Lists of the bundled batteries with twice as many words, of which no two share half."""
    lists = {
        frozenset(term.lower() for term in concept.terms) & vocabulary
        for test in built_in_tests(sentences=False)
        for _, concept in test.parts
        if not concept.images
    }
    kept = []
    for words in sorted(lists, key=lambda words: (-len(words), sorted(words))):
        if len(words) >= 2 * WORDS and all(2 * len(words & of) <= len(words) for of in kept):
            kept.append(words)
    return kept


def pairs(kept):
    """Tests of four pools, and the same tests with other words of these."""
    rng, made = np.random.default_rng(1), []
    while len(made) < 2 * TESTS:
        four = [kept[i] for i in rng.choice(len(kept), 4, replace=False)]
        times = Counter(word for words in four for word in words)
        lists = [sorted(word for word in words if times[word] == 1) for words in four]
        if min(map(len, lists)) >= 2 * WORDS:
            mixed = [rng.permutation(words).tolist() for words in lists]
            made += [drawn(mixed, slice(WORDS)), drawn(mixed, slice(WORDS, 2 * WORDS))]
    return made


def drawn(lists, part):
    concepts = {
        role: eatlas.Concept(name=role, terms=tuple(words[part]))
        for role, words in zip(ROLES, lists, strict=True)
    }
    return eatlas.AssociationTest(id="-".join(concepts["X"].terms), **concepts)


@pytest.mark.slow
def test_supported_claims_keep_their_direction():
    source = eatlas.open_vectors("glove-sample")
    results = eatlas.run(
        pairs(pools(frozenset(source.vocabulary()))), source, "ml-eat(resamples=0,frequency=off)"
    )
    same = {"supported": [], "these words": [], "not shown": []}
    for first, second in zip(results[::2], results[1::2], strict=True):
        for place in PLACES:
            before, after = (each.finding.questions[place] for each in (first, second))
            same[before.verdict].append(before.effect_size * after.effect_size > 0)
    supported = same["supported"]
    assert len(supported) > TESTS / 4
    assert sum(supported) >= binom.ppf(0.01, len(supported), SAME)
    assert np.mean(supported) > np.mean(same["not shown"]) + 0.1
