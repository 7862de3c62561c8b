"""Sentences of words: by hand for each class of term, and what holds for every word list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inputs import make_test

from eatlas import load_tests
from eatlas.errors import StimulusWarning
from eatlas.stimuli.sentences import Forms, Templates, built_in, make_sentence, sentence_tests

BY_HAND = {
    "Jill": [
        "This is Jill.", "That is Jill.", "There is Jill.", "Here is Jill.", "Jill is here.",
        "Jill is there.", "Jill is a person.", "The person's name is Jill.",
    ],
    "loyal": ["This is loyal.", "That is loyal.", "They are loyal."],
    "honor": [
        "This is an honor.", "That is an honor.", "There is an honor.", "Here is an honor.",
        "The honor is here.", "The honor is there.", "An honor is a thing.", "It is an honor.",
        "These are honors.", "Those are honors.", "They are honors.", "The honors are here.",
        "The honors are there.", "Honors are things.",
    ],
    "children": [
        "This is a child.", "That is a child.", "There is a child.", "Here is a child.",
        "The child is here.", "The child is there.", "A child is a thing.", "It is a child.",
        "These are children.", "Those are children.", "They are children.",
        "The children are here.", "The children are there.", "Children are things.",
    ],
    "European American": [
        "This is a European American.", "That is a European American.",
        "There is a European American.", "Here is a European American.",
        "The European American is here.", "The European American is there.",
        "A European American is a person.", "These are European Americans.",
        "Those are European Americans.", "They are European Americans.",
        "The European Americans are here.", "The European Americans are there.",
        "European Americans are people.",
    ],
    "NASA": ["This is NASA.", "That is NASA.", "There is NASA.", "It is NASA."],
    "kill": [
        "This will kill.", "This did kill.", "This can kill.", "This may kill.",
        "That will kill.", "That did kill.", "That can kill.", "That may kill.",
    ],
    "she": [
        "She is here.", "She is there.", "Here she is.", "There she is.", "She is a person.",
    ],
    "her": ["It is her.", "This is her.", "That is her."],
    "hers": [
        "This is hers.", "That is hers.", "There is hers.", "Here is hers.", "It is hers.",
        "Hers is there.", "Hers is here.",
    ],
}  # fmt: skip
FLAT = ("ant", "flea")


def one(test, templates=None, classes=None):
    (made,) = sentence_tests([test], templates, classes)
    return made


@pytest.mark.parametrize("term", BY_HAND)
def test_each_class_by_hand(term):
    made = one(make_test(X=(term, "rose"), Y=FLAT)).X.sentences
    said = [sentence for sentence in made if sentence.stimulus == term]
    assert [sentence.text for sentence in said] == BY_HAND[term]
    name = built_in().words[term]
    assert tuple(sentence.template for sentence in said) == built_in().templates[name]


@pytest.mark.parametrize(
    ("template", "term", "forms", "said"),
    [
        ("{a term} is a thing.", "hour", Forms("an hour", "hours"), "An hour is a thing."),
        ("This is {a term}.", "university", Forms("a university", "universities"), "This is a university."),
        ("{the terms} are here.", "child", Forms("a child", "children"), "The children are here."),
        ("{terms} are people.", "FBI agent", Forms("an FBI agent", "FBI agents"), "FBI agents are people."),
        ("{term} is here.", "iPhone", None, "iPhone is here."),
        ("{term} is here.", "élan", None, "Élan is here."),
        ("{term}, {term}!", "rose", None, "Rose, rose!"),
        ("{term} is here.", "a {term}", None, "A {term} is here."),
    ],
)  # fmt: skip
def test_terms_in_templates(template, term, forms, said):
    sentence = make_sentence(template, term, forms)
    assert sentence.text == said
    words = {term} if forms is None else {term, forms.one.split(" ", 1)[1], forms.plural}
    assert said[slice(*sentence.span)].lower() in {word.lower() for word in words}


def test_a_made_test_says_what_it_is():
    made = one(load_tests("weat-9")[0])
    assert (made.id, made.title) == (
        "sent-weat-9",
        "Mental and physical disease, temporary and permanent (sentences)",
    )
    assert made.table == ""  # the numbers printed there are those of words
    assert (
        made.notes[-1] == "Sentences made of weat-9 with the templates of May et al. (2019, SEAT)."
    )
    assert made.label == "Mental/Physical, Temporary/Permanent"
    assert [len(concept.terms) for _, concept in made.parts] == [18, 73, 21, 23]


@pytest.mark.slow
def test_words_of_a_users_own_get_their_forms_from_inflect():
    test = make_test(X=("heir", "unicorn"), Y=("woman of color", "MP"))
    made = one(test, classes={"X": "person", "Y": "person"})
    assert made.X.terms[0] == "This is an heir."
    assert "Heirs are people." in made.X.terms
    assert "A unicorn is a person." in made.X.terms
    assert {"Women of color are people.", "An MP is a person."} <= set(made.Y.terms)


def test_plurals_are_pointed_out():
    with pytest.warns(StimulusWarning, match="may be plurals: 'doctors'; give the forms"):
        made = one(make_test(X=("doctors", "boss")), classes={"X": "person"})
    assert "These are bosses." in made.X.terms


def test_a_sentence_that_two_terms_share_stands_once():
    templates = Templates({"thing": ("{the term} is here.", "{terms} are here.")})
    forms = {"sheep": Forms("a sheep", "sheep"), "sheeps": Forms("a sheeps", "sheep")}
    words = dict.fromkeys(forms, "thing")
    known = Templates(words=words, forms=forms).over(templates)
    made = one(make_test(X=tuple(words)), known.over(built_in()))
    assert made.X.stimulus_of == {
        "The sheep is here.": "sheep",
        "Sheep are here.": "sheep",
        "The sheeps is here.": "sheeps",
    }


WORDS = st.lists(
    st.text(st.sampled_from("abcdefghiklmnoprstuwy"), min_size=2, max_size=9),
    min_size=2, max_size=8, unique=True,
)  # fmt: skip


@given(words=WORDS, name=st.sampled_from(["name", "adjective", "mass", "verb", "object"]))
def test_every_term_makes_sentences_and_none_stands_twice(words, name):
    words = [f"{word}x" for word in words]  # none of them is a word of a built-in test
    group = one(make_test(X=tuple(words)), classes={"X": name}).X
    assert len(set(group.terms)) == len(group.terms)
    assert list(dict.fromkeys(group.stimulus_of.values())) == words
    assert len(group.terms) == len(words) * len(built_in().templates[name])
    assert all(sentence.stimulus in sentence.text.lower() for sentence in group.sentences)
