"""Files of templates and words: read, laid over the built-in ones, and every fault named."""

import pytest

from eatlas import load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli.sentences import sentence_tests
from eatlas.stimuli.sentences.templates import (
    Forms,
    built_in,
    forms_of,
    parse_templates,
    read_templates,
)

OWN = """
schema = 1

[templates]
adjective = ["A very {term} thing."]
plant = ["I planted {a term}.", "{the terms} grow."]

[words]
plant = [["rose", "a rose", "roses"], "ivy"]
name = ["aster"]
"""
CLASSES = "adjective, mass, name, object, person, plant, possessive, subject, thing, verb"


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


def test_sentences_of_own_templates(own):
    (made,) = sentence_tests(load_tests("weat-9"), own)
    assert made.A.terms[:2] == ("A very impermanent thing.", "A very unstable thing.")
    assert made.notes[-1] == (
        "Sentences made of weat-9 with the templates of own.toml and of May et al. (2019, SEAT)."
    )


def test_a_file_of_words_alone_leaves_the_templates_their_source(tmp_path):
    path = tmp_path / "words.toml"
    path.write_text('schema = 1\n[words]\nperson = ["nurse"]\n', encoding="utf-8")
    assert read_templates(path).source == built_in().source


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "key schema: is None (allowed: schema = 1)"),
        ("schema = true", "key schema: is True (allowed: schema = 1)"),
        ("schema = 1\nword = 2", "key word: is not a key of a file of templates; did you mean words? (allowed: schema, templates, words)"),
        ("schema = 1\ntemplates = []", 'key templates: is not a table (allowed: [templates], then name = ["..."])'),
        ("schema = 1\nwords = 3", 'key words: is not a table (allowed: [words], then person = ["nurse"])'),
        ("schema = 1\n[templates]\nname = []", 'key templates.name: is not a list of templates (allowed: ["This is {term}."])'),
        ("schema = 1\n[templates]\nname = [5]", "key templates.name, template 1: 5 is not text (allowed: a quoted string)"),
        ('schema = 1\n[templates]\nname = ["{term}", "Hi."]', "key templates.name, template 2: 'Hi.' has no place for the term (allowed: {term}, {a term}, {the term}, {terms}, {the terms})"),
        ('schema = 1\n[templates]\nname = ["{word} is here."]', "key templates.name, template 1: '{word} is here.': there is no place {word} (allowed: {term}, {a term}, {the term}, {terms}, {the terms})"),
        ('schema = 1\n[templates]\nname = ["{{term} is here."]', "key templates.name, template 1: '{{term} is here.' has a brace too many (allowed: {term}, {a term}, {the term}, {terms}, {the terms})"),
        ('schema = 1\n[templates]\nplant = ["{term}"]\n[words]\nplants = ["ivy"]', f"key words.plants: there are no templates of this class; did you mean plant? (allowed: {CLASSES})"),
        ("schema = 1\n[words]\nname = [3]", """key words.name: 3 is not a word (allowed: "nurse", or with its forms ["nurse", "a nurse", "nurses"])"""),
        ('schema = 1\n[words]\nperson = [["nurse", "nurse", "nurses"]]', """key words.person: ['nurse', 'nurse', 'nurses'] is not a word (allowed: "nurse", or with its forms ["nurse", "a nurse", "nurses"])"""),
        ('schema = 1\n[words]\nperson = "nurse"', """key words.person: None is not a word (allowed: "nurse", or with its forms ["nurse", "a nurse", "nurses"])"""),
        ('schema = 1\n[words]\nname = ["Joy"]\nmass = ["Joy"]', "key words.mass: 'Joy' is of the class name too"),
        ("schema = ", "this is not TOML\n  got: Invalid value (at end of document)"),
    ],
)  # fmt: skip
def test_faults_are_named(tmp_path, text, fault):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StimulusError) as raised:
        read_templates(path)
    assert str(raised.value) == f"{path}: {fault}"


def test_all_faults_at_once():
    with pytest.raises(StimulusError) as raised:
        parse_templates(b'schema = 2\n[templates]\nname = ["a", "{b}"]', "f.toml", known={"name"})
    assert [line.split(": ")[1] for line in str(raised.value).splitlines()] == [
        "key schema",
        "key templates.name, template 1",
        "key templates.name, template 2",
    ]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(StimulusError, match=r"no\.toml: the file of templates cannot be read"):
        read_templates(tmp_path / "no.toml")


SHIPPED_OTHERWISE = {
    # inflect has banjoes and mosquitoes; both are good English, these are SEAT's
    "banjo": Forms("a banjo", "banjos"),
    "mosquito": Forms("a mosquito", "mosquitos"),
}


def test_shipped_forms_are_those_of_inflect():
    shipped = built_in().forms
    singulars = {term: forms for term, forms in shipped.items() if forms.singular == term}
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
        ("hour", "an hour", "hours"),
        ("university", "a university", "universities"),
        ("heir", "an heir", "heirs"),
        ("European", "a European", "Europeans"),
        ("FBI agent", "an FBI agent", "FBI agents"),
        ("wife", "a wife", "wives"),
        ("saleswoman", "a saleswoman", "saleswomen"),
        ("mother-in-law", "a mother-in-law", "mothers-in-law"),
        ("sheep", "a sheep", "sheep"),
    ],
)
def test_articles_and_plurals(term, one, plural):
    assert forms_of([term]) == {term: Forms(one, plural)}


def test_without_inflect(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "inflect", None)
    assert forms_of([]) == {}
    with pytest.raises(StimulusError) as raised:
        forms_of(["nurse", "baker"])
    assert str(raised.value) == (
        "articles and plurals of 'nurse', 'baker' are not known\n"
        "  remedy: pip install 'eatlas[sentences]', or give the forms of each word in a file of "
        'templates: [words], then person = [["nurse", "a nurse", "nurses"]]'
    )
