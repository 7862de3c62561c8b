"""Files of templates and words: read, laid over the built-in ones, and every fault named."""

import pytest
from tests.inputs import make_test

from eatlas.errors import StimulusError
from eatlas.stimuli.sentences import Forms, built_in, forms_of, read_templates, sentence_tests

OWN = """
schema = 1

[templates]
adjective = ["A very {term} thing."]
plant = ["I planted {a term}.", "{the terms} grow."]

[words]
plant = [["rose", "a rose", "roses"], "ivy"]
name = ["aster"]
"""


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


def test_own_templates_lie_over_the_built_in_ones(own):
    templates = read_templates(own)
    assert templates.templates["adjective"] == ("A very {term} thing.",)
    assert templates.templates["mass"] == built_in().templates["mass"]
    assert (templates.words["ivy"], templates.words["aster"]) == ("plant", "name")
    assert templates.forms["rose"] == Forms("a rose", "roses")
    assert "aster" not in templates.forms  # the forms are those of the word that it was
    assert templates.source == "own.toml and of May et al. (2019, SEAT)"


SHIPPED_OTHERWISE = {
    # inflect has banjoes and mosquitoes; both are good English, these are SEAT's
    "banjo": Forms("a banjo", "banjos"),
    "mosquito": Forms("a mosquito", "mosquitos"),
}


def test_shipped_forms_are_those_of_inflect():
    shipped = built_in().forms
    singulars = {
        term: forms for term, forms in shipped.items() if forms.one.split(" ", 1)[1] == term
    }
    assert set(shipped) - set(singulars) == {
        "parents", "children", "cousins", "relatives", "equations", "numbers",
    }  # fmt: skip
    asked = {t: f for t, f in singulars.items() if t not in SHIPPED_OTHERWISE}
    plural_in_looks = {"crocus", "iris", "virus"}
    made = forms_of(asked.keys() - plural_in_looks)
    assert {t: f for t, f in made.items() if f != asked[t]} == {}
    for term, forms in SHIPPED_OTHERWISE.items():
        assert shipped[term] == forms


@pytest.mark.parametrize(
    ("term", "one", "plural"),
    [
        ("hour", "an hour", "hours"), ("university", "a university", "universities"),
        ("heir", "an heir", "heirs"), ("European", "a European", "Europeans"),
        ("FBI agent", "an FBI agent", "FBI agents"), ("wife", "a wife", "wives"),
        ("saleswoman", "a saleswoman", "saleswomen"),
        ("mother-in-law", "a mother-in-law", "mothers-in-law"), ("sheep", "a sheep", "sheep"),
    ],
)  # fmt: skip
def test_articles_and_plurals(term, one, plural):
    assert forms_of([term]) == {term: Forms(one, plural)}


def test_without_inflect(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "inflect", None)
    assert forms_of([]) == {}
    with pytest.raises(StimulusError) as raised:
        forms_of(["nurse", "baker"])
    assert str(raised.value) == (
        "the articles and plurals of 'nurse', 'baker' are unknown\n"
        "  remedy: pip install 'eatlas[sentences]', or give the forms of each word in a file of "
        'templates: [words], then person = [["nurse", "a nurse", "nurses"]]'
    )


def test_published_templates_have_a_name_and_know_no_words():
    templates = read_templates("husse-spitz")
    assert templates.source == "Husse and Spitz (2022, Mind Your Bias)"
    assert (templates.words, templates.forms, templates.capital) == ({}, {}, False)
    classes = {"X": "person", "Y": "person", "A": "trait", "B": "a-thing"}
    (test,) = sentence_tests([make_test()], "husse-spitz", classes)
    assert test.X.terms[4] == f"{make_test().X.terms[0]} is here"
    assert test.B.terms[4] == f"a {make_test().B.terms[0]} is here"


def test_a_file_of_that_name_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "husse-spitz").write_text('schema = 1\n[templates]\nname = ["Ah, {term}!"]\n')
    assert read_templates("husse-spitz").templates["name"] == ("Ah, {term}!",)


@pytest.mark.parametrize(
    ("name", "language", "said"),
    [
        ("husse", "", ["no such file of templates; did you mean husse-spitz?", "a TOML file, or"]),
        ("own.toml", "", ["own.toml: there is no such file"]),
        ("husse-spitz", "de", ["the templates husse-spitz are English", "got: de"]),
    ],
)
def test_templates_that_are_not_there(name, language, said):
    with pytest.raises(StimulusError) as caught:
        read_templates(name, language)
    assert all(part in str(caught.value) for part in said)


def test_a_file_says_whether_sentences_begin_with_a_capital(tmp_path):
    path = tmp_path / "lower.toml"
    path.write_text('schema = 1\ncapital = false\n[templates]\nplain = ["{term} is here."]\n')
    (test,) = sentence_tests([make_test(A=("ivy", "oak"))], path, "plain")
    assert test.A.terms == ("ivy is here.", "oak is here.")
    assert test.A.sentences[0].span == (0, 3)
