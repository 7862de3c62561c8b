"""Concepts and tests can only be well formed."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from tests.inputs import make_test

from eatlas import AssociationTest, Concept, EatlasError
from eatlas.errors import StimulusError
from eatlas.stimuli.concepts import Sentence


def test_a_concept_refuses_a_term_twice():
    with pytest.raises(StimulusError, match=r"duplicate terms 'aster'; each term may occur once"):
        Concept(name="Flowers", terms=("aster", "clover", "aster"))


def test_a_term_may_not_stand_on_both_sides():
    with pytest.raises(StimulusError, match=r"'ant' are on both sides, X and Y"):
        make_test(X=("ant", "aster"))
    with pytest.raises(StimulusError, match=r"'war' are on both sides, A and B"):
        make_test(A=("war", "love"))


def test_a_target_may_be_an_attribute_too():
    assert make_test(X=("love", "aster")).X.terms == ("love", "aster")


def test_tests_are_frozen(tiny):
    with pytest.raises(StimulusError) as caught:
        tiny.id = "other"
    assert str(caught.value) == (
        "AssociationTest cannot be changed\n  got: a new value for id\n"
        "  remedy: make another; model_copy(update={...}) copies what stays"
    )
    assert tiny.model_copy(update={"id": "other"}).id == "other"
    with pytest.raises(StimulusError, match="cannot be changed\n  got: an order to delete X"):
        del tiny.X


def test_a_copy_is_checked_as_any_other_test(tiny):
    with pytest.raises(StimulusError, match="AssociationTest 'tiny', argument X: is not a concept"):
        tiny.model_copy(update={"X": 3})
    with pytest.raises(StimulusError, match="are on both sides, X and Y"):
        tiny.model_copy(update={"Y": tiny.X})
    with pytest.raises(StimulusError, match="argument y: is not an argument that eatlas knows"):
        tiny.model_copy(update={"y": tiny.X})
    assert tiny.model_copy() == tiny


def test_a_kind_that_is_not_its_own(tiny):
    with pytest.raises(StimulusError, match=r"kind: has no such value \(allowed: 'association'\)"):
        AssociationTest(**{**dict(tiny), "kind": "groups"})


CONCEPT = 'Concept(name="Flowers", terms=["aster", "clover"])'


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Concept, "Concept, argument name: is missing\nConcept, argument terms: is missing"),
        (lambda: Concept("Flowers", ["aster"]), "Concept takes its arguments by name\n  got: 2 without a name\n  allowed: Concept(name=..., terms=...)"),
        (lambda: Concept(name="F", terms="aster"), "Concept 'F', argument terms: is not a list (allowed: [\"one\", \"two\"])"),
        (lambda: Concept(name="F", terms=[]), "Concept 'F', argument terms: is empty (allowed: one term at least)"),
        (lambda: Concept(name="F", terms=["a", 3, ""]), "Concept 'F', argument terms, term 2 (3): is not text (allowed: a quoted string)\nConcept 'F', argument terms, term 3: is an empty string (allowed: a word)"),
        (lambda: Concept(name="F", terms=["a", "a", 3]), "Concept 'F', argument terms, term 3 (3): is not text (allowed: a quoted string)\nConcept 'F', argument terms: duplicate terms 'a'; each term may occur once"),
        (lambda: Concept(name=5, terms=["a"]), "Concept, argument name: is not text (allowed: a quoted string)"),
        (lambda: Concept(name="F", terms=["a "]), "Concept 'F', argument terms, term 1: 'a ' begins or ends with a space, so no vector would match it"),
        (lambda: Concept(name="F", term=["a"]), "Concept 'F', argument terms: is missing\nConcept 'F', argument term: is not an argument that eatlas knows; did you mean terms?"),
        (lambda: Concept(name="F", terms=["\ud800"]), "Concept 'F', argument terms, term 1: holds characters that are not text (allowed: text that can be saved as UTF-8)"),
        (lambda: make_test("my id"), "AssociationTest 'my id', argument id: is not usable as an id (allowed: no spaces, commas or any of ;#?=)"),
        (lambda: AssociationTest(id="t", X="a", Y=3), f"AssociationTest 't', argument X: is not a concept (allowed: {CONCEPT})\nAssociationTest 't', argument Y: is not a concept (allowed: {CONCEPT})\nAssociationTest 't', argument A: is missing\nAssociationTest 't', argument B: is missing"),
        (lambda: make_test("t", X=("ant", "b"), A=("war", "c")), "AssociationTest 't', argument terms: terms 'ant' are on both sides, X and Y; a term that is both cannot distinguish the two concepts\nAssociationTest 't', argument terms: terms 'war' are on both sides, A and B; a term that is both cannot distinguish the two concepts"),
    ],
)  # fmt: skip
def test_misuse_in_python_is_said_in_our_words(make, message):
    with pytest.raises(StimulusError) as caught:
        make()
    assert str(caught.value) == message
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert isinstance(caught.value, EatlasError)


def test_terms_may_come_as_any_list():
    expected = ("aster", "clover")
    for terms in (
        ["aster", "clover"],
        {"clover", "aster"},
        frozenset(expected),
        pd.Series(expected),
        pd.Index(expected),
        np.array(expected),
        dict.fromkeys(expected),
        (t for t in expected),
    ):
        concept = Concept(
            name="Flowers", terms=terms if not isinstance(terms, dict) else terms.keys()
        )
        assert concept.terms == expected
        assert {type(term) for term in concept.terms} == {str}


def test_tests_can_be_copied_and_pickled(tiny):
    pickled = pickle.loads(pickle.dumps(tiny))  # noqa: S301
    for again in (copy.copy(tiny), copy.deepcopy(tiny), pickled):
        assert again == tiny
        assert hash(again) == hash(tiny)
        with pytest.raises(StimulusError, match="cannot be changed"):
            again.title = "x"
    assert AssociationTest.model_validate(tiny.model_dump()) == tiny
    assert AssociationTest.model_validate_json(tiny.model_dump_json()) == tiny


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


@pytest.mark.parametrize(
    ("stimulus", "text", "span"),
    [
        ("ivy", "This is ivy.", (8, 11)),
        ("will", "Will is a will.", (10, 14)),
        ("ivy", "Ivy is ivyed, and ivy.", (18, 21)),
        ("Ivy", "IVY is here.", (0, 3)),
        ("fried chicken", "I ate fried chicken.", (6, 19)),
        ("aster", "These are asters.", None),
    ],
)
def test_where_a_stimulus_stands(stimulus, text, span):
    assert Sentence(text=text, stimulus=stimulus).span == span


def test_a_span_that_is_given_stands():
    assert Sentence(text="These are asters.", stimulus="aster", span=(10, 16)).span == (10, 16)


@pytest.mark.parametrize("span", [(3, 3), (-1, 2), (0, 5), (4, 2)])
def test_a_span_lies_in_the_text(span):
    with pytest.raises(StimulusError, match=r"is not within the 4 characters of 'Ivy\.'"):
        Sentence(text="Ivy.", stimulus="ivy", span=span)


def test_the_hash_of_sentences_holds_what_each_is_about():
    def test_of(**sentence):
        x = Concept(name="X", sentences=[{"text": "Ivy is no rose.", **sentence}])
        others = {r: Concept(name=r, terms=(f"{r}1", f"{r}2")) for r in "YAB"}
        return AssociationTest(id="t", X=x, **others).stimuli_sha256

    about_ivy = test_of(stimulus="ivy")
    assert about_ivy == test_of(stimulus="ivy", span=(0, 3), template="{term} is no rose.")
    assert len({about_ivy, test_of(stimulus="rose"), test_of(stimulus="ivy", span=(10, 14))}) == 3
