"""Sentences as records: texts are the terms, files hold them line by line, faults name the line."""

from tests.inputs import make_test, make_vectors

from eatlas import Concept, open_vectors
from eatlas.sources import embed
from eatlas.stimuli import Sentence
from eatlas.stimuli.reading import parse_battery

IVY = {"text": "This is ivy.", "stimulus": "ivy"}
FILE = """
schema = 1
[[test]]
id = "said"
X = { name = "Plants", sentences = [
  { text = "This is ivy.", stimulus = "ivy", template = "This is {term}." },
  { text = "I like ivy.", stimulus = "ivy" },
] }
Y = { name = "Animals", terms = ["ant", "flea"] }
A = { name = "Pleasant", terms = ["love", "peace"] }
B = { name = "Unpleasant", terms = ["hatred", "war"] }
"""


def parse(text):
    return parse_battery(text.encode(), "said.toml", "said").tests


def test_a_file_of_sentences():
    (test,) = parse(FILE)
    assert test.X.terms == ("This is ivy.", "I like ivy.")
    assert test.X.sentences[0] == Sentence(
        text="This is ivy.", stimulus="ivy", template="This is {term}."
    )
    assert test.X.sentences[1].template == ""
    assert (test.X.stimulus_of["I like ivy."], test.Y.stimulus_of) == ("ivy", {})


def test_what_sentences_are_about_is_part_of_what_a_test_asks():
    (test,) = parse(FILE)
    texts = test.model_copy(update={"X": Concept(name="Plants", terms=test.X.terms)})
    assert texts.stimuli_sha256 != test.stimuli_sha256
    bare = [{"text": one.text, "stimulus": one.stimulus} for one in test.X.sentences]
    named = test.model_copy(update={"X": Concept(name="Plants", sentences=bare)})
    assert named.stimuli_sha256 == test.stimuli_sha256


def test_coverage_names_the_stimulus_of_used_and_missing_sentences():
    (test,) = parse(FILE)
    vectors = make_vectors(test)
    del vectors["I like ivy."]
    embedded = embed(test, open_vectors(vectors))
    assert embedded.coverage.X.missing == ("I like ivy.",)
    assert embedded.coverage.X.stimulus == {"This is ivy.": "ivy", "I like ivy.": "ivy"}
    assert embedded.coverage.Y.stimulus == {}
    assert any(
        "Sentences with the same stimulus are not independent" in note
        for note in map(str, embedded.notes)
    )
    plain = embed(make_test(), open_vectors(make_vectors(make_test())))
    assert not any("stimulus" in note for note in map(str, plain.notes))
