"""Vectors in memory: dict, words and array, pandas frame, gensim KeyedVectors."""

import numpy as np
import pandas as pd
import pytest

import eatlas
from eatlas import ArraySource, open_vectors

WORDS = ["up", "down", "left"]
ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def keyed_vectors():
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(vector_size=2)
    vectors.add_vectors(WORDS, ROWS)
    return vectors


@pytest.mark.parametrize(
    "make",
    [
        lambda: dict(zip(WORDS, ROWS.tolist(), strict=True)),
        lambda: (WORDS, ROWS),
        lambda: pd.DataFrame(ROWS, index=WORDS),
        lambda: pd.DataFrame({"term": WORDS, "a": ROWS[:, 0], "b": ROWS[:, 1]}),
        keyed_vectors,
        lambda: ArraySource(WORDS, ROWS),
    ],
    ids=["dict", "pair", "frame", "frame-with-column", "gensim", "source"],
)
def test_forms(make):
    source = open_vectors(make())
    found = source.lookup({"down", "right"})
    assert source.dim == 2
    assert list(found) == ["down"]
    np.testing.assert_array_equal(found["down"], [3, 4])
    assert source.fingerprint.startswith("sha256:")


def test_integers_are_numbers():
    assert open_vectors({"a": [1, 0], "b": [0, 1]}).lookup({"a"})["a"].dtype == np.float64


def test_the_fingerprint_follows_words_and_numbers():
    prints = {
        ArraySource(WORDS, ROWS).fingerprint,
        ArraySource(WORDS[::-1], ROWS).fingerprint,
        ArraySource(WORDS, ROWS + 1).fingerprint,
    }
    assert len(prints) == 3
    assert ArraySource(WORDS, ROWS.copy()).fingerprint in prints


def test_a_tuple_is_a_pair_or_a_list_of_sources(tiny, tiny_vectors):
    words, rows = list(tiny_vectors), np.array(list(tiny_vectors.values()))
    pair, other = (words, rows), ArraySource(words, rows, name="other")
    for vectors, names in (
        (pair, ["array"]),
        ((tuple(words), rows), ["array"]),
        ((np.array(words), rows), ["array"]),
        ((other,), ["other"]),
        ((pair, other), ["array", "other"]),
        ((tiny_vectors, pair), ["dict", "array"]),
        ([other, other], ["other"]),
    ):
        results = eatlas.run(tiny, vectors, "weat(resamples=0,frequency=off)")
        assert [result.source for result in results] == names


@pytest.mark.filterwarnings("ignore::eatlas.EatlasWarning")
def test_an_array_that_changes_is_measured_as_it_is_now():
    words = [f"w{i}" for i in range(16)]
    rows = np.random.default_rng(0).normal(size=(16, 5))
    lists = {role: words[4 * i : 4 * i + 4] for i, role in enumerate("XYAB")}
    (test,), source = eatlas.load_tests(lists), ArraySource(words, rows)
    measure = eatlas.MLEAT(resamples=1_000)
    before, again = measure(test, source), measure(test, source)
    assert before.to_dict() == again.to_dict()
    rows[0] = -rows[0]
    after = measure(test, source)
    assert after.provenance.vectors_sha256 != before.provenance.vectors_sha256
    fresh = measure(test, ArraySource(words, rows.copy()))
    assert after.level1 == fresh.level1 != before.level1
    assert after.influence == fresh.influence
    assert after.uncertainty == fresh.uncertainty
