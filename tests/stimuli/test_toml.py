"""A test file's faults are named by file, test and key."""

import pytest
from tests.inputs import TOML

from eatlas.errors import StimulusError
from eatlas.stimuli import load_tests


def fault(tmp_path, text: str | bytes) -> str:
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(StimulusError) as caught:
        load_tests(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_good_file_loads(test_file):
    (test,) = load_tests(test_file)
    assert (test.id, test.X.name, test.B.terms[-1]) == ("tiny", "Flowers", "agony")


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "bom.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TOML.encode())
    assert load_tests(path)[0].id == "tiny"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"lily"]', '"lily", "aster"]', "test tiny, key X.terms: duplicate terms 'aster'"),
        ('"lily"]', '"lily", "ant"]', "terms 'ant' are on both sides, X and Y"),
        ('["aster", "clover", "iris", "lily"]', "[]", "key X.terms: is empty"),
        ('id = "tiny"\n', "", "test number 1, key id: is missing"),
        ('id = "tiny"', 'id = "my test"', "key id: is not usable as an id (allowed: no spaces"),
        (
            'title = "Flowers',
            'titel = "Flowers',
            "key titel: is not a key that eatlas knows; did you mean title?",
        ),
        (
            'name = "Flowers", terms',
            'name = "Flowers", term',
            "key X.term: is not a key that eatlas knows; did you mean terms?",
        ),
        ('name = "Flowers", ', "", "key X.name: is missing"),
        (
            '"lily"]',
            '"lily", 3]',
            "key X.terms, term 5 (3): is not text (allowed: a quoted string)",
        ),
        ('"lily"]', '"lily", ""]', "key X.terms, term 5: is an empty string"),
        ('"lily"]', '"lily "]', "key X.terms, term 4: 'lily ' begins or ends with a space"),
        ('X = { name = "Flowers", terms', 'X = { name = "Flowers", words', "key X.words"),
        ("schema = 1", "schema = 2", "key schema: this version is unknown"),
        ("schema = 1", "schema = true", "key schema: this version is unknown, True"),
        ('"tiny"', '""', "test number 1, key id: is an empty string (allowed: a word)"),
        (
            "X = {",
            "targets = {",
            'test tiny, key kind: tests of the kind groups have targets (allowed: kind = "groups")',
        ),
        ("schema = 1", "", "key schema: is missing"),
        ("schema = 1", "schema = 1\nauthor = 'me'", "key author: is not a key that eatlas knows"),
        ("[[test]]", "[[tests]]", "key tests: is not a key that eatlas knows; did you mean test?"),
        (
            "[[test]]",
            "[battery]\ntitel = 'mine'\n[[test]]",
            "key battery.titel: is not a key that eatlas knows; did you mean title?",
        ),
        ("[[test]]", "[battery]\nid = 'a b'\n[[test]]", "key battery.id: is not usable as an id"),
        ("[[test]]", "[battery]\nnotes = 'n'\n[[test]]", "key battery.notes: is not a list"),
        ("[[test]]", "battery = 1\n[[test]]", "key battery: is not a table"),
        (
            'id = "tiny"',
            'id = "tiny"\nkind = "asociation"',
            "there is no kind 'asociation'; did you mean association? (allowed: association, groups)",
        ),
        ("[[test]]", "[[test]", "this is not TOML"),
        ('X = { name = "Flowers", terms = ["aster", "clover", "iris", "lily"] }', "X = 1", "key X"),
    ],
)
def test_faults_are_named(tmp_path, old, new, message):
    assert old in TOML
    assert message in fault(tmp_path, TOML.replace(old, new, 1))


def test_a_test_that_is_no_table(tmp_path):
    assert "test number 1: is not a table" in fault(tmp_path, "schema = 1\ntest = [3]\n")


def test_a_file_may_have_any_name(tmp_path):
    path = tmp_path / "my tests; 2.toml"
    path.write_text(TOML, encoding="utf-8")
    assert load_tests(path)[0].id == "tiny"


def test_every_fault_is_named_at_once(tmp_path):
    text = TOML.replace("schema = 1", "schema = 3\nauthor = 'me'\nyear = 2024")
    text = text.replace('"lily"]', '"aster", 3, "ant", " x", "ant"]').replace(
        'name = "Insects", ', ""
    )
    text = text.replace('"agony"]', '"love"]')
    lines = fault(tmp_path, text + 'C = "C"\n').splitlines()
    path, body = tmp_path / "mine.toml", lines[:-1]
    assert [line.removeprefix(f"{path}: ") for line in body] == [
        "key schema: this version is unknown, 3 (allowed: schema = 1)",
        "key author: is not a key that eatlas knows (allowed: schema, battery, test)",
        "key year: is not a key that eatlas knows (allowed: schema, battery, test)",
        "test tiny, key X.terms, term 5 (3): is not text (allowed: a quoted string)",
        "test tiny, key X.terms, term 7: ' x' begins or ends with a space, so no vector would "
        "match it",
        "test tiny, key Y.name: is missing",
        "test tiny, key C: is not a key that eatlas knows",
        "test tiny, key X.terms: duplicate terms 'aster', 'ant'; each term may occur once",
        "test tiny, key terms: terms 'ant' are on both sides, X and Y; "
        "a term that is both cannot distinguish the two concepts",
        "test tiny, key terms: terms 'love' are on both sides, A and B; "
        "a term that is both cannot distinguish the two concepts",
    ]
    assert lines[-1] == f"  remedy: correct the file and run: eatlas tests check {path}"


def test_faults_of_the_battery_and_of_its_tests_come_together(tmp_path):
    said = fault(tmp_path, TOML.replace("[[test]]", "[battery]\nid = 'a b'\n[[test]]\nidd = 1"))
    assert "key battery.id: is not usable as an id" in said
    assert "test tiny, key idd: is not a key that eatlas knows; did you mean id?" in said


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[test]]", "[test]", "key test: [test] is one table; each test begins with [[test]]"),
        ("[[test]]", "[test]\nid='a'\n[test]", "remedy: each test begins with [[test]], in double brackets"),
        ('"Flowers", terms', '"Flowers",\n terms', "remedy: a table in braces is on one line: { name = ..., terms = [...] }; only the list"),
        ('"lily"] }', '"lily"]\n}', "remedy: a table in braces is on one line"),
        ('X = { name', 'X = {  # the flowers\n name', "remedy: a table in braces is on one line"),
        ('"lily"', "lily", 'remedy: put words in quotation marks: "lily"'),
        ('"lily"', "“lily”", 'remedy: quotation marks are straight in TOML: " and not “'),
        ('"lily"] }', '"lily"], }', "remedy: no comma comes before a closing brace"),
        ('"aster", "clover"', '"aster" "clover"', "remedy: terms have commas between them"),
        ('id = "tiny"', "id: 'tiny'", "remedy: a key and its value are joined by ="),
        ('"tiny"', '"tiny', "remedy: a quotation mark is opened and not closed on the same line"),
        ('"tiny"', "'it's'", "remedy: put a word that contains ' in double quotation marks"),
        ('"agony"] }', '"agony"', "this is not TOML"),
        ('id = "tiny"', 'id = "tiny"\nid = "other"', "remedy: each key occurs once; a second test begins with [[test]]"),
        ("\n", "\r", "remedy: save the file with the line ends of Unix (LF) or Windows (CRLF)"),
        ("schema = 1", '{"X": 1}', "remedy: this looks like JSON; eatlas tests import reads the JSON of other tools"),
    ],
)  # fmt: skip
def test_what_was_probably_meant(tmp_path, old, new, message):
    assert old in TOML
    assert message in fault(tmp_path, TOML.replace(old, new, 1))


def test_terms_may_go_over_several_lines(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML.replace('"aster", ', '\n  "aster",  # {\n'), encoding="utf-8")
    assert load_tests(path)[0].X.terms[0] == "aster"


def test_crlf_is_no_fault(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(TOML.replace("\n", "\r\n").encode())
    assert load_tests(path)[0].id == "tiny"
    path.write_bytes(TOML.replace('"lily"] }', '"lily"]\n}').replace("\n", "\r\n").encode())
    with pytest.raises(StimulusError, match="a table in braces is on one line"):
        load_tests(path)


def test_utf16_is_named(tmp_path):
    said = fault(tmp_path, TOML.encode("utf-16"))
    assert "the file is not UTF-8\n  got: UTF-16, to judge by its first bytes" in said
    assert "remedy: save it as UTF-8" in said


def test_not_utf8_names_the_line(tmp_path):
    said = fault(tmp_path, TOML.encode().replace(b"clover", b"cl\xe9ver"))
    assert "line 6: the file is not UTF-8" in said
    assert "byte 0xe9" in said


def test_two_tests_with_one_id(tmp_path):
    body = TOML.split("\n", 1)[1]
    assert "used by 2 tests; ids must differ" in fault(tmp_path, TOML + body)


def test_no_tests(tmp_path):
    assert "there is no test" in fault(tmp_path, "schema = 1\n")
