"""Sentences as contexts: where they end, and that one sees the same from any place in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inputs import make_test
from tests.reading.compiled import sentences

from eatlas_corpora.reading import find_contexts

TEST = make_test()
PIECES = st.sampled_from(
    ["love", "Love", "war.", "war?", "war!”", "Mr.", "(A", "etc.)", "U.S.", "J.", "…", "é", "É.", "3.5"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=15).map(" ".join)


@pytest.mark.parametrize(
    "text",
    [
        "Hello World.|My name is Jonas.", "There it is!|I found it.",
        "My name is Jonas E. Smith.|Mr. Smith, to be exact.",
        "Please turn to p. 55.|Then to fig. 3.",
        "They dealt with Pitt, Briggs & Co. at noon.|It closed at Briggs & Co.|Good.",
        "I live in the U.S.|How about you?", "I have lived in the U.S. for 20 years.",
        "She has $100.00 in her bag.|It is hers.",
        "Her email is Jane.Doe@example.com.|I sent her an email.",
        "She turned to him, “This is great.” she said.|“Is it?”|He was not sure (he said.) at all.",
        "Hello?!|Is that you, etc.|And so on.",
        "I meant that....|She left.|We wait . . . . and wait.", "Élan vital.|École normale. élan.",
        "You and I.|Did you see?", "It costs 5.|6 are sold.", "no full stop",
    ],
)  # fmt: skip
def test_where_sentences_end(text):
    expected = text.split("|")
    assert sentences(" ".join(expected)) == expected
    assert sentences("\n".join(expected)) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("hi", "वह आई। |वह गई॥ |क्या?"), ("ur", "وہ آئی۔ |کیا؟ |ہاں"), ("hy", "Նա եկավ։ |Գնաց"),
        ("zh", "她 来 了 。 |你 好 ！ |再见"), ("am", "እሷ መጣች። |ሄደች"), ("es", "Vino. |¿Y él? |¡Se fue!"),
        ("de", "Am 3. Mai kam Dr. Weiß, d. h. Anna. |„Gut.“ |Sie ging."),
        ("fr", "Mme Curie et M. Curie, p. ex. Ici. |« Bien. » |Oui."),
        ("it", "Il sig. Rossi. |Ecco."), ("nl", "Dhr. Jansen. |Ja."), ("pt", "O Sr. Silva. |Sim."),
    ],
)  # fmt: skip
def test_where_sentences_end_in_other_languages(language, text):
    expected = [part.strip() for part in text.split("|")]
    assert sentences(" ".join(expected), language) == expected


def test_a_blank_line_ends_a_sentence():
    assert sentences("A title\n \nand a text\nthat goes on") == [
        "A title",
        "and a text\nthat goes on",
    ]


@given(st.lists(TEXTS, max_size=4))
def test_a_context_is_the_sentence_that_it_stands_in(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("corpus") / "some.txt"
    path.write_text("\n".join(texts), encoding="utf-8")
    contexts = find_contexts(path, TEST, window="sentence")
    parted = [one for text in texts for one in sentences(text)]
    for stimulus, spellings in {"love": {"love", "Love"}, "war": {"war"}}.items():
        words = {one: set(one.replace("!", " ").replace("?", " ").replace(".", " ").split()) for one in parted}  # fmt: skip
        expected = {one for one, some in words.items() if spellings & some}
        assert {one.text for one in contexts.of_stimulus(stimulus)} == expected


def test_contexts_are_whole_sentences_across_lines(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("Once upon a time. All you need\nis love,\nlove. War ends.\n\nA love\n")
    contexts = find_contexts(path, TEST, window="sentence", unit="paragraph")
    assert [one.text for one in contexts.of_stimulus("love")] in (
        ["All you need is love, love.", "A love"],
        ["A love", "All you need is love, love."],
    )
    assert contexts.of_stimulus("war")[0].text == "War ends."
    assert contexts.provenance["window"] == "sentence"


def test_what_is_no_sentence_is_cut_at_a_word(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("word " * 3000 + "love " + "word " * 3000)
    (one,) = find_contexts(path, TEST, window="sentence")
    assert len(one.text) <= 2 * 4096 + 4
    assert set(one.text.split()) == {"word", "love"}
