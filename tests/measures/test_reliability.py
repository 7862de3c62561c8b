"""Reliability asked of results and of plain similarities."""

import numpy as np
import pytest
from tests.inputs import make_sentences, make_vectors

import eatlas
from eatlas.errors import EatlasError


def test_a_result_and_its_similarities_say_the_same():
    (result,) = eatlas.run(tests="weat-6")
    found = eatlas.reliability(result)
    plain = eatlas.reliability(result.similarities, (8, 8, 8, 8))
    for role in "XYAB":
        assert found.group(role).alpha.value == plain.group(role).alpha.value
        assert found.group(role).terms == 8
    assert found.targets.value == plain.targets.value
    assert found == eatlas.reliability(result)
    assert found != eatlas.reliability(result, seed=1)
    assert str(found).splitlines()[4].startswith("X and Y apart: 0.95 [0.9")


def test_random_words_are_not_apart_where_their_raw_alpha_is_high():
    source, rng = eatlas.open_vectors("glove-sample"), np.random.default_rng(1)
    words = [w for w in source.vocabulary() if w.isalpha() and w.islower()][:20_000]
    raw, apart = [], []
    for _ in range(12):
        chosen = rng.choice(words, size=100, replace=False).tolist()
        found = source.lookup(set(chosen))
        rows = np.array([found[w] for w in chosen], dtype=float)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        one = eatlas.reliability(rows[:50] @ rows[50:].T, (25, 25, 25, 25), resamples=20)
        raw.append(one.X.raw_alpha)
        apart.append(one.targets.value)
    assert np.median(raw) > 0.8
    assert np.median(apart) < 0.3


def test_sentences_are_averaged_over_their_stimuli():
    test = make_sentences(dict.fromkeys("XYAB", (2, 3, 4, 1)))
    (result,) = eatlas.run(tests=test, vectors=make_vectors(test, dim=6))
    found = eatlas.reliability(result)
    assert found.unit == "stimulus"
    assert found.X.terms == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: eatlas.reliability(np.zeros((8, 8)), (4, 4, 4)),
            "the sizes are not those of the similarities\n  got: [4, 4, 4] for a table of 8 by 8\n"
            "  allowed: terms of X, Y, A and B: as many targets as rows",
        ),
        (lambda: eatlas.reliability(np.zeros((8, 8))), "the sizes are not those of the simil"),
        (
            lambda: eatlas.reliability(eatlas.run(tests="weat-6", measures="weat")[0]),
            "the result of weat-6 keeps no similarities\n  got: a result of weat",
        ),
        (
            lambda: eatlas.reliability(np.eye(3), (1, 2, 1, 2)),
            "reliability needs two lists measured on the same observations",
        ),
        (lambda: eatlas.reliability("weat-6"), "similarities must be numbers"),
    ],
)
def test_messages(call, message):
    with pytest.raises(EatlasError) as caught:
        call()
    assert str(caught.value).startswith(message)
