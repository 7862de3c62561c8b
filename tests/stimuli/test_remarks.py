"""What is no fault of a test but deserves a second look."""

import pytest
from tests.inputs import make_test

from eatlas import Concept, GroupsTest, load_tests
from eatlas.stimuli import battery_names
from eatlas.stimuli.kinds import remarks


def test_one_name_for_two_concepts_is_allowed_and_said(tiny):
    assert remarks(tiny) == []
    twins = tiny.model_copy(update={"Y": Concept(name=tiny.X.name, terms=tiny.Y.terms)})
    assert [*map(str, remarks(twins))] == [
        f"X and Y have the same name, {tiny.X.name}: tables and sentences cannot distinguish them."
    ]
    both = tiny.model_copy(update={"A": Concept(name=tiny.X.name, terms=tiny.A.terms)})
    assert remarks(both) == []


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("as\u200bter", r"'as\u200bter' of X (Flowers) contains U+200B (zero width space)"),
        ("\ufeffa", r"'\ufeffa' of X (Flowers) contains U+FEFF (zero width no-break space)"),
        ("soft\u00adhyphen", r"'soft\xadhyphen' of X (Flowers) contains U+00AD (soft hyphen)"),
        ("two\twords", r"'two\twords' of X (Flowers) contains U+0009 (a control character)"),
    ],
)
def test_what_cannot_be_seen_is_named(term, said):
    test = make_test(X=(term, "clover"))
    assert [*map(str, remarks(test))] == [
        f"The term {said}, which is invisible: it matches no word without this character."
    ]


def test_terms_in_another_form_of_unicode():
    cafe = Concept(name="Places", terms=("cafe\u0301", "caf\u00e9"))
    other = Concept(name="Drinks", terms=("coffee",))
    test = GroupsTest(
        id="g",
        targets=cafe,
        groups=(Concept(name="Other", terms=("tea",)), other),
        reference="uniform",
    )
    assert [*map(str, remarks(test))] == [
        r"The term 'cafe\u0301' of targets (Places) is not in Unicode NFC, the form "
        "that most vectors use for their words."
    ]


def test_no_built_in_test_needs_a_second_look_at_its_terms():
    for name in (name for name in battery_names() if not name.startswith("sent-")):
        assert [said for test in load_tests(name) for said in remarks(test)] == []


def test_sentences_of_one_stimulus_are_not_independent():
    (test,) = load_tests("sent-weat-6")
    assert [*map(str, remarks(test))] == [
        "Each stimulus occurs in several sentences (X: 64 sentences of 8 stimuli, Y: 64 "
        "sentences of 8 stimuli, A: 101 sentences of 8 stimuli, B: 112 sentences of 8 stimuli). "
        "Sentences with the same stimulus are not independent, so p-values that permute single "
        "sentences are too small; by default, p-values permute stimuli."
    ]
    assert remarks(load_tests("double-bind-likable-one-sentence")[0]) == []
