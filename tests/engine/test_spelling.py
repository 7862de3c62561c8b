"""What a missing word may be a misspelling of, and what is asked about it."""

import itertools
import random
import warnings

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.engine.spelling import count_edits, find_near_words
from eatlas.errors import CoverageError, SourceWarning, StimulusWarning
from eatlas.sources import ArraySource
from eatlas.sources.coverage import language_hint


def edits_by_definition(first: str, second: str) -> int:
    """Optimal string alignment, cell by cell."""
    table = np.add.outer(np.arange(len(first) + 1), np.arange(len(second) + 1))
    for i, j in itertools.product(range(1, len(first) + 1), range(1, len(second) + 1)):
        replaced = table[i - 1, j - 1] + (first[i - 1] != second[j - 1])
        table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, replaced)
        if i > 1 and j > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
            table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return int(table[-1, -1])


def test_edits_are_those_of_the_definition():
    draw = random.Random(7)
    for _ in range(400):
        word = "".join(draw.choices("abc", k=draw.randint(1, 8)))
        length = draw.randint(1, 9)
        words = ["".join(draw.choices("abc", k=length)) for _ in range(5)]
        letters = np.array(words).view(np.uint32).reshape(5, length).T
        for most in (1, 2):
            expected = [min(edits_by_definition(word, each), most + 1) for each in words]
            assert count_edits(word, letters, most).tolist() == expected


@pytest.mark.parametrize(
    ("missing", "vocabulary", "near"),
    [
        ("offcie", ["the", "office", "offices"], ("office",)),
        ("Davdi", ["saudi", "DAVID", "david"], ("DAVID",)),
        ("carrer", ["career", "carter", "carver", "car"], ("career", "carter", "carver")),
        ("kinndergaten", ["kindergarten"], ("kindergarten",)),
        ("father-in-law", ["father_in_law"], ("father_in_law",)),
        ("façade", ["facade"], ("facade",)),
        ("paece", ["place", "peace"], ("peace",)),
        ("grape", ["grade"], ()),  # short words are near to many by chance
        ("the", ["she", "thee"], ()),  # too short
        ("clover", ["love"], ()),  # two edits of six letters
        ("x" * 41, ["x" * 40], ()),
        ("worded", ["wo\0ded", "", "worded "], ("worded ",)),
    ],
)
def test_near_words(missing, vocabulary, near):
    assert find_near_words([missing], vocabulary).get(missing, ()) == near


def test_the_more_frequent_word_comes_first():
    words = ["mealed", "sealed", "healed", "dealed"]
    assert find_near_words(["eealed"], words)["eealed"] == ("mealed", "sealed", "healed")
    assert find_near_words(["eealed"], words[::-1])["eealed"] == ("dealed", "healed", "sealed")


def test_a_hint_of_another_language():
    assert language_hint(0, 32) == (
        "0 of 32 words found. The vectors may be in another language, or distinguish capitals."
    )
    assert language_hint(7, 32)
    assert not language_hint(8, 32)
    assert not language_hint(0, 7)


def own_test():
    return make_test(A=("love", "paece", "joy", "heaven"))


def source_without(*words: str) -> ArraySource:
    vectors = make_vectors(make_test())
    return ArraySource(
        [word for word in vectors if word not in words],
        np.array([row for word, row in vectors.items() if word not in words]),
        name="mine",
    )


def test_a_misspelt_word_is_said_before_anything_is_measured():
    with pytest.warns(StimulusWarning) as caught:
        eatlas.run(own_test(), source_without(), "weat(resamples=0)", frequency="off")
    assert [str(warning.message) for warning in caught] == [
        "tiny: Not in mine: paece (did you mean peace?)."
    ]


def test_words_of_a_published_test_are_spelt_as_they_were_published():
    (published,) = eatlas.load_tests("weat-6")
    vectors = make_vectors(published)
    vectors["offices"] = vectors.pop("office")
    with warnings.catch_warnings():
        warnings.simplefilter("error", StimulusWarning)
        eatlas.run(published, vectors, "weat(resamples=0)", frequency="off")


def test_few_words_are_said_to_be_of_another_language():
    few = source_without(*(set(make_test().terms) - {"love", "peace", "war"}))
    with (
        pytest.warns(SourceWarning, match="The vectors may be in another language"),
        pytest.raises(CoverageError) as caught,
    ):
        eatlas.run(make_test(), few, "weat(resamples=0)", frequency="off")
    assert "use vectors in the language and spelling of the test; otherwise use" in str(
        caught.value
    )
    assert "words found" not in str(caught.value), "the warning says it"


def test_a_group_without_words_asks_about_them():
    test = make_test(A=("haeven", "paece"))
    with pytest.warns(StimulusWarning), pytest.raises(CoverageError) as caught:
        eatlas.run(test, source_without(), "weat(resamples=0)", frequency="off")
    assert str(caught.value) == (
        "test tiny, group A (Pleasant): no term has a usable vector in mine\n"
        "  got: missing: haeven (not in mine; did you mean heaven?), paece (not in mine; did you mean "
        "peace?)\n"
        "  allowed: at least 1 usable term, because weat takes their mean\n"
        "  remedy: use terms that are in the source, or a source with a larger vocabulary; for phrases, "
        "use cbow:SOURCE, which averages the vectors of their words"
    )
