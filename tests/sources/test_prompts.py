"""Words in prompts: texts, spans, names, errors, runs over several prompts."""

import pytest
from tests.sources.test_passages import Letters, count

from eatlas.sources import Item
from eatlas.sources.prompts import PromptedSource


class Kept(Letters):
    """Keeps the texts that it is asked for."""

    def vectors(self, items):
        self.texts = {one.text: one.span for one in items}
        return super().vectors(items)


def words(*given):
    return [Item(word, (0, len(word))) for word in given]


@pytest.mark.parametrize(
    ("prompt", "word", "text", "span"),
    [
        ("This is {}", "aster", "This is aster", (8, 13)),
        ("{} is here.", "aster", "aster is here.", (0, 5)),
        ("{}", "aster", "aster", (0, 5)),
        ("This is {a term}.", "aster", "This is an aster.", (11, 16)),
        ("{the terms} are here", "aster", "the asters are here", (4, 10)),
        ("{term}: what?", "fried chicken", "fried chicken: what?", (0, 13)),
    ],
)
def test_a_word_in_a_prompt(prompt, word, text, span):
    source = Kept()
    (vector,) = PromptedSource(source, prompt).encode(words(word)).values()
    assert source.texts == {text: span}
    assert vector.tolist() == (count(text[slice(*span)]) + count(text) / 2).tolist()


def test_answers_are_about_the_words_that_were_asked():
    source = PromptedSource(Letters(), "This is {}")
    assert set(source.encode(words("ivy", "rose"))) == set(words("ivy", "rose"))
    assert (
        source.lookup(["ivy"])["ivy"].tolist() == (count("ivy") + count("thisisivy") / 2).tolist()
    )
    assert source.encoding.prompt == "This is {}"
    assert source.name == "letters?prompt=This is {}"
    assert source.fingerprint == "letters:1;prompt=This is {}"
    assert (source.dim, source.notes) == (26, ())


def test_a_name_that_can_be_opened_again():
    name = PromptedSource(Letters(), "50% & #{}?").name
    assert name == "letters?prompt=50%25 %26 %23{}%3F"
