"""Contextual sources: what they are asked, and what results keep of it."""

import numpy as np
from tests.inputs import make_test

import eatlas
from eatlas.engine.verify import verify
from eatlas.results.parts import Encoding
from eatlas.sources import Found, Item, Snapshot, Source, embed, is_contextual
from eatlas.sources.coverage import items_to_request
from eatlas.stimuli.sentences import sentence_tests


class Letters(Source):
    """Counts the letters of the stimulus and, with half the weight, of the whole text."""

    name, dim, fingerprint, notes = "letters", 26, "letters:1", ()
    encoding = Encoding(model="letters", architecture="count", level="word")

    def __init__(self):
        self.asked = []

    def vectors(self, items):
        self.asked.append(set(items))
        yield {one: Found(count(one.stimulus) + count(one.text) / 2) for one in items}


def count(text):
    return np.array([text.lower().count(chr(97 + i)) for i in range(26)], float)


WORDS = {
    "X": ("aster", "clover", "rose"),
    "Y": ("ant", "flea", "wasp"),
    "A": ("love", "peace", "joy"),
    "B": ("hatred", "war", "kill"),
}


def sentences():
    return sentence_tests([make_test(**WORDS)], classes="object")[0]


def test_words_are_encoded_alone_and_as_they_are_written():
    source = Letters()
    upper = make_test(**{**WORDS, "X": ("ASTER", "Clover", "rose")})
    given = embed(upper, source)
    assert Item("ASTER", (0, 5)) in source.asked[0]
    assert len(source.asked[0]) == 12, "no other case is tried"
    assert given.coverage.X.used == ("ASTER", "Clover", "rose")
    assert given.vectors["X"][0].tolist() == (count("aster") * 1.5).tolist()


def test_sentences_are_encoded_with_the_place_of_the_stimulus():
    source = Letters()
    test = sentences()
    given = embed(test, source)
    text = "These are asters."
    row = given.coverage.X.used.index(text)
    assert given.vectors["X"][row].tolist() == (count("asters") + count(text) / 2).tolist()
    assert given.coverage.X.span[text] == (10, 16)
    assert "This is an aster." not in given.coverage.X.span, "it is found where it stands"


def test_one_text_about_two_stimuli_is_two_passages():
    def group(name, *stimuli):
        said = [{"text": f"{s} sees the {t}.", "stimulus": s} for s, t in stimuli]
        return eatlas.Concept(name=name, sentences=said)

    pairs = (("Ann", "bee"), ("Eve", "fly"))
    about_bees = [{"text": f"{s} sees the {t}.", "stimulus": t} for s, t in pairs]
    test = make_test(**WORDS).model_copy(
        update={
            "X": group("People", *pairs),
            "A": eatlas.Concept(name="Bees", sentences=about_bees),
        }
    )
    given = embed(test, Letters())
    whole = count("Ann sees the bee.") / 2
    assert given.vectors["X"][0].tolist() == (count("ann") + whole).tolist()
    assert given.vectors["A"][0].tolist() == (count("bee") + whole).tolist()
    assert not [note for note in map(str, given.notes) if "one vector" in note]


def test_a_run_asks_once_and_says_how_far_it_is():
    source, told = Letters(), []
    items = items_to_request(source, [sentences(), make_test(**WORDS)], ["she"], "auto")
    kept = Snapshot.of(source, items, tell=lambda *n: told.append(n))
    assert len(source.asked) == 1
    assert told == [(len(source.asked[0]), len(source.asked[0]))]
    assert kept.lookup(["she", "he"]).keys() == {"she"}
    assert is_contextual(kept)
    assert isinstance(kept, Source)
    assert not is_contextual(eatlas.open_vectors("glove-sample"))


def test_verify_cannot_open_what_has_no_name():
    (result,) = eatlas.run(sentences(), Letters())
    (verdict,) = verify([result])
    assert verdict.status == "not repeated"
