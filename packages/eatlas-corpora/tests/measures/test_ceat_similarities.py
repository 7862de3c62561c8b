"""CEAT keeps the mean cosines of its stimuli: a table of pairs, for the map of the words."""

import numpy as np
import pytest
from tests.inputs import make_sentences

import eatlas

COUNTS = {"X": (5, 2, 1), "Y": (3, 3, 4), "A": (2, 6), "B": (4, 1, 3)}


@pytest.fixture(scope="module")
def test():
    return make_sentences(COUNTS)


@pytest.fixture(scope="module")
def vectors(test):
    return make_vectors(test, 8)


@pytest.fixture(scope="module")
def result(test, vectors):
    return eatlas.CEAT(n=3000)(test, vectors)


def unit(vectors, test, role, stimulus):
    texts = [text for text, own in test.concept(role).stimulus_of.items() if own == stimulus]
    rows = np.array([vectors[text] for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_similarities_are_means_over_all_pairs_of_contexts(result, test, vectors):
    rows = [(role, one) for role in "XY" for one in result.paired(role)]
    columns = [(role, one) for role in "AB" for one in result.paired(role)]
    expected = [
        [(unit(vectors, test, *t) @ unit(vectors, test, *a).T).mean() for a in columns]
        for t in rows
    ]
    assert (len(rows), len(columns)) == (6, 5)
    assert np.abs(np.array(result.similarities) - expected).max() <= 0.5e-6 + 1e-12


def test_a_gate_prints_the_effect_size_of_the_finding():
    test = make_sentences(dict.fromkeys("XYAB", (5, 2, 3, 1, 4, 2, 3, 2)))
    before, now = (
        eatlas.run(test, {"model": vectors}, "ceat(n=300)", frequency="off")
        for vectors in (make_vectors(test, 1, 50), make_vectors(test, 2, 50))
    )
    change = now.gate(against=before).changes[0]
    assert change.p is not None
    assert (change.d, change.before) == (now[0].value, before[0].value)


def make_vectors(test, seed, size=7):
    rng = np.random.default_rng(seed)
    return {text: rng.normal(size=size) for role in "XYAB" for text in test.concept(role).terms}
