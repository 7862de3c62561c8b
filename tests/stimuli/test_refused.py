"""What is no test, in a file or in Python: what is wrong, what was got and what is allowed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.drawn import draw_folder
from tests.inputs import TOML, make_test

from eatlas import AssociationTest, Concept, GroupsTest, load_tests
from eatlas.errors import StimulusError
from eatlas.stimuli import Image, Sentence
from eatlas.stimuli.batteries import read_test_file
from eatlas.stimuli.importers import import_test
from eatlas.stimuli.reading import parse_battery
from eatlas.stimuli.sentences import Forms, Templates, built_in, read_templates, sentence_tests

GROUPS = """\
schema = 1
[[test]]
kind = "groups"
id = "tiny"
targets = { name = "Professions", terms = ["nurse", "pilot", "judge"] }
groups = [
  { name = "Female", terms = ["she", "woman"] },
  { name = "Male", terms = ["he", "man", "him"] },
]
pairs = [["she", "he"]]
reference = { Female = 0.25, Male = 0.75 }
"""
SENTENCES = """\
schema = 1
[[test]]
id = "tiny"
X = { name = "Plants", sentences = [{ text = "This is ivy.", stimulus = "ivy" }] }
Y = { name = "Animals", terms = ["ant", "flea"] }
A = { name = "Pleasant", terms = ["love", "peace"] }
B = { name = "Unpleasant", terms = ["hatred", "war"] }
"""


def refused(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(StimulusError) as caught:
        load_tests(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (TOML, '"lily"]', '"lily", "aster"]', "test tiny, key X.terms: duplicate terms 'aster'"),
        (TOML, '["aster", "clover", "iris", "lily"]', "[]", "key X.terms: list should have at least 1 item"),
        (TOML, 'id = "tiny"', 'id = "my test"', "test my test, key id: string should match pattern '^[^\\s,;#?=]+$', got 'my test' (allowed: no spaces, commas"),
        (TOML, 'name = "Flowers", ', "", "key X.name: this key is required"),
        (TOML, '"lily"]', '"lily", 3]', "key X.terms, term 5: input should be a valid string, got 3 (allowed: a quoted string)"),
        (TOML, '"lily"]', '"lily "]', "key X.terms, term 4: 'lily ' begins or ends with a space"),
        (TOML, "schema = 1", "schema = true", "key schema: unknown version\n  got: True\n  allowed: schema = 1"),
        (TOML, "[[test]]", "[[tests]]", "not a file of tests\n  got: tests\n  allowed: schema = 1, then [battery], then [[test]]"),
        (TOML, TOML, "schema = 1\n", "key tests: list should have at least 1 item"),
        (TOML, "[[test]]", '[battery]\nname = "mine"\n[[test]]', "key name: unknown key\n"),
        (TOML, TOML, "schema = 1\ntest = [3]\n", "test number 1: input should be a valid dictionary or instance of AssociationTest, got 3"),
        (TOML, TOML, TOML + TOML.split("\n", 1)[1], "key tests: several tests have the id 'tiny'; ids must differ"),
        (TOML, 'X = { name = "Flowers", terms = ["aster", "clover", "iris", "lily"] }', "X = 1", 'key X: input should be a valid dictionary or instance of Concept, got 1 (allowed: { name = "Flowers"'),
        (GROUPS, '{ name = "Female", terms', '{ name = "Female", term', "key groups.term, group 1: unknown key; did you mean terms?"),
        (GROUPS, '"Female", terms', '"Male", terms', "the name 'Male' is taken; names of groups must differ"),
        (GROUPS, '  { name = "Male", terms = ["he", "man", "him"] },\n', "", "key groups: list should have at least 2 items, not 1"),
        (GROUPS, "0.25", "0.3", "reference: the weights sum to 1.05, and not to 1"),
        (GROUPS, "0.25", "inf", "reference: the weight of 'Female' is inf (allowed: a number from 0 to 1)"),
        (GROUPS, "{ Female =", "{ Femal =", "reference: there is no group 'Femal'; did you mean Female?"),
        (GROUPS, "Female = 0.25, Male = 0.75", "Male = 1", "reference: no weight for 'Female'; 0 is a weight"),
        (GROUPS, "{ Female = 0.25, Male = 0.75 }", '"Uniform"', "input should be 'uniform', got 'Uniform'"),
        (GROUPS, '[["she", "he"]]', '[["he", "she"]]', "['he', 'she'] is not a pair of the groups (allowed: one term of each of Female, Male"),
        (SENTENCES, 'stimulus = "ivy"', 'stimulos = "ivy"', "key X.sentences.stimulos, sentence 1: unknown key; did you mean stimulus?"),
        (TOML, "[[test]]", "[test]\nid='a'\n[test]", "this is not TOML\n  got: Cannot declare ('test',) twice (at line 4, column 6)\n  remedy: each test begins with [[test]], in double brackets"),
        (TOML, '"lily"] }', '"lily"]\n}', "remedy: a table in braces is on one line"),
        (TOML, '"lily"', "lily", "remedy: words have straight quotation marks"),
        (TOML, '"aster", "clover"', '"aster" "clover"', "remedy: terms have commas between them"),
        (TOML, '"tiny"', "'it's'", "remedy: put a word that contains ' in double quotation marks"),
        (TOML, TOML, TOML.replace("\n", "\r"), "remedy: save the file with the line ends of Unix (LF) or Windows (CRLF)"),
        (TOML, "schema = 1", '{"X": 1}', "remedy: this looks like JSON; eatlas tests import"),
    ],
)  # fmt: skip
def test_files(tmp_path, text, old, new, message):
    assert old in text
    assert message in refused(tmp_path, text.replace(old, new, 1))


def test_every_fault_of_a_file_is_named_at_once(tmp_path):
    text = TOML.replace('"lily"]', '"aster", 3, " x"]').replace('name = "Insects", ', "")
    lines = refused(tmp_path, text + 'C = "C"\n').splitlines()
    path = tmp_path / "mine.toml"
    assert [line.removeprefix(f"{path}: test tiny, key ") for line in lines] == [
        "X.terms, term 5: input should be a valid string, got 3 (allowed: a quoted string)",
        "X.terms, term 6: ' x' begins or ends with a space, so no vector would match it",
        "Y.name: this key is required",
        "C: unknown key",
        f"  remedy: correct the file {path}",
    ]


def test_a_hundred_faults_are_listed():
    many = "schema = 1\n" + '[[test]]\nid = "a b"\n' * 2_000
    with pytest.raises(StimulusError) as caught:
        parse_battery(many.encode(), "FILE", "x")
    lines = str(caught.value).splitlines()
    assert len(lines) == 102
    assert lines[-2] == "FILE: and 9,900 more faults"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (TOML.encode("utf-16"), "the file is not UTF-8\n  got: its first bytes look like UTF-16"),
        (TOML.encode().replace(b"clover", b"cl\xe9ver"), "line 6: the file is not UTF-8\n  got: byte 0xe9"),
    ],
)  # fmt: skip
def test_bytes(tmp_path, data, message):
    assert message in refused(tmp_path, data)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ('"flowers/*.jpg"', "flowers/*.jpg: no file matches"),
        ('"nothing"', "nothing cannot be read: No such file"),
        ('"empty"', "there is no image in this folder"),
        ('"pipe.png"', "pipe.png: this is neither a file nor a folder"),
        ('"void.png"', "void.png has 0 bytes (allowed: 1 to"),
        ("[]", "is an empty list"),
        ("[3]", "3 is neither a path nor a table (allowed: a folder"),
        ('[{ path = "a.jpg", sha256 = "00" }]', "argument sha256: string should match"),
        ('["ieat:age/young"]', "goes alone, without a list"),
        ('"ieat:age/yuong"', "has no such folder; did you mean age/young?"),
        (
            '"flowers", terms = ["rose"]',
            "key X.images: input should be a valid list, got 'flowers'",
        ),
    ],
)
def test_images(tmp_path, images, message):
    draw_folder(tmp_path / "flowers", 3, 0)
    (tmp_path / "empty").mkdir()
    (tmp_path / "void.png").touch()
    os.mkfifo(tmp_path / "pipe.png")
    text = TOML.replace('terms = ["aster", "clover", "iris", "lily"]', f"images = {images}")
    said = refused(tmp_path, text)
    assert "mine.toml: test tiny, key X" in said
    assert message in said


TWICE = [Image(name=name, sha256="0" * 64) for name in ("1.png", "9.png")]
IVY = {"text": "This is ivy.", "stimulus": "ivy"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Concept(name="F", terms="aster"), "Concept 'F', argument terms: input should be a valid list, got 'aster' (allowed: [\"one\", \"two\"])"),
        (lambda: Concept(name="F", terms=("ivy",), sentences=(IVY,)), "Concept 'F': a concept has terms, sentences or images, one of them"),
        (lambda: Concept(name="F", images=TWICE[:1], sentences=(IVY,)), "a concept has images or sentences, not both"),
        (lambda: Concept(name="F", images=TWICE), "images '9.png' and '1.png' have the same bytes"),
        (lambda: Concept(name="F", images="none/*.jpg"), "Concept 'F': none/*.jpg: no file matches"),
        (lambda: Sentence(text="Ivy.", stimulus="ivy", span=(0, 5)), "is not within the 4 characters of 'Ivy.'"),
        (lambda: AssociationTest(id="t", X="a"), "AssociationTest 't', argument X: input should be a valid dictionary or instance of Concept, got 'a'"),
        (lambda: make_test(X=("ant", "b"), A=("war", "c")), "AssociationTest 'tiny': the term 'ant' is on both sides, X and Y; a term that is both cannot distinguish the two concepts; the term 'war' is"),
        (lambda: AssociationTest.of_lists({"X": ["a"]}), "an association test has four lists of terms\n  got: 1: 'X'"),
        (lambda: GroupsTest(targets=["a"], groups={"B": ["b"], "C": ["c"]}, reference="uniform", references={"a": (1, 2)}), "the reference of 'a': the weight of 'C' is 2"),
        (lambda: load_tests(5), "not a test\n  got: 5 (int)\n  allowed: the name of a battery, the id of a test, or a TOML file, an AssociationTest"),
        (lambda: load_tests("weat-6,weat-7"), "no test or battery 'weat-6,weat-7'\n  allowed: the name of a battery, the id of a test, or a TOML file\n  remedy: repeat the option: --tests weat-6 --tests weat-7; in Python, give a list"),
        (lambda: load_tests("WEAT6"), "did you mean weat-6"),
        (lambda: load_tests([make_test(), make_test(X=("rose",))]), "two different tests have the id 'tiny'"),
        (lambda: read_test_file("caliskan"), "remedy: caliskan comes with eatlas: eatlas tests show caliskan prints it"),
    ],
)  # fmt: skip
def test_python(make, message):
    with pytest.raises(StimulusError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('schema = 1\n[templates]\nname = ["{term}", "Hi."]', "key templates.name, number 2: 'Hi.' has no place for the term (allowed: {term}, {a term}, {the term}, {terms}, {the terms})"),
        ('schema = 1\n[templates]\nname = ["{{term} is here."]', "has a brace too many"),
        ('schema = 1\n[templates]\nplant = ["{term}"]\n[words]\nplants = ["ivy"]', "key words.plants: there are no templates of this class; did you mean plant?\n  got: ivy"),
        ("schema = 1\n[words]\nname = [3]", 'key words.name, number 1: 3 is not a word (allowed: "nurse", or with its forms ["nurse", "a nurse", "nurses"])'),
    ],
)  # fmt: skip
def test_templates(tmp_path, text, message):
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(StimulusError) as caught:
        read_templates(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


ROSES = Templates(words={"roses": "thing"}, forms={"roses": Forms("a rose", "roses")})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sentence_tests([make_test(X=("rose", "roses"))], ROSES.over(built_in())), "test tiny, group X (Flowers): 'roses' only forms sentences that other words already form: 'rose'"),
        (lambda: sentence_tests([make_test(X=tuple(f"word{n}" for n in range(10)))]), "the class of these words is unknown\n  got: 'word0', 'word1', 'word2', 'word3', 'word4', 'word5', 'word6', 'word7' and 2 more\n  allowed: name, adjective"),
        (lambda: sentence_tests([make_test()], classes={"Z": "name"}), "there is no class 'name' of words, or no group 'Z'"),
        (lambda: sentence_tests(load_tests("divdist-race")), "no sentences can be made of the test divdist-race\n  got: a test of the kind groups"),
    ],
)  # fmt: skip
def test_sentences(make, message):
    with pytest.raises(StimulusError) as caught:
        make()
    assert message in str(caught.value)


SETS = ("targ1", "targ2", "attr1", "attr2")
SEAT = {key: {"category": key, "examples": [f"{key}a", f"{key}b"]} for key in SETS}
WEFE = {"target_sets": {"F": ["a"], "I": ["b"]}, "attribute_sets": {"P": ["c"], "U": ["d"]}}


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        ("sent-bias", {}, "key targ1: this key is required"),
        ("sent-bias", [1], "key input should be a valid dictionary"),
        ("sent-bias", SEAT | {"targ1": {"category": "F", "examples": []}}, "key targ1.examples: list should have at least 1 item"),
        ("wefe", {"target_sets": [["a"]], "attribute_sets": [["b"]], "target_sets_names": []}, "do not match the number of sets"),
        ("wefe", WEFE | {"attribute_sets": {"One": ["b"]}, "target_sets": {"Two": ["b"]}}, "this query is not an association test\n  got: 1 target sets and 1 attribute sets\n  allowed: two target sets and two attribute sets; or one of either"),
        ("wefe", WEFE | {"target_sets": {"A": ["a"], "B": ["b"], "C": ["c"]}}, "remedy: split larger queries in WEFE"),
        ("sentbias", SEAT, "there is no format 'sentbias' to import; did you mean sent-bias?\n  allowed: sent-bias, wefe"),
    ],
)  # fmt: skip
def test_imports(tmp_path, form, content, message):
    path = tmp_path / "file.json"
    path.write_text(json.dumps(content))
    with pytest.raises(StimulusError) as caught:
        import_test(path, form)
    assert message in str(caught.value)
    assert caught.value.remedy or caught.value.allowed


@pytest.mark.parametrize("data", [b"\xff\xfe", b"{'targ1': 1}", b"{}\n{}", b"[" * 200_000])
@pytest.mark.parametrize("form", ["sent-bias", "wefe"])
def test_what_is_no_json(tmp_path, form, data):
    path = tmp_path / "file.json"
    path.write_bytes(data)
    with pytest.raises(StimulusError, match="this is not JSON in UTF-8"):
        import_test(path, form)


def test_options_of_an_import(tmp_path):
    path = tmp_path / "file.json"
    with pytest.raises(StimulusError, match="file.json: the file cannot be read"):
        import_test(path, "wefe")
    path.write_text(json.dumps(SEAT))
    with pytest.raises(StimulusError, match=r"argument id: string should match[\s\S]*--id"):
        import_test(path, "sent-bias", test_id="my test")
