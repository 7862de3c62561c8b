"""Dictionaries of LIWC and quanteda: categories become groups."""

import pytest

from eatlas.errors import StimulusError
from eatlas.stimuli.importers import import_test
from eatlas_vocabulary.stimuli.dictionaries import read_liwc, read_quanteda

DIC = """%
1\twork (Work Words)
2\thome
3 male
4\tfemale
%
job*\t1
homework*\t1\t2
kind of\t1
family\t2 2
like\t(02 134)125/464
he\t3
she\t4
wom?n\t4
"""
YAML = """
people:
  female: [she, "wom?n"]
  male:
    - he
    - no
    - he
occupations:
  - nurs*
  - teachers:
      - school teacher
"""


@pytest.fixture
def dic(tmp_path):
    path = tmp_path / "family.dic"
    path.write_text(DIC)
    return path


@pytest.fixture
def yml(tmp_path):
    path = tmp_path / "people.yml"
    path.write_text(YAML)
    return path


def test_categories_of_both_forms(dic, yml):
    assert read_liwc(dic) == (
        {"work": ["job*", "homework*", "kind of"], "home": ["homework*", "family"],
         "male": ["he"], "female": ["she", "wom?n"]},
        ["Not taken, terms with conditions: 'like'."],
    )  # fmt: skip
    assert read_quanteda(yml) == (
        {"people": ["she", "wom?n", "he", "no"], "people.female": ["she", "wom?n"],
         "people.male": ["he", "no"], "occupations": ["nurs*", "school teacher"],
         "occupations.teachers": ["school teacher"]},
        [],
    )  # fmt: skip


def test_categories_make_an_association_test(dic):
    chosen = {"X": "work", "Y": "home", "A": "male", "B": "female"}
    test = import_test(dic, "liwc", categories=chosen, test_id="w")
    assert test.label == "work/home, male/female"
    assert test.X.terms == ("job*", "kind of")
    assert test.notes[2] == "Left out of X, also in an opposed category: 'homework*'."


def test_categories_make_a_test_of_groups(yml):
    groups = {"targets": "occupations", "Women": "people.female", "Men": "people.male"}
    test = import_test(yml, "quanteda", categories=groups)
    assert test.targets.terms == ("nurs*", "school teacher")
    assert [group.terms for group in test.groups] == [("she", "wom?n"), ("he", "no")]


def test_a_category_that_occurs_twice_has_the_terms_of_both(tmp_path):
    path = tmp_path / "file.yml"
    path.write_text("a: [x]\na: {b: !!int 3}\n")
    assert read_quanteda(path).lists == {"a": ["x", "3"], "a.b": ["3"]}


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("liwc", "work\n", "not a dictionary of LIWC"),
        ("liwc", "%\n1\ta\n%\njob\t7\n", "'job' has a category that the file does not name"),
        ("liwc", "%\n1\ta\n%\n", "no category has a term"),
        ("liwc", "%\n1\ta\n1\tb\n%\njob\t1\n", "two categories have one number"),
        ("liwc", "%\n1\ta\n%\n" + "1 " * 100_000 + "x\n", "no category has a term"),
        ("quanteda", "a: [*b]", "quotation marks"),
        ("quanteda", "a: &x [b]\nc: *x", "quotation marks"),
        ("quanteda", "a: {", "not valid YAML"),
        ("quanteda", "- a", "not a dictionary of quanteda"),
        ("quanteda", "a: [b]\n---\nc: [d]\n", "one document"),
        ("quanteda", "", "not a dictionary of quanteda"),
        ("quanteda", "*a : [b]", "quotation marks"),
        ("quanteda", "? [a, b]\n: [c]", "not usable as the name of a category\n  got: no text"),
        ("quanteda", "a: " + "[" * 600 + "]" * 600, "at most 10 in each other"),
    ],
)
def test_other_files_are_refused(form, text, message, tmp_path):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(StimulusError, match=message) as error:
        {"liwc": read_liwc, "quanteda": read_quanteda}[form](path)
    assert str(error.value).startswith(str(path))


def test_categories_that_are_not_there(dic):
    chosen = {"X": "work", "Y": "hom", "A": "male", "B": "female"}
    with pytest.raises(StimulusError, match=r"no category 'hom'; did you mean home\?"):
        import_test(dic, "liwc", categories=chosen)
    with pytest.raises(StimulusError, match="do not form a test"):
        import_test(dic, "liwc", categories={"X": "work"})


SMALL = """%
1\twork
2\twomen
3\tmen
%
nurs*\t1
she\t2
wom?n\t2
he\t3
"""


def test_categories_of_a_dictionary_are_listed_or_become_groups(eatlas_cli, tmp_path):
    path = tmp_path / "words.dic"
    path.write_text(SMALL)
    importing = ("tests", "import", path, "--format", "liwc")
    listing = eatlas_cli(*importing)
    assert listing.out.startswith("work: 1 term, nurs*\nwomen: 2 terms, she, wom?n\n")
    groups = {"targets": "work", "Women": "women", "Men": "men"}
    options = [text for pair in groups.items() for text in ("--category", "=".join(pair))]
    assert eatlas_cli(*importing, *options, "-o", "words.toml").code == 0
    assert 'terms = ["nurs*"]' in (tmp_path / "words.toml").read_text()
    shown = eatlas_cli("tests", "expand", "words.toml", "glove-sample").out
    assert 'terms = ["nurse", "nurses", "nursing"]' in shown
    assert '{ name = "Women", terms = ["she", "woman", "women"] }' in shown
    ended = eatlas_cli(*importing, "--category", "X=work")
    assert ended.code == 2
    assert "a category for each of X, Y, A and B" in ended.err
