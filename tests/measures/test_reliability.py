"""Reliability of the word lists of results."""

import numpy as np
import pytest
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.errors import EatlasError
from eatlas.stats.reliability import list_reliability


def test_a_result_says_what_its_similarities_say():
    (result,) = eatlas.run(tests="weat-6", measures="ml-eat(resamples=0)", frequency="off")
    found, table = eatlas.reliability(result), np.array(result.similarities)
    own = list_reliability(table[:8], table[8:], rng=np.random.default_rng(1), resamples=1)
    assert (found.X.alpha.value, found.Y.items) == (
        pytest.approx(own.first.alpha.value, abs=1e-6),
        8,
    )
    assert found.targets.value == pytest.approx(own.between.value, abs=1e-6)
    assert found == eatlas.reliability(result)
    assert found != eatlas.reliability(result, seed=1)
    assert str(found).splitlines()[4].startswith("X and Y apart: 0.95 [0.9")


def test_random_words_are_not_apart_where_their_raw_alpha_is_high():
    source, rng = eatlas.open_vectors("glove-sample"), np.random.default_rng(1)
    words = [w for w in source.vocabulary() if w.isalpha() and w.islower()][:20_000]
    raw, apart = [], []
    for _ in range(4):
        chosen = iter(rng.choice(words, size=100, replace=False).tolist())
        test = make_test(**{role: tuple(next(chosen) for _ in range(25)) for role in "XYAB"})
        result = eatlas.MLEAT(resamples=0, frequency="off")(test, source)
        found = eatlas.reliability(result, resamples=20)
        raw.append(found.X.raw_alpha)
        apart.append(found.targets.value)
    assert np.median(raw) > 0.8
    assert np.median(apart) < 0.3


def test_sentences_are_averaged_over_their_stimuli():
    test = make_sentences(dict.fromkeys("XYAB", (2, 3, 4, 1)))
    found = eatlas.reliability(eatlas.MLEAT(resamples=0)(test, make_vectors(test, dim=6)))
    assert (found.unit, found.X.items) == ("stimulus", 4)


def test_what_keeps_no_similarities_has_none():
    with pytest.raises(
        EatlasError, match="takes a result that keeps its similarities\\n  got: a result of weat"
    ):
        eatlas.reliability(eatlas.WEAT(resamples=0)(make_test(), make_vectors(make_test())))
    with pytest.raises(EatlasError, match="got: 'weat-6'"):
        eatlas.reliability("weat-6")
