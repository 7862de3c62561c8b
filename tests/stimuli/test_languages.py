"""Languages of tests: their tags, their rules of case, and the same text in other characters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas import AssociationTest, load_tests
from eatlas.errors import StimulusError
from eatlas.sources.coverage import spellings
from eatlas.stimuli import to_toml
from eatlas.stimuli.languages import capital, lower, same_texts, upper

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
