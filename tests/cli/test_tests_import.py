"""``eatlas tests import``: files of other software, as TOML."""

import json

import pytest

from eatlas import load_tests

SEAT = {
    "targ1": {"category": "Flowers", "examples": ["aster", "clover", "aster"]},
    "targ2": {"category": "Insects", "examples": ["ant", "flea"]},
    "attr1": {"category": "Pleasant", "examples": ["love", "peace", "שלום"]},
    "attr2": {"category": "Unpleasant", "examples": ["hatred", "war"]},
}


@pytest.fixture
def seat(tmp_path):
    path = tmp_path / "weat1.jsonl"
    path.write_text(json.dumps(SEAT, indent=2), encoding="utf-8")
    return path


def test_printed_toml_can_be_checked_and_run(eatlas_cli, seat, tmp_path):
    ended = eatlas_cli("tests", "import", seat, "--format", "sent-bias")
    assert (ended.code, ended.err) == (0, "")
    path = tmp_path / "mine.toml"
    path.write_text(ended.out, encoding="utf-8")
    (test,) = load_tests(path)
    assert (test.id, test.X.terms, test.A.terms) == (
        "weat1",
        ("aster", "clover"),
        ("love", "peace", "שלום"),
    )
    assert "'aster'" in test.notes[1]
    assert eatlas_cli("tests", "check", path).code == 0
    ran = eatlas_cli("run", "--tests", path, "--measure", "sc-eat", "--json")
    assert json.loads(ran.out.splitlines()[0])["test"] == "weat1"


def test_groups_are_listed_shown_and_checked(eatlas_cli, tmp_path):
    out = eatlas_cli("tests", "list").out
    assert (
        "divdist-race           Professions: Asian/Hispanic/White (groups: 288 targets, 20 + 16 + 20)"
        in out
    )
    path = tmp_path / "divdist.toml"
    path.write_text(eatlas_cli("tests", "show", "divdist").out, encoding="utf-8")
    assert load_tests(path) == load_tests("divdist")
    checked = eatlas_cli("tests", "check", path)
    assert checked.code == 0
    assert (
        "divdist-face-validity: targets Professions of Table 3: 8, group Female: 20, group Male: 20"
        in checked.out
    )
    ended = eatlas_cli("run", "--tests", "divdist", "--measure", "weat")
    assert ended.code == 2
    assert "does not take the test 'divdist-gender'" in ended.err
    assert not (tmp_path / "out").exists()


def test_pairs_of_sentences_of_a_csv_file(eatlas_cli, tmp_path):
    path = tmp_path / "crows.csv"
    more, less = "Girls, it is said, cannot run.", "Boys, it is said, cannot run."
    row = f'"{more}","{less}",stereo,gender\n'
    path.write_text(",sent_more,sent_less,stereo_antistereo,bias_type\n0," + row + "1," + row)
    importing = ("tests", "import", path, "--format", "crows-pairs")
    assert eatlas_cli(*importing, "-o", "crows.toml").code == 0
    (test,) = load_tests(tmp_path / "crows.toml")
    assert test.tables == [{"more": more, "less": less, "type": "gender"}]
    assert test.notes[1] == "Pairs given more than once, taken once: 1."
    assert eatlas_cli("tests", "check", "crows.toml").err == ""
    for text, message in (
        ("sent_more,sent_less\na,b\n", "the column 'bias_type' is missing"),
        ("sent_more,sent_less,bias_type\na,,x\n", "because a sentence is missing: line 2"),
        ("sent_more,sent_less,bias_type\na,b,\n", "line 2: the type of the pair is missing"),
        ("sent_more,sent_less,bias_type\n", "there are no pairs"),
        ("", "the column 'sent_more' is missing"),
    ):
        path.write_text(text)
        ended = eatlas_cli(*importing)
        assert ended.code == 2
        assert message in ended.err


def test_the_revised_pairs_have_tabs_and_some_lack_a_sentence(eatlas_cli, tmp_path):
    path = tmp_path / "french.csv"
    path.write_text(
        "\tsent_more\tsent_less\tstereo_antistereo\tbias_type\n"
        "0\tElles pleurent.\tIls pleurent.\tstereo\tgender\n"
        "1\tIls volent.\t\tstereo\tsocioeconomic\n"
        "2\tIls mentent.\tIls mentent.\tstereo\tautre\n"
    )
    importing = ("tests", "import", path, "--format", "crows-pairs", "--language", "fr")
    assert eatlas_cli(*importing, "-o", "french.toml").code == 0
    (test,) = load_tests(tmp_path / "french.toml")
    assert [pair["more"] for pair in test.tables] == ["Elles pleurent."]
    assert test.notes[1:] == (
        "Left out, because a sentence is missing: line 3.",
        "Left out, because both sentences are the same: line 4.",
    )
