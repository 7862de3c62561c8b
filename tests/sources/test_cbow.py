"""Sentences as the mean of their words."""

import numpy as np
import pytest

import eatlas
from eatlas.errors import SourceError
from eatlas.sources import CBOWSource

WORDS = {
    "this": [1.0, 0.0], "is": [0.0, 1.0], "Amy": [2.0, 2.0], "person": [4.0, 0.0], "'s": [0.0, 2.0],
    "mother-in-law": [6.0, 6.0], "well": [1.0, 1.0], "known": [3.0, 3.0],
    "amie": [8.0, 0.0], "लड़की": [4.0, 0.0], "है": [2.0, 0.0],
}  # fmt: skip


@pytest.fixture
def source():
    return CBOWSource(eatlas.open_vectors(WORDS))


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("This is Amy.", [1, 1]), ("THIS is amy!", [1, 1]), ("this person's", [5 / 3, 2 / 3]),
        ("mother-in-law", [6, 6]), ("well-known", [2, 2]), ("Amy Amy is", [4 / 3, 5 / 3]),
        ("person", [4, 0]), ("वह लड़की है।", [3, 0]), ("l’amie est", [8, 0]),
    ],
)  # fmt: skip
def test_by_hand(source, text, mean):
    assert source.lookup({text})[text] == pytest.approx(mean)


def test_against_a_plain_loop_on_the_sentences_of_seat():
    source = eatlas.open_vectors("cbow:glove-sample")
    (test,) = eatlas.load_tests("sent-weat-7")
    words = source.words
    for text in test.X.terms:
        tokens = text.rstrip(".").lower().split()
        rows = [words.lookup({t})[t] for t in tokens if words.lookup({t})]
        assert source.lookup({text})[text] == pytest.approx(np.mean(rows, axis=0), abs=1e-6)


def test_twice_is_refused():
    with pytest.raises(SourceError, match=r"the mean of words is taken twice"):
        eatlas.open_vectors("cbow:cbow:glove-sample")


def test_unknown_words_source():
    with pytest.raises(SourceError, match="there are no vectors called 'glove-sampel'"):
        eatlas.open_vectors("cbow:glove-sampel")


def test_marks_are_words_where_that_is_chosen():
    """As in the code of SEAT, whose tokens are those of nltk."""
    words = WORDS | {".": [0.0, 9.0], "!": [9.0, 0.0], "%": [3.0, 3.0]}
    plain, marked = (CBOWSource(eatlas.open_vectors(words), punctuation=p) for p in (False, True))
    for text, without, mean in (
        ("This is Amy.", [1, 1], [3 / 4, 3]), ("is amy!!", [1, 1.5], [5, 3 / 4]),
        ("this person's.", [5 / 3, 2 / 3], [5 / 4, 11 / 4]), ("well-known%", [2, 2], [7 / 3, 7 / 3]),
    ):  # fmt: skip
        assert plain.lookup({text})[text] == pytest.approx(without)
        assert marked.lookup({text})[text] == pytest.approx(mean)
    assert marked.without_vector(["Amy?", "Bob is.", "this Bob"]) == ("?", "Bob")
    assert plain.without_vector(["Amy?", "Bob is."]) == ("Bob",)


def test_marks_are_an_option_of_the_source_string():
    source = eatlas.open_vectors("cbow:glove-sample?transform=center&punctuation=yes")
    assert source.name == "cbow:glove-sample?transform=center&punctuation=yes"
    assert eatlas.open_vectors(source.name).fingerprint == source.fingerprint
    plain = eatlas.open_vectors("cbow:glove-sample?transform=center&punctuation=no")
    assert (plain.name, plain.punctuation) == ("cbow:glove-sample?transform=center", False)
    assert plain.fingerprint != source.fingerprint
    with pytest.raises(SourceError, match="the option punctuation cannot be maybe"):
        eatlas.open_vectors("cbow:glove-sample?punctuation=maybe")
