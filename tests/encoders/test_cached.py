"""The cache gives back what was computed, and asks for nothing twice."""

import numpy as np
import pytest
from tests.encoders.letters import Letters, passages
from tests.install.test_imports import modules_after

import eatlas
from eatlas.encoders.cache import CachedSource, cached
from eatlas.errors import SourceError
from eatlas.sources import Item


def test_what_is_kept_is_what_was_computed_bit_for_bit():
    bare, first, second = Letters(), Letters(), Letters()
    asked = passages(120)
    computed, kept, again = (s.encode(asked) for s in (bare, cached(first), cached(second)))
    assert len(first.asked) == 120
    assert not second.asked
    for one in asked:
        assert kept[one].tobytes() == again[one].tobytes() == computed[one].tobytes()
        assert again[one].dtype == np.float32


def test_only_what_is_missing_is_computed():
    cached(Letters()).encode(passages(60))
    more = Letters()
    given = cached(more).encode(passages(80))
    assert sorted(more.asked) == sorted(set(passages(80)) - set(passages(60)))
    assert given.keys() == set(passages(80))


def test_the_place_of_the_stimulus_matters_at_level_word_alone():
    both = [Item("An ant at an ant.", span) for span in ((3, 6), (13, 16))]
    word, sentence = Letters(), Letters(level="sentence", fingerprint="letters:sentence")
    of_words, of_sentences = (cached(one).encode(both) for one in (word, sentence))
    assert len(word.asked) == 2
    assert len(sentence.asked) == 1
    assert len({v.tobytes() for v in of_words.values()}) == 2
    assert len({v.tobytes() for v in of_sentences.values()}) == 1
    assert len(of_sentences) == 2


def test_a_person_is_told_how_far_it_is():
    cached(Letters()).encode(passages(60))
    told = []
    cached(Letters()).encode(passages(160), lambda *n: told.append(n))
    assert told == [(60, 160), (110, 160), (160, 160)]


def test_what_is_not_computed_is_not_kept():
    with pytest.raises(SourceError) as caught:
        cached(eatlas.open_vectors("glove-sample"))
    assert caught.value.remedy == "remove cache=yes"


def test_ctrl_c_says_what_is_kept():
    class Stopped(Letters):
        def encode_batches(self, some):
            yield from list(super().encode_batches(some))[:2]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        CachedSource(Stopped()).encode(passages(160))
    assert caught.value.__notes__ == [
        "100 of 160 texts are encoded and kept; repeat the command to continue"
    ]
    rest = Letters()
    cached(rest).encode(passages(160))
    assert len(rest.asked) == 60


RUN = "import eatlas; eatlas.run('sent-weat-6', {!r}, 'weat(resamples=0)', frequency='off')"
OF_MODELS = {"torch", "transformers"}


@pytest.mark.slow
def test_a_first_run_imports_torch_and_transformers(model):
    assert modules_after(RUN.format(f"hf:{model('bert')}")) >= OF_MODELS


def test_a_second_run_imports_neither_torch_nor_transformers(model):
    spec = f"hf:{model('bert')}"
    eatlas.run("sent-weat-6", spec, "weat(resamples=0)", frequency="off")
    assert not modules_after(RUN.format(spec)) & OF_MODELS
