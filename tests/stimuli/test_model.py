"""Concepts and tests can only be well formed."""

import pytest
from pydantic import ValidationError
from tests.inputs import make_test

from eatlas import AssociationTest, Concept


def test_a_concept_refuses_a_term_twice():
    with pytest.raises(ValidationError, match=r"duplicate terms 'aster'; each term may stand once"):
        Concept(name="Flowers", terms=("aster", "clover", "aster"))


def test_a_term_may_not_stand_on_both_sides():
    with pytest.raises(ValidationError, match=r"'ant' stand on both sides, X and Y"):
        make_test(X=("ant", "aster"))
    with pytest.raises(ValidationError, match=r"'war' stand on both sides, A and B"):
        make_test(A=("war", "love"))


def test_a_target_may_be_an_attribute_too():
    assert make_test(X=("love", "aster")).X.terms == ("love", "aster")


def test_tests_are_frozen(tiny):
    with pytest.raises(ValidationError, match="frozen"):
        tiny.id = "other"


def test_the_hash_names_the_stimuli_and_nothing_else(tiny):
    again = make_test("another-id", X=tuple(reversed(tiny.X.terms)))
    assert again.stimuli_sha256 == tiny.stimuli_sha256
    assert make_test(X=("rose", "lily")).stimuli_sha256 != tiny.stimuli_sha256
    swapped = AssociationTest(id="s", X=tiny.Y, Y=tiny.X, A=tiny.A, B=tiny.B)
    assert swapped.stimuli_sha256 != tiny.stimuli_sha256


@pytest.mark.parametrize(
    "term", ["New York", "l'amour", 'say "hi"', "🌹", "שלום", "naïve", "<script>"]
)
def test_any_word_may_be_a_term(term):
    assert Concept(name="Words", terms=(term, "other")).terms[0] == term
