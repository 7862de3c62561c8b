"""Languages of tests: their tags, their rules of case, and the same text in other characters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eatlas
from eatlas import AssociationTest, load_tests
from eatlas.errors import StimulusError
from eatlas.sources.coverage import spellings
from eatlas.stimuli import to_toml
from eatlas.stimuli.languages import capital, lower, same_texts, upper
from eatlas.stimuli.sentences import sentence_tests

WORDS = {"X": ["Rose"], "Y": ["Käfer"], "A": ["Liebe"], "B": ["Hass"]}


@pytest.mark.parametrize(
    ("language", "word", "cases"),
    [
        ("", "TITLE", ("title", "Title", "TITLE")),
        ("tr", "IŞIK", ("ışık", "Işık", "IŞIK")),
        ("az", "istiridye", ("istiridye", "İstiridye", "İSTİRİDYE")),
        ("tr-TR", "İzmir", ("izmir", "İzmir", "İZMİR")),
        ("nl", "ijs", ("ijs", "IJs", "IJS")),
        ("de", "Straße", ("straße", "Straße", "STRASSE")),
        ("el", "ΟΔΟΣ", ("οδος", "Οδος", "ΟΔΟΣ")),
        ("hi", "लड़की", ("लड़की",) * 3),
    ],
)
def test_the_cases_of_a_word_in_its_language(language, word, cases):
    assert (lower(word, language), capital(word, language), upper(word, language)) == cases


@given(st.text(max_size=8))
def test_without_a_language_the_cases_are_those_of_unicode(word):
    assert (lower(word), upper(word)) == (word.lower(), word.upper())
    assert capital(word) == word.capitalize()


@given(st.text(max_size=6))
def test_every_form_of_a_text_is_the_same_text(word):
    forms = [*same_texts(word)]
    assert forms[0] == word
    same = {unicodedata.normalize("NFD", form).translate(dict.fromkeys(map(ord, "’‘ʼʻ"), "'")) for form in forms}  # fmt: skip
    assert len(same) == 1


def test_a_term_is_looked_up_in_the_forms_that_a_vocabulary_may_have():
    assert "l\u2019homme" in spellings("l'homme", "auto")
    assert "м\u02bcяч" in spellings("м'яч", "auto")
    assert "cafe\u0301" in spellings("café", "auto")
    one_character, two = "ल\u095cकी", "लड\u093cकी"  # NFC writes the second
    assert one_character in spellings(two, "auto")
    assert two in spellings(one_character, "auto")
    assert "New_York" in spellings("New York", "auto")
    keys = spellings("Sozialer Aufstieg", "auto", "de-AT")
    assert {"/c/de/sozialer_aufstieg", "de:Sozialer_Aufstieg"} <= {*keys}
    assert spellings("l'homme", "exact", "fr") == ("l'homme",)


def test_a_test_says_its_language_and_a_battery_that_of_its_tests(tmp_path):
    test = AssociationTest(id="t", language="pt-BR", **WORDS)
    test.save(tmp_path / "t.toml")
    assert load_tests(tmp_path / "t.toml") == (test,)
    assert test.labels_sha256("") != test.model_copy(update={"language": ""}).labels_sha256("")
    own = to_toml([test, AssociationTest(id="u", **WORDS)]).replace("schema = 1", "")
    path = tmp_path / "battery.toml"
    path.write_text(f'schema = 1\n[battery]\nlanguage = "de"\n{own}', encoding="utf-8")
    assert [each.language for each in load_tests(path)] == ["pt-BR", "de"]


@pytest.mark.parametrize("language", ["german", "DE", "de_AT", "d", "de-"])
def test_what_is_no_language_tag_is_refused(language):
    with pytest.raises(StimulusError, match="BCP 47, such as de, pt-BR"):
        AssociationTest(id="t", language=language, **WORDS)


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "nl", "pt-BR"])
def test_sentences_in_other_languages_mention_the_word_as_it_is_written(language):
    test = AssociationTest(id="t", language=language, **WORDS)
    (made,) = sentence_tests([test], classes={"X": "name"})
    assert made.language == language
    assert f"of eatlas in {language[:2]}" in made.notes[-1]
    for _, concept in made.parts:
        for said in concept.sentences:
            assert said.text[slice(*said.span)] == said.stimulus
            assert "{term}" in said.template
    assert len(made.X.terms) == len(set(made.X.terms)) == 5
    assert all(any(mark in text for mark in "„«“‘") for text in made.Y.terms)


def test_sentences_in_a_language_without_templates_need_ones_own(tmp_path):
    test = AssociationTest(id="t", language="tr", X=["insan"], Y=["ev"], A=["iyi"], B=["kötü"])
    with pytest.raises(StimulusError, match="no templates of sentences in its language") as raised:
        sentence_tests([test])
    assert "got: tr" in str(raised.value)
    path = tmp_path / "own.toml"
    path.write_text('schema = 1\n[templates]\nad = ["{term} burada."]\n', encoding="utf-8")
    (made,) = sentence_tests([test], path, "ad")
    assert made.X.terms == ("İnsan burada.",)
    assert made.notes[-1].endswith("with the templates of own.toml.")
    path.write_text('schema = 1\n[templates]\nad = ["Bu {a term}."]\n', encoding="utf-8")
    with pytest.raises(StimulusError, match="only knows articles and plurals of English"):
        sentence_tests([test], path, "ad")


def test_whole_words_in_scripts_with_marks_and_without_spaces():
    hindi = eatlas.stimuli.Sentence(text="लड़की ने लड़क कहा।", stimulus="लड़क")
    assert hindi.text[slice(*hindi.span)] == "लड़क"
    assert hindi.span[0] > 5
    chinese = eatlas.stimuli.Sentence(text="那个女人来了。", stimulus="女人")
    assert chinese.span == (2, 4)
