"""Terms such as nurs*: the words of a source take their place, once, by stated rules."""

from fnmatch import fnmatchcase

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.errors import StimulusError
from eatlas.sources import embed, open_vectors
from eatlas.stimuli import to_toml
from eatlas_vocabulary.sources.wildcards import MOST, expand


def source_of(words):
    rng = np.random.default_rng(5)
    return open_vectors({word: rng.normal(size=6) for word in words})


def expanded(test, words, case="auto"):
    return expand([test], source_of(words), case)[0]


WORDS = [
    "nurse", "nurses", "nursing", "Nurse", "norse", "rose", "roses", "he", "her", "hero", "love", "ant",
]  # fmt: skip


def test_words_take_the_place_of_patterns_as_fnmatch_finds_them():
    patterns = ("nurs*", "?ose", "n?rse", "*ing", "ro*s", "h*", "qq*")
    for pattern in patterns:
        test = expanded(make_test(X=(pattern, "lily")), WORDS)
        words = sorted(word for word in WORDS if fnmatchcase(word, pattern))
        assert test.X.terms == (*words, "lily")
    assert test.X.absent == (("qq*", "no word of dict matches it"),)


def test_the_longest_pattern_has_a_word_and_a_written_word_is_no_patterns():
    terms = ("nurs*", "nurse*", "nursing")
    test = expanded(make_test(X=terms), WORDS)
    assert test.X.terms == ("nurse", "nurses", "nursing")
    assert test.X.absent == (("nurs*", "its words are already other terms"),)
    turned = expanded(make_test(X=terms[::-1]), WORDS[::-1])
    assert set(turned.X.terms) == set(test.X.terms)
    assert test.stimuli_sha256 == turned.stimuli_sha256


def test_a_word_of_two_sides_is_left_out_of_both_unless_one_has_it_written():
    test = expanded(make_test(X=("he*", "iris"), Y=("her*", "ant"), A=("her*", "love")), WORDS)
    assert test.X.terms == ("he", "iris")
    assert dict(test.X.absent)["her"] == "also in Insects"
    assert test.Y.terms == ("ant",)
    assert test.A.terms == ("her", "hero", "love")  # attributes are opposed to attributes
    test = expanded(make_test(X=("he*", "iris"), Y=("her", "ant")), WORDS)
    assert test.X.terms == ("he", "hero", "iris")
    assert test.Y.terms == ("her", "ant")
    test = expanded(make_test(X=("he", "her*", "iris")), WORDS)
    assert test.X.terms == ("he", "her", "hero", "iris")


def test_the_case_rule_is_that_of_words():
    assert expanded(make_test(X=("Nurs*", "lily")), WORDS).X.terms == ("Nurse", "lily")
    assert expanded(make_test(X=("NURS*", "lily")), WORDS).X.terms[0] == "nurse"
    assert expanded(make_test(X=("NURS*", "lily")), WORDS, "exact").X.terms == ("lily",)


def test_the_case_rule_is_that_of_the_language():
    words = ["ısı", "ısıtma", "isim"]
    for language, found in (("tr", ["ısı", "ısıtma"]), ("", ["isim"])):
        test = make_test(X=("IS*", "lily")).model_copy(update={"language": language})
        assert list(expanded(test, words).X.terms) == [*found, "lily"]


def test_signs_without_letters_and_texts_with_spaces_are_taken_as_written():
    terms = ("*", "??", "Who is she?", "lily")
    assert expanded(make_test(X=terms), [*WORDS, "**"]).X.terms == terms
    embedded = embed(make_test(X=terms), source_of([*WORDS, "*"]))
    assert embedded.coverage.X.used == ("*",)


def test_a_group_whose_patterns_match_nothing_names_them():
    with pytest.raises(StimulusError, match=r"(?s)Flowers: no word of dict.*zz\*.*qq\*"):
        expanded(make_test(X=("zz*", "qq*")), WORDS)


def test_a_pattern_of_too_many_words_is_refused():
    words = [f"a{number}" for number in range(MOST + 1)]
    (test,) = expand([make_test(X=("a*", "lily"))], source_of(words[1:]))
    assert len(test.X.terms) == MOST + 1
    with pytest.raises(StimulusError, match=r"'a\*' matches more than 1,000 words of dict"):
        expanded(make_test(X=("a*", "lily")), words)


def test_expected_targets_are_the_words():
    groups = {"Women": ["she"], "Men": ["he"]}
    test = eatlas.GroupsTest(
        id="work", targets={"Work": ["nurs*", "rose"]}, groups=groups, reference="uniform",
        expected={"Women": ["nurs*"], "Men": ["rose"]},
    )  # fmt: skip
    (written,) = expand([test], source_of(WORDS))
    assert dict(written.expected) == {"Women": ("nurse", "nurses", "nursing"), "Men": ("rose",)}


def test_an_encoder_lists_no_words():
    encoder = open_vectors(lambda texts: np.ones((len(texts), 3)))
    with pytest.raises(StimulusError, match=r"<lambda> lists no words that could match 'nurs\*'"):
        expand([make_test(X=("nurs*", "lily"))], encoder)
    assert expand([make_test()], encoder) == [make_test()]


def test_the_words_are_written_to_a_file_that_an_encoder_takes():
    test = expanded(make_test(X=("nurs*", "lily"), Y=("nursi*", "ant")), WORDS)
    text = to_toml([test])
    assert 'terms = ["nurse", "nurses", "lily"]' in text
    assert "nursing" in text  # absent, with the reason
